//! The hosts that an endpoint answers to, against DNS rebinding: a web page whose own name leads to this machine cannot use it.

use std::net::IpAddr;
use std::sync::OnceLock;

use http::uri::Authority;
use http::{HeaderMap, Uri, header};

use super::request_headers::value;

/// The hosts that requests may name: this machine, the address that the endpoint listens on, and those that were allowed.
#[derive(Debug, Default)]
pub(crate) struct AllowedHosts {
    named: Vec<String>,
    /// Set when the endpoint listens, which a router does not.
    own: OnceLock<IpAddr>,
}

impl AllowedHosts {
    pub(crate) fn new(named: Vec<String>) -> Self {
        Self { named, own: OnceLock::new() }
    }

    /// Also allows the address that the endpoint listens on.
    pub(crate) fn listens_on(&self, address: IpAddr) {
        // An endpoint listens once; `0.0.0.0` and `::` stand for all addresses, and are not the name of any.
        if !address.is_unspecified() {
            self.own.set(address).ok();
        }
    }

    /// Whether the request does not come from a web page, or from one of an allowed host.
    ///
    /// Servers must validate `Origin` against DNS rebinding.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning>
    pub(crate) fn allows_origin(&self, headers: &HeaderMap) -> bool {
        if !headers.contains_key(header::ORIGIN) {
            return true;
        }
        let origin =
            value(headers, header::ORIGIN.as_str()).and_then(|origin| origin.parse::<Uri>().ok());
        // `null`, the origin of sandboxed pages and of files, is refused like any other name.
        origin.as_ref().and_then(Uri::host).is_some_and(|host| self.allows(host))
    }

    /// Whether the request names an allowed host, or none.
    pub(crate) fn allows_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let named = if headers.contains_key(header::HOST) {
            let host = value(headers, header::HOST.as_str());
            host.and_then(|host| host.parse::<Authority>().ok())
                .is_some_and(|host| self.allows(host.host()))
        } else {
            true
        };
        named && uri.host().is_none_or(|host| self.allows(host))
    }

    fn allows(&self, host: &str) -> bool {
        // `Uri::host` keeps the brackets of an IPv6 address, which `IpAddr` does not parse.
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match host.parse::<IpAddr>() {
            Ok(address) if address.is_loopback() || self.own.get() == Some(&address) => true,
            // An address has several spellings.
            Ok(address) => self.named.iter().any(|named| named.parse() == Ok(address)),
            Err(_) => {
                let names = self.named.iter().map(String::as_str).chain(["localhost"]);
                names.into_iter().any(|name| host.eq_ignore_ascii_case(name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    }

    fn allows_host(hosts: &AllowedHosts, host: &str) -> bool {
        hosts.allows_host(&Uri::from_static("/mcp"), &headers("host", host))
    }

    fn allows_origin(hosts: &AllowedHosts, origin: &str) -> bool {
        hosts.allows_origin(&headers("origin", origin))
    }

    #[test]
    fn only_loopback_origins_are_allowed_by_default() {
        let hosts = AllowedHosts::default();
        for origin in [
            "http://localhost",
            "http://LOCALHOST:3000",
            "https://127.0.0.1:1",
            "http://127.8.9.1",
            "http://[::1]:80",
        ] {
            assert!(allows_origin(&hosts, origin), "{origin}");
        }
        for origin in [
            "http://evil.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "null",
            "http://10.0.0.1",
            "",
        ] {
            assert!(!allows_origin(&hosts, origin), "{origin}");
        }
        assert!(hosts.allows_origin(&HeaderMap::new()));
    }

    #[test]
    fn only_loopback_hosts_are_allowed_by_default() {
        let hosts = AllowedHosts::default();
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:80", "127.1.2.3"] {
            assert!(allows_host(&hosts, host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "10.0.0.1", "", "a b", "::1"] {
            assert!(!allows_host(&hosts, host), "{host}");
        }
        assert!(hosts.allows_host(&Uri::from_static("/mcp"), &HeaderMap::new()));
        let uri = Uri::from_static("http://evil.example/mcp");
        assert!(!hosts.allows_host(&uri, &headers("host", "localhost")));
    }

    #[test]
    fn hosts_are_allowed_by_name_and_address() {
        let hosts = AllowedHosts::new(vec!["mocks.example".to_owned(), "FE80::1".to_owned()]);
        for host in ["mocks.example", "Mocks.Example:3000", "[fe80:0::1]:80", "localhost"] {
            assert!(allows_host(&hosts, host), "{host}");
            assert!(allows_origin(&hosts, &format!("http://{host}")), "{host}");
        }
        for host in ["evil.example", "mocks.example.evil.example", "[fe80::2]:80"] {
            assert!(!allows_host(&hosts, host), "{host}");
            assert!(!allows_origin(&hosts, &format!("http://{host}")), "{host}");
        }
    }

    #[test]
    fn the_address_that_an_endpoint_listens_on_is_allowed() {
        let hosts = AllowedHosts::default();
        hosts.listens_on([0, 0, 0, 0].into());
        assert!(!allows_host(&hosts, "0.0.0.0:80"), "not an address of any machine");
        hosts.listens_on([10, 0, 0, 1].into());
        assert!(allows_host(&hosts, "10.0.0.1:80"));
        assert!(!allows_host(&hosts, "10.0.0.2:80"));
    }
}
