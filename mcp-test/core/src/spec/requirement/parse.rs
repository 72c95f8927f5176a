//! Parses a requirement file strictly: missing, unknown and repeated fields are errors with their line.

use super::{AREA_OF_MCP_TEST, BoundParty, Level, Requirement, Source, Testability};
use crate::spec::{Revisions, SpecError};

/// A line and its number, from 1.
type Line = (usize, &'static str);

/// Why a requirement file cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{file}, line {line}: {kind}")]
pub(super) struct FileError {
    file: String,
    line: usize,
    kind: LineError,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("expected a requirement, got no lines")]
    Empty,
    #[error("expected `id | level | who | revisions | testable`, got `{0}`")]
    Heading(&'static str),
    #[error("expected an id such as `area.name`, got `{0}`")]
    Id(&'static str),
    #[error("`{id}` does not belong to the area `{area}`")]
    WrongArea { id: &'static str, area: String },
    #[error(transparent)]
    Revisions(#[from] SpecError),
    #[error("`{text}` is not a {noun}: expected {}", known.join(", "))]
    UnknownWord { noun: &'static str, text: &'static str, known: Vec<&'static str> },
    #[error("expected two spaces, a field and its text, got `{0}`")]
    Field(&'static str),
    #[error("the field `{0}` is missing")]
    MissingField(&'static str),
    #[error("the field `{0}` is unknown or repeated")]
    UnexpectedField(&'static str),
}

/// Parses the requirements of the file `name`, such as `tools.req`.
pub(super) fn file(name: &str, text: &'static str) -> Result<Vec<Requirement>, FileError> {
    let area = name.strip_suffix(".req").unwrap_or(name);
    let lines: Vec<Line> = (1..).zip(text.lines()).collect();
    lines
        .split(|(_, text)| text.is_empty())
        // A block of comments alone, such as the head of a file, is not a requirement.
        .filter(|block| block.iter().any(|(_, text)| !text.starts_with('#')))
        .map(|block| requirement(area, block))
        .collect::<Result<_, _>>()
        .map_err(|(line, kind)| FileError { file: name.to_owned(), line, kind })
}

fn requirement(area: &str, block: &[Line]) -> Result<Requirement, (usize, LineError)> {
    // Not reached: a block has at least one line that is not a comment.
    let Some((&(number, heading), fields)) = block.split_first() else {
        return Err((0, LineError::Empty));
    };
    let fields = Fields::parse(fields)?;
    let unexpected = |(line, name, _)| (line, LineError::UnexpectedField(name));
    let (requirement, rest) = with_fields(area, heading, fields).map_err(|kind| (number, kind))?;
    // What no one has taken is unknown, or the second of its name.
    rest.0.into_iter().next().map_or(Ok(requirement), |field| Err(unexpected(field)))
}

/// Parses the heading, and takes the fields that belong to a requirement.
fn with_fields(
    area: &str,
    heading: &'static str,
    mut fields: Fields,
) -> Result<(Requirement, Fields), LineError> {
    let parts: Vec<&str> = heading.split(" | ").collect();
    let &[id, level, binds, revisions, testable] = parts.as_slice() else {
        return Err(LineError::Heading(heading));
    };
    check_id(id)?;
    if id.split_once('.').map(|(first, _)| first) != Some(area) {
        return Err(LineError::WrongArea { id, area: area.to_owned() });
    }
    let requirement = Requirement {
        id,
        revisions: revisions.parse::<Revisions>()?,
        level: one_of("level", level, Level::ALL, Level::as_str)?,
        binds: one_of("bound party", binds, BoundParty::ALL, BoundParty::as_str)?,
        testable: one_of("testability", testable, Testability::ALL, Testability::as_str)?,
        // Without a page of the specification, a reason is what a reader can judge.
        source: match area {
            AREA_OF_MCP_TEST => Source::McpTest { reason: fields.take("reason")? },
            _ => Source::Specification { page: fields.take("page")? },
        },
        text: fields.take("says")?,
        probe: fields.take("probe")?,
        violation: fields.take("violation")?,
        // The optional fields.
        unchecked: fields.take("unchecked").ok(),
        unchecked_of_clients: fields.take("unchecked-client").ok(),
        aliases: fields.take("aliases").map(|ids| ids.split(' ').collect()).unwrap_or_default(),
    };
    requirement.aliases.iter().try_for_each(|alias| check_id(alias))?;
    Ok((requirement, fields))
}

fn check_id(id: &'static str) -> Result<(), LineError> {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    if id.contains('.') && id.bytes().all(allowed) { Ok(()) } else { Err(LineError::Id(id)) }
}

fn one_of<T: Copy, const N: usize>(
    noun: &'static str,
    text: &'static str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, LineError> {
    let found = all.into_iter().find(|value| name(*value) == text);
    found.ok_or_else(|| LineError::UnknownWord { noun, text, known: all.map(name).to_vec() })
}

/// The indented lines of a requirement that have not been taken yet: line number, name and text.
struct Fields(Vec<(usize, &'static str, &'static str)>);

impl Fields {
    fn parse(lines: &[Line]) -> Result<Self, (usize, LineError)> {
        let field = |&(number, line): &Line| {
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

    fn take(&mut self, name: &'static str) -> Result<&'static str, LineError> {
        let index = self.0.iter().position(|(_, field, _)| *field == name);
        index.map(|index| self.0.remove(index).2).ok_or(LineError::MissingField(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Revision;

    const GOOD: &str = "# Header.\n\nping.answer | MUST NOT | authorization-server | ..2025-03-26 | no\n  page      a/b#c\n  says      Says: it | all.\n  probe     p\n  violation v\n  aliases   x.y z.w\n";

    fn error(text: &'static str) -> String {
        file("ping.req", text).unwrap_err().to_string()
    }

    #[test]
    fn a_block_is_read_as_a_requirement() {
        let read = file("ping.req", GOOD).unwrap();
        let expected = Requirement {
            id: "ping.answer",
            aliases: vec!["x.y", "z.w"],
            revisions: Revisions::until(Revision::V2025_03_26),
            level: Level::MustNot,
            binds: BoundParty::AuthorizationServer,
            source: Source::Specification { page: "a/b#c" },
            text: "Says: it | all.",
            testable: Testability::No,
            probe: "p",
            violation: "v",
            unchecked: None,
            unchecked_of_clients: None,
        };
        assert_eq!(read, [expected]);
    }

    #[test]
    fn a_requirement_of_mcp_test_has_a_reason_instead_of_a_page() {
        const OURS: &str = "mcp-test.end | MUST | client | all | process\n  reason    r\n  says      s\n  probe     p\n  violation v\n";
        let read = file("mcp-test.req", OURS).unwrap();
        assert_eq!(read[0].source, Source::McpTest { reason: "r" });
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
        insta::assert_snapshot!(error("ping.answer | MUST | both | 2025 | wire\n"), @"ping.req, line 1: `2025` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28");
        insta::assert_snapshot!(error("ping.answer | MUST | both | all | wire\n  page x\n  says x\n"), @"ping.req, line 1: the field `probe` is missing");
        insta::assert_snapshot!(error("ping.answer | MUST | both | all | wire\n  page x\n  says x\n  probe x\n  violation x\n  says y\n"), @"ping.req, line 6: the field `says` is unknown or repeated");
        insta::assert_snapshot!(error("ping.answer | MUST | both | all | wire\n  page\n"), @"ping.req, line 2: expected two spaces, a field and its text, got `  page`");
        insta::assert_snapshot!(error("ping.answer | MUST | both | all | wire\npage x\n"), @"ping.req, line 2: expected two spaces, a field and its text, got `page x`");
    }
}
