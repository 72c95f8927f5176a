//! The source of what a test tests: its own option, else `target!`, else the environment.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mcp_test_core::expect::words::panic_text;
use mcp_test_core::process::Command;
use mcp_test_core::run::Tested;
use mcp_test_core::run::spoken_revisions::TargetKey;
use mcp_test_core::scenario::{Maker, SetupValue, UserBody, default_target};
use mcp_test_core::transport::{ClientTarget, Target};

use super::InvalidTest;
use super::environment::Environment;

/// The source of a target or client.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// A function of the test binary makes it, again for every run.
    Function(Maker<Target>),
    /// A function of the test binary makes a client.
    Client(Maker<ClientTarget>),
    /// The environment names it.
    Environment(Target),
}

impl Source {
    /// The source of what a scenario tests.
    pub(super) fn for_scenario(
        body: &UserBody,
        environment: &Environment,
    ) -> Result<Self, InvalidTest> {
        match body {
            UserBody::Server { target, .. } => Self::of(*target, environment),
            UserBody::Client { client, .. } => Ok(Self::Client(*client)),
        }
    }

    /// The source of the target of a test, which may name one of its own.
    pub(super) fn of(
        own: Option<Maker<Target>>,
        environment: &Environment,
    ) -> Result<Self, InvalidTest> {
        // First: a test that names its target needs no default one, not even a valid one.
        if let Some(make) = own {
            return Ok(Self::Function(make));
        }
        if let Some(target) = default_target()? {
            return Ok(Self::Function(Maker::Alone(target.make)));
        }
        match in_environment(environment)? {
            Some(target) => Ok(Self::Environment(target)),
            None => Err(InvalidTest::NoTarget),
        }
    }

    /// Makes the target or client, with the value of the setup if that has run.
    pub(super) fn make(&self, setup: &SetupValue) -> Result<Tested, InvalidTest> {
        let make = || match self {
            Self::Environment(target) => Some(target.clone().into()),
            Self::Function(maker) => maker.make(setup).map(Tested::from),
            Self::Client(maker) => maker.make(setup).map(Tested::from),
        };
        let made = catch_unwind(AssertUnwindSafe(make));
        made.map_err(|payload| InvalidTest::TargetPanicked(panic_text(&*payload).to_owned()))?
            .ok_or(InvalidTest::NoSetup)
    }

    /// What identifies the target among those of this process.
    pub(super) fn key(&self) -> TargetKey {
        match self {
            // The linker may merge functions with the same code, which then make the same target.
            Self::Function(maker) => Some(maker.address()),
            Self::Client(maker) => Some(maker.address()),
            Self::Environment(_) => None,
        }
    }
}

fn in_environment(environment: &Environment) -> Result<Option<Target>, InvalidTest> {
    let command = match &environment.command {
        Some(line) => Some(line.parse::<Command>().map_err(InvalidTest::Command)?),
        None => None,
    };
    match (&environment.url, command) {
        (None, command) => Ok(command.map(Target::command)),
        #[cfg(feature = "http")]
        (Some(url), None) => Ok(Some(Target::url(url.as_str()))),
        #[cfg(feature = "http")]
        (Some(url), Some(command)) => Ok(Some(Target::url_started_by(url.as_str(), command))),
        #[cfg(not(feature = "http"))]
        (Some(_), _) => Err(InvalidTest::NoHttp),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(command: Option<&str>, url: Option<&str>) -> Environment {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Environment { command: owned(command), url: owned(url), ..Environment::default() }
    }

    #[cfg(feature = "http")]
    #[test]
    fn the_environment_names_a_command_or_a_url_or_both() {
        let target = |command, url| {
            in_environment(&environment(command, url)).expect("both are valid").expect("one is set")
        };
        assert_eq!(target(Some("npx 'my server'"), None).label(), "npx 'my server'");
        let url = "http://127.0.0.1:1/mcp";
        assert_eq!(
            target(None, Some(url)).transports(),
            [mcp_test_core::transport::TransportKind::Http]
        );
        assert_eq!(target(Some("npx server"), Some(url)).label(), url);
        assert!(in_environment(&environment(None, None)).is_ok_and(|target| target.is_none()));
    }

    #[test]
    fn an_invalid_command_line_is_reported_with_its_variable() {
        let error = in_environment(&environment(Some("npx 'server"), None)).expect_err("no quote");
        insta::assert_snapshot!(error, @"MCP_TEST_COMMAND: the ' at character 5 of the command line is not closed");
    }

    #[test]
    fn without_a_target_the_error_names_three_ways() {
        insta::assert_snapshot!(InvalidTest::NoTarget, @r"
        no target to test; name one in one of three ways:
        - `mcp_test::target!(my_server);` once in this test binary
        - `target = my_server` among the options of `#[mcp_scenario]` or `cases!`
        - the environment variable MCP_TEST_COMMAND (a command line that speaks over stdio) or MCP_TEST_URL
        ");
    }
}
