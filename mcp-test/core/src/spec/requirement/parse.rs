//! Reads requirement files strictly: missing, unknown and repeated fields are errors with their line.
//!
//! The build script compiles this file too, so it uses nothing of the crate. It checks the form of a row; that the revisions of a row
//! exist, the compiler checks when it compiles what the build script writes.

use std::fmt;

/// The area of the requirements of mcp-test, which have a reason instead of a page.
pub(crate) const AREA_OF_MCP_TEST: &str = "mcp-test";

/// The levels, with the variants of `Level`.
const LEVELS: [(&str, &str); 5] = [
    ("MUST", "Must"),
    ("MUST NOT", "MustNot"),
    ("SHOULD", "Should"),
    ("SHOULD NOT", "ShouldNot"),
    ("MAY", "May"),
];

/// The bound parties, with the variants of `BoundParty`.
const BOUND_PARTIES: [(&str, &str); 4] = [
    ("client", "Client"),
    ("server", "Server"),
    ("both", "Both"),
    ("authorization-server", "AuthorizationServer"),
];

/// Where violations are observable, with the variants of `Testability`.
const TESTABILITIES: [(&str, &str); 4] =
    [("wire", "Wire"), ("needs-fixture", "NeedsFixture"), ("process", "Process"), ("no", "No")];

/// Revisions from the first to the last, both of which belong to it; an end may be open.
pub(crate) type Range<'a> = (Option<&'a str>, Option<&'a str>);

/// A requirement as it is written; the words of its heading are the names of variants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row<'a> {
    pub(crate) id: &'a str,
    pub(crate) level: &'static str,
    pub(crate) binds: &'static str,
    pub(crate) testable: &'static str,
    pub(crate) revisions: Vec<Range<'a>>,
    /// The page, or the reason of a requirement of mcp-test.
    pub(crate) source: &'a str,
    pub(crate) says: &'a str,
    pub(crate) probe: &'a str,
    pub(crate) violation: &'a str,
    pub(crate) unchecked: Option<&'a str>,
    pub(crate) unchecked_of_clients: Option<&'a str>,
    pub(crate) aliases: Vec<&'a str>,
}

impl Row<'_> {
    /// The name of the constant: `PING_RESULT_EMPTY` for `ping.result-empty`.
    pub(crate) fn constant(&self) -> String {
        self.id.replace(['.', '-'], "_").to_ascii_uppercase()
    }
}

/// Why a requirement file cannot be read.
#[derive(Debug)]
pub(crate) struct FileError<'a> {
    pub(crate) file: String,
    pub(crate) line: usize,
    kind: LineError<'a>,
}

/// What is wrong with a line.
#[derive(Debug)]
enum LineError<'a> {
    Empty,
    Heading(&'a str),
    Id(&'a str),
    WrongArea { id: &'a str, area: String },
    Revisions(&'a str),
    UnknownWord { noun: &'static str, text: &'a str, known: Vec<&'static str> },
    Field(&'a str),
    MissingField(&'static str),
    UnexpectedField(&'a str),
}

impl fmt::Display for FileError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: ", self.file, self.line)?;
        match &self.kind {
            LineError::Empty => f.write_str("expected a requirement, got no lines"),
            LineError::Heading(text) => {
                write!(f, "expected `id | level | who | revisions | testable`, got `{text}`")
            }
            LineError::Id(text) => write!(f, "expected an id such as `area.name`, got `{text}`"),
            LineError::WrongArea { id, area } => {
                write!(f, "`{id}` does not belong to the area `{area}`")
            }
            LineError::Revisions(text) => write!(
                f,
                "`{text}` is not a revision or a range of them: expected such as `2025-06-18..`"
            ),
            LineError::UnknownWord { noun, text, known } => {
                write!(f, "`{text}` is not a {noun}: expected {}", known.join(", "))
            }
            LineError::Field(text) => {
                write!(f, "expected two spaces, a field and its text, got `{text}`")
            }
            LineError::MissingField(name) => write!(f, "the field `{name}` is missing"),
            LineError::UnexpectedField(name) => {
                write!(f, "the field `{name}` is unknown or repeated")
            }
        }
    }
}

impl std::error::Error for FileError<'_> {}

/// A line and its number, from 1.
type Line<'a> = (usize, &'a str);

/// Reads the requirements of the file `name`, such as `tools.req`.
pub(crate) fn file<'a>(name: &str, text: &'a str) -> Result<Vec<Row<'a>>, FileError<'a>> {
    let area = name.strip_suffix(".req").unwrap_or(name);
    let lines: Vec<Line<'a>> = (1..).zip(text.lines()).collect();
    lines
        .split(|(_, text)| text.is_empty())
        // A block of comments alone, such as the head of a file, is not a requirement.
        .filter(|block| block.iter().any(|(_, text)| !text.starts_with('#')))
        .map(|block| row(area, block))
        .collect::<Result<_, _>>()
        .map_err(|(line, kind)| FileError { file: name.to_owned(), line, kind })
}

fn row<'a>(area: &str, block: &[Line<'a>]) -> Result<Row<'a>, (usize, LineError<'a>)> {
    // Not reached: a block has at least one line that is not a comment.
    let Some((&(number, heading), fields)) = block.split_first() else {
        return Err((0, LineError::Empty));
    };
    let fields = Fields::parse(fields)?;
    let unexpected = |(line, name, _)| (line, LineError::UnexpectedField(name));
    let (row, rest) = with_fields(area, heading, fields).map_err(|kind| (number, kind))?;
    // What no one has taken is unknown, or the second of its name.
    rest.0.into_iter().next().map_or(Ok(row), |field| Err(unexpected(field)))
}

