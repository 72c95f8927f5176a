//! Server-sent events, exactly by the [WHATWG algorithm], with nothing dropped silently.
//!
//! A browser ignores comments, unknown fields and broken blocks. A test harness must see them, so the [`Decoder`]
//! reports them in addition to the events.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::wire::sse::{Decoder, SseEvent, SseItem};
//!
//! let mut decoder = Decoder::new(1024);
//! let items = decoder.push(b": hello\nid: 7\ndata: {}\n\n");
//! assert_eq!(items[0], SseItem::Comment("hello".into()));
//! assert_eq!(items[1], SseItem::Event(SseEvent::data("{}").with_id("7")));
//! ```
//!
//! [WHATWG algorithm]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

mod decoder;
mod encode;
mod event;

pub use decoder::Decoder;
pub use encode::encode;
pub use event::{SseEvent, SseItem, SseViolation};
