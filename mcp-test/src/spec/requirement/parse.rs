//! Reads a requirement file, strictly: what is missing, unknown, repeated or out of place is an error with its line.

use super::{Level, Requirement, Testable, Who};
use crate::spec::{Revisions, SpecError};

/// A line and its number.
type Line = (usize, &'static str);

/// What is wrong, and the number of the line.
type Wrong = (usize, String);

/// The requirements of the file `name`, such as `tools.req`.
pub(super) fn file(name: &str, text: &'static str) -> Result<Vec<Requirement>, SpecError> {
    let area = name.strip_suffix(".req").unwrap_or(name);
    let lines: Vec<Line> = (1..).zip(text.lines()).collect();
    lines
        .split(|(_, text)| text.is_empty())
        .filter(|block| block.iter().any(|(_, text)| !text.starts_with('#')))
        .map(|block| requirement(area, block))
        .collect::<Result<_, _>>()
        .map_err(|(line, reason)| SpecError::RequirementFile {
            file: name.to_owned(),
            line,
            reason,
        })
}

fn requirement(area: &str, block: &[Line]) -> Result<Requirement, Wrong> {
    let Some((&(number, heading), fields)) = block.split_first() else {
        return Err((0, "a requirement of no lines".to_owned()));
    };
    let wrong = |reason: String| (number, reason);
    let parts: Vec<&str> = heading.split(" | ").collect();
    let &[id, level, who, revisions, testable] = parts.as_slice() else {
        return Err(wrong(format!(
            "expected `id | level | who | revisions | testable`, got `{heading}`"
        )));
    };
    check_id(id).map_err(wrong)?;
    if id.split_once('.').map(|(first, _)| first) != Some(area) {
        return Err(wrong(format!("`{id}` does not belong to the area `{area}`")));
    }
    let revisions: Revisions =
        revisions.parse().map_err(|error: SpecError| wrong(error.to_string()))?;
    let mut fields = Fields::new(fields)?;
    let read = Requirement {
        id,
        revisions,
        level: one_of("level", level, Level::ALL, Level::as_str).map_err(wrong)?,
        who: one_of("bound peer", who, Who::ALL, Who::as_str).map_err(wrong)?,
        testable: one_of("place to look", testable, Testable::ALL, Testable::as_str)
            .map_err(wrong)?,
        page: fields.take("page").map_err(wrong)?,
        says: fields.take("says").map_err(wrong)?,
        probe: fields.take("probe").map_err(wrong)?,
        violation: fields.take("violation").map_err(wrong)?,
        aliases: fields.take("aliases").map(|ids| ids.split(' ').collect()).unwrap_or_default(),
    };
    for alias in &read.aliases {
        check_id(alias).map_err(wrong)?;
    }
    fields.nothing_left()?;
    Ok(read)
}

fn check_id(id: &str) -> Result<(), String> {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    if id.contains('.') && id.bytes().all(plain) {
        Ok(())
    } else {
        Err(format!("expected an id such as `area.name`, got `{id}`"))
    }
}

fn one_of<T: Copy, const N: usize>(
    noun: &str,
    text: &str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    all.into_iter()
        .find(|value| name(*value) == text)
        .ok_or_else(|| format!("`{text}` is not a {noun}: expected {}", all.map(name).join(", ")))
}

/// The indented lines of a requirement that have not been taken yet.
struct Fields(Vec<(usize, &'static str, &'static str)>);

impl Fields {
    fn new(lines: &[Line]) -> Result<Self, Wrong> {
        lines
            .iter()
            .map(|&(number, line)| {
                let field = line.strip_prefix("  ").and_then(|line| line.split_once(' '));
                match field.map(|(name, text)| (name, text.trim_start())) {
                    Some((name, text)) if !name.is_empty() && !text.is_empty() => {
                        Ok((number, name, text))
                    }
                    _ => Err((
                        number,
                        format!("expected two spaces, a field and its text, got `{line}`"),
                    )),
                }
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    fn take(&mut self, name: &str) -> Result<&'static str, String> {
        let index = self.0.iter().position(|(_, field, _)| *field == name);
        let index = index.ok_or_else(|| format!("the field `{name}` is missing"))?;
        Ok(self.0.remove(index).2)
    }

    fn nothing_left(self) -> Result<(), Wrong> {
        match self.0.first() {
            Some((number, name, _)) => {
                Err((*number, format!("the field `{name}` is unknown or repeated")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Revision;

    const GOOD: &str = "# Header.\n\nping.answer | MUST NOT | authorization-server | ..2025-03-26 | no\n  page      a/b#c\n  says      Says: it | all.\n  probe     p\n  violation v\n  aliases   x.y z.w\n";

    fn reason(text: &'static str) -> String {
        file("ping.req", text).unwrap_err().to_string()
    }

    #[test]
    fn a_block_becomes_a_requirement() {
        let read = file("ping.req", GOOD).unwrap();
        let expected = Requirement {
            id: "ping.answer",
            aliases: vec!["x.y", "z.w"],
            revisions: Revisions::until(Revision::V2025_03_26),
            level: Level::MustNot,
            who: Who::AuthorizationServer,
            page: "a/b#c",
            says: "Says: it | all.",
            testable: Testable::No,
            probe: "p",
            violation: "v",
        };
        assert_eq!(read, [expected]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        insta::assert_snapshot!(reason("ping.answer | MUST | both | 2025-03-26\n"), @"ping.req, line 1: expected `id | level | who | revisions | testable`, got `ping.answer | MUST | both | 2025-03-26`");
        insta::assert_snapshot!(reason("pong.answer | MUST | both | 2025-03-26 | wire\n"), @"ping.req, line 1: `pong.answer` does not belong to the area `ping`");
        insta::assert_snapshot!(reason("ping.Answer | MUST | both | 2025-03-26 | wire\n"), @"ping.req, line 1: expected an id such as `area.name`, got `ping.Answer`");
        insta::assert_snapshot!(reason("\n\nping.answer | MIGHT | both | 2025-03-26 | wire\n  page x\n  says x\n  probe x\n  violation x\n"), @"ping.req, line 3: `MIGHT` is not a level: expected MUST, MUST NOT, SHOULD, SHOULD NOT, MAY");
        insta::assert_snapshot!(reason("ping.answer | MUST | both | 2025 | wire\n"), @"ping.req, line 1: `2025` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28");
        insta::assert_snapshot!(reason("ping.answer | MUST | both | all | wire\n  page x\n  says x\n"), @"ping.req, line 1: the field `probe` is missing");
        insta::assert_snapshot!(reason("ping.answer | MUST | both | all | wire\n  page x\n  says x\n  probe x\n  violation x\n  says y\n"), @"ping.req, line 6: the field `says` is unknown or repeated");
        insta::assert_snapshot!(reason("ping.answer | MUST | both | all | wire\n  page\n"), @"ping.req, line 2: expected two spaces, a field and its text, got `  page`");
        insta::assert_snapshot!(reason("ping.answer | MUST | both | all | wire\npage x\n"), @"ping.req, line 2: expected two spaces, a field and its text, got `page x`");
    }
}
