//! Lines that fit into a terminal.

use std::borrow::Cow;

use mcp_test_core::expect::words;

/// How wide the reports for people are.
pub(super) const WIDTH: usize = 100;

/// Breaks a text at blanks, with `first` before it and `rest` before each further line. A word that is longer than a line, such
/// as a URL, is kept whole, so that it can be copied.
pub(super) fn wrap(text: &str, first: &str, rest: &str) -> String {
    let mut out = String::new();
    let mut indent = first;
    for paragraph in text.lines() {
        // Code has its own layout.
        let inner = paragraph.len() - paragraph.trim_start().len();
        let mut line = format!("{indent}{}", &paragraph[..inner]);
        let mut is_empty = true;
        for word in paragraph.split_whitespace() {
            let fits =
                line.chars().count() + usize::from(!is_empty) + word.chars().count() <= WIDTH;
            if !is_empty && !fits {
                out.push_str(line.trim_end());
                out.push('\n');
                line = rest.to_owned();
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        out.push_str(line.trim_end());
        out.push('\n');
        indent = rest;
    }
    out
}

/// Breaks each line of a text that has a layout of its own, with further lines a little more indented.
pub(crate) fn wrap_lines(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let indent = " ".repeat(line.len() - line.trim_start().len());
        wrap(line.trim_start(), &indent, &format!("{indent}  "))
    });
    lines.collect()
}

/// Cuts a line of a peer at the width of a report, and says how many characters are missing.
pub(super) fn cut_and_count(line: &str) -> Cow<'_, str> {
    // The mark, which has its place on the line, too.
    const MARK: usize = 15;
    let kept = if line.chars().count() <= WIDTH { WIDTH } else { WIDTH - MARK };
    words::cut(line, kept)
}

/// Cuts a line at the width of a report; `…` shows that there is more.
pub(super) fn cut(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let kept: String = line.chars().take(WIDTH - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_the_width_and_long_words_stay_whole() {
        let url = format!("https://example.org/{}", "a".repeat(WIDTH));
        let text = format!("{}end {url} after\n  code", "word ".repeat(25));
        let wrapped = wrap(&text, "- ", "    ");
        let long: Vec<&str> =
            wrapped.lines().filter(|line| line.chars().count() > WIDTH).map(str::trim).collect();
        assert_eq!(long, [url.as_str()]);
        assert!(wrapped.starts_with("- word ") && wrapped.contains("\n    word "), "{wrapped}");
        assert!(wrapped.ends_with("\n    after\n      code\n"), "{wrapped}");
    }

    #[test]
    fn a_layout_is_kept() {
        let text = format!("a\n  b\n    {}", "word ".repeat(30));
        let wrapped = wrap_lines(&text);
        assert!(wrapped.starts_with("a\n  b\n    word word"), "{wrapped}");
        assert!(
            wrapped.ends_with("\n      word word word word word word word word word word word\n"),
            "{wrapped}"
        );
    }

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(cut(&"x".repeat(WIDTH)).chars().count(), WIDTH);
        let long = cut(&"ä".repeat(WIDTH + 1));
        assert!(long.ends_with('…') && long.chars().count() == WIDTH);
        assert_eq!(cut_and_count(&"x".repeat(WIDTH)).chars().count(), WIDTH);
        let long = cut_and_count(&"ä".repeat(1_000_000)).into_owned();
        assert!(long.ends_with("ä… +999,915") && long.chars().count() < WIDTH, "{long}");
    }
}
