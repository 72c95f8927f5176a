//! Rendering: a trace of anything is written in every style without control characters, and a trace file is read back as it was.
//!
//! The first two bytes select the width and the style; each line of the rest is an event, whose first byte selects its kind.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::trace::{
    EventKind, Party, Recorder, Redactor, Style, UnparsableKind, excerpt, file, render,
};

fuzz_target!(|input: &[u8]| {
    let [width, style, events @ ..] = input else { return };
    let recorder = Recorder::new();
    let connection = recorder.open("fuzz");
    for event in events.split(|byte| *byte == b'\n') {
        let [kind, text @ ..] = event else { continue };
        let party = if kind & 1 == 0 { Party::Client } else { Party::Server };
        let exchange = (kind & 2 != 0).then_some(u64::from(kind >> 6));
        recorder.record_in(connection, exchange, party, event_of(kind >> 2, text));
    }
    let trace = recorder.trace();

    let mut style =
        [Style::golden(), Style::brief(), Style::full()][usize::from(*style) % 3].clone();
    style.width = usize::from(*width);
    style.value_chars = (width % 2 == 0).then_some(usize::from(*width));
    for text in [render(&trace, &style), excerpt(&trace, &[])] {
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{text:?}");
    }

    let written = file::write(&trace, &Redactor::nothing());
    let read = file::read(&written).expect("what was written can be read");
    assert_eq!(file::write(&read, &Redactor::nothing()), written);
});

fn event_of(kind: u8, text: &[u8]) -> EventKind {
    let words = || String::from_utf8_lossy(text).into_owned();
    let headers = || vec![(words(), words()), ("mcp-session-id".to_owned(), words())];
    match kind % 8 {
        0..=2 => EventKind::message(text.to_vec().into()),
        3 => EventKind::Unparsable {
            bytes: text.to_vec().into(),
            why: words(),
            kind: UnparsableKind::Stray,
        },
        4 => EventKind::HttpRequest { method: words(), path: words(), headers: headers() },
        5 => EventKind::HttpResponse { status: text.len() as u16, headers: headers() },
        6 => EventKind::SseEvent { event: Some(words()), id: Some(words()), retry: None },
        _ => EventKind::Stderr(words()),
    }
}
