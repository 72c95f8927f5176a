//! What a scenario is, as data: its id, where it applies, what it needs, and the checks it may make.
//!
//! Nothing here runs anything; a body is only pointed at.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::{Ctx, Judging, Need, Proofs, Stage, Suite};
use crate::check::{Check, Finding, Origin, SpecReference, Status};
use crate::server::Server;
use crate::spec::{Era, Revision, Revisions};
use crate::transport::CarrierKind;

/// Which side is under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Leg {
    /// A server; mcp-test is its client.
    Server,
    /// A client; mcp-test is its server.
    Client,
}

impl Leg {
    /// The word in commands, baselines and directory names.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    /// The other side of the wire.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Server => Self::Client,
            Self::Client => Self::Server,
        }
    }
}

impl fmt::Display for Leg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What the official suite says about a scenario of the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Official {
    /// The revisions at which the official suite runs it; it may make sense at more.
    pub revisions: Revisions,
    /// The suites that select it, apart from `all`.
    pub suites: &'static [Suite],
}

impl Official {
    /// A scenario of the active suite.
    #[must_use]
    pub const fn active(revisions: Revisions) -> Self {
        Self { revisions, suites: &[Suite::Active] }
    }

    /// A scenario of the draft suite: what the newest revision has introduced.
    #[must_use]
    pub const fn draft() -> Self {
        Self { revisions: Revisions::from(Revision::NEWEST), suites: &[Suite::Draft] }
    }

    /// The revision that the official suite speaks when none is asked for.
    #[must_use]
    pub fn default_revision(&self) -> Revision {
        if self.revisions.iter().all(|revision| revision.era() == Era::Stateless) {
            Revision::NEWEST
        } else {
            Revision::NEWEST_HANDSHAKE
        }
    }
}

/// The carriers over which a scenario has something to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carriers {
    /// All: what it is about is said in messages.
    Any,
    /// Those of Streamable HTTP: it is about sessions, headers or streams, which other carriers do not have.
    StreamableHttp,
    /// These, as it says itself.
    Only(&'static [CarrierKind]),
}

impl Carriers {
    /// Whether the carrier is one of them.
    #[must_use]
    pub fn contains(self, carrier: CarrierKind) -> bool {
        match self {
            Self::Any => true,
            Self::StreamableHttp => carrier.is_http(),
            Self::Only(carriers) => carriers.contains(&carrier),
        }
    }
}

/// A label and a page, as official reports name the source of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The label.
    pub id: &'static str,
    /// The page.
    pub url: &'static str,
}

/// A check that a scenario may make.
///
/// Declared before it is made, so that nothing can be missing from a report, and so that a test can ask for the proof
/// that each of them is able to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSpec {
    /// The stable key.
    pub id: &'static str,
    /// A short label.
    pub name: &'static str,
    /// What is checked.
    pub description: &'static str,
    /// Official, or our own.
    pub origin: Origin,
    /// The revisions at which it can be made.
    pub revisions: Revisions,
    /// The requirements that it stands for; the first is the one that a refusal breaks.
    pub requirements: &'static [&'static str],
    /// The sources that official reports name.
    pub references: &'static [Reference],
    /// Made in every run; otherwise only in a branch that its description names.
    pub always: bool,
    /// Can be a FAILURE.
    pub fails: bool,
    /// Can be a WARNING.
    pub warns: bool,
}

impl CheckSpec {
    const fn new(
        id: &'static str,
        name: &'static str,
        description: &'static str,
        origin: Origin,
    ) -> Self {
        Self {
            id,
            name,
            description,
            origin,
            revisions: Revisions::all(),
            requirements: &[],
            references: &[],
            always: true,
            fails: true,
            warns: false,
        }
    }

    /// A check that the official suite has under the same id.
    #[must_use]
    pub const fn official(
        id: &'static str,
        name: &'static str,
        description: &'static str,
        references: &'static [Reference],
    ) -> Self {
        Self { references, ..Self::new(id, name, description, Origin::Official) }
    }

    /// A check of our own.
    #[must_use]
    pub const fn own(id: &'static str, name: &'static str, description: &'static str) -> Self {
        Self::new(id, name, description, Origin::Own)
    }

    /// Names the requirements that the check stands for, first the one that a refusal breaks.
    #[must_use]
    pub const fn requires(mut self, requirements: &'static [&'static str]) -> Self {
        self.requirements = requirements;
        self
    }

    /// Limits the check to some revisions.
    #[must_use]
    pub const fn within(mut self, revisions: Revisions) -> Self {
        self.revisions = revisions;
        self
    }

    /// The check is made in some runs only.
    #[must_use]
    pub const fn conditional(mut self) -> Self {
        self.always = false;
        self
    }

    /// The worst outcome is a WARNING.
    #[must_use]
    pub const fn warns(mut self) -> Self {
        self.fails = false;
        self.warns = true;
        self
    }

    /// Nothing is ever wrong: the outcome is only something to know.
    #[must_use]
    pub const fn informs(mut self) -> Self {
        self.fails = false;
        self
    }

    /// A WARNING is possible beside FAILURE.
    #[must_use]
    pub const fn also_warns(mut self) -> Self {
        self.warns = true;
        self
    }

    /// Whether the check may end with `status`; SUCCESS, INFO and SKIPPED are open to all.
    #[must_use]
    pub const fn may_be(&self, status: Status) -> bool {
        match status {
            Status::Failure => self.fails,
            Status::Warning => self.warns,
            Status::Success | Status::Info | Status::Skipped => true,
        }
    }

    /// The row that the check starts as.
    #[must_use]
    pub fn row(&self, status: Status) -> Check {
        let mut check = Check::new(self.id, self.origin, status);
        check.name = self.name.to_owned();
        check.description = self.description.to_owned();
        check.requirements = self.requirements.to_vec();
        check.spec_references = self
            .references
            .iter()
            .map(|reference| SpecReference {
                id: reference.id.to_owned(),
                url: Some(reference.url.to_owned()),
            })
            .collect();
        check
    }
}

