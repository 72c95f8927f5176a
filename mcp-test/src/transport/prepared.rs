//! What all connections to a target share while a run lasts: the program behind a URL.

use std::time::Duration;

use super::target::Carrier;
use crate::check::Finding;
use crate::process::Child;

/// The program behind a URL, kept running; see [`Target::prepare`](super::Target::prepare).
#[derive(Debug, Default)]
pub struct Prepared {
    child: Option<Child>,
}

impl Prepared {
    /// The last lines that the program wrote on stderr, at most `count`.
    #[must_use]
    pub fn stderr_tail(&self, count: usize) -> Vec<String> {
        self.child.as_ref().map(|child| child.stderr_tail(count)).unwrap_or_default()
    }

    /// Ends the program and all that it started.
    pub async fn end(mut self) {
        const GRACE: Duration = Duration::from_secs(2);
        if let Some(child) = &mut self.child {
            child.end(GRACE).await;
        }
    }

    #[cfg(not(feature = "http"))]
    #[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
    pub(super) async fn bring_up(_: &[Carrier]) -> Result<Self, Finding> {
        Ok(Self::default())
    }

    #[cfg(feature = "http")]
    pub(super) async fn bring_up(carriers: &[Carrier]) -> Result<Self, Finding> {
        let mut prepared = Self::default();
        for carrier in carriers {
            if let Carrier::Http { url, started_by: Some(command) } = carrier {
                prepared.child = Some(listening::start(url, command).await?);
            }
        }
        Ok(prepared)
    }
}

#[cfg(feature = "http")]
mod listening {
    //! Starting a program and waiting until it listens.

    use std::time::Duration;

    use super::{Child, Finding};
    use crate::clock::{self, Deadline};
    use crate::process::Command;

    /// How long a program may take until it listens.
    const START_UP: Duration = Duration::from_secs(60);
    /// How long to leave the program alone between two tries to connect.
    const PACE: Duration = Duration::from_millis(20);
    /// Lines of stderr that a failure shows.
    const LAST_LINES: usize = 10;

    pub(super) async fn start(url: &str, command: &Command) -> Result<Child, Finding> {
        let address = address(url)?;
        if tokio::net::TcpStream::connect(&address).await.is_ok() {
            return Err(Finding::environment(format!(
                "`{command}` was not started: something listens at {url} already"
            ))
            .expected(format!("{address} to be free"))
            .hint("leave out the command to test what listens there, or choose another port"));
        }
        let mut child = Child::spawn(command, |_| {})
            .map_err(|error| Finding::environment(error.to_string()))?;
        child.log_stdout(|_| {});
        let deadline = Deadline::after(START_UP);
        while tokio::net::TcpStream::connect(&address).await.is_err() {
            let exit = clock::within(Deadline::after(PACE), child.wait_exit()).await;
            let got = match exit {
                Ok(exit) => format!("a program that ended with {exit}"),
                Err(_) if deadline.has_passed() => {
                    format!("nothing that listens there within {} s", START_UP.as_secs())
                }
                Err(_) => continue,
            };
            let tail = child.stderr_tail(LAST_LINES);
            child.end(Duration::from_secs(1)).await;
            let finding = Finding::environment(format!("`{command}` does not serve {url}"))
                .expected(format!("a program that listens at {address}"))
                .got(got);
            return Err(match tail.is_empty() {
                true => finding,
                false => finding.hint(format!("its stderr ends with\n{}", tail.join("\n"))),
            });
        }
        Ok(child)
    }

    /// Host and port of a URL.
    fn address(url: &str) -> Result<String, Finding> {
        let uri: http::Uri = url.parse().map_err(|error| {
            Finding::environment(format!("`{url}` is no URL: {error}"))
                .expected("a URL such as http://127.0.0.1:3000/mcp")
        })?;
        let host = uri.host().ok_or_else(|| {
            Finding::environment(format!("the URL `{url}` names no host"))
                .expected("a URL such as http://127.0.0.1:3000/mcp")
        })?;
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        Ok(format!("{host}:{port}"))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_address_of_a_url_has_a_port() {
            assert_eq!(address("http://localhost/mcp").as_deref(), Ok("localhost:80"));
            assert_eq!(address("http://[::1]:8080/mcp").as_deref(), Ok("[::1]:8080"));
            insta::assert_snapshot!(address("/mcp").unwrap_err(), @r"
            the URL `/mcp` names no host
              expected a URL such as http://127.0.0.1:3000/mcp
            ");
        }

        #[tokio::test]
        async fn a_program_that_exits_is_told_with_its_last_words() {
            let command = Command::new("sh").args(["-c", "echo no config >&2; exit 3"]);
            let finding = start("http://127.0.0.1:9/mcp", &command).await.map(drop).unwrap_err();
            insta::assert_snapshot!(finding);
        }
    }
}
