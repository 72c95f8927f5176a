//! The URL of a target, and what is secret in it.

use super::error::CliError;
use crate::trace::is_secret_variable;

const MASK: &str = "[secret]";

/// Names of query parameters that hold a secret though they do not sound like it.
const TELLING: [&str; 4] = ["ASSERTION", "CODE", "SIG", "SIGNATURE"];

/// A URL, taken apart into what is sent where, and what is shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// The URL without user and password.
    pub(super) url: String,
    /// The `Authorization` that user and password make.
    pub(super) authorization: Option<String>,
    /// The URL for reports.
    pub(super) shown: String,
    /// The URL for a shell, with what is secret left to be filled in.
    pub(super) again: String,
    /// What no report may show.
    pub(super) secrets: Vec<String>,
}

impl Endpoint {
    /// Takes a URL apart; refuses what is not HTTP.
    pub(super) fn read(text: &str) -> Result<Self, CliError> {
        let wrong = |problem: String| CliError::Url { url: without_secrets(text), problem };
        let example = "expected a URL such as http://localhost:3000/mcp";
        let mut url =
            reqwest::Url::parse(text).map_err(|error| wrong(format!("{error}; {example}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong(format!("`{}` is not HTTP; {example}", url.scheme())));
        }
        let (user, password) = (url.username().to_owned(), url.password().map(str::to_owned));
        let mut secrets = Vec::new();
        if user.is_empty() && password.is_none() {
            let (shown, again) = (mask_query(text, MASK), mask_query(text, "<value>"));
            secrets.extend(secret_parameters(text));
            return Ok(Self { url: text.to_owned(), authorization: None, shown, again, secrets });
        }
        // Both fail only where there is no host, which HTTP does not allow.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let url = url.to_string();
        let password = password.unwrap_or_default();
        let (name, word) = (decoded(&user), decoded(&password));
        let credentials = base64(&[name.as_slice(), b":", word.as_slice()].concat());
        secrets.extend(secret_parameters(&url));
        secrets.extend([password, String::from_utf8_lossy(&word).into_owned()]);
        secrets.push(credentials.clone());
        let again =
            mask_query(&url, "<value>").replacen("://", &format!("://{user}:<password>@"), 1);
        Ok(Self {
            authorization: Some(format!("Basic {credentials}")),
            shown: mask_query(&url, MASK),
            again,
            url,
            secrets,
        })
    }
}

/// A text that may be meant as a URL, without what may be meant as credentials.
fn without_secrets(text: &str) -> String {
    let text = mask_query(text, MASK);
    let Some((before, after)) = text.rsplit_once('@') else { return text };
    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
    let slashes = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{slashes}{MASK}@{after}")
}

/// The text with `mask` for the values of the parameters that are secret.
fn mask_query(text: &str, mask: &str) -> String {
    let Some((path, query)) = text.split_once('?') else { return text.to_owned() };
    let parameters = query.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if holds_secret(name) => format!("{name}={mask}"),
        _ => parameter.to_owned(),
    });
    format!("{path}?{}", parameters.collect::<Vec<_>>().join("&"))
}

fn secret_parameters(text: &str) -> Vec<String> {
    let query = text.split_once('?').map(|(_, query)| query.split('#').next().unwrap_or_default());
    let parameters = query.unwrap_or_default().split('&').filter_map(|it| it.split_once('='));
    let values = parameters.filter(|(name, _)| holds_secret(name)).map(|(_, value)| value);
    let forms =
        |value: &str| [value.to_owned(), String::from_utf8_lossy(&decoded(value)).into_owned()];
    values.flat_map(forms).collect()
}

fn holds_secret(name: &str) -> bool {
    is_secret_variable(name) || TELLING.contains(&name.to_ascii_uppercase().as_str())
}

/// The bytes behind `%XX`.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| first == b'%');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    bytes
}

/// Base64 with padding, as RFC 7617 wants it.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = (0..3)
            .fold(0, |group, i| group << 8 | u32::from(chunk.get(i).copied().unwrap_or_default()));
        for place in 0..4 {
            let index = (group >> (18 - 6 * place)) & 63;
            let letter = char::from(ALPHABET[index as usize]);
            text.push(if place > chunk.len() { '=' } else { letter });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Endpoint {
        Endpoint::read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_url_without_secrets_stays_as_it_was_given() {
        let endpoint = read("http://localhost:3000");
        let same = [&endpoint.url, &endpoint.shown, &endpoint.again];
        assert!(same.into_iter().all(|url| url == "http://localhost:3000"));
        assert_eq!((endpoint.authorization, endpoint.secrets), (None, Vec::new()));
    }

    #[test]
    fn user_and_password_become_a_header() {
        let endpoint = read("http://Aladdin:open%20sesame@host/mcp");
        assert_eq!(endpoint.url, "http://host/mcp");
        // The example of RFC 7617.
        assert_eq!(endpoint.authorization.as_deref(), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
        assert_eq!(endpoint.again, "http://Aladdin:<password>@host/mcp");
        assert_eq!(
            endpoint.secrets,
            ["open%20sesame", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
        );
    }

    #[test]
    fn the_lengths_of_base64() {
        let encoded = [&b""[..], b"f", b"fo", b"foo", b"foob"].map(base64);
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    #[test]
    fn what_is_refused_is_told_without_its_secrets() {
        let wrong = [
            "ftp://user:hunter22@host/mcp?token=hunter22",
            "user:hunter22@host",
            "http://user:hunter22@/x@y",
            "http://user:hunter22/@:",
        ];
        for text in wrong {
            let told =
                Endpoint::read(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!told.is_empty() && !told.contains("hunter22"), "{text}: {told}");
        }
    }
}
