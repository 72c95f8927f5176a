//! The requirements that the judges in a file cite, listed once per file, so that each check can look up which requirements it
//! covers.
//!
//! What a single scenario cites is in its checks.

use std::ops::Deref;

use crate::spec::{Requirement, Revision};

/// A requirement that is listed by [`cites!`] in the file of the judge that cites it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cited(pub(super) &'static Requirement);

impl Cited {
    /// The first of these that the revision has; the last of them, if it has none.
    pub(super) fn first_at<const N: usize>(revision: Revision, rules: [Self; N]) -> Self {
        Self(Requirement::first_at(revision, &rules.map(|rule| rule.0)))
    }
}

impl Deref for Cited {
    type Target = Requirement;

    fn deref(&self) -> &Requirement {
        self.0
    }
}

/// Defines a constant [`Cited`] for each of these requirements, and a list of them, named `CITED` unless a name and a colon come
/// first.
///
/// A requirement that is not listed cannot be cited, and one that is never cited is an unused constant.
macro_rules! cites {
    ($list:ident: $($requirement:ident),+ $(,)?) => {
        $(const $requirement: $crate::check::cited::Cited =
            $crate::check::cited::Cited($crate::spec::Requirement::$requirement);)+
        /// The requirements that this file cites.
        pub(in $crate::check) const $list: &[&$crate::spec::Requirement] =
            &[$($crate::spec::Requirement::$requirement),+];
    };
    ($($requirement:ident),+ $(,)?) => {
        $crate::check::cited::cites!(CITED: $($requirement),+);
    };
}
pub(super) use cites;
