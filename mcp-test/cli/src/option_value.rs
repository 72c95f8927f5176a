//! Parsers for the values of options.

use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use mcp_test_core::clock;
use mcp_test_core::expect::words;
use mcp_test_core::scenario::RequirementSet;
use mcp_test_core::spec::{Revision, Revisions, SpecError};
use reqwest::Url;

use crate::report::FileFormat;

/// An argument that may be secret, so that no message may repeat it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct SecretArg(String);

impl SecretArg {
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl From<String> for SecretArg {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl FromStr for SecretArg {
    type Err = Infallible;

    /// Accepts anything: clap repeats what it refuses, so the form is checked later.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

/// Why the value of an option is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OptionValueError {
    /// Not a revision.
    #[error(transparent)]
    Revision(#[from] SpecError),
    /// A range or list, where one revision is expected.
    #[error("expected one revision, got {0}")]
    Revisions(usize),
    /// Not a revision with a set of scenarios.
    #[error("expected a revision with a set of scenarios: {}", sets())]
    RequirementSet,
    /// Not a duration.
    #[error(
        "expected milliseconds (`30000`) or a number with a unit (`500ms`, `5s`, `2m`), more than 0"
    )]
    Duration,
    /// Not whole seconds.
    #[error("expected whole seconds (`5s`, `2m`)")]
    Seconds,
    /// Not a number of jobs.
    #[error("expected a whole number, at least 1")]
    Jobs,
    /// Not a number of retries.
    #[error("expected a whole number from 0 to {0}")]
    Retries(usize),
    /// Not a report.
    #[error("expected {}", reports())]
    Report,
    /// Not an issuer.
    #[error("expected a URL without query and fragment, such as http://127.0.0.1:9000")]
    Issuer,
    /// Not a host.
    #[error("expected a host name or an IP address, without a port (`mocks.example`, `10.0.0.1`)")]
    Host,
    /// Not an address.
    #[error("expected an IP address and a port (`127.0.0.1:3000`), or a port")]
    Address,
}

/// A revision, `draft`, a range, or a list of these.
pub(super) fn revisions(text: &str) -> Result<Revisions, SpecError> {
    // The official suite's name for what is not released yet; here it has a date already.
    if text.eq_ignore_ascii_case("draft") {
        return Ok(Revisions::only(Revision::NEWEST));
    }
    text.parse()
}

/// One revision, or `draft`.
pub(super) fn revision(text: &str) -> Result<Revision, OptionValueError> {
    let revisions: Vec<_> = revisions(text)?.iter().collect();
    match revisions[..] {
        [revision] => Ok(revision),
        _ => Err(OptionValueError::Revisions(revisions.len())),
    }
}

/// The set of scenarios of a revision.
pub(super) fn requirement_set(text: &str) -> Result<&'static RequirementSet, OptionValueError> {
    let revision = text.parse().ok();
    revision.and_then(RequirementSet::of).ok_or(OptionValueError::RequirementSet)
}

/// The revisions with a set of scenarios, for a message.
fn sets() -> String {
    words::list(RequirementSet::ALL.map(|set| set.revision), "or")
}

/// Milliseconds, or a number with a unit.
pub(super) fn duration(text: &str) -> Result<Duration, OptionValueError> {
    // A number alone is in milliseconds, as in the official suite.
    let milliseconds = text.ends_with(|c: char| c.is_ascii_digit()).then(|| format!("{text}ms"));
    clock::parse_duration(milliseconds.as_deref().unwrap_or(text)).ok_or(OptionValueError::Duration)
}

/// A time of whole seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, OptionValueError> {
    let time = duration(text)?;
    if time.subsec_nanos() == 0 { Ok(time) } else { Err(OptionValueError::Seconds) }
}

/// A number of jobs.
pub(super) fn jobs(text: &str) -> Result<NonZeroUsize, OptionValueError> {
    text.parse().map_err(|_| OptionValueError::Jobs)
}

/// The greatest number of retries: the conversations of all attempts are kept.
const MOST_RETRIES: usize = 10;

/// A number of retries.
pub(super) fn retries(text: &str) -> Result<usize, OptionValueError> {
    let retries = text.parse().ok().filter(|retries| *retries <= MOST_RETRIES);
    retries.ok_or(OptionValueError::Retries(MOST_RETRIES))
}

/// A report for a CI system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReportKind {
    /// `FORMAT=FILE`: a file.
    File(FileFormat, PathBuf),
    /// `github`: annotations, and the step summary.
    GitHub,
}

