//! A scenario as data: its id, where it applies, what it needs, and the checks it may run.
//!
//! Nothing here runs anything: a body is a function that the runner calls.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

#[cfg(feature = "auth")]
use super::AuthorizationCtx;
use super::{
    Activity, CheckSpec, ClientTest, Ctx, Declared, Judging, Need, Official, Profile, Proofs,
    Repeats, ServerCtx, Shared, Stop, Suite, TestedSide, Transports,
};
use crate::check::Finding;
use crate::json::{Object, Value};
use crate::server::Server;
use crate::spec::{Revision, Revisions};

/// What a body returns: a boxed future that may borrow the context.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<(), Stop>> + 'a>>;

/// Talks to a server, and checks its answers.
pub type Run = dyn for<'a> Fn(&'a mut Ctx) -> Running<'a> + Send + Sync;

/// Tests a client: scripts its server, runs it, and asserts what it has sent.
pub type RunClientTest = dyn for<'a> Fn(&'a mut ServerCtx) -> Running<'a> + Send + Sync;

/// Signs in at an authorization server, and checks its answers.
#[doc(hidden)]
#[cfg(feature = "auth")]
pub type RunAuthorization = dyn for<'a> Fn(&'a mut AuthorizationCtx) -> Running<'a> + Send + Sync;

/// Makes the server to which a client connects, which only serves and records.
///
/// An error means that something the server needs could not be started in this environment.
pub type Serve = dyn Fn(&ClientTest) -> Result<Server, Finding> + Send + Sync;

/// A return type of functions that make the server of a scenario: a [`Server`], or a `Result` with one.
pub trait Served {
    /// The server, or why there is none.
    ///
    /// # Errors
    ///
    /// As [`Serve`].
    fn served(self) -> Result<Server, Finding>;
}

impl Served for Server {
    fn served(self) -> Result<Server, Finding> {
        Ok(self)
    }
}

impl Served for Result<Server, Finding> {
    fn served(self) -> Result<Server, Finding> {
        self
    }
}

/// Checks the messages of the client after it has exited.
pub type Judge = dyn Fn(&mut Judging) -> Result<(), Finding> + Send + Sync;

/// The body of a scenario: functions of its file, or closures that own the data of the scenario.
///
/// Several scenario runs of a scenario may be in progress at the same time; they share what a closure owns.
#[derive(Clone)]
pub enum Body {
    /// Talks to a server, and checks its answers.
    Server(Shared<Run>),
    /// Serves a client, and judges it afterwards.
    Client {
        /// Makes the server.
        serve: Shared<Serve>,
        /// Judges the client.
        judge: Shared<Judge>,
    },
    /// Tests a client with a function of the user.
    ClientTest(Shared<RunClientTest>),
    /// Signs in at an authorization server, and checks its answers.
    #[cfg(feature = "auth")]
    Authorization(Shared<RunAuthorization>),
}

/// What runs after the body of a function with `#[mcp_scenario]`.
#[derive(Clone)]
pub enum Teardown {
    /// After the test of a server.
    Server(Shared<Run>),
    /// After the test of a client.
    Client(Shared<RunClientTest>),
}

/// Who wrote a scenario, which determines the checks it may run and who is to blame for a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A scenario of mcp-test: it runs only the checks that it declares.
    BuiltIn,
    /// A case: it runs only the checks that it declares. It sends the messages of its file unchanged, so the test is to blame for
    /// invalid ones.
    Case,
    /// A function with `#[mcp_scenario]`: it declares no checks, and may fail in any way that Rust code can.
    Test,
}

impl Body {
    /// The body of a scenario for servers that is built at run time.
    #[must_use]
    pub fn server(
        run: impl for<'a> Fn(&'a mut Ctx) -> Running<'a> + Send + Sync + 'static,
    ) -> Self {
        Self::Server(Shared::Counted(Arc::new(run)))
    }

    /// The body of a scenario for clients that is built at run time.
    #[must_use]
    pub fn client(
        serve: impl Fn(&ClientTest) -> Server + Send + Sync + 'static,
        judge: impl Fn(&mut Judging) -> Result<(), Finding> + Send + Sync + 'static,
    ) -> Self {
        Self::Client {
            serve: Shared::Counted(Arc::new(move |test| Ok(serve(test)))),
            judge: Shared::Counted(Arc::new(judge)),
        }
    }
}

