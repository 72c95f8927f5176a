//! No text makes reading, linting or complaining panic, and what is said of it stays short.

use proptest::prelude::*;

use super::bad;
use super::good::LIFECYCLE;
use crate::cases::read::of_bytes;
use crate::cases::{ReadOptions, lint};

/// Reads a text, lints it, and shows all that is said of it.
fn survive(bytes: &[u8]) {
    let loaded = of_bytes("a.yaml", bytes, &ReadOptions::default());
    let told = loaded.complaints.into_iter().chain(lint(&loaded.cases));
    for complaint in told {
        assert!(complaint.render(true).len() < 10_000);
        assert!(complaint.to_value().to_string().len() < 10_000);
        assert!(complaint.span.start <= complaint.span.end, "{complaint}");
    }
}

/// A text that somebody has written, cut and put together in another way.
fn mangled() -> impl Strategy<Value = Vec<u8>> {
    let files = bad::files().into_iter().map(|(_, bytes)| bytes);
    let files: Vec<Vec<u8>> = files.chain([LIFECYCLE.as_bytes().to_vec()]).collect();
    let part =
        (prop::sample::select(files), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let part = part.prop_map(|(bytes, one, other)| {
        let (one, other) = (one.index(bytes.len() + 1), other.index(bytes.len() + 1));
        bytes[one.min(other)..one.max(other)].to_vec()
    });
    let odd = prop::sample::select(vec![
        "\u{feff}", "\r", "\t", "\u{202e}", "ä", "---\n", ": ", "\"", "{", "*a", "${", "\0",
    ]);
    let odd = odd.prop_map(|text| text.as_bytes().to_vec());
    prop::collection::vec(prop_oneof![part, odd], 0..6).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_mangled_file_is_too_much(bytes in mangled()) {
        survive(&bytes);
    }

    #[test]
    fn no_text_is_too_much(text in "(case|in|out|_match|_capture|[a-z]|[:{}\\[\\]\"'#&*!|>%@,\n ~-]|\\PC){0,60}") {
        survive(text.as_bytes());
    }
}

#[test]
fn long_names_and_many_of_them_are_told_in_short() {
    survive(format!("case: A\nk{}: 1\n", "x".repeat(200_000)).as_bytes());
    let keys: String = (0..2_000).map(|number| format!("zz{number}: 1\n")).collect();
    survive(keys.as_bytes());
    let keys: String = (0..2_000).map(|number| format!("  out_{number}: exact\n")).collect();
    survive(format!("case: A\n_match:\n{keys}").as_bytes());
    survive(format!("case: {}\nin: x\n", "\u{1b}[31m".repeat(1_000)).as_bytes());
}
