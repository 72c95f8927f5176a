//! Redirect URIs: which may be registered, and which one fits a request.

use std::net::IpAddr;

use reqwest::Url;

/// The bytes of the longest one.
const LONGEST: usize = 1024;

/// Whether a client may register it: `https`, or `http` to this machine, without user information and fragment.
pub(super) fn may_be_registered(uri: &str) -> bool {
    if uri.len() > LONGEST {
        return false;
    }
    let Ok(url) = Url::parse(uri) else { return false };
    is_secure(&url)
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}

/// Whether the redirect URI of a request is this registered one.
///
/// They are compared as texts. Only the port of a loopback address may differ, since a program on the user's machine takes
/// any free one (RFC 8252, section 7.3).
pub fn is_registered(registered: &str, requested: &str) -> bool {
    if registered == requested {
        return true;
    }
    match (split_port(registered), split_port(requested)) {
        (Some(registered), Some(requested)) => registered == requested,
        _ => false,
    }
}

/// What comes before and after the port of an `http` URI of a loopback address.
fn split_port(uri: &str) -> Option<(&str, &str)> {
    let rest = uri.strip_prefix("http://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (host, port) = match authority.rfind(':') {
        // A colon within brackets belongs to an IPv6 address.
        Some(at) if !authority[at..].contains(']') => (&authority[..at], &authority[at + 1..]),
        _ => (authority, "80"),
    };
    // A number as it is written by everyone, so that two texts that differ elsewhere are not taken for the same.
    let is_port = port.parse::<u16>().is_ok_and(|number| number.to_string() == port);
    (is_port && is_loopback(host)).then_some((host, path))
}

/// Whether nobody on the way can read what is sent to a URL: it is `https`, or `http` to this machine.
pub fn is_secure(url: &Url) -> bool {
    match url.scheme() {
        "https" => true,
        "http" => url.host_str().is_some_and(is_this_machine),
        _ => false,
    }
}

/// Whether a host is this machine.
pub fn is_this_machine(host: &str) -> bool {
    host == "localhost" || is_loopback(host)
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_may_be_registered() {
        for uri in [
            "https://app.example/callback",
            "http://127.0.0.1:8080/callback",
            "http://[::1]/callback",
            "http://localhost:3000/callback?from=mcp",
        ] {
            assert!(may_be_registered(uri), "{uri}");
        }
        for uri in [
            "http://app.example/callback",
            "http://127.0.0.1.evil.example/callback",
            "https://app.example/callback#fragment",
            "https://user@app.example/callback",
            "https://user:pass@app.example/callback",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///callback",
            "my-app:/callback",
            "/callback",
            "",
            &format!("https://app.example/{}", "a".repeat(1024)),
        ] {
            assert!(!may_be_registered(uri), "{uri}");
        }
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        let loopback = "http://127.0.0.1/callback";
        assert!(is_registered(loopback, "http://127.0.0.1:51000/callback"));
        assert!(is_registered("http://[::1]:1/", "http://[::1]:2/"));
        assert!(is_registered("https://app.example/cb", "https://app.example/cb"));
        for (registered, requested) in [
            (loopback, "http://127.0.0.1:51000/callback/more"),
            (loopback, "http://127.0.0.1:51000/callback?more"),
            (loopback, "http://127.0.0.1:051000/callback"),
            (loopback, "http://127.0.0.1:70000/callback"),
            (loopback, "http://127.0.0.1:@evil.example/callback"),
            (loopback, "http://127.0.0.1:1@evil.example/callback"),
            (loopback, "http://127.0.0.1.evil.example/callback"),
            (loopback, "http://127.0.0.2/callback"),
            (loopback, "https://127.0.0.1/callback"),
            ("https://app.example/cb", "https://app.example:8443/cb"),
            ("https://app.example/cb", "https://APP.example/cb"),
            ("https://app.example/cb", "https://app.example/cb/../cb"),
        ] {
            assert!(!is_registered(registered, requested), "{requested}");
        }
    }
}
