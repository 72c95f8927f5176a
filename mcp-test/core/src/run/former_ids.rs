//! Ids that scenarios have had in earlier descriptions of the official suite.

/// Each former id with those of the scenarios that took its place.
const FORMER_IDS: [(&str, &[&str]); 5] = [
    ("auth/basic-dcr", &["auth/metadata-default"]),
    ("auth/client-credentials", &["auth/client-credentials-basic", "auth/client-credentials-jwt"]),
    (
        "auth/scope-handling",
        &[
            "auth/scope-from-www-authenticate",
            "auth/scope-from-scopes-supported",
            "auth/scope-omitted-when-undefined",
            "auth/scope-step-up",
            "auth/scope-retry-limit",
        ],
    ),
    ("sse-multiple-streams", &["server-sse-multiple-streams"]),
    ("sse-polling", &["server-sse-polling"]),
];

/// The ids of the scenarios that took the place of a former one.
pub(super) fn now_called(id: &str) -> Option<&'static [&'static str]> {
    FORMER_IDS.iter().find(|(former, _)| *former == id).map(|(_, now)| *now)
}
