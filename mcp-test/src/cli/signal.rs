//! What ends us from outside: an interrupt from the terminal, its end, or a request to terminate.

use std::future::Future;

/// A signal that asks us to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Ctrl-C, SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is gone.
    Hangup,
}

impl Signal {
    /// The exit code by which shells know that a program was ended.
    pub(super) const fn exit(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
            Self::Hangup => 129,
        }
    }
}

/// Waits for `work`, unless a signal comes first: then `work` is dropped, and with it everything that it started.
pub(super) async fn unless_signalled<T>(work: impl Future<Output = T>) -> Result<T, Signal> {
    unless_signalled_except(None, work).await
}

/// As [`unless_signalled`], but one of the signals has no effect.
pub(super) async fn unless_signalled_except<T>(
    deaf_to: Option<Signal>,
    work: impl Future<Output = T>,
) -> Result<T, Signal> {
    tokio::pin!(work);
    loop {
        let signal = tokio::select! {
            done = &mut work => return Ok(done),
            signal = signal() => signal,
        };
        if Some(signal) != deaf_to {
            return Err(signal);
        }
    }
}

#[cfg(unix)]
async fn signal() -> Signal {
    use tokio::signal::unix::{SignalKind, signal};

    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        // Without handlers, the default action ends us.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => Signal::Interrupt,
        _ = terminate.recv() => Signal::Terminate,
        _ = hangup.recv() => Signal::Hangup,
    }
}

#[cfg(not(unix))]
async fn signal() -> Signal {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Signal::Interrupt,
        Err(_) => std::future::pending().await,
    }
}
