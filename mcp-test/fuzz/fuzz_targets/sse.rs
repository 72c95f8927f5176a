//! Server-sent events: the size of the chunks does not change the items of a stream, and events round-trip.
//!
//! The first byte is the limit, the second the length of the chunks; the rest is the stream.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::wire::sse::{Decoder, SseItem, encode};

fuzz_target!(|input: &[u8]| {
    let [limit, chunk, stream @ ..] = input else { return };
    let limit = usize::from(*limit) * 4;
    let whole = read(limit, stream, stream.len().max(1));
    assert_eq!(read(limit, stream, usize::from(*chunk).max(1)), whole);
    for item in &whole {
        if let SseItem::Event(event) = item {
            let again = read(usize::MAX, &encode(event), usize::MAX);
            assert_eq!(again, [SseItem::Event(event.clone())]);
        }
    }
});

fn read(limit: usize, stream: &[u8], chunk: usize) -> Vec<SseItem> {
    let mut decoder = Decoder::new(limit);
    let mut items: Vec<_> = stream.chunks(chunk).flat_map(|chunk| decoder.push(chunk)).collect();
    items.extend(decoder.finish());
    items
}
