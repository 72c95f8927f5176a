//! Why a target could not be reached at all: nothing that a peer said, but that there was no way to hear it.

use super::CarrierKind;
use crate::process::SpawnError;

/// Why a connection could not be opened, or the program behind a URL not be brought up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The target cannot be reached in this way.
    #[error("`{target}` cannot be reached over {wanted}")]
    NoSuchCarrier {
        /// The label of the target.
        target: String,
        /// The carrier that was asked for.
        wanted: CarrierKind,
        /// The carriers that the target has.
        has: Vec<CarrierKind>,
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
    /// The URL is none, or one that cannot be spoken to.
    #[error("`{url}` cannot be spoken to: {why}")]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// Something listens already where the program was to listen.
    #[error("`{command}` was not started: something listens at {url} already")]
    Occupied {
        /// The command line.
        command: String,
        /// The URL.
        url: String,
    },
    /// The program does not listen where it should.
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
