//! Server-sent events, exactly by the [WHATWG algorithm], with nothing dropped in silence.
//!
//! A browser ignores comments, unknown fields and broken blocks. A test harness must see them, so
//! the [`Decoder`] reports them beside the events. What the data of an event means is not this
//! module's concern.
//!
//! ```
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