/// `FORMAT=FILE` or `github`.
pub(super) fn report(text: &str) -> Result<ReportKind, OptionValueError> {
    let Some((name, file)) = text.split_once('=') else {
        return if text == "github" {
            Ok(ReportKind::GitHub)
        } else {
            Err(OptionValueError::Report)
        };
    };
    let format = FileFormat::ALL.into_iter().find(|format| format.as_str() == name);
    let format = format.filter(|_| !file.is_empty()).ok_or(OptionValueError::Report)?;
    Ok(ReportKind::File(format, file.into()))
}

/// The values of `--report`, for a message.
fn reports() -> String {
    let files = FileFormat::ALL.map(|format| format!("`{format}=FILE`"));
    words::list(files.into_iter().chain(["`github`".to_owned()]), "or")
}

/// An address to listen at; a port alone means localhost.
pub(super) fn address(text: &str) -> Result<SocketAddr, OptionValueError> {
    // Not on all interfaces: a server under development should not be reachable from the network by default.
    let local = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    port.parse().map(local).or_else(|_| text.parse().map_err(|_| OptionValueError::Address))
}

/// The issuer of tokens: a URL without query and fragment.
pub(super) fn issuer(text: &str) -> Result<String, OptionValueError> {
    let url = Url::parse(text).map_err(|_| OptionValueError::Issuer)?;
    let is_issuer = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.query().is_none()
        && url.fragment().is_none();
    // As it was given: issuers are compared as texts.
    if is_issuer { Ok(text.to_owned()) } else { Err(OptionValueError::Issuer) }
}

/// The name or address of a host.
pub(super) fn host(text: &str) -> Result<String, OptionValueError> {
    let address = text.trim_start_matches('[').trim_end_matches(']');
    let is_name = !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    match address.parse::<IpAddr>() {
        Ok(address) => Ok(address.to_string()),
        Err(_) if is_name => Ok(text.to_owned()),
        Err(_) => Err(OptionValueError::Host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_milliseconds_unless_they_have_a_unit() {
        let read = |text| duration(text).ok().map(|time| time.as_millis());
        assert_eq!(
            ["30000", "500ms", "5s", "2m"].map(read),
            [Some(30_000), Some(500), Some(5_000), Some(120_000)]
        );
        let invalid = ["abc", "", "0", "-1", "1.5", "5h", "99999999999999999999"];
        assert!(invalid.into_iter().all(|text| read(text).is_none()));
    }

    #[test]
    fn draft_is_the_newest_revision() {
        assert_eq!(revisions("draft"), Ok(Revisions::only(Revision::NEWEST)));
        assert_eq!(revisions("2025-11-25.."), Ok(Revisions::from(Revision::V2025_11_25)));
        assert!(revisions("2025-06-19").is_err());
    }

    #[test]
    fn a_port_alone_listens_on_localhost() {
        for text in ["3000", ":3000", "localhost:3000", "127.0.0.1:3000"] {
            assert_eq!(
                address(text).map(|address| address.to_string()),
                Ok("127.0.0.1:3000".to_owned()),
                "{text}"
            );
        }
        assert!(address("[::1]:0").is_ok());
        assert!(["example.org:80", "70000", ""].iter().all(|text| address(text).is_err()));
    }

    #[test]
    fn a_host_has_no_port() {
        for (text, read) in [("Mocks.example", "Mocks.example"), ("[FE80::1]", "fe80::1")] {
            assert_eq!(host(text).as_deref(), Ok(read));
        }
        for text in ["", "mocks.example:80", "http://mocks.example", "*", "a b", "ü.example"] {
            assert_eq!(host(text), Err(OptionValueError::Host), "{text}");
        }
    }

    #[test]
    fn a_report_has_a_kind_and_maybe_a_file() {
        assert_eq!(
            report("junit=a=b.xml"),
            Ok(ReportKind::File(FileFormat::Junit, "a=b.xml".into()))
        );
        assert_eq!(report("github"), Ok(ReportKind::GitHub));
        for text in ["junit", "junit=", "github=x", "xml=a", ""] {
            assert_eq!(report(text), Err(OptionValueError::Report), "{text}");
        }
    }

    #[test]
    fn a_secret_argument_is_not_shown_by_debug() {
        let Ok(header) = "Authorization=Bearer x".parse::<SecretArg>();
        assert_eq!(
            (format!("{header:?}").as_str(), header.reveal()),
            ("[secret]", "Authorization=Bearer x")
        );
    }
}
