//! What `cases!` expands to: plain data, which the registry of the test binary collects.
//!
//! The harness turns it into tests.

use std::time::Duration;

use mcp_test_core::json::Value;
use mcp_test_core::scenario::CallSite;
use mcp_test_core::transport::{ClientTarget, Target};

use super::hooks::{Given, Phase};
use super::{Inputs, State};

/// One `cases!`: the files that it names, the tests made from them, and its options.
#[derive(Debug)]
pub struct UserCases {
    /// The files, as the macro names them.
    pub pattern: &'static str,
    /// The name of the module of the tests.
    pub name: &'static str,
    /// Where the pattern is.
    pub site: CallSite,
    /// The content of the files when the tests were compiled.
    pub files: &'static [CasesFile],
    /// The tests.
    pub tests: &'static [CaseTest],
    /// The server or client under test; without it, the default target of the test binary.
    pub peer: Option<CasesPeer>,
    /// The revisions that are asked for: `2025-06-18..`.
    pub revisions: Option<&'static str>,
    /// The transports that are asked for; with none, the target's first one.
    pub transports: &'static [&'static str],
    /// How long a case without a time-out of its own may take.
    pub timeout: Option<Duration>,
    /// The file with the failures that are expected.
    pub baseline: Option<&'static str>,
    /// If not empty, only cases with one of these tags become tests, or are demanded of a client.
    pub tags: &'static [&'static str],
    /// No cases with one of these tags.
    pub skip_tags: &'static [&'static str],
    /// Makes the values for `_inputs`.
    pub inputs: Option<fn() -> Inputs>,
    /// Makes the handlers of the states in `_given`.
    pub given: Option<fn() -> Given>,
    /// Whether `_before` and `_after` may run commands.
    pub allow_commands: bool,
    /// Whether a skip at run time passes.
    pub allow_skip: bool,
    /// Whether tolerated differences fail, too.
    pub strict: bool,
}

/// The server or client that cases test.
#[derive(Debug, Clone, Copy)]
pub enum CasesPeer {
    /// A server.
    Server(fn() -> Target),
    /// A client.
    Client(fn() -> ClientTarget),
}

/// The content of a file when the tests were compiled.
#[derive(Debug)]
pub struct CasesFile {
    /// Its path, relative to the package.
    pub path: &'static str,
    /// The titles of its cases, in their order.
    pub titles: &'static [Option<&'static str>],
}

/// A test made from a case, or from a file.
#[derive(Debug)]
pub struct CaseTest {
    /// Its name below the module.
    pub name: &'static str,
    /// The index of its file.
    pub file: usize,
    /// The index of the case in the file; without it, all of them.
    pub case: Option<usize>,
    /// The reason of `#[ignore]`, which may be empty.
    pub ignored: Option<&'static str>,
}

impl UserCases {
    /// The name of the module of the tests, as libtest shows it.
    #[must_use]
    pub fn module_name(&self) -> String {
        self.site.test_name(self.name)
    }

    /// The name of a test, as libtest shows it.
    #[must_use]
    pub fn test_name(&self, test: &CaseTest) -> String {
        format!("{}::{}", self.module_name(), test.name)
    }

    /// The name of the test that every case has a test.
    #[must_use]
    pub fn in_step_name(&self) -> String {
        format!("{}::every_case_is_a_test", self.module_name())
    }
}

/// The entry of a `cases!` in the registry.
#[derive(Debug)]
pub struct RegisteredCases(pub &'static UserCases);

inventory::collect!(RegisteredCases);

/// Every `cases!` of this test binary, in the order of their modules.
#[must_use]
pub fn user_cases() -> Vec<&'static UserCases> {
    let mut cases: Vec<_> = inventory::iter::<RegisteredCases>
        .into_iter()
        .map(|RegisteredCases(cases)| *cases)
        .collect();
    // The linker decides in which order `inventory` returns them.
    cases.sort_by_key(|cases| (cases.site.module_path, cases.name));
    cases
}

/// What `inputs = …` accepts: names with values.
pub fn case_inputs<N: Into<String>, V: Into<Value>>(
    inputs: impl IntoIterator<Item = (N, V)>,
) -> Inputs {
    inputs.into_iter().fold(Inputs::default(), |inputs, (name, value)| inputs.value(name, value))
}

/// What `given = …` accepts: a [`Given`], or a function or closure that is called with each state, as by [`Given::call`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot set up states",
    label = "expected `async fn(State, Phase) -> mcp_test::Result`, or a `Given`"
)]
pub trait IntoGiven {
    /// The handlers of the states.
    fn into_given(self) -> Given;
}

#[diagnostic::do_not_recommend]
impl IntoGiven for Given {
    fn into_given(self) -> Given {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<F, R> IntoGiven for F
where
    F: Fn(State, Phase) -> R + Send + Sync + 'static,
    R: Future<Output = mcp_test_core::Result> + Send + 'static,
{
    fn into_given(self) -> Given {
        Given::call(self)
    }
}
