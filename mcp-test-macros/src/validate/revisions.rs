//! Validates the string of `revisions = "…"`.
//!
//! The list repeats the dates of `mcp_test::spec`, on which this crate cannot depend, so that unknown revisions are compile
//! errors.

use crate::suggest;

/// The dated revisions, oldest first.
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// The word for all revisions.
const ALL: &str = "all";

/// The string without spaces, or all errors in it.
pub(super) fn validate(text: &str) -> Result<String, Vec<String>> {
    if text.trim() == ALL {
        return Ok(ALL.to_owned());
    }
    let mut mistakes = Vec::new();
    let parts: Vec<String> =
        text.split(',').map(|part| part_of(part.trim(), &mut mistakes)).collect();
    if mistakes.is_empty() { Ok(parts.join(",")) } else { Err(mistakes) }
}

/// One revision or range.
fn part_of(part: &str, mistakes: &mut Vec<String>) -> String {
    let Some((from, to)) = part.split_once("..") else {
        position(part, mistakes);
        return part.to_owned();
    };
    let (from, to) = (from.trim(), to.trim());
    if let Some(to) = to.strip_prefix('=') {
        // The syntax of Rust's inclusive ranges, a likely guess.
        mistakes.push(format!("a range includes both ends already: \"{from}..{}\"", to.trim()));
    } else if from.is_empty() && to.is_empty() {
        mistakes
            .push("a range names at least one end; for all revisions, write \"all\"".to_owned());
    } else {
        let ends =
            [from, to].map(|end| (!end.is_empty()).then(|| position(end, mistakes)).flatten());
        if let [Some(first), Some(last)] = ends
            && first > last
        {
            mistakes.push(format!("the range \"{part}\" is empty: {from} comes after {to}"));
        }
    }
    format!("{from}..{to}")
}

fn position(revision: &str, mistakes: &mut Vec<String>) -> Option<usize> {
    let position = REVISIONS.iter().position(|&known| known == revision);
    if position.is_none() {
        let hint = suggest::hint(revision, &REVISIONS, '"');
        mistakes.push(if revision.is_empty() {
            format!("a revision is missing: {hint}")
        } else {
            format!("unknown revision \"{revision}\": {hint}")
        });
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_ranges_and_lists_pass_without_their_spaces() {
        for (written, read) in [
            ("2025-06-18", "2025-06-18"),
            (" all ", "all"),
            ("2025-06-18..", "2025-06-18.."),
            ("..2025-06-18", "..2025-06-18"),
            ("2024-11-05..2026-07-28", "2024-11-05..2026-07-28"),
            ("2025-06-18..2025-06-18", "2025-06-18..2025-06-18"),
            (" 2024-11-05 , 2025-06-18 .. ", "2024-11-05,2025-06-18.."),
        ] {
            assert_eq!(validate(written).as_deref(), Ok(read));
        }
    }

    #[test]
    fn every_mistake_of_a_string_is_named() {
        let mistakes = [
            "2025-06-81",
            "tomorrow",
            "2031-01-01",
            "",
            "2025-06-18,",
            "..",
            "2025-06-18..=2025-11-25",
            "2025-11-25..2025-06-18",
            "2024-11-06..2026-07-29, 2025-3-26",
            "2024-11-05..2025-06-18..",
        ]
        .map(|text| validate(text).expect_err(text).join("\n"));
        insta::assert_snapshot!(mistakes.join("\n"), @r#"
        unknown revision "2025-06-81": did you mean "2025-06-18"?
        unknown revision "tomorrow": expected one of "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
        unknown revision "2031-01-01": expected one of "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
        a revision is missing: expected one of "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
        a revision is missing: expected one of "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
        a range names at least one end; for all revisions, write "all"
        a range includes both ends already: "2025-06-18..2025-11-25"
        the range "2025-11-25..2025-06-18" is empty: 2025-11-25 comes after 2025-06-18
        unknown revision "2024-11-06": did you mean "2024-11-05"?
        unknown revision "2026-07-29": did you mean "2026-07-28"?
        unknown revision "2025-3-26": did you mean "2025-03-26"?
        unknown revision "2025-06-18..": did you mean "2025-06-18"?
        "#);
    }
}
