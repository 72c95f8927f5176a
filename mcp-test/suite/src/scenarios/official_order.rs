//! The order of the scenarios of the official suite, which reports keep.

use mcp_test_core::scenario::{Scenario, TestedSide};

/// The place of a scenario in reports: the sides in turn, and for each side first what the official suite has, in its order.
pub(super) fn place(scenario: &Scenario) -> (TestedSide, usize) {
    let of_side = official(scenario.tested_side);
    let place = of_side.iter().position(|id| *id == scenario.id);
    (scenario.tested_side, place.unwrap_or(of_side.len()))
}

/// The ids of the official scenarios of a side.
pub(super) const fn official(side: TestedSide) -> &'static [&'static str] {
    match side {
        TestedSide::Server => SERVER,
        TestedSide::Client => CLIENT,
        TestedSide::Authorization => AUTHORIZATION,
    }
}

#[rustfmt::skip]
const SERVER: &[&str] = &[
    "server-initialize", "server-session-lifecycle", "server-stateless", "logging-set-level", "ping",
    "completion-complete", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio",
    "tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-with-logging", "tools-call-error",
    "tools-call-with-progress", "tools-call-sampling", "tools-call-elicitation", "json-schema-2020-12",
    "elicitation-sep1034-defaults", "server-sse-polling", "server-sse-multiple-streams",
    "elicitation-sep1330-enums", "resources-list", "resources-read-text", "resources-read-binary",
    "resources-templates-read", "resources-subscribe", "resources-unsubscribe", "sep-2164-resource-not-found",
    "sep-2640-skills-directory", "sep-2640-skills-enumeration", "sep-2640-skills-manifest", "prompts-list",
    "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image",
    "dns-rebinding-protection", "caching", "http-header-validation", "http-custom-header-server-validation",
    "tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal",
    "tasks-mrtr-input", "tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-status-notifications",
    "tasks-required-task-error", "tasks-mrtr-composition", "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling", "input-required-result-basic-list-roots",
    "input-required-result-request-state", "input-required-result-multiple-input-requests",
    "input-required-result-multi-round", "input-required-result-missing-input-response",
    "input-required-result-non-tool-request", "input-required-result-result-type",
    "input-required-result-unsupported-methods", "input-required-result-tampered-state",
    "input-required-result-capability-check", "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
];

#[rustfmt::skip]
const CLIENT: &[&str] = &[
    "initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "request-metadata",
    "auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3", "auth/basic-cimd",
    "auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined",
    "auth/scope-step-up", "auth/scope-retry-limit", "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post", "auth/token-endpoint-auth-none", "auth/pre-registration",
    "auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch", "auth/offline-access-scope", "auth/offline-access-not-supported",
    "auth/authorization-server-migration", "auth/iss-supported", "auth/iss-not-advertised",
    "auth/iss-supported-missing", "auth/iss-wrong-issuer", "auth/iss-unexpected", "auth/iss-normalized",
    "auth/metadata-issuer-mismatch", "auth/client-credentials-jwt", "auth/client-credentials-basic",
    "auth/enterprise-managed-authorization", "auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer",
    "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers", "http-invalid-tool-headers",
    "json-schema-ref-no-deref", "json-schema-2020-12-preservation", "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest", "sep-2640-client-verify-size", "sep-2640-client-verify-frontmatter",
];

#[rustfmt::skip]
const AUTHORIZATION: &[&str] = &[
    "authorization-server-metadata-endpoint", "authorization-code-grant",
];
