//! "Did you mean …?": the known name that a misspelt one is closest to.

/// The known name nearest to `name`, if one is near enough to be meant.
///
/// ```
/// use mcp_test::scenario::nearest;
///
/// let known = ["tools-list", "tools-call-error", "ping"];
/// assert_eq!(nearest("tool-list", known), Some("tools-list"));
/// assert_eq!(nearest("completely different", known), None);
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(3) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of characters to insert, delete or replace.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, from) in from.chars().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (column, to) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distance_counts_edits() {
        let pairs =
            [("", "abc", 3), ("kitten", "sitting", 3), ("ping", "ping", 0), ("pnig", "ping", 2)];
        for (from, to, edits) in pairs {
            assert_eq!(distance(from, to), edits, "{from} -> {to}");
        }
    }
}
