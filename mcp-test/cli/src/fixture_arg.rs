//! `--fixture`: what takes the place of the official suite's fixtures.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use mcp_test_core::client::Fixtures;
use mcp_test_core::json::Value;
use mcp_test_core::spec::ItemKind;
use mcp_test_suite::scenarios::fixtures::{self, FixtureError};

use super::error::CliError;

/// The options that name fixtures.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct FixtureArgs {
    /// Use this tool, prompt, resource or resource template instead of one of the official suite: FIXTURE=NAME, or FIXTURE=NAME=JSON
    /// with its arguments or variables; `mcp-test list --fixtures` lists those of the official suite (repeatable)
    #[arg(long = "fixture", value_name = "FIXTURE=NAME[=JSON]")]
    fixtures: Vec<FixtureArg>,
}

/// A value of `--fixture`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FixtureArg {
    fixture: String,
    name: String,
    arguments: Option<Value>,
}

/// Why a value of `--fixture` is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FixtureArgError {
    #[error("expected FIXTURE=NAME, or FIXTURE=NAME=JSON with its arguments")]
    Incomplete,
    #[error("the arguments of `{name}` are not valid JSON: {problem}")]
    Invalid { name: String, problem: String },
    #[error(transparent)]
    Fixture(#[from] FixtureError),
}

impl FromStr for FixtureArg {
    type Err = FixtureArgError;

    fn from_str(text: &str) -> Result<Self, FixtureArgError> {
        let (fixture, rest) = text.split_at(text.find('=').ok_or(FixtureArgError::Incomplete)?);
        let kind = fixtures::find(fixture)?.kind;
        let (name, arguments) = split_arguments(rest, kind)?;
        let arg = Self { fixture: fixture.to_owned(), name: name.to_owned(), arguments };
        arg.add_to(&mut Fixtures::new())?;
        Ok(arg)
    }
}

/// Splits `=NAME=JSON` at the first `={` that begins a JSON object.
fn split_arguments(text: &str, kind: ItemKind) -> Result<(&str, Option<Value>), FixtureArgError> {
    let mut invalid = None;
    for (place, _) in text.match_indices("={") {
        // Without a name, the first `=` is the one before the arguments.
        let name = text.get(1..place).unwrap_or_default();
        let arguments = &text[place + 1..];
        match Value::parse(arguments.as_bytes()) {
            Ok(parsed) => return Ok((name, Some(parsed.value))),
            Err(error) => invalid = invalid.or(Some((name.to_owned(), error.to_string()))),
        }
    }
    match invalid {
        // The query of a URI template may contain `={id}`.
        Some((name, problem)) if matches!(kind, ItemKind::Tool | ItemKind::Prompt) => {
            Err(FixtureArgError::Invalid { name, problem })
        }
        _ => Ok((&text[1..], None)),
    }
}

impl FixtureArg {
    fn add_to(&self, all: &mut Fixtures) -> Result<(), FixtureError> {
        fixtures::replace(all, &self.fixture, &self.name, self.arguments.clone())
    }
}

impl fmt::Display for FixtureArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fixture, name, arguments } = self;
        write!(f, "{fixture}={name}")?;
        arguments.iter().try_for_each(|arguments| write!(f, "={arguments}"))
    }
}

impl FixtureArgs {
    /// What all options together name.
    pub(super) fn fixtures(&self) -> Result<Fixtures, CliError> {
        let mut all = Fixtures::new();
        for arg in &self.fixtures {
            arg.add_to(&mut all).map_err(CliError::Fixture)?;
        }
        Ok(all)
    }

    /// The options for a command that repeats a run.
    pub(super) fn rerun_args(&self) -> impl Iterator<Item = String> {
        self.fixtures.iter().flat_map(|arg| ["--fixture".to_owned(), arg.to_string()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<FixtureArg, FixtureArgError> {
        text.parse()
    }

    #[test]
    fn a_name_may_be_followed_by_arguments() {
        let parts = |text: &str| {
            let FixtureArg { name, arguments, .. } = read(text).expect(text);
            (name, arguments.map(|it| it.to_string()))
        };
        let expect = |text: &str, name: &str, arguments: Option<&str>| {
            assert_eq!(parts(text), (name.to_owned(), arguments.map(str::to_owned)), "{text}");
            assert_eq!(read(text).expect(text).to_string(), text);
        };
        expect("test_simple_text=my_tool", "my_tool", None);
        expect(r#"test_simple_text=my_tool={"a":"={"}"#, "my_tool", Some(r#"{"a":"={"}"#));
        expect("test_simple_text=a=b", "a=b", None);
        expect("test://static-text=db://a?b={c}", "db://a?b={c}", None);
        let template = "db://items?key={key}&page={page}";
        expect(&format!("test://template/{{id}}/data={template}"), template, None);
        let with_values = format!(r#"test://template/{{id}}/data={template}={{"key":"7"}}"#);
        expect(&with_values, template, Some(r#"{"key":"7"}"#));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| read(text).expect_err(text).to_string();
        insta::assert_snapshot!(error("test_simple_text"), @"expected FIXTURE=NAME, or FIXTURE=NAME=JSON with its arguments");
        insta::assert_snapshot!(error("test_simple_text="), @"expected the name of what takes the place of the fixture `test_simple_text`");
        insta::assert_snapshot!(error("test_simple_text={}"), @"expected the name of what takes the place of the fixture `test_simple_text`");
        insta::assert_snapshot!(error("=my_tool"), @"no fixture is named ``; `mcp-test list --fixtures` lists them");
        insta::assert_snapshot!(error("test_simple_txt=my_tool"), @"no fixture is named `test_simple_txt`; did you mean `test_simple_text`?");
        insta::assert_snapshot!(error("test_simple_text=my_tool={a: 1}"), @"the arguments of `my_tool` are not valid JSON: line 1, column 2: expected a member name in double quotes, found `a`");
        insta::assert_snapshot!(error("test://static-text=db://a={}"), @"the fixture `test://static-text` is a resource, which takes no arguments");
    }
}
