//! Rules: what a server says to which message, how often, and how often it is to be asked.
//!
//! A rule is made of conditions on a message of the client and of a response; [`Server::mount`](super::Server::mount) puts
//! it into force. Of the rules that fit a message the one mounted last counts, so that a test overrides what was said
//! before it; one that has responded as often as it may is passed over. What fits no rule goes to the handler of its
//! method, and from there to what every server answers by itself. A request that the protocol refuses, such as one before
//! `initialize`, reaches no rule.
//!
//! ```
//! use mcp_test::client::{Client, Options};
//! use mcp_test::expect::equals;
//! use mcp_test::server::{Server, given, method, param, steps};
//! use mcp_test::trace::Recorder;
//! use mcp_test::transport::{CarrierKind, Limits};
//! use serde_json::json;
//! use std::time::Duration;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> mcp_test::Result {
//! let server = Server::new(json!({"name": "calculator", "version": "1.0.0"}));
//! server.mount(given(method("tools/call")).respond_with(json!({"content": []})));
//! server.mount(
//!     given(method("tools/call"))
//!         .and(param("/name", equals("add")))
//!         .respond_with(
//!             steps()
//!                 .progress(1, 2)
//!                 .delay(Duration::from_millis(20))
//!                 .answer(json!({"content": [{"type": "text", "text": "3"}]})),
//!         )
//!         .up_to_n_times(2)
//!         .expect(1..)
//!         .named("adds"),
//! );
//! server.mount(given(method("prompts/list")).watched().expect(1).named("asks for prompts"));
//!
//! // Any client will do; this one is in the same process.
//! let link = server.target().open(CarrierKind::Duplex, &Recorder::new(), Limits::default()).await?;
//! let mut client = Client::connect(link, Options::default()).await?;
//! let reply = client.request("tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}})).await?;
//! assert!(reply.result()?.to_string().contains('3'));
//!
//! let findings = server.verify();
//! assert_eq!(findings.len(), 1);
//! assert_eq!(findings[0].headline, "the rule `asks for prompts` is not met");
//! # Ok(())
//! # }
//! ```

mod book;
mod condition;
mod gate;
mod guard;
mod message;
mod respond;
mod rule;
mod steps;
mod times;
mod verify;

pub use condition::{Condition, any_message, by_client, meta, method, param, params, revision};
pub use gate::Gate;
pub use guard::Scoped;
pub use message::ClientMessage;
pub use respond::Respond;
pub use rule::{Given, Rule, given};
pub use steps::{Course, Steps, steps};
pub use times::Times;

pub(super) use book::Book;
