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
#[doc(hidden)]
#[must_use]
pub fn is_secret_variable(name: &str) -> bool {
    let name = plain(name);
    let parts = ["token", "key", "secret", "pass", "credential", "auth"];
    parts.iter().any(|part| name.contains(part))
}

/// Whether a name says that its value is a secret: `GITHUB_TOKEN`, `--api-key`, `clientSecret`.
///
/// Other than [`is_secret_variable`] it goes by words, for names that nobody has chosen with secrets in mind: not `KEYBOARD`, and
/// not what is said about a secret, such as `TOKEN_FILE`.
pub(super) fn is_secret_name(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "credentials",
        "key",
        "pass",
        "pat",
        "pwd",
    ];
    // Often written without a break before them: `PGPASSWORD`, `authtoken`.
    const ENDS: [&str; 9] = [
        "accesskey",
        "apikey",
        "authkey",
        "passphrase",
        "passwd",
        "password",
        "privatekey",
        "secret",
        "token",
    ];
    const ABOUT: [&str; 22] = [
        "algorithm",
        "count",
        "dir",
        "endpoint",
        "expiry",
        "file",
        "format",
        "header",
        "host",
        "id",
        "length",
        "limit",
        "method",
        "mode",
        "name",
        "path",
        "port",
        "size",
        "ttl",
        "type",
        "uri",
        "url",
    ];
    let words = words(name);
    let is_secret = |word: &String| {
        WORDS.contains(&word.as_str()) || ENDS.iter().any(|end| word.ends_with(end))
    };
    words.iter().any(is_secret) && words.last().is_some_and(|last| !ABOUT.contains(&last.as_str()))
}

/// The words of a name, in lower case and without numbers: `accessToken2` and `ACCESS-TOKEN` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let starts = before.is_lowercase() && c.is_uppercase();
        if starts || !c.is_alphabetic() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphabetic(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the value of a query parameter is a secret.
#[doc(hidden)]
pub fn is_secret_parameter(name: &str) -> bool {
    // Beyond other names: in a URL these are credentials (OAuth codes, signed URLs), in JSON they are common words.
    let known = ["assertion", "auth", "code", "sig"];
    known.contains(&plain(name).as_str())
        || words(name).iter().any(|word| word == "signature")
        || is_secret_name(name)
        || is_secret_member(name)
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
pub fn is_volatile_member(name: &str) -> bool {
    golden_member(name).is_some()
}

fn plain(name: &str) -> String {
    // `access_token`, `accessToken` and `access-token` are one name.
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_secret_by_its_words() {
        for name in [
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "PGPASSWORD",
            "API_KEY_2",
            "npm_config_//registry.npmjs.org/:_authToken",
            "--api-key",
            "-eTOKEN",
            "clientSecret",
            "X-Goog-Api-Key",
            "MYSQL_PWD",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "HOME",
            "KEYBOARD_LAYOUT",
            "MONKEY",
            "AUTHOR",
            "PASSAGE",
            "--max-tokens",
            "TOKEN_FILE",
            "AWS_ACCESS_KEY_ID",
            "ACTIONS_ID_TOKEN_REQUEST_URL",
            "SSH_AUTH_SOCK",
            "",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn a_parameter_is_secret_where_a_name_is_and_by_the_words_of_signed_urls() {
        for name in ["code", "X-Amz-Signature", "sig", "auth", "subscription-key", "access_token"] {
            assert!(is_secret_parameter(name), "{name}");
        }
        for name in ["page", "zip_code", "author", "keyword", "cursor", "passage"] {
            assert!(!is_secret_parameter(name), "{name}");
        }
    }
}
