//! Writes events of an event stream.

use bytes::Bytes;

use super::SseEvent;

/// Writes an event with the empty line that ends it.
///
/// Each line of the data becomes a `data` field; its line breaks are read back as `\n`. The type and the id cannot hold
/// line breaks, which are written as spaces.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::wire::sse::{SseEvent, encode};
///
/// let event = SseEvent::data("two\nlines").with_event("message").with_id("7");
/// assert_eq!(encode(&event), "event: message\nid: 7\ndata: two\ndata: lines\n\n");
/// ```
#[must_use]
pub fn encode(event: &SseEvent) -> Bytes {
    let mut out = String::new();
    let mut field = |name: &str, value: &str| out.extend([name, ": ", value, "\n"]);
    if let Some(event) = &event.event {
        field("event", &one_line(event));
    }
    if let Some(id) = &event.id {
        field("id", &one_line(id));
    }
    if let Some(retry) = event.retry {
        field("retry", &retry.to_string());
    }
    // Readers take `\r` alone as a line end too.
    for line in event.data.replace("\r\n", "\n").split(['\r', '\n']) {
        field("data", line);
    }
    out.push('\n');
    out.into()
}

fn one_line(text: &str) -> String {
    text.replace("\r\n", " ").replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_cannot_inject_fields() {
        let event = SseEvent::data("a\r\nid: 1\rb").with_event("x\r\ndata: y").with_id("\n7");
        assert_eq!(encode(&event), "event: x data: y\nid:  7\ndata: a\ndata: id: 1\ndata: b\n\n");
    }

    #[test]
    fn empty_data_is_still_an_event() {
        assert_eq!(encode(&SseEvent::data("").with_retry(3000)), "retry: 3000\ndata: \n\n");
    }
}
