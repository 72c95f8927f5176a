//! The frozen sets of scenarios by which the official suite scores an implementation of a revision.
//!
//! They are data of the official suite, and never change: a scenario that is added later does not become part of one.

use std::fmt;

use super::TestedSide;
use crate::spec::Revision;

/// What an implementation of a revision is scored by, as `--requirements` selects it.
#[doc(hidden)]
#[derive(Debug, PartialEq, Eq)]
pub struct RequirementSet {
    /// The revision, at which all of its scenarios run.
    pub revision: Revision,
    server: &'static [&'static str],
    client: &'static [&'static str],
    unscored: &'static [(TestedSide, Reason, &'static [&'static str])],
}

/// Why a scenario is run with a set, and not scored.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It was added after the release of the revision.
    AddedAfterRelease,
    /// The official suite does not run it by default.
    Pending,
    /// It tests an extension.
    Extension,
}

impl Reason {
    /// The word of the official suite.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AddedAfterRelease => "added-after-release",
            Self::Pending => "pending",
            Self::Extension => "extension",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl RequirementSet {
    /// All sets, oldest first.
    pub const ALL: [&'static Self; 2] = [&V2025_11_25, &V2026_07_28];

    /// The set of a revision.
    #[must_use]
    pub fn of(revision: Revision) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|set| set.revision == revision)
    }

    /// The ids of the scenarios of a side that are scored.
    #[must_use]
    pub const fn scored(&self, tested_side: TestedSide) -> &'static [&'static str] {
        match tested_side {
            TestedSide::Server => self.server,
            TestedSide::Client => self.client,
            TestedSide::Authorization => &[],
        }
    }

    /// The ids of the scenarios that are run and not scored, each with its side and the reason.
    pub fn unscored(&self) -> impl Iterator<Item = (TestedSide, Reason, &'static str)> {
        let of = |(tested_side, reason, ids): &(TestedSide, Reason, &'static [&'static str])| {
            let (tested_side, reason) = (*tested_side, *reason);
            ids.iter().map(move |id| (tested_side, reason, *id))
        };
        self.unscored.iter().flat_map(of)
    }

    /// Whether the set runs a scenario, scored or not.
    #[must_use]
    pub fn runs(&self, tested_side: TestedSide, id: &str) -> bool {
        self.scored(tested_side).contains(&id) || self.why_unscored(tested_side, id).is_some()
    }

    /// Why a scenario is run and not scored; `None` if it is scored, or not run.
    #[must_use]
    pub fn why_unscored(&self, tested_side: TestedSide, id: &str) -> Option<Reason> {
        let it = |(of, reason, known)| (of == tested_side && known == id).then_some(reason);
        self.unscored().find_map(it)
    }
}

/// The set of 2025-11-25.
#[rustfmt::skip]
static V2025_11_25: RequirementSet = RequirementSet {
    revision: Revision::V2025_11_25,
    server: &[
        "server-initialize", "logging-set-level", "ping", "completion-complete", "tools-list",
        "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
        "tools-call-mixed-content", "tools-call-with-logging", "tools-call-error", "tools-call-with-progress",
        "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults",
        "server-sse-multiple-streams", "elicitation-sep1330-enums", "resources-list", "resources-read-text",
        "resources-read-binary", "resources-templates-read", "resources-subscribe", "resources-unsubscribe",
        "prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource",
        "prompts-get-with-image", "dns-rebinding-protection",
    ],
    client: &[
        "initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "auth/metadata-default",
        "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3", "auth/basic-cimd",
        "auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined",
        "auth/scope-step-up", "auth/scope-retry-limit", "auth/token-endpoint-auth-basic",
        "auth/token-endpoint-auth-post", "auth/token-endpoint-auth-none", "auth/pre-registration",
    ],
    unscored: &[
        (TestedSide::Server, Reason::AddedAfterRelease, &[
            "server-session-lifecycle",
        ]),
        (TestedSide::Client, Reason::AddedAfterRelease, &[
            "json-schema-2020-12-preservation",
        ]),
        (TestedSide::Server, Reason::Pending, &[
            "json-schema-2020-12", "server-sse-polling",
        ]),
        (TestedSide::Client, Reason::Extension, &[
            "auth/client-credentials-jwt", "auth/client-credentials-basic", "auth/enterprise-managed-authorization",
            "auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer",
        ]),
    ],
};

