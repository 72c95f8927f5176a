//! Elicitations in URL mode: where they send the user.

use super::Violation;
use crate::check::cited::cites;
use crate::json::Value;

cites! {
    ELICITATION_SAFE_URL_HTTPS, ELICITATION_SAFE_URL_NO_SENSITIVE_DATA,
    ELICITATION_URL_NO_ELICITATION_ID,
}

/// Names of query parameters that hold credentials.
const CREDENTIALS: [&str; 3] = ["access_token", "password", "passwd"];

/// Everything wrong with the params of an elicitation in URL mode.
///
/// That they have a URL at all is a matter of their shape.
pub(super) fn params_violations(params: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    if let Some(id) = params.get("elicitationId") {
        let violation = Violation::new(
            [ELICITATION_URL_NO_ELICITATION_ID],
            "an elicitation in URL mode has an `elicitationId`",
        );
        found.push(
            violation
                .expected("no `elicitationId`: `requestState` takes its place")
                .got_value(Some(id)),
        );
    }
    if let Some(url) = params.get("url").and_then(Value::as_str).and_then(Url::parse) {
        if url.has_credentials() {
            let headline = "the URL of an elicitation has credentials in it";
            let expected = "a URL without a password or an access token";
            // The URL is not repeated: it has a secret in it.
            let got = format!("one for the host `{}` that has some", url.host);
            found.push(
                Violation::new([ELICITATION_SAFE_URL_NO_SENSITIVE_DATA], headline)
                    .expected(expected)
                    .got(got),
            );
        }
        if url.scheme.eq_ignore_ascii_case("http") && !is_of_development(url.host) {
            let headline = "the URL of an elicitation is not secure";
            let got = format!("an `http` URL for the host `{}`", url.host);
            found.push(
                Violation::new([ELICITATION_SAFE_URL_HTTPS], headline)
                    .expected("an `https` URL")
                    .got(got),
            );
        }
    }
    found
}

/// The parts of an absolute URL with a host.
struct Url<'a> {
    scheme: &'a str,
    user: &'a str,
    host: &'a str,
    query: &'a str,
}

impl<'a> Url<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (rest, _) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, _) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let host = match host.strip_prefix('[') {
            Some(literal) => literal.split_once(']')?.0,
            None => host.split_once(':').map_or(host, |(host, _)| host),
        };
        Some(Self { scheme, user, host, query })
    }

    fn has_credentials(&self) -> bool {
        let is_credential = |pair: &str| {
            pair.split_once('=').is_some_and(|(name, value)| {
                let name = name.to_ascii_lowercase();
                !value.is_empty() && CREDENTIALS.contains(&name.as_str())
            })
        };
        let password = self.user.split_once(':').map_or("", |(_, password)| password);
        !password.is_empty() || self.query.split('&').any(is_credential)
    }
}

/// Whether a host is one that only a developer's machine or network reaches.
fn is_of_development(host: &str) -> bool {
    use std::net::IpAddr;
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || address.is_unspecified()
        }
        Ok(IpAddr::V6(address)) => {
            // The unique local addresses are fc00::/7, the link-local ones fe80::/10.
            let first = address.segments()[0];
            address.is_loopback()
                || address.is_unspecified()
                || first & 0xfe00 == 0xfc00
                || first & 0xffc0 == 0xfe80
        }
        Err(_) => {
            let host = host.to_ascii_lowercase();
            // A name without a dot is known in its own network only.
            let is_local = |end: &str| host.ends_with(end);
            !host.contains('.')
                || [".localhost", ".local", ".test", ".internal"].into_iter().any(is_local)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check::recorded::NOTHING;
    use crate::spec::Requirement;

    fn broken(url: &str) -> Vec<&'static Requirement> {
        let found = params_violations(&json!({"mode": "url", "url": url}).into());
        found.into_iter().map(|violation| violation.rules[0].0).collect()
    }

    #[test]
    fn a_url_has_no_credentials_and_is_secure_outside_of_development() {
        let secure = Requirement::ELICITATION_SAFE_URL_HTTPS;
        let clean = Requirement::ELICITATION_SAFE_URL_NO_SENSITIVE_DATA;
        for good in [
            "https://a.example/x?state=1",
            "http://localhost:3000/x",
            "http://127.0.0.1/",
            "http://[::1]:80/",
            "http://app/",
            "http://192.168.1.7:8080",
            "https://user@a.example/",
            "https://a.example/?password=",
            "myapp://open",
            "nonsense",
        ] {
            assert_eq!(broken(good), NOTHING, "{good}");
        }
        assert_eq!(broken("http://a.example/"), [secure]);
        assert_eq!(broken("http://93.184.216.34/"), [secure]);
        assert_eq!(broken("https://u:p@a.example/"), [clean]);
        assert_eq!(broken("https://a.example/?x=1&access_token=abc"), [clean]);
    }
}
