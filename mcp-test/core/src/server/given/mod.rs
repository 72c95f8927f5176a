//! Rules: which message gets which response, and how many such messages are expected.
//!
//! A rule has conditions on a message of the client, and a response; [`Server::mount`](super::Server::mount) activates it.
//! If several rules match a message, the one mounted last responds, so that a test can override earlier rules; a rule that
//! has used up its responses is skipped. A message that matches no rule goes to the handler of its method, or to the
//! built-in answer; without either, it is answered with an error (-32603) that names the nearest rule and the difference,
//! or, if no rule is about its method, with "method not found". A request that the protocol refuses, such as one before `initialize`, reaches no rule.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::client::{Client, Options};
//! use mcp_test::expect::equals;
//! use mcp_test::server::{Server, given, method, param, steps};
//! use mcp_test::trace::Recorder;
//! use mcp_test::transport::{TransportKind, Limits};
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
//! let link = server.target().open(TransportKind::Duplex, &Recorder::new(), Limits::default()).await?;
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

mod condition;
mod gate;
mod message;
mod registry;
mod response;
mod rule;
mod rule_guard;
mod rule_handle;
mod steps;
mod times;
mod unmatched;
mod verification;

pub use condition::{
    Condition, Unmet, any_message, by_client, calls, meta, method, param, params, revision,
};
pub use gate::Gate;
pub use message::ClientMessage;
pub use response::Respond;
pub use rule::{Rule, RuleBuilder, given};
pub use rule_guard::RuleGuard;
pub use rule_handle::{GivenRule, RuleHandle};
pub use steps::{SteppedResponse, Steps, steps};
pub use times::Times;

pub(super) use registry::RuleRegistry;