/// What a body returns: a boxed future that may borrow the context.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<(), Finding>> + 'a>>;

/// Speaks to a server, and checks what the server answers.
pub type Run = dyn for<'a> Fn(&'a mut Ctx) -> Running<'a> + Send + Sync;

/// Makes the server that a client is sent to, which only serves and records.
pub type Serve = dyn Fn(&Stage) -> Server + Send + Sync;

/// Checks, after the client has left, what it has said.
pub type Judge = dyn Fn(&mut Judging) -> Result<(), Finding> + Send + Sync;

/// How a scenario goes: functions of its file, or closures that hold what the scenario was made from.
///
/// One scenario may be played in several cells at the same time, so that what a closure holds is shared between them.
#[derive(Clone, Copy)]
pub enum Body {
    /// It speaks to a server, and checks what the server answers.
    Server(&'static Run),
    /// It furnishes a server for a client.
    Client {
        /// Makes the server.
        serve: &'static Serve,
        /// Judges the client.
        judge: &'static Judge,
    },
}

impl Body {
    /// A body of a scenario that is made while the program runs; like the scenario it stays until the process ends.
    #[must_use]
    pub fn server(
        run: impl for<'a> Fn(&'a mut Ctx) -> Running<'a> + Send + Sync + 'static,
    ) -> Self {
        Self::Server(Box::leak(Box::new(run)))
    }

    /// As [`Body::server`], for a scenario that tests a client.
    #[must_use]
    pub fn client(
        serve: impl Fn(&Stage) -> Server + Send + Sync + 'static,
        judge: impl Fn(&mut Judging) -> Result<(), Finding> + Send + Sync + 'static,
    ) -> Self {
        Self::Client { serve: Box::leak(Box::new(serve)), judge: Box::leak(Box::new(judge)) }
    }
}

/// One thing that is tested, and how.
///
/// Made by [`scenario!`](crate::scenario!) in a file of its own.
#[derive(Clone)]
pub struct Scenario {
    /// The stable key; the official one where the official suite has the scenario.
    pub id: &'static str,
    /// What it is about, in one line.
    pub title: &'static str,
    /// What it checks and why, in Markdown.
    pub doc: &'static str,
    /// Which side is under test.
    pub leg: Leg,
    /// Where the feature exists.
    pub revisions: Revisions,
    /// What the official suite says about it; `None` for our own.
    pub official: Option<Official>,
    /// The carriers over which it has something to say.
    pub carriers: Carriers,
    /// What the peer must offer for the scenario to say something.
    pub needs: &'static [Need],
    /// What it leaves changed on a shared peer; such a scenario runs alone.
    pub disturbs: Option<&'static str>,
    /// How long one cell of it may take, if it says that itself; else as long as the plan gives to all.
    pub timeout: Option<Duration>,
    /// Whether it opens the conversation itself: then it is played although the pre-flight has found the peer not to speak
    /// the revision, since what the peer answers is what it is about.
    pub opens: bool,
    /// Whether our side says what a user has written, word for word: then what is wrong with it is the fault of the test.
    pub verbatim: bool,
    /// The checks that it may make.
    pub checks: &'static [CheckSpec],
    /// How it goes.
    pub body: Body,
    /// What shows that its checks can pass and can fail.
    pub proofs: fn() -> Proofs,
    /// The source file.
    pub file: &'static str,
}

impl Scenario {
    /// The declared check of this id.
    #[must_use]
    pub fn check(&self, id: &str) -> Option<&'static CheckSpec> {
        self.checks.iter().find(|check| check.id == id)
    }

    /// The checks that can be made at `revision`.
    pub fn checks_at(&self, revision: Revision) -> impl Iterator<Item = &'static CheckSpec> {
        self.checks.iter().filter(move |check| check.revisions.contains(revision))
    }

    /// Every requirement that one of the checks stands for, without repeats.
    #[must_use]
    pub fn requirements(&self) -> Vec<&'static str> {
        let mut found = Vec::new();
        for id in self.checks.iter().flat_map(|check| check.requirements) {
            if !found.contains(id) {
                found.push(*id);
            }
        }
        found
    }

    /// Whether the official suite runs it at `revision`.
    #[must_use]
    pub fn is_official_at(&self, revision: Revision) -> bool {
        self.official.is_some_and(|official| official.revisions.contains(revision))
    }
}

impl PartialEq for Scenario {
    /// Scenarios are told apart by side and id.
    fn eq(&self, other: &Self) -> bool {
        (self.leg, self.id) == (other.leg, other.id)
    }
}

impl Eq for Scenario {}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("leg", &self.leg)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
