//! The names of headers, query parameters and members that contain secrets or volatile values.

/// Whether the value of a header is a secret.
pub(super) fn is_secret_header(name: &str) -> bool {
    let name = plain(name);
    let known = ["cookie", "setcookie", "authentication"];
    let parts = ["authorization", "apikey", "token", "secret", "password"];
    // Parts, because vendors put prefixes before these words: `X-Goog-Api-Key`, `Private-Token`.
    known.contains(&name.as_str()) || parts.iter().any(|part| name.contains(part))
}

/// Whether the name of an environment variable suggests that its value is a secret.
#[must_use]
pub fn is_secret_variable(name: &str) -> bool {
    let name = plain(name);
    let parts = ["token", "key", "secret", "pass", "credential", "auth"];
    parts.iter().any(|part| name.contains(part))
}

/// Whether the value of a query parameter is a secret.
pub(super) fn is_secret_parameter(name: &str) -> bool {
    // Beyond members: in a URL these are credentials (OAuth codes, signed URLs), in JSON they are common words.
    let known = ["code", "key", "assertion", "sig", "signature"];
    known.contains(&plain(name).as_str()) || is_secret_member(name)
}

/// Whether a string in a member of this name is a secret.
pub(super) fn is_secret_member(name: &str) -> bool {
    let known = [
        "accesstoken",
        "apikey",
        "authorization",
        "clientassertion",
        "clientsecret",
        "codeverifier",
        "idtoken",
        "password",
        "privatekey",
        "refreshtoken",
        "registrationaccesstoken",
        "secret",
        "token",
    ];
    known.contains(&plain(name).as_str())
}

/// The placeholder for scalars in a member of this name, which may differ in every run.
pub(super) fn golden_member(name: &str) -> Option<&'static str> {
    Some(match name {
        "progressToken" => "token",
        "requestId" => "id",
        "taskId" => "task",
        "sessionId" => "session",
        "elicitationId" => "elicitation",
        "cursor" | "nextCursor" => "cursor",
        "requestState" => "state",
        "subscriptionId" | "io.modelcontextprotocol/subscriptionId" => "subscription",
        _ => return None,
    })
}

/// Whether the scalar in a member of this name may differ in every run.
#[allow(dead_code, reason = "not every combination of features looks for volatile members")]
pub(crate) fn is_volatile_member(name: &str) -> bool {
    golden_member(name).is_some()
}

fn plain(name: &str) -> String {
    // `access_token`, `accessToken` and `access-token` are one name.
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).map(|c| c.to_ascii_lowercase()).collect()
}