/// The set of 2026-07-28.
#[rustfmt::skip]
static V2026_07_28: RequirementSet = RequirementSet {
    revision: Revision::V2026_07_28,
    server: &[
        "server-stateless", "completion-complete", "tools-list", "tools-call-simple-text", "tools-call-image",
        "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-error",
        "tools-call-with-progress", "server-sse-multiple-streams", "resources-list", "resources-read-text",
        "resources-read-binary", "resources-templates-read", "sep-2164-resource-not-found", "prompts-list",
        "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image",
        "dns-rebinding-protection", "caching", "input-required-result-basic-elicitation",
        "input-required-result-basic-sampling", "input-required-result-basic-list-roots",
        "input-required-result-request-state", "input-required-result-multiple-input-requests",
        "input-required-result-multi-round", "input-required-result-missing-input-response",
        "input-required-result-non-tool-request", "input-required-result-result-type",
        "input-required-result-unsupported-methods", "input-required-result-tampered-state",
        "input-required-result-capability-check", "input-required-result-ignore-extra-params",
        "input-required-result-validate-input",
    ],
    client: &[
        "tools_call", "request-metadata", "auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2",
        "auth/metadata-var3", "auth/basic-cimd", "auth/scope-from-www-authenticate",
        "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined", "auth/scope-step-up",
        "auth/scope-retry-limit", "auth/token-endpoint-auth-basic", "auth/token-endpoint-auth-post",
        "auth/token-endpoint-auth-none", "auth/pre-registration", "auth/resource-mismatch",
        "auth/offline-access-scope", "auth/offline-access-not-supported", "auth/authorization-server-migration",
        "auth/iss-supported", "auth/iss-not-advertised", "auth/iss-supported-missing", "auth/iss-wrong-issuer",
        "auth/iss-unexpected", "auth/iss-normalized", "auth/metadata-issuer-mismatch",
        "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers", "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
    ],
    unscored: &[
        (TestedSide::Client, Reason::AddedAfterRelease, &[
            "json-schema-2020-12-preservation",
        ]),
        (TestedSide::Server, Reason::Pending, &[
            "json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation",
        ]),
        (TestedSide::Server, Reason::Extension, &[
            "tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal",
            "tasks-mrtr-input", "tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-status-notifications",
            "tasks-required-task-error", "tasks-mrtr-composition",
        ]),
        (TestedSide::Client, Reason::Extension, &[
            "auth/client-credentials-jwt", "auth/client-credentials-basic", "auth/enterprise-managed-authorization",
            "auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer",
        ]),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_have_the_official_sizes() {
        let sizes = RequirementSet::ALL.map(|set| {
            let unscored = set.unscored().count();
            (
                set.revision,
                set.scored(TestedSide::Server).len(),
                set.scored(TestedSide::Client).len(),
                unscored,
            )
        });
        assert_eq!(
            sizes,
            [(Revision::V2025_11_25, 30, 18, 10), (Revision::V2026_07_28, 37, 32, 20)]
        );
    }

    #[test]
    fn a_scenario_is_scored_or_has_a_reason() {
        let set = RequirementSet::of(Revision::V2026_07_28).expect("the newest set");
        assert!(set.runs(TestedSide::Server, "caching"));
        assert_eq!(set.why_unscored(TestedSide::Server, "caching"), None);
        assert!(set.runs(TestedSide::Server, "tasks-lifecycle"));
        assert_eq!(
            set.why_unscored(TestedSide::Server, "tasks-lifecycle"),
            Some(Reason::Extension)
        );
        assert!(!set.runs(TestedSide::Client, "caching"));
        assert!(!set.runs(TestedSide::Server, "sep-2640-skills-manifest"));
        assert_eq!(RequirementSet::of(Revision::V2025_06_18), None);
    }
}
