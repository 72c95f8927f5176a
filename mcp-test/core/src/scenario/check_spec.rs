//! The declaration of a check: its id, the requirements that it stands for, and its possible statuses.

use std::borrow::Cow;

use super::Transports;
use crate::check::{Check, Origin, SpecReference, Status};
use crate::spec::{Requirement, Revisions};
use crate::transport::TransportKind;

/// A label and a page, as official reports name the source of a check.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The label.
    pub id: &'static str,
    /// The page.
    pub url: &'static str,
}

/// A check that a scenario may make.
///
/// Declared before it is made, so that no check can be missing from a report, and so that a test can require a proof that
/// each of them can fail.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSpec {
    /// The stable key.
    pub id: Cow<'static, str>,
    /// A short label.
    pub name: Cow<'static, str>,
    /// What is checked.
    pub description: Cow<'static, str>,
    /// Official, or our own.
    pub origin: Origin,
    /// The revisions at which it can be made.
    pub revisions: Revisions,
    /// The transports over which it can be made.
    pub transports: Transports,
    /// The requirements that it stands for; an error reply instead of a result breaks the first.
    pub requirements: &'static [&'static Requirement],
    /// The sources that official reports name.
    pub references: &'static [Reference],
    /// Whether every run makes it; otherwise its description says when.
    pub always: bool,
    /// Whether it can be a FAILURE.
    pub fails: bool,
    /// Whether it can be a WARNING.
    pub warns: bool,
}

impl CheckSpec {
    const fn new(
        id: Cow<'static, str>,
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        origin: Origin,
    ) -> Self {
        Self {
            id,
            name,
            description,
            origin,
            revisions: Revisions::all(),
            transports: Transports::Any,
            requirements: &[],
            references: &[],
            // The strictest declaration; `every_check_is_proven_able_to_fail_and_to_warn` requires a proof for each `true`.
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
        let (id, name, description) =
            (Cow::Borrowed(id), Cow::Borrowed(name), Cow::Borrowed(description));
        let mut spec = Self::new(id, name, description, Origin::Official);
        spec.references = references;
        spec
    }

    /// A check of our own.
    #[must_use]
    pub const fn own(id: &'static str, name: &'static str, description: &'static str) -> Self {
        let (id, name, description) =
            (Cow::Borrowed(id), Cow::Borrowed(name), Cow::Borrowed(description));
        Self::new(id, name, description, Origin::Own)
    }

    /// A check of a scenario that is built at run time, such as a case of a user's.
    #[must_use]
    pub fn dynamic(
        id: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(id.into(), name.into(), description.into(), Origin::User)
    }

    /// Names the requirements that the check stands for; an error reply instead of a result breaks the first.
    #[must_use]
    pub const fn requires(mut self, requirements: &'static [&'static Requirement]) -> Self {
        self.requirements = requirements;
        self
    }

    /// Limits the check to some revisions.
    #[must_use]
    pub const fn within(mut self, revisions: Revisions) -> Self {
        self.revisions = revisions;
        self
    }

    /// Limits the check to Streamable HTTP, of whose headers or streams it is.
    #[must_use]
    pub const fn over_http(mut self) -> Self {
        self.transports = Transports::StreamableHttp;
        self
    }

    /// Limits the check to transports of lines, of whose framing or process it is.
    #[must_use]
    pub const fn over_lines(mut self) -> Self {
        self.transports = Transports::Only(&[TransportKind::Stdio, TransportKind::Duplex]);
        self
    }

    /// Declares that only some runs make the check.
    #[must_use]
    pub const fn conditional(mut self) -> Self {
        self.always = false;
        self
    }

    /// Declares that the worst status is WARNING.
    #[must_use]
    pub const fn warns(mut self) -> Self {
        self.fails = false;
        self.warns = true;
        self
    }

    /// Declares that the check only informs, and never fails.
    #[must_use]
    pub const fn informs(mut self) -> Self {
        self.fails = false;
        self
    }

    /// Declares that the check may also end as WARNING.
    #[must_use]
    pub const fn also_warns(mut self) -> Self {
        self.warns = true;
        self
    }

    /// Whether the check may end with `status`; every check may end with SUCCESS, INFO or SKIPPED.
    #[must_use]
    pub const fn may_be(&self, status: Status) -> bool {
        match status {
            Status::Failure => self.fails,
            Status::Warning => self.warns,
            Status::Success | Status::Info | Status::Skipped => true,
        }
    }

    /// The check with this status, before anything is known about it.
    #[must_use]
    pub fn row(&self, status: Status) -> Check {
        let mut check = Check::new(&*self.id, self.origin, status);
        check.name = self.name.clone().into_owned();
        check.description = self.description.clone().into_owned();
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
