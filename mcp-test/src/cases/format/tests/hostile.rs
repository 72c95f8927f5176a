//! Reading, linting and rendering do not panic for any text, and diagnostics stay short.

use proptest::prelude::*;

use super::bad;
use super::good::LIFECYCLE;
use crate::cases::format::read::load_bytes;
use crate::cases::{ReadOptions, lint};

/// Reads and lints a text, and renders all diagnostics.
fn survive(bytes: &[u8]) {
    let loaded = load_bytes("a.yaml", bytes, &ReadOptions::default());
    let diagnostics = loaded.diagnostics.into_iter().chain(lint(&loaded.cases));
    for diagnostic in diagnostics {
        assert!(diagnostic.render(true).len() < 10_000);
        assert!(diagnostic.to_value().to_string().len() < 10_000);
        assert!(diagnostic.span.start <= diagnostic.span.end, "{diagnostic}");
    }
}

/// Parts of real files, cut and recombined.
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
    fn mangled_files_are_survived(bytes in mangled()) {
        survive(&bytes);
    }

    #[test]
    fn random_texts_are_survived(text in "(case|in|out|_match|_capture|[a-z]|[:{}\\[\\]\"'#&*!|>%@,\n ~-]|\\PC){0,60}") {
        survive(text.as_bytes());
    }
}

#[test]
fn diagnostics_about_many_long_names_are_short() {
    survive(format!("case: A\nk{}: 1\n", "x".repeat(200_000)).as_bytes());
    let keys: String = (0..2_000).map(|number| format!("zz{number}: 1\n")).collect();
    survive(keys.as_bytes());
    let keys: String = (0..2_000).map(|number| format!("  out_{number}: exact\n")).collect();
    survive(format!("case: A\n_match:\n{keys}").as_bytes());
    survive(format!("case: {}\nin: x\n", "\u{1b}[31m".repeat(1_000)).as_bytes());
}
