//! One transport of a target: how a connection over it is opened.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::io::DuplexStream;

use super::TransportKind;
use crate::process::Command;

/// Serves one connection of a server in this process.
type Serve = Arc<dyn Fn(DuplexStream) -> BoxFuture<'static, crate::Result> + Send + Sync>;

#[derive(Clone)]
pub(super) enum TargetTransport {
    Duplex(Serve),
    Stdio(Command),
    #[cfg(feature = "http")]
    Http {
        url: String,
        started_by: Option<Command>,
    },
    #[cfg(feature = "http")]
    Router {
        make: Arc<dyn Fn() -> axum::Router + Send + Sync>,
        endpoint: String,
    },
    #[cfg(feature = "http")]
    Sse {
        url: String,
        started_by: Option<Command>,
    },
}

impl TargetTransport {
    pub(super) fn kind(&self) -> TransportKind {
        match self {
            Self::Duplex(_) => TransportKind::Duplex,
            Self::Stdio(_) => TransportKind::Stdio,
            #[cfg(feature = "http")]
            Self::Http { .. } => TransportKind::Http,
            #[cfg(feature = "http")]
            Self::Router { .. } => TransportKind::Router,
            #[cfg(feature = "http")]
            Self::Sse { .. } => TransportKind::Sse,
        }
    }
}

#[cfg(feature = "http")]
impl TargetTransport {
    /// The program to be started, and the URL at which it then listens.
    pub(super) fn started_by(&self) -> Option<(&str, &Command)> {
        match self {
            Self::Http { url, started_by } | Self::Sse { url, started_by } => {
                Some((url, started_by.as_ref()?))
            }
            _ => None,
        }
    }
}
