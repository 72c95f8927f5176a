//! Where a URL holds secrets: before its host, and in its query.

use super::names::is_secret_parameter;

/// A URL, in pieces that make it up again.
pub(super) struct Pieces<'a> {
    /// The scheme with its slashes, if it has one.
    pub(super) scheme: &'a str,
    /// What stands before the host, without its `@`.
    pub(super) user: Option<&'a str>,
    /// Everything from the host on.
    pub(super) rest: &'a str,
}

impl<'a> Pieces<'a> {
    pub(super) fn of(url: &'a str) -> Self {
        let (scheme, rest) = url.split_at(url.find("://").map_or(0, |at| at + 3));
        let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        // The last one: RFC 3986 allows no `@` in user information, but people forget to encode it.
        match rest[..authority].rfind('@') {
            Some(at) => Self { scheme, user: Some(&rest[..at]), rest: &rest[at + 1..] },
            None => Self { scheme, user: None, rest },
        }
    }
}

/// The texts in a URL that no report may show, as they stand in it and, where that differs, as they are meant.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::trace::secrets_in_url;
///
/// let url = "https://me:p%40ss@example.com/mcp?page=2&api_key=k-1";
/// assert_eq!(secrets_in_url(url), ["p%40ss", "p@ss", "k-1"]);
/// assert_eq!(secrets_in_url("https://token@example.com/mcp"), ["token"]);
/// ```
#[doc(hidden)]
#[must_use]
pub fn secrets_in_url(url: &str) -> Vec<String> {
    let Pieces { user, rest, .. } = Pieces::of(url);
    // Without a colon the whole user information is the secret, as with tokens for Git servers.
    let password = user.map(|user| user.split_once(':').map_or(user, |(_, password)| password));
    let mut secrets = Vec::new();
    for secret in password.into_iter().chain(secret_parameters(rest)) {
        secrets.push(secret.to_owned());
        // Invalid bytes may be replaced: the text is only looked for in reports, which are UTF-8.
        let decoded = String::from_utf8_lossy(&percent_decoded(secret)).into_owned();
        secrets.extend(Some(decoded).filter(|decoded| decoded != secret));
    }
    secrets
}

/// The values of the secret parameters of a path with its query.
pub(super) fn secret_parameters(path: &str) -> impl Iterator<Item = &str> {
    let (_, query) = path.split_once('?').unwrap_or_default();
    let (query, _) = query.split_once('#').unwrap_or((query, ""));
    let pairs = query.split('&').filter_map(|parameter| parameter.split_once('='));
    pairs.filter(|(name, value)| is_secret_parameter(name) && !value.is_empty()).map(|(_, it)| it)
}

/// The bytes that a percent-encoded text stands for.
#[doc(hidden)]
pub fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        // RFC 3986, section 2.1: two digits; a number with a sign, as `from_str_radix` accepts it, is not an escape.
        let digits =
            after.get(..2).filter(|it| *first == b'%' && it.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_digits_are_an_escape() {
        for (encoded, decoded) in
            [("%41%4a%4A", "AJJ"), ("%+1%-1%", "%+1%-1%"), ("%4", "%4"), ("%zz%é", "%zz%é")]
        {
            assert_eq!(percent_decoded(encoded), decoded.as_bytes(), "{encoded}");
        }
    }
}
