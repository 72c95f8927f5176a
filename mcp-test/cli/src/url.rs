//! The URL of a target, and the secrets in it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_test_core::trace::{is_secret_parameter, percent_decoded, secrets_in_url};
use mcp_test_core::transport::not_http;

use super::error::CliError;

const MASK: &str = "[secret]";

/// A URL without credentials, and the forms of it for reports.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// The URL without user and password.
    pub(super) url: String,
    /// The `Authorization` header made of user and password.
    pub(super) authorization: Option<String>,
    /// The URL for reports.
    pub(super) shown: String,
    /// The URL for a command line, with placeholders for secrets.
    pub(super) rerun: String,
    /// The texts that no report may show.
    pub(super) secrets: Vec<String>,
}

impl Endpoint {
    /// Parses a URL, which must be HTTP.
    pub(super) fn parse(text: &str) -> Result<Self, CliError> {
        let invalid = |problem: String| CliError::Url { url: without_secrets(text), problem };
        let example = "expected a URL such as http://localhost:3000/mcp";
        let mut url =
            reqwest::Url::parse(text).map_err(|error| invalid(format!("{error}; {example}")))?;
        // `localhost:3000` parses as a URL with the scheme `localhost`.
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid(format!("{}; {example}", not_http(url.scheme()))));
        }
        let (user, password) = (url.username().to_owned(), url.password().map(str::to_owned));
        let mut secrets = secrets_in_url(text);
        if user.is_empty() && password.is_none() {
            // The URL stays as it is written, since `Url` normalizes it.
            let (shown, rerun) = (mask_query(text, MASK), mask_query(text, "<value>"));
            return Ok(Self { url: text.to_owned(), authorization: None, shown, rerun, secrets });
        }
        // Both fail only without a host, which HTTP URLs always have.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let url = url.to_string();
        let password = password.unwrap_or_default();
        let (name, word) = (percent_decoded(&user), percent_decoded(&password));
        // RFC 7617, section 2: `user:password`, decoded from the URL, in base64.
        let credentials = STANDARD.encode([name.as_slice(), b":", word.as_slice()].concat());
        // A report may quote the password as `Url` has normalized it.
        secrets.extend(Some(password).filter(|password| !secrets.contains(password)));
        // The header reaches the trace, and with it every report that shows a request.
        secrets.push(credentials.clone());
        let rerun =
            mask_query(&url, "<value>").replacen("://", &format!("://{user}:<password>@"), 1);
        Ok(Self {
            authorization: Some(format!("Basic {credentials}")),
            shown: mask_query(&url, MASK),
            rerun,
            url,
            secrets,
        })
    }
}

/// A possibly invalid URL without possible credentials.
fn without_secrets(text: &str) -> String {
    let text = mask_query(text, MASK);
    // The last `@` ends the credentials: a password may contain one itself.
    let Some((before, after)) = text.rsplit_once('@') else { return text };
    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
    let slashes = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{slashes}{MASK}@{after}")
}

/// The URL with `mask` for the values of secret parameters.
fn mask_query(text: &str, mask: &str) -> String {
    let Some((path, query)) = text.split_once('?') else { return text.to_owned() };
    let parameters = query.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if is_secret_parameter(name) => format!("{name}={mask}"),
        _ => parameter.to_owned(),
    });
    format!("{path}?{}", parameters.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Endpoint {
        Endpoint::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_url_without_secrets_is_unchanged() {
        let endpoint = read("http://localhost:3000");
        let same = [&endpoint.url, &endpoint.shown, &endpoint.rerun];
        assert!(same.into_iter().all(|url| url == "http://localhost:3000"));
        assert_eq!((endpoint.authorization, endpoint.secrets), (None, Vec::new()));
    }

    #[test]
    fn user_and_password_become_a_header() {
        let endpoint = read("http://Aladdin:open%20sesame@host/mcp");
        assert_eq!(endpoint.url, "http://host/mcp");
        // The example of RFC 7617.
        assert_eq!(endpoint.authorization.as_deref(), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
        assert_eq!(endpoint.rerun, "http://Aladdin:<password>@host/mcp");
        assert_eq!(
            endpoint.secrets,
            ["open%20sesame", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
        );
    }

    #[test]
    fn a_scheme_that_is_not_http_is_named() {
        let problem = |url| Endpoint::parse(url).err().map(|it| it.to_string()).unwrap_or_default();
        assert!(problem("ws://localhost:3000/mcp").contains("`ws` is WebSocket, which is not"));
        assert!(
            problem("ftp://localhost/mcp").contains("`ftp` is not HTTP; expected a URL such as")
        );
    }

    #[test]
    fn errors_do_not_contain_the_secrets() {
        let invalid = [
            "ftp://user:hunter22@host/mcp?token=hunter22",
            "user:hunter22@host",
            "http://user:hunter22@/x@y",
            "http://user:hunter22/@:",
        ];
        for text in invalid {
            let message =
                Endpoint::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!message.is_empty() && !message.contains("hunter22"), "{text}: {message}");
        }
    }
}
