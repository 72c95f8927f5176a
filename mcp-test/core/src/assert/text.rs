//! Texts, names, differences and suggestions in messages.

use crate::check::Finding;
use crate::expect::words;
use crate::json::Value;

/// The number of lines of each text in a message.
const SHOWN: usize = 12;

/// A text in quotes, truncated.
pub(super) fn quoted(text: &str) -> String {
    words::got(Some(&Value::from(text)))
}

/// A list of names in backticks, truncated.
pub(super) fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const NAMED: usize = 20;
    let all: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match all.get(NAMED..) {
        Some(rest @ [_, ..]) => format!("{} and {} more", all[..NAMED].join(", "), rest.len()),
        _ => words::list(all, "and"),
    }
}

/// What was got, and how it differs: "…, which …".
pub(super) fn got_which(got: &str, which: Option<String>) -> String {
    which.map_or_else(|| got.to_owned(), |which| format!("{got}, which {which}"))
}

/// The finding with a hint if one of the known names is similar to the expected one.
pub(super) fn suggest<'a>(
    finding: Finding,
    expected: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Finding {
    match words::closest(expected, known) {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => finding,
    }
}

/// How a text differs from the expected one, to be read after "which"; `None` if both are short.
pub(super) fn which_differs(expected: &str, got: &str) -> Option<String> {
    let one_line = |text: &str| !text.contains('\n') && text.chars().count() < words::SHOWN;
    if one_line(expected) && one_line(got) {
        return None;
    }
    let (expected, got): (Vec<_>, Vec<_>) =
        (expected.split('\n').collect(), got.split('\n').collect());
    // Equal lines at both ends are left out; what is between them differs, though not each line of it.
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let start = expected.iter().zip(&got).take_while(same).count();
    let (expected, got) = (&expected[start..], &got[start..]);
    let end = expected.iter().rev().zip(got.iter().rev()).take_while(same).count();
    let (expected, got) = (&expected[..expected.len() - end], &got[..got.len() - end]);
    let lines = marked('-', expected).chain(marked('+', got)).collect::<String>();
    Some(format!("differs from line {}:{lines}", start + 1))
}

fn marked<'a>(mark: char, lines: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    let more = lines.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("\n{mark} … and {}", words::count(more, "line")));
    lines.iter().take(SHOWN).map(move |line| format!("\n{mark} {line}")).chain(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_need_no_explanation() {
        assert_eq!(which_differs("3", "4"), None);
    }

    #[test]
    fn only_the_lines_that_differ_are_shown() {
        let differs =
            which_differs("one\ntwo\nthree\nfour", "one\n2\nthree\nfour").expect("several lines");
        insta::assert_snapshot!(differs, @r"
        differs from line 2:
        - two
        + 2
        ");
        let differs = which_differs("one\ntwo", "one\ntwo\n").expect("several lines");
        insta::assert_snapshot!(differs, @"
        differs from line 3:
        + 
        ");
    }

    #[test]
    fn many_lines_and_names_are_truncated() {
        let differs = which_differs("", &"line\n".repeat(20)).expect("several lines");
        assert!(differs.ends_with("+ … and 8 lines"), "{differs}");
        let many: Vec<String> = (0..25).map(|number| number.to_string()).collect();
        assert!(names(many.iter().map(String::as_str)).ends_with("`19` and 5 more"));
        assert_eq!(names(["a", "b"]), "`a` and `b`");
    }
}
