//! What a request must look like to be let in: where it comes from, what it brings, what it takes.

use http::{HeaderMap, Uri, header, uri::Authority};

/// The media type of a message.
pub(super) const JSON: &str = "application/json";
/// The media type of a stream of messages.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// The value of a header, if it is there once and is text.
pub(super) fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether the request comes from no web page, or from one of this machine.
pub(super) fn comes_from_here(headers: &HeaderMap) -> bool {
    if !headers.contains_key(header::ORIGIN) {
        return true;
    }
    let origin =
        value(headers, header::ORIGIN.as_str()).and_then(|origin| origin.parse::<Uri>().ok());
    origin.as_ref().and_then(Uri::host).is_some_and(is_this_machine)
}

/// Whether the request is meant for this machine, by its own name or address; one that names nobody is.
pub(super) fn goes_here(uri: &Uri, headers: &HeaderMap) -> bool {
    let named = if headers.contains_key(header::HOST) {
        let host = value(headers, header::HOST.as_str());
        host.and_then(|host| host.parse::<Authority>().ok())
            .is_some_and(|host| is_this_machine(host.host()))
    } else {
        true
    };
    named && uri.host().is_none_or(is_this_machine)
}

/// Whether a host is this machine: `localhost` or a loopback address.
fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Whether the body is said to be JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    value(headers, header::CONTENT_TYPE.as_str())
        .is_some_and(|kind| essence(kind).eq_ignore_ascii_case(JSON))
}

/// Whether `Accept` lists a media type, be it by a range.
pub(super) fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let family = wanted.split_once('/').map_or(wanted, |(family, _)| family);
    let listed = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    listed.flat_map(|list| list.split(',')).map(essence).any(|range| {
        range == "*/*"
            || range.eq_ignore_ascii_case(wanted)
            || range.strip_suffix("/*").is_some_and(|range| range.eq_ignore_ascii_case(family))
    })
}

/// A media type without its parameters.
fn essence(kind: &str) -> &str {
    kind.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    }

    #[test]
    fn only_origins_of_this_machine_are_local() {
        for origin in [
            "http://localhost",
            "http://LOCALHOST:3000",
            "https://127.0.0.1:1",
            "http://127.8.9.1",
            "http://[::1]:80",
        ] {
            assert!(comes_from_here(&headers("origin", origin)), "{origin}");
        }
        for origin in [
            "http://evil.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "null",
            "http://10.0.0.1",
            "",
        ] {
            assert!(!comes_from_here(&headers("origin", origin)), "{origin}");
        }
        assert!(comes_from_here(&HeaderMap::new()));
    }

    #[test]
    fn only_hosts_of_this_machine_are_served() {
        let here = |uri: &str, host| {
            let headers = headers("host", host);
            goes_here(&uri.parse().unwrap(), &headers)
        };
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:80", "127.1.2.3"] {
            assert!(here("/mcp", host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "10.0.0.1", "", "a b", "::1"] {
            assert!(!here("/mcp", host), "{host}");
        }
        assert!(goes_here(&Uri::from_static("/mcp"), &HeaderMap::new()));
        assert!(!here("http://evil.example/mcp", "localhost"));
    }

    #[test]
    fn accept_lists_types_and_ranges() {
        for accept in
            ["application/json, text/event-stream", "*/*", "text/*;q=0.5, Application/JSON"]
        {
            let headers = headers("accept", accept);
            assert!(accepts(&headers, JSON) && accepts(&headers, EVENT_STREAM), "{accept}");
        }
        let only_json = headers("accept", "application/json");
        assert!(accepts(&only_json, JSON) && !accepts(&only_json, EVENT_STREAM));
        assert!(!accepts(&HeaderMap::new(), JSON));
    }

    #[test]
    fn json_may_have_a_charset() {
        assert!(is_json(&headers("content-type", "application/json; charset=utf-8")));
        assert!(!is_json(&headers("content-type", "text/plain")));
        assert!(!is_json(&HeaderMap::new()));
    }
}
