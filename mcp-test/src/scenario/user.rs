//! What `#[mcp_scenario]` and `target!` leave behind: plain data, found again through the registry of the test binary.
//!
//! How a user's scenario is planned and run is the harness's business.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::scenario::Ctx;
use crate::transport::Target;

/// What a scenario ends with when it ends early.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The run of one cell of a user's scenario; not `Send`, since it stays on the thread of its test.
pub type ScenarioFuture<'a> = Pin<Box<dyn Future<Output = Result<(), BoxError>> + 'a>>;

/// Compares a text with the snapshot of this name, as `insta::assert_snapshot!` written in the user's file would.
pub type GoldenFn = fn(name: &str, text: &str);

/// A function under `#[mcp_scenario]`, and everything its attributes say.
#[derive(Debug)]
pub struct UserScenario {
    /// The function's name.
    pub name: &'static str,
    /// The module the function stands in, with the crate's name.
    pub module_path: &'static str,
    /// The source file, as the compiler was given it.
    pub file: &'static str,
    /// The line of the function's name.
    pub line: u32,
    /// The column of the function's name.
    pub column: u32,
    /// Where the `Cargo.toml` of the user's package is.
    pub manifest_dir: &'static str,
    /// The name of the user's package.
    pub package: &'static str,
    /// The target of this scenario, if it names one of its own.
    pub target: Option<fn() -> Target>,
    /// The revisions it asks for: `2025-06-18..`.
    pub revisions: Option<&'static str>,
    /// The transports it asks for; with none, the target's first one.
    pub transports: &'static [&'static str],
    /// Whether it runs at every revision and over every transport that the above leave.
    pub matrix: bool,
    /// Whether a skip at run time passes.
    pub allow_skip: bool,
    /// Why it only runs when asked for; empty without a reason.
    pub ignored: Option<&'static str>,
    /// How long one cell may take.
    pub timeout: Option<Duration>,
    /// How a golden snapshot is compared; only there with the feature `golden`.
    pub golden: Option<GoldenFn>,
    /// Calls the function.
    pub run: for<'a> fn(&'a mut Ctx) -> ScenarioFuture<'a>,
}

impl UserScenario {
    /// The crate of the test binary.
    #[must_use]
    pub fn crate_name(&self) -> &'static str {
        crate_of(self.module_path)
    }

    /// The name as libtest shows it: the modules below the crate, then the function.
    #[must_use]
    pub fn test_name(&self) -> String {
        match self.module_path.split_once("::") {
            Some((_, modules)) => format!("{modules}::{}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// Where the scenario is written: `tests/calculator.rs:12:10`.
    #[must_use]
    pub fn location(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The entry of a user's scenario in the registry.
#[derive(Debug)]
pub struct Registered(pub &'static UserScenario);

inventory::collect!(Registered);

/// Every `#[mcp_scenario]` of this test binary, in the order of their names.
#[must_use]
pub fn user_scenarios() -> Vec<&'static UserScenario> {
    let mut scenarios: Vec<_> =
        inventory::iter::<Registered>.into_iter().map(|Registered(scenario)| *scenario).collect();
    scenarios.sort_by_key(|scenario| (scenario.module_path, scenario.name));
    scenarios
}

/// What `mcp_test::target!` registers.
#[derive(Debug)]
pub struct DefaultTarget {
    /// Makes the target.
    pub make: fn() -> Target,
    /// The module of the `target!`.
    pub module_path: &'static str,
    /// The source file of the `target!`.
    pub file: &'static str,
    /// The line of the `target!`.
    pub line: u32,
    /// The column of the `target!`.
    pub column: u32,
}

inventory::collect!(DefaultTarget);

impl fmt::Display for DefaultTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, .. } = self;
        write!(f, "{file}:{line}:{column}")
    }
}

/// A test binary with more than one `mcp_test::target!`.
#[derive(Debug, thiserror::Error)]
#[error(
    "this test binary has more than one `mcp_test::target!`: {}. \
     Keep one, and give the scenarios that need another `#[mcp_scenario(target = …)]`",
    places(.0)
)]
pub struct SeveralDefaultTargets(Vec<&'static DefaultTarget>);

fn places(targets: &[&DefaultTarget]) -> String {
    let places: Vec<String> = targets.iter().map(|target| format!("at {target}")).collect();
    places.join(" and ")
}

/// The default target of this test binary, if it has a `mcp_test::target!`.
///
/// # Errors
///
/// When there are several: none of them is more right than the others.
pub fn default_target() -> Result<Option<&'static DefaultTarget>, SeveralDefaultTargets> {
    only(inventory::iter::<DefaultTarget>.into_iter().collect())
}

fn only(
    mut targets: Vec<&'static DefaultTarget>,
) -> Result<Option<&'static DefaultTarget>, SeveralDefaultTargets> {
    if targets.len() > 1 {
        targets.sort_by_key(|target| (target.file, target.line, target.column));
        return Err(SeveralDefaultTargets(targets));
    }
    Ok(targets.pop())
}

