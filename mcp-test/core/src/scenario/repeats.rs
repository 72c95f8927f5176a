//! [`Repeats`]: at which of its revisions a scenario runs.

use crate::spec::Revision;

/// At which of its revisions a scenario runs, unless revisions were selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// At each.
    EachRevision,
    /// At the newest of each [`Era`](crate::spec::Era), since it shows the same at all revisions of one.
    OncePerEra,
    /// At the newest of the earliest era, since it shows the same at all revisions: none is in force.
    Once,
}

impl Repeats {
    /// Whether it runs at a revision, if it can also run at these.
    #[must_use]
    pub fn runs_at(self, revision: Revision, all: &[Revision]) -> bool {
        let era = revision.era();
        let is_newer = |other: &Revision| other.era() == era && *other > revision;
        match self {
            Self::EachRevision => true,
            Self::OncePerEra => !all.iter().any(is_newer),
            Self::Once => !all.iter().any(|other| other.era() < era || is_newer(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_the_same_runs_at_the_newest_revision() {
        let at = |repeats: Repeats, all: &[Revision]| -> Vec<Revision> {
            all.iter().copied().filter(|it| repeats.runs_at(*it, all)).collect()
        };
        let newest = [Revision::NEWEST_HANDSHAKE, Revision::NEWEST];
        assert_eq!(at(Repeats::EachRevision, &Revision::ALL), Revision::ALL);
        assert_eq!(at(Repeats::OncePerEra, &Revision::ALL), newest);
        assert_eq!(at(Repeats::Once, &Revision::ALL), [Revision::NEWEST_HANDSHAKE]);
        assert_eq!(at(Repeats::Once, &[Revision::NEWEST]), [Revision::NEWEST]);
    }
}
