//! What `cases!` leaves behind: plain data, found again through the registry of the test binary.
//!
//! How cases become tests is the harness's business.

use std::time::Duration;

use super::hooks::{Given, Phase};
use super::{Inputs, State};
use crate::json::Value;
use crate::transport::{ClientTarget, Target};

/// One `cases!`: the files that it names, the tests that were made of them, and everything that its options say.
#[derive(Debug)]
pub struct UserCases {
    /// The files, as they are named.
    pub pattern: &'static str,
    /// What the module of the tests is called.
    pub name: &'static str,
    /// The module in which it stands, with the crate's name.
    pub module_path: &'static str,
    /// The source file, as the compiler was given it.
    pub file: &'static str,
    /// The line of the pattern.
    pub line: u32,
    /// The column of the pattern.
    pub column: u32,
    /// Where the `Cargo.toml` of the user's package is.
    pub manifest_dir: &'static str,
    /// What the files held when the tests were compiled.
    pub files: &'static [CasesFile],
    /// The tests.
    pub tests: &'static [CaseTest],
    /// What is tested; without it, the default target of the test binary.
    pub peer: Option<CasesPeer>,
    /// The revisions that are asked for: `2025-06-18..`.
    pub revisions: Option<&'static str>,
    /// The transports that are asked for; with none, the target's first one.
    pub transports: &'static [&'static str],
    /// How long a case may take that does not say so itself.
    pub timeout: Option<Duration>,
    /// The file with the failures that are expected.
    pub baseline: Option<&'static str>,
    /// Only cases with one of these tags, if there are any: the others are no tests, and not demanded of a client.
    pub tags: &'static [&'static str],
    /// No cases with one of these tags.
    pub skip_tags: &'static [&'static str],
    /// Makes the values for `_inputs`.
    pub inputs: Option<fn() -> Inputs>,
    /// Makes who brings the states of `_given` about.
    pub given: Option<fn() -> Given>,
    /// Whether `_before` and `_after` may run commands.
    pub allow_commands: bool,
    /// Whether a skip at run time passes.
    pub allow_skip: bool,
    /// Whether what is tolerated elsewhere fails.
    pub strict: bool,
}

/// What is tested with cases.
#[derive(Debug, Clone, Copy)]
pub enum CasesPeer {
    /// A server.
    Server(fn() -> Target),
    /// A client.
    Client(fn() -> ClientTarget),
}

/// What a file held when the tests were compiled.
#[derive(Debug)]
pub struct CasesFile {
    /// Its path, as seen from the package.
    pub path: &'static str,
    /// What its cases are called, in their order.
    pub titles: &'static [Option<&'static str>],
}

/// A test that was made.
#[derive(Debug)]
pub struct CaseTest {
    /// Its name below the module.
    pub name: &'static str,
    /// The file, by its place among the files.
    pub file: usize,
    /// The case, by its place in the file; without it, all of them.
    pub case: Option<usize>,
    /// Why it only runs when asked for.
    pub ignored: Option<&'static str>,
}

impl UserCases {
    /// The name of the module of the tests, as libtest shows it.
    #[must_use]
    pub fn module_name(&self) -> String {
        match self.module_path.split_once("::") {
            Some((_, modules)) => format!("{modules}::{}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// The name of a test, as libtest shows it.
    #[must_use]
    pub fn test_name(&self, test: &CaseTest) -> String {
        format!("{}::{}", self.module_name(), test.name)
    }

    /// The name of the test that every case is a test.
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
    cases.sort_by_key(|cases| (cases.module_path, cases.name));
    cases
}

/// What `client = …` accepts: a [`ClientTarget`], or a function or closure that makes one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no client",
    label = "expected a `ClientTarget`, or a function without arguments that returns one"
)]
pub trait IntoClientTarget {
    /// The client.
    fn into_client_target(self) -> ClientTarget;
}

#[diagnostic::do_not_recommend]
impl IntoClientTarget for ClientTarget {
    fn into_client_target(self) -> ClientTarget {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<F: FnOnce() -> ClientTarget> IntoClientTarget for F {
    fn into_client_target(self) -> ClientTarget {
        self()
    }
}

/// What `inputs = …` accepts: names with values.
pub fn case_inputs<N: Into<String>, V: Into<Value>>(
    inputs: impl IntoIterator<Item = (N, V)>,
) -> Inputs {
    inputs.into_iter().fold(Inputs::default(), |inputs, (name, value)| inputs.value(name, value))
}

/// What `given = …` accepts: a [`Given`], or a function or closure that is called with each state, as by [`Given::call`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` brings no states about",
    label = "expected `async fn(State, Phase) -> mcp_test::Result`, or a `Given`"
)]
pub trait IntoGiven {
    /// Who brings the states about.
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
    R: Future<Output = crate::Result> + Send + 'static,
{
    fn into_given(self) -> Given {
        Given::call(self)
    }
}
