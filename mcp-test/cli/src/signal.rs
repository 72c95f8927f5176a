//! Signals that end this process: SIGINT, SIGTERM and SIGHUP; and SIGXFSZ, which must not.

use std::future::Future;

/// A signal that ends this process.
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
    /// The exit code of a process that was ended by this signal, by the convention of shells.
    pub(super) const fn exit(self) -> u8 {
        // 128 and the number of the signal.
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
            Self::Hangup => 129,
        }
    }
}

/// Waits for `work`, or for a signal, which drops `work` and everything that it started.
pub(super) async fn unless_signalled<T>(work: impl Future<Output = T>) -> Result<T, Signal> {
    unless_signalled_except(None, work).await
}

/// As [`unless_signalled`], but ignores one signal.
pub(super) async fn unless_signalled_except<T>(
    ignored: Option<Signal>,
    work: impl Future<Output = T>,
) -> Result<T, Signal> {
    tokio::pin!(work);
    loop {
        let signal = tokio::select! {
            done = &mut work => return Ok(done),
            signal = signal() => signal,
        };
        if Some(signal) != ignored {
            return Err(signal);
        }
    }
}

#[cfg(unix)]
async fn signal() -> Signal {
    use tokio::signal::unix::{SignalKind, signal};

    // SIGHUP too, because a closed terminal must not leave the processes of servers behind.
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        // Without handlers, the default action ends this process.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => Signal::Interrupt,
        _ = terminate.recv() => Signal::Terminate,
        _ = hangup.recv() => Signal::Hangup,
    }
}

/// Makes a write beyond the file size limit of this process (`ulimit -f`) an error, where SIGXFSZ would end the process without a word.
#[cfg(unix)]
pub(super) fn survive_file_size_limit() {
    use tokio::signal::unix::{SignalKind, signal};

    let limit = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() {
        let _entered = runtime.enter();
        // The handler stays without the runtime. A child has the default action again.
        drop(signal(limit));
    }
}

#[cfg(not(unix))]
async fn signal() -> Signal {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Signal::Interrupt,
        Err(_) => std::future::pending().await,
    }
}
