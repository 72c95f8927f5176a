//! Requirements that a peer is known to break, so that its violations are expected failures.

use std::fmt;

use super::{Requirement, all, find};
use crate::expect::words;

/// A requirement that a peer is known to break: a finding that cites only such requirements is an expected failure.
///
/// It is meant for bugs in code of others, such as the SDK of a server. A text is the id alone; a tuple has a reason too, or
/// a reason and a link.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::KnownViolation;
///
/// let known = KnownViolation::new("transport.http.event-id-unique")
///     .reason("the SDK repeats the id 0")
///     .link("https://example.com/issues/1");
/// let text = "transport.http.event-id-unique: the SDK repeats the id 0, https://example.com/issues/1";
/// assert_eq!(known.to_string(), text);
/// assert_eq!(KnownViolation::from("ping.result-empty"), KnownViolation::new("ping.result-empty"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownViolation {
    id: String,
    reason: Option<String>,
    link: Option<String>,
}

impl KnownViolation {
    /// A known violation of the requirement with this id, which `mcp-test requirements` lists.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), reason: None, link: None }
    }

    /// Says why it is tolerated.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Names a page about it, such as an issue.
    #[must_use]
    pub fn link(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into());
        self
    }

    /// The reason and the link, if it has any.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        let why: Vec<&str> = self.reason.iter().chain(&self.link).map(String::as_str).collect();
        (!why.is_empty()).then(|| why.join(", "))
    }
}

impl fmt::Display for KnownViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)?;
        self.why().map_or(Ok(()), |why| write!(f, ": {why}"))
    }
}

impl From<&str> for KnownViolation {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<&Requirement> for KnownViolation {
    fn from(requirement: &Requirement) -> Self {
        Self::new(requirement.id)
    }
}

impl From<(&str, &str)> for KnownViolation {
    fn from((id, reason): (&str, &str)) -> Self {
        Self::new(id).reason(reason)
    }
}

impl From<(&str, &str, &str)> for KnownViolation {
    fn from((id, reason, link): (&str, &str, &str)) -> Self {
        Self::new(id).reason(reason).link(link)
    }
}

/// A known violation names a requirement that does not exist.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no requirement has the id `{}`; {}",
    words::name(.id),
    .suggestion.map_or("`mcp-test requirements` lists them".to_owned(), |id| format!("did you mean `{id}`?"))
)]
pub struct UnknownRequirement {
    id: String,
    suggestion: Option<&'static str>,
}

/// Known violations whose requirements exist, each once.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownViolations(Vec<(&'static Requirement, KnownViolation)>);

impl KnownViolations {
    /// Looks up the requirements; of several entries for one requirement, the first counts.
    ///
    /// # Errors
    ///
    /// The first entry whose id or alias no requirement has.
    pub fn resolve(
        known: impl IntoIterator<Item = KnownViolation>,
    ) -> Result<Self, UnknownRequirement> {
        let mut resolved = Self::default();
        for known in known {
            let Some(requirement) = find(&known.id) else {
                let ids = all().map(|requirement| requirement.id);
                let suggestion = words::closest(&known.id, ids);
                return Err(UnknownRequirement { id: known.id, suggestion });
            };
            if !resolved.0.iter().any(|(other, _)| *other == requirement) {
                resolved.0.push((requirement, known));
            }
        }
        Ok(resolved)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each with its requirement.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Requirement, &KnownViolation)> {
        self.0.iter().map(|(requirement, known)| (*requirement, known))
    }

    /// The known violations that explain a finding which cites these requirements; none unless they explain all of them.
    #[must_use]
    pub fn explaining(&self, cited: &[&Requirement]) -> Vec<KnownViolation> {
        let entry = |cited: &&Requirement| {
            self.0.iter().find(|(known, _)| known == cited).map(|(_, known)| known.clone())
        };
        cited.iter().map(entry).collect::<Option<Vec<_>>>().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(ids: &[&str]) -> Result<KnownViolations, UnknownRequirement> {
        KnownViolations::resolve(ids.iter().copied().map(KnownViolation::from))
    }

    #[test]
    fn only_what_is_known_as_a_whole_is_explained() {
        let known = resolve(&["ping.result-empty", "jsonrpc.error-shape"]).expect("both exist");
        let (empty, shape, version) = (
            Requirement::PING_RESULT_EMPTY,
            Requirement::JSONRPC_ERROR_SHAPE,
            Requirement::JSONRPC_VERSION_MEMBER,
        );
        assert_eq!(known.explaining(&[empty]), ["ping.result-empty".into()]);
        assert_eq!(known.explaining(&[empty, shape]).len(), 2);
        assert_eq!(known.explaining(&[empty, version]), []);
        assert_eq!(known.explaining(&[]), [], "a finding without a requirement is never known");
    }

    #[test]
    fn an_alias_stands_for_its_requirement() {
        let requirement = all().find(|it| !it.aliases.is_empty()).expect("some have aliases");
        let known = resolve(&[requirement.aliases[0], requirement.id]).expect("it exists");
        assert_eq!(known.iter().map(|(of, _)| of).collect::<Vec<_>>(), [requirement]);
        assert_eq!(known.explaining(&[requirement]), [requirement.aliases[0].into()]);
    }

    #[test]
    fn an_unknown_id_is_an_error_with_a_suggestion() {
        let error = |id: &str| resolve(&["ping.result-empty", id]).unwrap_err().to_string();
        insta::assert_snapshot!(error("transport.http.event-id-uniqe"), @"no requirement has the id `transport.http.event-id-uniqe`; did you mean `transport.http.event-id-unique`?");
        insta::assert_snapshot!(error("x"), @"no requirement has the id `x`; `mcp-test requirements` lists them");
    }
}
