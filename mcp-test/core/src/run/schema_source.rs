//! Loading official schemas, which replace our shapes.
//!
//! Every scenario of the run validates messages against them, as [`spec::schema`](crate::spec::schema) describes.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
#[cfg(feature = "http")]
use std::time::Duration;

use bytes::Bytes;

#[cfg(feature = "http")]
use crate::clock::Deadline;
use crate::files;
use crate::json_schema::Limits;
use crate::spec::schema::{SchemaError, Schemas};
use crate::spec::{Revision, SpecError};
use crate::transport::redact_urls;

/// How long a download may take: an official schema has less than a mebibyte.
#[cfg(feature = "http")]
const TIME: Duration = Duration::from_secs(30);

/// An official `schema.json`, and the revision whose messages are validated against it.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::run::SchemaSource;
/// use mcp_test::spec::Revision;
///
/// let source: SchemaSource = "2025-11-25=spec/schema.json".parse()?;
/// assert_eq!(source, SchemaSource::new(Revision::V2025_11_25, "spec/schema.json"));
/// # Ok::<(), mcp_test::run::SchemaSourceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaSource {
    /// The revision.
    pub revision: Revision,
    /// Where the schema is.
    pub place: SchemaPlace,
}

/// Where a schema is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaPlace {
    /// A file.
    File(PathBuf),
    /// A URL; up to five redirects are followed.
    Url(String),
}

/// Why a schema cannot be loaded, so that nothing is run.
#[derive(Debug, thiserror::Error)]
pub enum SchemaSourceError {
    /// There is no `=`, or nothing after it.
    #[error("expected REVISION=PATH or REVISION=URL, such as `2025-11-25=schema.json`")]
    Form,
    /// The place is a URL of another scheme.
    #[error("cannot read a schema from `{0}://`; expected http or https")]
    Scheme(String),
    /// The text before the `=` is not a revision.
    #[error(transparent)]
    Revision(#[from] SpecError),
    /// Two schemas are given for one revision.
    #[error("two schemas are given for MCP {0}; give one of them")]
    Twice(Revision),
    /// The file cannot be read.
    #[error("cannot read the schema {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The URL cannot be fetched.
    #[error("cannot fetch the schema {url}: {problem}")]
    Unreachable {
        /// The URL, without secrets.
        url: String,
        /// Why.
        problem: String,
    },
    /// The file is not a schema of MCP.
    #[error("cannot validate MCP {revision} against {place}: {source}")]
    Unusable {
        /// Its revision.
        revision: Revision,
        /// Where it is, without secrets.
        place: String,
        /// What is wrong with it.
        source: SchemaError,
    },
}

impl SchemaSource {
    /// The schema at `place` for the messages of `revision`; a text that begins with `http://` or `https://` is a URL.
    pub fn new(revision: Revision, place: impl Into<SchemaPlace>) -> Self {
        Self { revision, place: place.into() }
    }

    /// The source with a relative path resolved against `folder`.
    #[must_use]
    #[doc(hidden)]
    pub fn below(self, folder: &Path) -> Self {
        let place = match self.place {
            SchemaPlace::File(path) => SchemaPlace::File(folder.join(path)),
            url @ SchemaPlace::Url(_) => url,
        };
        Self { place, ..self }
    }

    /// Our shapes, with those of the revisions of `sources` replaced by the loaded schemas.
    ///
    /// Blocks until everything is loaded, at most half a minute for each URL.
    ///
    /// # Errors
    ///
    /// If a source cannot be read or fetched, is too large, is not a schema of MCP, or two sources are for one revision.
    pub fn load(sources: &[Self]) -> Result<Schemas, SchemaSourceError> {
        let mut schemas = Schemas::ours();
        for (index, source) in sources.iter().enumerate() {
            let revision = source.revision;
            if sources[..index].iter().any(|other| other.revision == revision) {
                return Err(SchemaSourceError::Twice(revision));
            }
            let text = source.place.read()?;
            schemas = schemas.load(revision, &text).map_err(|error| {
                let place = source.place.to_string();
                SchemaSourceError::Unusable { revision, place, source: error }
            })?;
        }
        Ok(schemas)
    }
}

impl FromStr for SchemaSource {
    type Err = SchemaSourceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (revision, place) = text.split_once('=').ok_or(SchemaSourceError::Form)?;
        if place.is_empty() {
            return Err(SchemaSourceError::Form);
        }
        let revision = match revision.eq_ignore_ascii_case("draft") {
            true => Revision::NEWEST,
            false => revision.parse()?,
        };
        let source = Self::new(revision, place);
        match (&source.place, scheme(place)) {
            (SchemaPlace::File(_), Some(scheme)) => {
                Err(SchemaSourceError::Scheme(scheme.to_owned()))
            }
            _ => Ok(source),
        }
    }
}

/// The scheme of a URL; a file with such a name needs `./` before it.
fn scheme(place: &str) -> Option<&str> {
    let (scheme, _) = place.split_once("://")?;
    let is_one = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.'));
    is_one.then_some(scheme)
}

impl From<&str> for SchemaPlace {
    fn from(text: &str) -> Self {
        // The scheme of a URL is case-insensitive (RFC 3986, section 3.1).
        let begins = |scheme: &str| {
            text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        };
        match begins("http://") || begins("https://") {
            true => Self::Url(text.to_owned()),
            false => Self::File(text.into()),
        }
    }
}

