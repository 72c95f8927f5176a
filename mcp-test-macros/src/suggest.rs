//! "did you mean …?": the known word that is closest to an unknown one.
//!
//! `mcp_test::expect::words::closest` follows the same rule at run time; a test of the workspace compares the two, because
//! this crate cannot depend on that one.

/// The closest of `known`, ignoring case, unless it differs in more than a third of the characters of `word`.
pub(crate) fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    // Rounded up, so that one mistake in a word of one or two letters is forgiven.
    let third = word.chars().count().div_ceil(3);
    // Any two dates have more than half of their characters in common.
    let max_edits = if word.starts_with("20") { third.min(2) } else { third };
    known
        .iter()
        .map(|&candidate| (strsim::levenshtein(&word, &candidate.to_lowercase()), candidate))
        .filter(|&(edits, _)| edits <= max_edits)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// The end of an error about an unknown word: the closest known one, or all of them, each in quotes.
pub(crate) fn hint(word: &str, known: &[&str], quote: char) -> String {
    if let Some(closest) = closest(word, known) {
        return format!("did you mean {quote}{closest}{quote}?");
    }
    let all: Vec<String> = known.iter().map(|word| format!("{quote}{word}{quote}")).collect();
    format!("expected one of {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_word_is_suggested_if_it_is_close_enough() {
        assert_eq!(closest("timout", &["target", "timeout"]), Some("timeout"));
        assert_eq!(closest("2025-06-81", &["2025-06-18"]), Some("2025-06-18"));
        assert_eq!(closest("colour", &["target", "timeout"]), None);
        assert_eq!(closest("", &["target"]), None);
    }

    #[test]
    fn without_a_close_word_all_are_listed() {
        assert_eq!(hint("x", &["aaa", "bbb"], '`'), "expected one of `aaa`, `bbb`");
        assert_eq!(hint("aab", &["aaa", "bbb"], '"'), "did you mean \"aaa\"?");
    }
}