/// Reads the heading, and takes the fields that belong to a requirement.
fn with_fields<'a>(
    area: &str,
    heading: &'a str,
    mut fields: Fields<'a>,
) -> Result<(Row<'a>, Fields<'a>), LineError<'a>> {
    let parts: Vec<&str> = heading.split(" | ").collect();
    let &[id, level, binds, revisions, testable] = parts.as_slice() else {
        return Err(LineError::Heading(heading));
    };
    check_id(id)?;
    if id.split_once('.').map(|(first, _)| first) != Some(area) {
        return Err(LineError::WrongArea { id, area: area.to_owned() });
    }
    let row = Row {
        id,
        revisions: self::revisions(revisions)?,
        level: one_of("level", level, &LEVELS)?,
        binds: one_of("bound party", binds, &BOUND_PARTIES)?,
        testable: one_of("testability", testable, &TESTABILITIES)?,
        // Without a page of the specification, a reason is what a reader can judge.
        source: fields.take(if area == AREA_OF_MCP_TEST { "reason" } else { "page" })?,
        says: fields.take("says")?,
        probe: fields.take("probe")?,
        violation: fields.take("violation")?,
        // The optional fields.
        unchecked: fields.take("unchecked").ok(),
        unchecked_of_clients: fields.take("unchecked-client").ok(),
        aliases: fields.take("aliases").map(|ids| ids.split(' ').collect()).unwrap_or_default(),
    };
    row.aliases.iter().try_for_each(|alias| check_id(alias))?;
    Ok((row, fields))
}

/// A list of revisions and ranges; `all` is the range with two open ends.
fn revisions(text: &str) -> Result<Vec<Range<'_>>, LineError<'_>> {
    if text == "all" {
        return Ok(vec![(None, None)]);
    }
    let part = |part| {
        let (first, last) = str::split_once(part, "..").unwrap_or((part, part));
        let ends @ [start, stop] = [first, last].map(|end| Some(end).filter(|it| !it.is_empty()));
        let is_valid = ends != [None; 2] && ends.into_iter().flatten().all(is_date);
        if is_valid { Ok((start, stop)) } else { Err(LineError::Revisions(part)) }
    };
    text.split(", ").map(part).collect()
}

fn is_date(text: &str) -> bool {
    let is_right = |(index, byte): (usize, u8)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

fn check_id(id: &str) -> Result<(), LineError<'_>> {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    if id.contains('.') && id.bytes().all(allowed) { Ok(()) } else { Err(LineError::Id(id)) }
}

fn one_of<'a>(
    noun: &'static str,
    text: &'a str,
    all: &[(&'static str, &'static str)],
) -> Result<&'static str, LineError<'a>> {
    let found = all.iter().find(|(word, _)| *word == text);
    found.map(|(_, variant)| *variant).ok_or_else(|| LineError::UnknownWord {
        noun,
        text,
        known: all.iter().map(|(word, _)| *word).collect(),
    })
}

/// The indented lines of a requirement that have not been taken yet: line number, name and text.
struct Fields<'a>(Vec<(usize, &'a str, &'a str)>);

impl<'a> Fields<'a> {
    fn parse(lines: &[Line<'a>]) -> Result<Self, (usize, LineError<'a>)> {
        let field = |&(number, line): &Line<'a>| {
            let field = line.strip_prefix("  ").and_then(|line| line.split_once(' '));
            match field.map(|(name, text)| (name, text.trim_start())) {
                Some((name, text)) if !name.is_empty() && !text.is_empty() => {
                    Ok((number, name, text))
                }
                _ => Err((number, LineError::Field(line))),
            }
        };
        lines.iter().map(field).collect::<Result<_, _>>().map(Self)
    }

