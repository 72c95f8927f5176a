//! What tests print beside their results.

use crate::expect::words;

/// Prints a text on standard error, which libtest captures.
pub(super) fn note(text: &str) {
    // It quotes peers and files, which must not control the terminal of those who run the tests.
    eprintln!("{}", words::inert(text));
}