impl From<String> for SchemaPlace {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<PathBuf> for SchemaPlace {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&Path> for SchemaPlace {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

/// The text that is parsed, without secrets in a URL.
impl fmt::Display for SchemaSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.revision, self.place)
    }
}

/// The place, without secrets in a URL.
impl fmt::Display for SchemaPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Url(url) => f.write_str(&redact_urls(url)),
        }
    }
}

impl SchemaPlace {
    fn read(&self) -> Result<Bytes, SchemaSourceError> {
        match self {
            Self::File(path) => files::read(path, Limits::document().bytes)
                .map(Bytes::from)
                .map_err(|source| SchemaSourceError::Unreadable { path: path.clone(), source }),
            Self::Url(url) => fetched(url).map_err(|problem| SchemaSourceError::Unreachable {
                url: self.to_string(),
                problem,
            }),
        }
    }
}

/// Fetches on a thread of its own, since the caller may be within a runtime, where another one cannot block.
#[cfg(feature = "http")]
fn fetched(url: &str) -> Result<Bytes, String> {
    let fetch = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let fetched = runtime.block_on(crate::transport::fetch(
            url,
            Limits::document().bytes,
            Deadline::after(TIME),
        ));
        // A lookup of a host name may still block a thread of the runtime; it is not waited for.
        runtime.shutdown_background();
        fetched.map_err(|error| error.to_string())
    };
    std::thread::scope(|scope| scope.spawn(fetch).join())
        .unwrap_or_else(|panic| Err(crate::expect::words::panic_text(&*panic).to_owned()))
}

#[cfg(not(feature = "http"))]
fn fetched(_: &str) -> Result<Bytes, String> {
    Err("that needs the feature `http` of mcp-test".to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::spec::schema::{self, Authority};

    fn read(text: &str) -> Result<SchemaSource, String> {
        text.parse().map_err(|error: SchemaSourceError| error.to_string())
    }

    #[test]
    fn a_source_is_parsed_and_printed() {
        for text in ["2025-11-25=a/schema.json", "2024-11-05=https://example.org/a=b"] {
            assert_eq!(read(text).map(|source| source.to_string()).as_deref(), Ok(text));
        }
        let url = read("draft=HTTP://localhost/?token=hunter22").expect("a source");
        assert_eq!(url.revision, Revision::NEWEST);
        assert!(matches!(url.place, SchemaPlace::Url(_)));
        assert!(!url.to_string().contains("hunter22"), "{url}");
        let form = "expected REVISION=PATH or REVISION=URL, such as `2025-11-25=schema.json`";
        assert_eq!(read("schema.json"), Err(form.to_owned()));
        assert_eq!(read("2025-11-25="), Err(form.to_owned()));
        insta::assert_snapshot!(read("draft=ftp://example.org/schema.json").expect_err("another scheme"), @"cannot read a schema from `ftp://`; expected http or https");
        assert!(read("draft=./ftp://schema.json").is_ok(), "a file");
        insta::assert_snapshot!(read("2025-11-26=a").expect_err("an unknown revision"), @"`2025-11-26` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28");
    }

    #[test]
    fn a_loaded_schema_replaces_one_revision_and_others_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("schema.json");
        let document = schema::json_schema(Revision::V2025_06_18, Authority::Schema);
        fs::write(&path, document.to_string()).expect("it can be written");
        let source = |revision, name: &str| SchemaSource::new(revision, name).below(folder.path());
        let good = source(Revision::V2025_06_18, "schema.json");
        let schemas = SchemaSource::load(std::slice::from_ref(&good)).expect("it is one of MCP");
        let loaded = Revision::ALL.map(|revision| schemas.is_loaded(revision));
        assert_eq!(loaded, Revision::ALL.map(|revision| revision == Revision::V2025_06_18));

        fs::write(folder.path().join("page.json"), "<html>").expect("it can be written");
        let refused = |sources: &[SchemaSource]| {
            let error = SchemaSource::load(sources).expect_err("it is refused").to_string();
            error.replace(&*folder.path().to_string_lossy(), "[folder]")
        };
        let none = source(Revision::V2025_11_25, "none.json");
        let page = source(Revision::V2025_11_25, "page.json");
        let nobody = SchemaSource::new(Revision::V2025_11_25, "http://127.0.0.1:1/schema.json");
        insta::assert_snapshot!(refused(&[none]), @"cannot read the schema [folder]/none.json: No such file or directory (os error 2)");
        insta::assert_snapshot!(refused(&[source(Revision::V2025_11_25, "")]), @"cannot read the schema [folder]/: Is a directory (os error 21)");
        insta::assert_snapshot!(refused(&[page]), @"cannot validate MCP 2025-11-25 against [folder]/page.json: the schema is not JSON: line 1, column 1: expected a value, found `<`");
        insta::assert_snapshot!(refused(&[good.clone(), good]), @"two schemas are given for MCP 2025-06-18; give one of them");
        #[cfg(feature = "http")]
        insta::assert_snapshot!(refused(&[nobody]), @"cannot fetch the schema http://127.0.0.1:1/schema.json: connection refused: nothing listens there");
        #[cfg(not(feature = "http"))]
        insta::assert_snapshot!(refused(&[nobody]), @"cannot fetch the schema http://127.0.0.1:1/schema.json: that needs the feature `http` of mcp-test");
    }
}