    fn take(&mut self, name: &'static str) -> Result<&'a str, LineError<'a>> {
        let index = self.0.iter().position(|(_, field, _)| *field == name);
        index.map(|index| self.0.remove(index).2).ok_or(LineError::MissingField(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# Header.\n\nping.answer | MUST NOT | authorization-server | ..2025-03-26 | no\n  page      a/b#c\n  says      Says: it | all.\n  probe     p\n  violation v\n  aliases   x.y z.w\n";

    fn error(text: &'static str) -> String {
        file("ping.req", text).unwrap_err().to_string()
    }

    #[test]
    fn a_block_is_read_as_a_requirement() {
        let read = file("ping.req", GOOD).unwrap();
        let expected = Row {
            id: "ping.answer",
            aliases: vec!["x.y", "z.w"],
            revisions: vec![(None, Some("2025-03-26"))],
            level: "MustNot",
            binds: "AuthorizationServer",
            source: "a/b#c",
            says: "Says: it | all.",
            testable: "No",
            probe: "p",
            violation: "v",
            unchecked: None,
            unchecked_of_clients: None,
        };
        assert_eq!(read, [expected]);
        assert_eq!(read[0].constant(), "PING_ANSWER");
    }

    #[test]
    fn revisions_are_a_list_of_dates_and_ranges() {
        let (old, new) = (Some("2025-03-26"), Some("2025-11-25"));
        assert_eq!(revisions("all").unwrap(), [(None, None)]);
        assert_eq!(revisions("2025-03-26..").unwrap(), [(old, None)]);
        assert_eq!(revisions("2025-03-26..2025-11-25").unwrap(), [(old, new)]);
        assert_eq!(revisions("2025-03-26, 2025-11-25..").unwrap(), [(old, old), (new, None)]);
    }

    #[test]
    fn a_requirement_of_mcp_test_has_a_reason_instead_of_a_page() {
        const OURS: &str = "mcp-test.end | MUST | client | all | process\n  reason    r\n  says      s\n  probe     p\n  violation v\n";
        let read = file("mcp-test.req", OURS).unwrap();
        assert_eq!(read[0].source, "r");
        let paged =
            file("mcp-test.req", "mcp-test.end | MUST | client | all | process\n  page x\n");
        insta::assert_snapshot!(paged.unwrap_err(), @"mcp-test.req, line 1: the field `reason` is missing");
    }

    #[test]
    fn errors_name_the_line() {
        insta::assert_snapshot!(error("ping.answer | MUST | both | 2025-03-26\n"), @"ping.req, line 1: expected `id | level | who | revisions | testable`, got `ping.answer | MUST | both | 2025-03-26`");
        insta::assert_snapshot!(error("pong.answer | MUST | both | 2025-03-26 | wire\n"), @"ping.req, line 1: `pong.answer` does not belong to the area `ping`");
        insta::assert_snapshot!(error("ping.Answer | MUST | both | 2025-03-26 | wire\n"), @"ping.req, line 1: expected an id such as `area.name`, got `ping.Answer`");
        insta::assert_snapshot!(error("\n\nping.answer | MIGHT | both | 2025-03-26 | wire\n  page x\n  says x\n  probe x\n  violation x\n"), @"ping.req, line 3: `MIGHT` is not a level: expected MUST, MUST NOT, SHOULD, SHOULD NOT, MAY");
        insta::assert_snapshot!(error("ping.answer | MUST | both | 2025 | wire\n"), @"ping.req, line 1: `2025` is not a revision or a range of them: expected such as `2025-06-18..`");
        insta::assert_snapshot!(error("ping.answer | MUST | both | all | wire\n  page x\n  says x\n"), @"ping.req, line 1: the field `probe` is missing");
        insta::assert_snapshot!(error("ping.answer | MUST | both | all | wire\n  page x\n  says x\n  probe x\n  violation x\n  says y\n"), @"ping.req, line 6: the field `says` is unknown or repeated");
        insta::assert_snapshot!(error("ping.answer | MUST | both | all | wire\n  page\n"), @"ping.req, line 2: expected two spaces, a field and its text, got `  page`");
        insta::assert_snapshot!(error("ping.answer | MUST | both | all | wire\npage x\n"), @"ping.req, line 2: expected two spaces, a field and its text, got `page x`");
    }
}