/// One thing that is tested, and how.
///
/// A built-in one is declared by [`scenario!`](crate::scenario!) in a file of its own.
#[derive(Clone)]
pub struct Scenario {
    /// The stable key; the official one where the official suite has the scenario.
    pub id: Cow<'static, str>,
    /// What it tests, in one line.
    pub title: Cow<'static, str>,
    /// What it checks and why, in Markdown.
    pub doc: Cow<'static, str>,
    /// Who wrote it.
    pub kind: Kind,
    /// Which side is under test.
    pub tested_side: TestedSide,
    /// The revisions at which the feature exists.
    pub revisions: Revisions,
    /// Which supported revisions it runs at, unless revisions were selected. A client scenario that does not run at each revision
    /// tests a client at whichever of them the client speaks.
    pub repeats: Repeats,
    /// How the official suite runs it; `None` for our own.
    pub official: Option<Official>,
    /// The transports over which it applies.
    pub transports: Transports,
    /// What the peer must offer for the scenario to test anything.
    pub needs: &'static [Need],
    /// What its body looks for in the inventory but can do without; some of its checks do not depend on it.
    pub optional_needs: &'static [Need],
    /// What it changes on a shared peer; such a scenario runs alone.
    pub exclusive: Option<&'static str>,
    /// How long one of its scenario runs may take; `None` for the plan's timeout.
    pub timeout: Option<Duration>,
    /// Whether it opens the conversation itself. Then it runs even if the pre-flight found that the peer does not speak the
    /// revision, since it tests that very answer.
    pub opens: bool,
    /// Whether its first scenario run has to end before the others start, because its outcome determines what they send.
    pub later_runs_wait: bool,
    /// The revisions at which it leaves no state behind, so that other scenarios may use its connection before and after it: it
    /// sends only requests that change nothing, or restores the log level; its client declares no capabilities in a handshake,
    /// and it subscribes to nothing.
    pub shares_connection: Revisions,
    /// What it is doing, if it reports that.
    pub activity: Option<Activity>,
    /// Further information for the client under test, such as what to call: the members of a JSON object.
    pub context: Option<fn() -> serde_json::Value>,
    /// Whether a client may end with an error, since it has to refuse what it is served.
    pub tolerates_failed_exit: bool,
    /// The checks that it may run.
    pub checks: Shared<[CheckSpec]>,
    /// Its body.
    pub body: Body,
    /// What runs after the body however that ended; only a function with `#[mcp_scenario]` has it.
    pub teardown: Option<Teardown>,
    /// The proofs that its checks can pass and can fail; only built-in scenarios have them.
    pub proofs: Option<fn() -> Proofs>,
    /// The source file.
    pub file: Cow<'static, str>,
}

impl Scenario {
    /// A scenario that is built at run time: at every revision, over every transport, without checks.
    #[must_use]
    pub fn dynamic(
        kind: Kind,
        tested_side: TestedSide,
        id: impl Into<Cow<'static, str>>,
        body: Body,
    ) -> Self {
        Self {
            id: id.into(),
            title: Cow::Borrowed(""),
            doc: Cow::Borrowed(""),
            kind,
            tested_side,
            revisions: Revisions::all(),
            repeats: Repeats::EachRevision,
            official: None,
            transports: Transports::Any,
            needs: &[],
            optional_needs: &[],
            exclusive: None,
            timeout: None,
            activity: None,
            context: None,
            tolerates_failed_exit: false,
            opens: false,
            later_runs_wait: false,
            shares_connection: Revisions::none(),
            checks: Shared::Static(&[]),
            body,
            teardown: None,
            proofs: None,
            file: Cow::Borrowed(""),
        }
    }

    /// The declared check of this id.
    #[must_use]
    pub fn check(&self, id: &str) -> Option<&CheckSpec> {
        self.checks.iter().find(|check| check.id == id)
    }

    /// The checks that can run at `revision`.
    pub fn checks_at(&self, revision: Revision) -> impl Iterator<Item = &CheckSpec> {
        self.checks.iter().filter(move |check| check.revisions.contains(revision))
    }

    /// Whether the official suite runs it at `revision`.
    #[must_use]
    pub fn is_official_at(&self, revision: Revision) -> bool {
        self.official.is_some_and(|official| official.runs_at(revision, self.tested_side))
    }

    /// The pages of the specification that it tests: the areas of the requirements that its checks cite.
    ///
    /// Those of message shapes, which every scenario cites, name no page.
    pub fn pages(&self) -> impl Iterator<Item = &'static str> + '_ {
        let cited = self.checks.iter().flat_map(|check| check.requirements);
        cited
            .map(|requirement| requirement.area())
            .filter(|area| !["schema", "mcp-test"].contains(area))
    }

    /// The names of the fixtures that it uses.
    pub fn fixtures(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.needs.iter().chain(self.optional_needs).filter_map(Need::fixture)
    }

    /// What the client under test gets in `MCP_CONFORMANCE_CONTEXT`: the id as `name`, and the scenario's own members.
    #[must_use]
    pub fn client_context(&self, test: &ClientTest) -> Option<Value> {
        let members = test.context().cloned().or_else(|| self.context.map(|members| members()))?;
        let members = Value::from(members);
        let mut context = Object::new();
        context.push("name", &*self.id);
        for (name, value) in members.as_object().into_iter().flat_map(Object::iter) {
            context.push(name, value.clone());
        }
        Some(context.into())
    }

    /// The declared data that its body uses.
    #[must_use]
    pub fn declared(&self) -> Declared {
        let Self { id, tested_side, official, checks, .. } = self;
        let (id, checks, places) = (id.clone(), checks.clone(), OnceLock::new());
        Declared { id, tested_side: *tested_side, official: *official, checks, places }
    }

    /// Whether the official suite validates the messages of this scenario against the schema.
    #[must_use]
    pub fn is_validated_officially(&self) -> bool {
        self.declared().is_validated_officially()
    }
}

impl Profile {
    /// The profile for one scenario at one revision: `adaptive` instead of `official` where the official suite does not run it.
    #[must_use]
    pub fn at(self, scenario: &Scenario, revision: Revision) -> Self {
        match self {
            // A scenario of our own keeps `official`, in which its checks are advisory.
            Self::Official if scenario.official.is_some() && !scenario.is_official_at(revision) => {
                Self::Adaptive
            }
            other => other,
        }
    }
}

impl Suite {
    /// Whether the suite contains `scenario`.
    #[must_use]
    pub fn selects(self, scenario: &Scenario) -> bool {
        self == Self::All
            || scenario.official.is_some_and(|official| official.suites.contains(&self))
    }
}

impl PartialEq for Scenario {
    /// Compares side and id, which identify a scenario.
    fn eq(&self, other: &Self) -> bool {
        (self.tested_side, &self.id) == (other.tested_side, &other.id)
    }
}

impl Eq for Scenario {}

// Implemented manually, because a body is a function and has no `Debug`.
impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("leg", &self.tested_side)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
