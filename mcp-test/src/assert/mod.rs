//! Assertions: what a reply, a list or a trace should hold, in the words of MCP.
//!
//! The assertions are methods of the things they are about: [`Reply`](crate::client::Reply), the lists, the replies of
//! known methods, [`Trace`](crate::trace::Trace). They take the thing by value and hand it on, so that they chain:
//!
//! ```
//! # fn main() -> mcp_test::Result {
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! # use mcp_test::client::{Client, Options, ToolResult};
//! # use mcp_test::transport::{CarrierKind, Limits};
//! # use serde_json::json;
//! # let target = mcp_test::server::reference::everything().target();
//! # let recorder = mcp_test::trace::Recorder::new();
//! # let link = target.open(CarrierKind::Duplex, &recorder, Limits::default()).await?;
//! # let mut client = Client::connect(link, Options::default()).await?;
//! let result = ToolResult::from(client.request("tools/call", json!({"name": "test_simple_text"})).await?);
//! result.assert_ok().assert_text_contains("text").assert_content_len(1);
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! Each `assert_…` panics at the caller's line with what was expected, what came instead, the exchange, and what the
//! specification says of it. Its twin has the same name with `try_` in place of `assert_`, and returns the
//! [`Finding`](crate::check::Finding) instead, so that `?` may end a test on it.
//!
//! Nothing here decides what is right by the specification: that is for scenarios and [`check`](crate::check).

mod asserted;
mod completion;
mod content;
mod error;
mod failure;
mod golden;
mod item;
mod list;
mod prompt;
mod reply;
mod resource;
mod structured;
#[cfg(test)]
mod tests;
mod text;
mod tool;
mod tool_result;
mod trace;
mod twins;

pub use asserted::Asserted;
pub use failure::explain;
pub use golden::golden;
pub use item::{ItemAssert, PromptAssert, ResourceAssert, ResourceTemplateAssert, ToolAssert};

use failure::{Scene, Staged, fail};
use twins::{assertions, plain_assertions};
