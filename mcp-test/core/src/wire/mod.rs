//! JSON-RPC 2.0 on the wire: messages, ids, batches, and how they are framed.
//!
//! [`Message::read`] and [`Frame::read`] classify a [`Value`](crate::json::Value) and keep what could be read of a
//! malformed one; [`LineReader`] and [`sse`] cut byte streams into the texts that hold messages, and report everything
//! else.
//!
//! This module knows JSON-RPC, not MCP: a `null` request id, a fractional id or `params` in an array can be read here,
//! and are judged in `check`.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::{json::Value, wire::{Id, Message}};
//!
//! let reply = Value::parse(br#"{"jsonrpc": "2.0", "id": 7, "result": {}}"#)?.value;
//! let message = Message::read(&reply)?;
//! assert_eq!(message.id(), Some(&Id::from(7)));
//!
//! let malformed = Message::read(&serde_json::json!({"id": "x", "result": {}}).into()).unwrap_err();
//! assert_eq!(malformed.to_string(), r#"expected /jsonrpc is "2.0", got nothing"#);
//! assert_eq!(malformed.id, Some(Id::from("x")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod frame;
mod id;
mod line_reader;
mod malformed;
mod media_type;
mod message;
mod message_reader;
mod rpc_error;
#[doc(hidden)]
pub mod sse;

#[doc(hidden)]
pub use frame::Frame;
pub use id::Id;
#[doc(hidden)]
pub use line_reader::{LineEvent, LineReader};
#[doc(hidden)]
pub use malformed::{Expected, Malformed};
#[doc(hidden)]
pub use media_type::MediaType;
pub(crate) use media_type::essence;
pub use message::{ErrorReply, Message, Notification, Request, Response};
pub use rpc_error::RpcError;
