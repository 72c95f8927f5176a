//! Why a connection to a target could not be opened.

use super::TransportKind;
#[cfg(feature = "http")]
use super::redacted::redact_urls;
use crate::process::SpawnError;

/// Why a connection could not be opened, or the program behind a URL not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The target does not have the transport.
    #[error("`{target}` cannot be reached over {wanted}")]
    NoSuchTransport {
        /// The label of the target.
        target: String,
        /// The transport that was asked for.
        wanted: TransportKind,
        /// The transports that the target has.
        has: Vec<TransportKind>,
    },
    /// The program could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The program was started without its pipes.
    #[error("`{command}` was started without its pipes")]
    NoPipes {
        /// The command line.
        command: String,
    },
    /// The URL is invalid or cannot be used.
    #[error("cannot connect to `{url}`: {why}")]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// Another program listens at the URL.
    #[error("`{command}` was not started: something already listens at {url}")]
    Occupied {
        /// The command line.
        command: String,
        /// The URL.
        url: String,
    },
    /// The program does not listen at its URL.
    #[error("`{command}` does not serve {url}")]
    NotListening {
        /// The command line.
        command: String,
        /// The URL.
        url: String,
        /// What it did instead.
        got: String,
        /// The last lines of its stderr.
        stderr: Vec<String>,
    },
}

#[cfg(feature = "http")]
impl OpenError {
    /// An error about a URL, which is shown without its secrets.
    pub(super) fn url(url: &str, why: &impl ToString) -> Self {
        Self::Url { url: redact_urls(url), why: why.to_string() }
    }
}
