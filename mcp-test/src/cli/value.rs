//! Values of options that are not simply words: how they are read, and what is said when they cannot be.

use std::convert::Infallible;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use crate::clock;
use crate::spec::{Revision, Revisions, SpecError};

/// A text that no message may repeat.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Confidential(String);

impl Confidential {
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Confidential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl FromStr for Confidential {
    type Err = Infallible;

    /// Takes anything: clap repeats what it refuses, so the form is looked at later.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

/// A revision, `draft`, a range, or a list of these.
pub(super) fn revisions(text: &str) -> Result<Revisions, SpecError> {
    if text.eq_ignore_ascii_case("draft") {
        return Ok(Revisions::only(Revision::NEWEST));
    }
    text.parse()
}

/// One revision, or `draft`.
pub(super) fn revision(text: &str) -> Result<Revision, String> {
    let revisions = revisions(text).map_err(|error| error.to_string())?;
    let mut all = revisions.iter();
    match (all.next(), all.next()) {
        (Some(revision), None) => Ok(revision),
        _ => Err(format!("expected one revision; these are {}", revisions.iter().count())),
    }
}

/// Milliseconds, or a number with a unit.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || {
        "expected milliseconds (`30000`) or a number with a unit (`500ms`, `5s`, `2m`), more than 0"
            .to_owned()
    };
    let milliseconds = text.ends_with(|c: char| c.is_ascii_digit()).then(|| format!("{text}ms"));
    clock::parse(milliseconds.as_deref().unwrap_or(text)).ok_or_else(wrong)
}

/// A number of jobs.
pub(super) fn jobs(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "expected a whole number, at least 1")
}

/// An address to listen at: with a port alone, on this machine only.
pub(super) fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let local = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    port.parse().map(local).or_else(|_| {
        text.parse().map_err(|_| "expected an IP address and a port (`127.0.0.1:3000`), or a port")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_milliseconds_unless_they_say_otherwise() {
        let read = |text| duration(text).ok().map(|time| time.as_millis());
        assert_eq!(
            ["30000", "500ms", "5s", "2m"].map(read),
            [Some(30_000), Some(500), Some(5_000), Some(120_000)]
        );
        let wrong = ["abc", "", "0", "-1", "1.5", "5h", "99999999999999999999"];
        assert!(wrong.into_iter().all(|text| read(text).is_none()));
    }

    #[test]
    fn draft_is_the_newest_revision() {
        assert_eq!(revisions("draft"), Ok(Revisions::only(Revision::NEWEST)));
        assert_eq!(revisions("2025-11-25.."), Ok(Revisions::from(Revision::V2025_11_25)));
        assert!(revisions("2025-06-19").is_err());
    }

    #[test]
    fn a_port_alone_is_not_open_to_the_network() {
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
    fn a_confidential_text_is_not_shown_by_debug() {
        let Ok(header) = "Authorization=Bearer x".parse::<Confidential>();
        assert_eq!(
            (format!("{header:?}").as_str(), header.reveal()),
            ("[secret]", "Authorization=Bearer x")
        );
    }
}
