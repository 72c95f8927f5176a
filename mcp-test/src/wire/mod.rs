//! JSON-RPC 2.0 as it stands on the wire: messages, ids, batches, and how they are framed.
//!
//! [`Message::read`] and [`Frame::read`] classify a [`Value`](crate::json::Value) and never throw
//! away what could be read of a malformed one; [`lines`] and [`sse`] cut byte streams into the
//! texts that hold messages, and report what is none.
//!
//! This room knows JSON-RPC, not MCP: a `null` request id, a fractional id or `params` in an array
//! can be read here, and are judged further up.
//!
//! ```
//! use mcp_test::{json::Value, wire::{Id, Message}};
//!
//! let reply = Value::parse(br#"{"jsonrpc": "2.0", "id": 7, "result": {}}"#)?.value;
//! let message = Message::read(&reply)?;
//! assert_eq!(message.id(), Some(&Id::from(7)));
//!
//! let garbled = Message::read(&serde_json::json!({"id": "x", "result": {}}).into()).unwrap_err();
//! assert_eq!(garbled.to_string(), r#"expected /jsonrpc is "2.0", got nothing"#);
//! assert_eq!(garbled.id, Some(Id::from("x")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod frame;
mod id;
pub mod lines;
pub(crate) mod malformed;
mod message;
mod read;
mod rpc_error;
pub mod sse;

pub use frame::Frame;
pub use id::Id;
pub use lines::{LineEvent, LineReader};

pub use malformed::Malformed;
pub use message::{ErrorReply, Message, Notification, Request, Response};
pub use rpc_error::RpcError;
