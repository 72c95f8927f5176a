//! Assertions about replies, lists and traces, in the terms of MCP.
//!
//! The assertions are methods of [`Reply`](crate::client::Reply), the lists, the replies
//! of known methods, and [`Trace`](crate::trace::Trace). They take the value and return it, so that they chain:
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! # fn main() -> mcp_test::Result {
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! # use mcp_test::client::{Client, Options, ToolResult};
//! # use mcp_test::transport::{TransportKind, Limits};
//! # use serde_json::json;
//! # let target = mcp_test::server::reference::everything().target();
//! # let recorder = mcp_test::trace::Recorder::new();
//! # let link = target.open(TransportKind::Duplex, &recorder, Limits::default()).await?;
//! # let mut client = Client::connect(link, Options::default()).await?;
//! let result = ToolResult::from(client.request("tools/call", json!({"name": "test_simple_text"})).await?);
//! result.assert_ok().assert_text_contains("text").assert_content_len(1);
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! Each `assert_…` panics at the caller's line with what was expected, what was got, the exchange, and the requirement of
//! the specification. Its twin has the same name with `try_` in place of `assert_`, and returns the
//! [`Finding`](crate::check::Finding) instead, so that a test can use `?`.
//!
//! Assertions express what a test expects; whether a peer conforms to the specification is decided by scenarios and
//! [`check`](crate::check).

mod asserted;
mod completion;
mod content;
mod content_item;
mod declared_server;
mod error;
mod exchange;
mod failed_client;
mod failure;
mod golden;
mod item;
mod list;
mod macros;
mod matching_messages;
mod notifications;
mod prompt;
mod received;
mod reply;
mod resource;
mod rust_types;
mod sent_messages;
mod server_exit;
mod server_notification;
mod structured;
#[cfg(test)]
mod tests;
mod text;
mod tool;
mod tool_result;
mod trace;

pub use asserted::Asserted;
pub use content_item::{ContentAssert, PromptContent, ResourceContent, ToolContent};
#[doc(hidden)]
pub use declared_server::NamesCapability;
pub use failed_client::FailedClient;
pub use failure::AssertionFailure;
#[doc(hidden)]
pub use failure::explain;
pub(crate) use failure::{catch_failures, explain_next, fail_with, outside_of_the_test};
#[doc(hidden)]
pub use golden::golden;
pub use item::{ItemAssert, PromptAssert, ResourceAssert, ResourceTemplateAssert, ToolAssert};
pub(crate) use received::ExaminedRequests;
pub use received::{MatchingMessages, ReceivedMessages};

use failure::{Scene, Staged, fail};
use macros::{assertions, plain_assertions};
