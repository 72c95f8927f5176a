//! The program behind a URL, which all connections to a target share during a run.

use std::time::Duration;

use super::OpenError;
use super::target_transport::TargetTransport;
use crate::clock::{self, Deadline};
use crate::process::{Child, Exit};

/// The program behind a URL, kept running; see [`Target::prepare`](super::Target::prepare).
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct PreparedTarget {
    child: Option<Child>,
}

impl PreparedTarget {
    /// The last lines that the program wrote on stderr, at most `count`.
    #[must_use]
    pub fn stderr_tail(&self, count: usize) -> Vec<String> {
        self.child.as_ref().map(|child| child.stderr_tail(count)).unwrap_or_default()
    }

    /// How the program exited, if it has; then nothing answers at the URL any more.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        self.child.as_ref().and_then(Child::exit)
    }

    /// How the program exited, if it does before the deadline; then its stderr is complete.
    pub async fn exit_until(&self, deadline: Deadline) -> Option<Exit> {
        clock::within(deadline, self.child.as_ref()?.wait_exit()).await.ok()
    }

    /// Ends the program and everything it started.
    pub async fn end(mut self) {
        const GRACE: Duration = Duration::from_secs(2);
        if let Some(child) = &mut self.child {
            child.end(GRACE).await;
        }
    }

    /// Ends a program that does not answer, and everything it started: without waiting for it to notice the end of its input.
    pub(crate) async fn stop(mut self) {
        const GRACE: Duration = Duration::from_millis(500);
        if let Some(child) = &mut self.child {
            child.stop(GRACE).await;
        }
    }

    #[cfg(not(feature = "http"))]
    #[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
    pub(super) async fn start(_: &[TargetTransport], _: Duration) -> Result<Self, OpenError> {
        Ok(Self::default())
    }

    #[cfg(feature = "http")]
    pub(super) async fn start(
        transports: &[TargetTransport],
        start_up: Duration,
    ) -> Result<Self, OpenError> {
        let mut prepared = Self::default();
        for transport in transports {
            if let Some((url, command)) = transport.started_by() {
                // No target has two programs: only the constructors set one, and `and_…` adds transports without any.
                prepared.child = Some(listening::start(url, command, start_up).await?);
            }
        }
        Ok(prepared)
    }
}

#[cfg(feature = "http")]
mod listening {
    //! Starting a program and waiting until it listens.

    use std::time::Duration;

    use super::{Child, OpenError};
    use crate::clock::{self, Deadline};
    use crate::process::Command;
    use crate::transport::http::check_scheme;
    use crate::transport::redacted::redact_urls;

    /// The time between two attempts to connect.
    const INTERVAL: Duration = Duration::from_millis(20);
    /// How many lines of stderr a failure shows.
    const LAST_LINES: usize = 10;

    pub(super) async fn start(
        url: &str,
        command: &Command,
        start_up: Duration,
    ) -> Result<Child, OpenError> {
        let address = address(url)?;
        // Otherwise the tests would silently run against whatever holds the port.
        if listens(&address).await {
            let (command, url) = (redact_urls(command), redact_urls(url));
            return Err(OpenError::Occupied { command, url });
        }
        let mut child = Child::spawn(command, |_| {})?;
        // A pipe that nobody reads would block the program once it is full.
        child.log_stdout(|_| {});
        let deadline = Deadline::after(start_up);
        while !listens(&address).await {
            // Waits for the exit and not only for time, so that a program that fails to start is reported at once.
            let exit = clock::within(Deadline::after(INTERVAL), child.wait_exit()).await;
            let got = match exit {
                Ok(exit) => format!("a program that ended with {exit}"),
                Err(_) if deadline.has_passed() => {
                    format!(
                        "nothing that listens there within {}",
                        clock::format_duration(start_up)
                    )
                }
                Err(_) => continue,
            };
            let stderr = child.stderr_tail(LAST_LINES);
            child.stop(Duration::from_millis(500)).await;
            let (command, url) = (redact_urls(command), redact_urls(url));
            return Err(OpenError::NotListening { command, url, got, stderr });
        }
        Ok(child)
    }

    /// Whether something accepts connections at the address; a host that does not even refuse them counts as no.
    async fn listens(address: &str) -> bool {
        const CONNECT: Duration = Duration::from_secs(1);
        let connecting = tokio::net::TcpStream::connect(address);
        matches!(clock::within(Deadline::after(CONNECT), connecting).await, Ok(Ok(_)))
    }

    /// Host and port of a URL.
    fn address(url: &str) -> Result<String, OpenError> {
        check_scheme(url).map_err(|why| OpenError::url(url, &why))?;
        let wrong = |why: String| OpenError::Url { url: redact_urls(url), why };
        let uri: http::Uri = url.parse().map_err(|error| wrong(format!("{error}")))?;
        let host = uri.host().ok_or_else(|| wrong("it has no host".to_owned()))?;
        let standard = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        Ok(format!("{host}:{}", uri.port_u16().unwrap_or(standard)))
    }

    #[cfg(test)]
    mod tests {
        use super::address;

        #[test]
        fn the_address_of_a_url_has_a_port() {
            assert_eq!(address("http://localhost/mcp").ok().as_deref(), Some("localhost:80"));
            assert_eq!(address("https://localhost/mcp").ok().as_deref(), Some("localhost:443"));
            assert_eq!(address("http://[::1]:8080/mcp").ok().as_deref(), Some("[::1]:8080"));
            assert!(address("/mcp").is_err());
            assert!(address("ws://localhost:8080/mcp").is_err());
        }
    }
}
