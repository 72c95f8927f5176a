//! What `#[mcp_scenario]` expands to: plain data, which the registry of the test binary collects.
//!
//! The harness plans and runs it.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::{BoxError, CallSite, Ctx, GoldenFn, ServerCtx, SetupFuture, SetupValue};
use crate::spec::KnownViolation;
use crate::transport::{ClientTarget, Target};

/// One run of a user's scenario; not `Send`, since it stays on the thread of its test.
#[doc(hidden)]
pub type ScenarioFuture<'a> = Pin<Box<dyn Future<Output = Result<(), BoxError>> + 'a>>;

/// A function under `#[mcp_scenario]`, and everything that its attributes specify.
#[doc(hidden)]
#[derive(Debug)]
pub struct UserScenario {
    /// The function's name; for one of several cases, followed by the name of the case: `adds::case_1_2`.
    pub name: &'static str,
    /// Where its name is.
    pub site: CallSite,
    /// The revisions it asks for: `2025-06-18..`.
    pub revisions: Option<&'static str>,
    /// The transports it asks for; with none, the first one of the target or client.
    pub transports: &'static [&'static str],
    /// Whether it runs at every revision and over every transport that the options above allow.
    pub matrix: bool,
    /// Whether a skip at run time passes.
    pub allow_skip: bool,
    /// The reason of `#[ignore]`, which may be empty.
    pub ignored: Option<&'static str>,
    /// How long one run may take.
    pub timeout: Option<Duration>,
    /// Makes the list of the requirements that its peer is known to break.
    pub known: fn() -> Vec<KnownViolation>,
    /// How a golden snapshot is compared, with the feature `golden`.
    pub golden: Option<GoldenFn>,
    /// Calls its setup, if it has one, which runs before the target or client is made.
    pub setup: Option<fn() -> SetupFuture>,
    /// What it tests, and its functions.
    pub body: UserBody,
    /// Runs it as the body of a `#[test]`.
    pub run_test: fn(&'static Self),
}

impl UserScenario {
    /// Runs one of several cases as the body of a `#[test]`; a method, because it is called where no path of the user's code is
    /// valid.
    pub fn run_test(&'static self) {
        (self.run_test)(self);
    }
}

/// What a user's scenario tests, and the functions that it calls.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum UserBody {
    /// It tests a server.
    Server {
        /// Makes the target of this scenario, if it names one of its own.
        target: Option<Maker<Target>>,
        /// Calls its setup with the context, if it has one, and the function.
        run: UserFunction,
        /// Calls its teardown.
        teardown: Option<UserFunction>,
    },
    /// It tests a client.
    Client {
        /// Makes the client.
        client: Maker<ClientTarget>,
        /// Calls its setup with the context, if it has one, and the function.
        run: ClientFunction,
        /// Calls its teardown.
        teardown: Option<ClientFunction>,
    },
}

/// Calls functions of the user with the context of a run.
#[doc(hidden)]
pub type UserFunction = for<'a> fn(&'a mut Ctx) -> ScenarioFuture<'a>;

/// Calls functions of the user with the context of a test of a client.
#[doc(hidden)]
pub type ClientFunction = for<'a> fn(&'a mut ServerCtx) -> ScenarioFuture<'a>;

/// Makes a target or a client.
#[doc(hidden)]
#[derive(Debug)]
pub enum Maker<T> {
    /// By itself.
    Alone(fn() -> T),
    /// With the value of the setup; `None` if that has not run.
    WithSetup(fn(&SetupValue) -> Option<T>),
}

// By hand, since a derive would demand the same of `T`.
impl<T> Clone for Maker<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Maker<T> {}

impl<T> Maker<T> {
    /// Makes it; `None` if it needs the value of a setup that has not run.
    #[must_use]
    pub fn make(self, setup: &SetupValue) -> Option<T> {
        match self {
            Self::Alone(make) => Some(make()),
            Self::WithSetup(make) => make(setup),
        }
    }

    /// The address of the function, which identifies it in this process.
    #[must_use]
    pub fn address(self) -> usize {
        match self {
            Self::Alone(make) => make as usize,
            Self::WithSetup(make) => make as usize,
        }
    }
}

impl UserScenario {
    /// The name as libtest shows it.
    #[must_use]
    pub fn test_name(&self) -> String {
        self.site.test_name(self.name)
    }
}

/// The entry of a user's scenario in the registry.
#[doc(hidden)]
#[derive(Debug)]
pub struct Registered(pub &'static UserScenario);

inventory::collect!(Registered);

/// Every `#[mcp_scenario]` of this test binary, in the order of their names.
#[doc(hidden)]
#[must_use]
pub fn user_scenarios() -> Vec<&'static UserScenario> {
    let mut scenarios: Vec<_> =
        inventory::iter::<Registered>.into_iter().map(|Registered(scenario)| *scenario).collect();
    // `inventory` has no defined order.
    scenarios.sort_by_key(|scenario| (scenario.site.module_path, scenario.name));
    scenarios
}

/// What a scenario function may return: `Result<(), E>`, where `E` converts into a boxed error.
///
/// That is every error type that is `Send + Sync + 'static`, `anyhow::Error` and its like, `String` and `&str`.
#[doc(hidden)]
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

/// An `Option<GoldenFn>` whose snapshots belong to the crate and file that this is expanded in.
#[cfg(feature = "golden")]
#[doc(hidden)]
#[macro_export]
macro_rules! __golden_fn {
    () => {
        $crate::__golden_fn!(ctx)
    };
    ($context:ident) => {
        ::core::option::Option::Some(|name, text| {
            $crate::__private::insta::assert_snapshot!(
                name,
                text,
                ::core::concat!(::core::stringify!($context), ".assert_golden()")
            );
        })
    };
}

/// Without the feature `golden` there is no snapshot to compare with.
#[cfg(not(feature = "golden"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __golden_fn {
    ($($context:ident)?) => {
        ::core::option::Option::None
    };
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
