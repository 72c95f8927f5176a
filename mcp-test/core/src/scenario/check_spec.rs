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

/// A check that a scenario may make, from [`check!`](crate::check!).
///
/// Declared before it is made, so that no check can be missing from a report, and so that a test can require a proof that
/// each of them can fail. What its requirements say of it is not repeated: at which revisions they apply, and that a broken
/// SHOULD is a WARNING. A check that differs from them says why.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSpec {
    /// The stable key.
    pub id: Cow<'static, str>,
    /// A short label, if it is not the id in CamelCase.
    name: Option<Cow<'static, str>>,
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
    /// Why it fails or warns where its requirements say something else.
    pub status_reason: Option<&'static str>,
    /// Why the revisions are not those of its requirements.
    pub revisions_reason: Option<&'static str>,
}

impl CheckSpec {
    const fn new(id: Cow<'static, str>, description: Cow<'static, str>, origin: Origin) -> Self {
        Self {
            id,
            name: None,
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
            status_reason: None,
            revisions_reason: None,
        }
    }

    /// A check of our own that stands for these requirements; [`check!`](crate::check!) names them.
    #[must_use]
    pub const fn own(
        id: &'static str,
        description: &'static str,
        requirements: &'static [&'static Requirement],
    ) -> Self {
        let spec = Self::new(Cow::Borrowed(id), Cow::Borrowed(description), Origin::Own);
        spec.requiring(requirements)
    }

    /// A check of a scenario that is built at run time, such as a case of a user's.
    #[must_use]
    pub fn dynamic(
        id: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        let spec = Self::new(id.into(), description.into(), Origin::User);
        Self { name: Some(name.into()), ..spec }
    }

    /// Names the requirements that the check stands for, from which its revisions and statuses follow.
    #[must_use]
    pub const fn requiring(mut self, requirements: &'static [&'static Requirement]) -> Self {
        if requirements.is_empty() {
            return self;
        }
        self.requirements = requirements;
        (self.revisions, self.fails, self.warns) = (Revisions::none(), false, false);
        (self.status_reason, self.revisions_reason) = (None, None);
        let mut index = 0;
        // A loop with an index, because `for` is not available in a constant function.
        while index < requirements.len() {
            let requirement = requirements[index];
            self.revisions = self.revisions.union(requirement.revisions);
            match requirement.level.is_must() {
                true => self.fails = true,
                false => self.warns = true,
            }
            index += 1;
        }
        self
    }

    /// Declares that the official suite has the check under the same id, for which it names these sources.
    #[must_use]
    pub const fn official(mut self, references: &'static [Reference]) -> Self {
        self.origin = Origin::Official;
        self.references = references;
        self
    }

    /// Sets the label.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        let before = self.name.replace(Cow::Borrowed(name));
        // A constant function can drop nothing; what it replaces owns no memory.
        std::mem::forget(before);
        self
    }

    /// Sets the revisions at which it is made, where these are not those of its requirements.
    #[must_use]
    pub const fn within(mut self, revisions: Revisions, why: &'static str) -> Self {
        self.revisions = revisions;
        self.revisions_reason = Some(why);
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

    /// Declares that it is a FAILURE also where it breaks only a SHOULD.
    ///
    /// # Panics
    ///
    /// When its requirements say so already; in a constant, this does not compile.
    #[must_use]
    pub const fn always_fails(self, why: &'static str) -> Self {
        self.with_statuses(true, false, why)
    }

    /// Declares that it is a WARNING also where it breaks a MUST.
    ///
    /// # Panics
    ///
    /// When its requirements say so already; in a constant, this does not compile.
    #[must_use]
    pub const fn only_warns(self, why: &'static str) -> Self {
        self.with_statuses(false, true, why)
    }

    /// Declares that it is a FAILURE or a WARNING, although its requirements are of one level.
    ///
    /// # Panics
    ///
    /// When its requirements say so already; in a constant, this does not compile.
    #[must_use]
    pub const fn fails_or_warns(self, why: &'static str) -> Self {
        self.with_statuses(true, true, why)
    }

    const fn with_statuses(mut self, fails: bool, warns: bool, why: &'static str) -> Self {
        assert!(
            self.fails != fails || self.warns != warns,
            "the levels of the requirements say so already"
        );
        (self.fails, self.warns, self.status_reason) = (fails, warns, Some(why));
        self
    }

    /// Declares that the check only informs, and never fails.
    #[must_use]
    pub const fn informs(mut self) -> Self {
        (self.fails, self.warns) = (false, false);
        self
    }

    /// The label: the id in CamelCase, if it has no other.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        match &self.name {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(camel_case(&self.id)),
        }
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
        check.name = self.name().into_owned();
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

/// The words of an id, each with a capital letter, in one.
fn camel_case(id: &str) -> String {
    let words = id.split(|character: char| !character.is_ascii_alphanumeric());
    let capital = |word: &str| {
        let (first, rest) = word.split_at_checked(1)?;
        Some(first.to_ascii_uppercase() + rest)
    };
    words.filter_map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Revision;

    #[test]
    fn level_and_revisions_are_those_of_the_requirements() {
        let check = |requirements| {
            let check = CheckSpec::own("a-check.id", "", requirements);
            (check.fails, check.warns, check.revisions)
        };
        const MUST: &Requirement = Requirement::PING_RESULT_EMPTY;
        const SHOULD: &Requirement = Requirement::DISCOVER_SERVER_INFO_PRESENT;
        let stateless = Revisions::from(Revision::V2026_07_28);
        assert_eq!(check(&[]), (true, false, Revisions::all()));
        assert_eq!(check(&[MUST]), (true, false, MUST.revisions));
        assert_eq!(check(&[SHOULD]), (false, true, stateless));
        assert_eq!(check(&[SHOULD, MUST]), (true, true, Revisions::all()));
    }

    #[test]
    #[should_panic(expected = "the levels of the requirements say so already")]
    fn an_exception_is_one() {
        let _ = crate::check!("a", "b", [PING_RESULT_EMPTY]).always_fails("no reason");
    }

    #[test]
    fn the_label_is_the_id_in_camel_case_unless_it_has_another() {
        let check = crate::check!("client-keeps-2_parts", "b");
        assert_eq!(check.name(), "ClientKeeps2Parts");
        assert_eq!(check.named("Other parts").name(), "Other parts");
    }
}
