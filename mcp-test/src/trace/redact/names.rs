//! Which headers, query parameters and members hold what.

/// Whether the value of a header is a secret.
pub(super) fn is_secret_header(name: &str) -> bool {
    let name = plain(name);
    let known = ["cookie", "setcookie", "authentication"];
    let telling = ["authorization", "apikey", "token", "secret", "password"];
    known.contains(&name.as_str()) || telling.iter().any(|part| name.contains(part))
}

/// Whether the name of an environment variable says that its value is one to keep.
#[must_use]
pub fn is_secret_variable(name: &str) -> bool {
    let name = plain(name);
    let telling = ["token", "key", "secret", "pass", "credential", "auth"];
    telling.iter().any(|part| name.contains(part))
}

/// Whether the value of a query parameter is a secret.
pub(super) fn is_secret_parameter(name: &str) -> bool {
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

/// The placeholder for scalars in a member of this name, which a peer may choose anew in every run.
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

/// Whether a peer may choose the scalar in a member of this name anew in every run.
#[cfg(feature = "cases")]
pub(crate) fn is_volatile_member(name: &str) -> bool {
    golden_member(name).is_some()
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).map(|c| c.to_ascii_lowercase()).collect()
}
