//! Lines: the size of the chunks does not change the lines of a stream, and no line is longer than the limit.
//!
//! The first byte is the limit, the second the length of the chunks; the rest is the stream.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::wire::{LineEvent, LineReader};

fuzz_target!(|input: &[u8]| {
    let [limit, chunk, stream @ ..] = input else { return };
    let limit = usize::from(*limit);
    let whole = read(limit, stream, stream.len().max(1));
    assert_eq!(read(limit, stream, usize::from(*chunk).max(1)), whole);
    for event in &whole {
        match event {
            LineEvent::Line(line) | LineEvent::Partial(line) => assert!(line.len() <= limit),
            LineEvent::TooLong { length_seen, .. } => assert!(*length_seen > limit),
        }
    }
});

fn read(limit: usize, stream: &[u8], chunk: usize) -> Vec<LineEvent> {
    let mut reader = LineReader::new(limit);
    let mut events: Vec<_> = stream.chunks(chunk).flat_map(|chunk| reader.push(chunk)).collect();
    events.extend(reader.finish());
    events
}
