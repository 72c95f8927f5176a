//! The formats of strings: URIs (RFC 3986), URI templates (RFC 6570) and Base64 (RFC 4648).
//!
//! The compiled validators use the same functions, so that both ways of validation agree.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::types::Format;

impl Format {
    /// The name of the format in JSON Schema. The official schema uses `byte` for Base64, which no validator asserts.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Uri => "uri",
            Self::UriTemplate => "uri-template",
            Self::Base64 => "base64",
        }
    }

    /// Whether the text has the format.
    pub(super) fn fits(self, text: &str) -> bool {
        match self {
            Self::Uri => is_uri(text),
            Self::UriTemplate => is_uri_template(text),
            Self::Base64 => is_base64(text),
        }
    }

    /// The format in words, with an article.
    pub(super) const fn phrase(self) -> &'static str {
        match self {
            Self::Uri => "a URI",
            Self::UriTemplate => "a URI template",
            Self::Base64 => "Base64",
        }
    }
}

/// Whether `text` is a URI: a scheme, a colon, and what RFC 3986 allows after it.
pub(crate) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let scheme_is_valid = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if !scheme_is_valid {
        return false;
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    if !consists_of(fragment, |byte| is_path(byte) || byte == b'?')
        || !consists_of(query, |byte| is_path(byte) || byte == b'?')
    {
        return false;
    }
    match hierarchy.strip_prefix("//") {
        // Without an authority the path may be anything, also empty: `urn:a`, `file:/a`, `a:`.
        None => consists_of(hierarchy, is_path),
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            is_authority(authority) && consists_of(path, is_path)
        }
    }
}

/// `[userinfo@]host[:port]`
fn is_authority(text: &str) -> bool {
    let host = match text.rsplit_once('@') {
        None => text,
        Some((user, host)) => {
            if !consists_of(user, |byte| is_plain(byte) || byte == b':') {
                return false;
            }
            host
        }
    };
    let (host, port) = match host.strip_prefix('[') {
        Some(literal) => match literal.split_once(']') {
            // RFC 3986 allows an empty host, as in `file:///a`; the literal is checked already.
            Some((literal, port)) if is_ip_literal(literal) => ("", port),
            _ => return false,
        },
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port_is_valid = match port.strip_prefix(':') {
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()),
        None => port.is_empty(),
    };
    consists_of(host, is_plain) && port_is_valid
}

/// The host in brackets: an IPv6 address, or one of a future version.
fn is_ip_literal(text: &str) -> bool {
    match text.strip_prefix(['v', 'V']) {
        None => text.parse::<std::net::Ipv6Addr>().is_ok(),
        Some(future) => future.split_once('.').is_some_and(|(version, address)| {
            let hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
            !version.is_empty()
                && hexadecimal(version)
                && !address.is_empty()
                // `IPvFuture` of RFC 3986 has no percent-encoded bytes, which `consists_of` accepts.
                && !address.contains('%')
                && consists_of(address, |byte| is_plain(byte) || byte == b':')
        }),
    }
}

/// `unreserved` or `sub-delims` of RFC 3986.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

/// `pchar` of RFC 3986, and the slash.
fn is_path(byte: u8) -> bool {
    is_plain(byte) || b":@/".contains(&byte)
}

/// Whether every byte is allowed or part of a percent-encoded one.
fn consists_of(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_valid = match byte {
            b'%' => {
                let mut digit = || bytes.next().is_some_and(|byte| byte.is_ascii_hexdigit());
                digit() && digit()
            }
            byte => allowed(byte),
        };
        if !is_valid {
            return false;
        }
    }
    true
}

/// Whether `text` is a URI template: literals, and expressions such as `{name}` or `{?q,lang*}`.
pub(crate) fn is_uri_template(text: &str) -> bool {
    let mut rest = text;
    loop {
        let (literals, expression) = match rest.split_once('{') {
            Some((literals, after)) => (literals, Some(after)),
            None => (rest, None),
        };
        if !literals.chars().all(is_literal) || !has_valid_percents(literals) {
            return false;
        }
        let Some(expression) = expression else {
            return true;
        };
        match expression.split_once('}') {
            Some((expression, after)) if is_expression(expression) => rest = after,
            _ => return false,
        }
    }
}

/// `literals` of RFC 6570 with its erratum 6937, which adds the apostrophe, and the percent sign of an encoded byte.
fn is_literal(char: char) -> bool {
    match char {
        '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' | ' ' => false,
        other => !other.is_control(),
    }
}

fn has_valid_percents(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.bytes().take(2).filter(u8::is_ascii_hexdigit);
        digits.count() == 2
    })
}

fn is_expression(text: &str) -> bool {
    // From `=` on, operators that RFC 6570 reserves for future use; their syntax is defined.
    let operators = ['+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|'];
    let variables = text.strip_prefix(operators).unwrap_or(text);
    variables.split(',').all(|variable| {
        let (name, modifier_is_valid) = match variable.split_once(':') {
            Some((name, length)) => {
                let digits = length.bytes().all(|byte| byte.is_ascii_digit());
                // RFC 6570, section 2.4.1: a prefix is from 1 to 9999, without leading zeros.
                (name, digits && !length.starts_with('0') && (1..=4).contains(&length.len()))
            }
            None => (variable.strip_suffix('*').unwrap_or(variable), true),
        };
        let word = |part: &str| {
            !part.is_empty()
                && consists_of(part, |byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        modifier_is_valid && name.split('.').all(word)
    })
}

/// Whether `text` is Base64 with the alphabet of RFC 4648 section 4, padded, without line breaks.
pub(crate) fn is_base64(text: &str) -> bool {
    STANDARD.decode(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_have_a_scheme_and_no_stray_characters() {
        for good in [
            "file:///a/b.txt",
            "http://u:p@[::1]:8080/a?b=c#d",
            "urn:isbn:1",
            "mailto:a@b",
            "x:",
            "a+b-c.d://h",
            "http://a:/",
            "http://[v1.x:y]/%20",
            "test://static-text",
        ] {
            assert!(is_uri(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "/a",
            "//h/a",
            "1a:b",
            ":a",
            "a b:c",
            "file:///a b",
            "http://h/%2",
            "http://h/<x>",
            "http://h:x/",
            "http://[::1",
            "http://[::z]/",
            "http://[::]1/",
            "x:#a#b",
            "test://{id}",
            "http://h/ä",
            "http://[v.x]/",
        ] {
            assert!(!is_uri(bad), "{bad}");
        }
    }

    #[test]
    fn templates_have_closed_expressions_of_names() {
        for good in [
            "",
            "test://{id}/data",
            "{+path}/x",
            "/a{?q,lang*}",
            "{a.b_c:30}",
            "x%20{%41}",
            "ä{x}",
            "'a'",
            "{=a}",
        ] {
            assert!(is_uri_template(good), "{good}");
        }
        for bad in [
            "{",
            "}",
            "{}",
            "{a",
            "a}",
            "{a b}",
            "{a:0}",
            "{a:10000}",
            "a b",
            "%2",
            "{a,}",
            "{{a}}",
            "{a..b}",
        ] {
            assert!(!is_uri_template(bad), "{bad}");
        }
    }

    #[test]
    fn base64_is_whole_and_padded() {
        for good in ["", "AA==", "AAA=", "AAAA", "+/+/", "iVBORw0KGgo="] {
            assert!(is_base64(good), "{good}");
        }
        for bad in [
            "A", "AA", "AAA", "AB==", "AAB=", "A===", "AA=A", "AA-_", "AAAA\n", "====", "AA =", "ä",
        ] {
            assert!(!is_base64(bad), "{bad}");
        }
    }
}