fn crate_of(module_path: &'static str) -> &'static str {
    module_path.split_once("::").map_or(module_path, |(name, _)| name)
}

/// What a scenario function may return: `Result<(), E>`, where `E` converts into a boxed error.
///
/// That is every error type that is `Send + Sync + 'static`, `anyhow::Error` and its like, `String` and `&str`.
#[diagnostic::on_unimplemented(
    message = "a scenario can't return `{Self}`",
    label = "expected `Result<(), E>`, where `E` converts into `Box<dyn Error + Send + Sync>`",
    note = "`mcp_test::Result<()>` always fits"
)]
pub trait ScenarioOutcome {
    /// The outcome with its error boxed.
    ///
    /// # Errors
    ///
    /// The error that the scenario returned.
    fn into_outcome(self) -> Result<(), BoxError>;
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> ScenarioOutcome for Result<(), E> {
    fn into_outcome(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}

/// What `target = …` and `target!(…)` accept: a [`Target`], or a function or closure that makes one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no target",
    label = "expected a `Target`, or a function without arguments that returns one"
)]
pub trait IntoTarget {
    /// The target.
    fn into_target(self) -> Target;
}

#[diagnostic::do_not_recommend]
impl IntoTarget for Target {
    fn into_target(self) -> Target {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<F: FnOnce() -> Target> IntoTarget for F {
    fn into_target(self) -> Target {
        self()
    }
}

/// Registers the default target of this test binary: that of every scenario that names none of its own.
///
/// Takes a [`Target`](crate::transport::Target), or a function or closure that makes one. It is evaluated for each cell
/// anew. There can be one in a test binary.
///
/// ```ignore
/// mcp_test::target!(my_server);
///
/// fn my_server() -> Target {
///     Target::duplex(|io| async move { Calculator::new().serve(io).await?.waiting().await })
/// }
/// ```
#[macro_export]
macro_rules! target {
    ($target:expr $(,)?) => {
        $crate::__private::inventory::submit! {
            $crate::__private::DefaultTarget {
                make: || $crate::__private::IntoTarget::into_target($target),
                module_path: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
                column: ::core::column!(),
            }
        }
    };
}

/// An `Option<GoldenFn>` whose snapshots belong to the crate and file that this is expanded in.
#[cfg(feature = "golden")]
#[doc(hidden)]
#[macro_export]
macro_rules! __golden_fn {
    () => {
        ::core::option::Option::Some(|name, text| {
            $crate::__private::insta::assert_snapshot!(name, text, "ctx.assert_golden()");
        })
    };
}

/// Without the feature `golden` there is no snapshot to compare with.
#[cfg(not(feature = "golden"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __golden_fn {
    () => {
        ::core::option::Option::None
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(module_path: &'static str) -> UserScenario {
        UserScenario {
            name: "works",
            module_path,
            file: "tests/calculator.rs",
            line: 12,
            column: 10,
            manifest_dir: "",
            package: "calculator",
            target: None,
            revisions: None,
            transports: &[],
            matrix: false,
            allow_skip: false,
            ignored: None,
            timeout: None,
            golden: None,
            run: |_| Box::pin(async { Ok(()) }),
        }
    }

    #[test]
    fn names_are_those_of_libtest() {
        assert_eq!(scenario("calculator").test_name(), "works");
        assert_eq!(scenario("calculator::a::b").test_name(), "a::b::works");
        assert_eq!(scenario("calculator::a::b").crate_name(), "calculator");
        assert_eq!(scenario("calculator").location(), "tests/calculator.rs:12:10");
    }

    #[test]
    fn errors_of_many_kinds_fit() {
        assert!(Ok::<(), String>(()).into_outcome().is_ok());
        let text = Err::<(), _>("why").into_outcome().expect_err("an error");
        assert_eq!(text.to_string(), "why");
        let boxed = Err::<(), BoxError>("why".into()).into_outcome().expect_err("an error");
        assert_eq!(boxed.to_string(), "why");
        let io = Err::<(), _>(std::io::Error::other("why")).into_outcome().expect_err("an error");
        assert!(io.is::<std::io::Error>());
    }

    #[test]
    fn two_default_targets_are_an_error_that_names_both_places() {
        static TARGETS: [DefaultTarget; 2] = [at(20), at(3)];
        const fn at(line: u32) -> DefaultTarget {
            DefaultTarget {
                make: || unreachable!(),
                module_path: "calculator",
                file: "tests/calculator.rs",
                line,
                column: 1,
            }
        }
        let one = only(vec![&TARGETS[0]]).expect("one is right").expect("it is there");
        assert_eq!(one.line, 20);
        assert!(only(Vec::new()).expect("none is right").is_none());
        let several = only(TARGETS.iter().collect()).expect_err("two are wrong");
        insta::assert_snapshot!(several, @"this test binary has more than one `mcp_test::target!`: at tests/calculator.rs:3:1 and at tests/calculator.rs:20:1. Keep one, and give the scenarios that need another `#[mcp_scenario(target = …)]`");
    }
}
