//! "did you mean …?": the known word that is nearest to an unknown one.

/// The nearest of `known`, unless even that is too far off to be what was meant.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    known
        .iter()
        .map(|&candidate| (distance(word, candidate), candidate))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, _)| distance <= limit)
        .map(|(_, candidate)| candidate)
}

/// How an error about an unknown word ends: the nearest known one, or all of them, each between `quote`s.
pub(crate) fn hint(word: &str, known: &[&str], quote: char) -> String {
    if let Some(nearest) = nearest(word, known) {
        return format!("did you mean {quote}{nearest}{quote}?");
    }
    let all: Vec<String> = known.iter().map(|word| format!("{quote}{word}{quote}")).collect();
    format!("expected one of {}", all.join(", "))
}

/// Edits from one word to the other: insert, delete, replace, or swap two neighbours.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = last[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_one_edit() {
        assert_eq!(distance("2025-06-81", "2025-06-18"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
        assert_eq!(distance("ca", "abc"), 3);
    }

    #[test]
    fn what_is_far_off_is_not_suggested() {
        assert_eq!(nearest("timout", &["target", "timeout"]), Some("timeout"));
        assert_eq!(nearest("colour", &["target", "timeout"]), None);
        assert_eq!(nearest("", &["target"]), None);
    }

    #[test]
    fn without_a_near_word_all_are_named() {
        assert_eq!(hint("x", &["aaa", "bbb"], '`'), "expected one of `aaa`, `bbb`");
        assert_eq!(hint("aab", &["aaa", "bbb"], '"'), "did you mean \"aaa\"?");
    }
}
