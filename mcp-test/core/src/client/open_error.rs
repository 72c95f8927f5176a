//! Converts transport errors to findings.
//!
//! A target that cannot be opened is never the peer's fault; an HTTP request without a response is.

use crate::check::Finding;
use crate::transport::{HttpFailure, OpenError, TransportKind};

impl From<OpenError> for Finding {
    fn from(error: OpenError) -> Self {
        let headline = error.to_string();
        match error {
            OpenError::NoSuchTransport { wanted, has, .. } => {
                let names: Vec<_> = has.iter().map(ToString::to_string).collect();
                let finding = Self::test(headline)
                    .expected(format!("one of its transports: {}", names.join(", ")));
                match wanted {
                    TransportKind::Router => {
                        finding.hint("`.and_router(|| …)` adds in-process HTTP to a target")
                    }
                    _ => finding,
                }
            }
            // `process` always asks for pipes, so their absence is not the fault of the program.
            OpenError::NoPipes { .. } => Self::harness(headline),
            OpenError::Url { .. } => {
                Self::environment(headline).expected("a URL such as http://127.0.0.1:3000/mcp")
            }
            OpenError::Occupied { .. } => Self::environment(headline)
                .expected("that address to be free")
                .hint("omit the command to test the server that listens there, or choose another port"),
            OpenError::NotListening { url, got, stderr, .. } => {
                let finding = Self::environment(headline)
                    .expected(format!("a program that listens at {url}"))
                    .got(got);
                if stderr.is_empty() {
                    return finding;
                }
                finding.hint(format!("its stderr ends with\n{}", stderr.join("\n")))
            }
            _ => Self::environment(headline),
        }
    }
}

impl From<HttpFailure> for Finding {
    fn from(failure: HttpFailure) -> Self {
        let evidence = failure.evidence();
        let finding = match &failure {
            HttpFailure::NoHttp { .. } => Self::test(failure.to_string())
                .expected("a connection over HTTP")
                .hint("test it with `--url` or `Target::url`"),
            HttpFailure::NoResponse { method, why, .. } => {
                Self::peer(format!("the {method} request got no HTTP response"))
                    .expected("an HTTP response")
                    .got(why.clone())
            }
            HttpFailure::Late { method, within, .. } => {
                Self::peer(format!("the {method} request was not answered"))
                    .expected(format!("an HTTP response within {within}"))
                    .got("nothing at all in that time")
            }
        };
        finding.evidence_all(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Command;
    use crate::trace::Recorder;
    use crate::transport::{Limits, Target};

    async fn open(target: Target, transport: TransportKind) -> Finding {
        let opened = target.open(transport, &Recorder::new(), Limits::default()).await;
        opened.map(drop).map_err(Finding::from).expect_err("nothing to open")
    }

    #[tokio::test]
    async fn findings_about_unreachable_targets_name_the_fix() {
        let command = || Target::command(Command::new("/no/such/server"));
        insta::assert_snapshot!(open(command(), TransportKind::Stdio).await, @"cannot start `/no/such/server`: no such file: /no/such/server");
        insta::assert_snapshot!(open(command(), TransportKind::Duplex).await, @"
        `/no/such/server` cannot be reached over duplex
          expected one of its transports: stdio
        ");
        insta::assert_snapshot!(open(command(), TransportKind::Router).await, @"
        `/no/such/server` cannot be reached over router
          expected one of its transports: stdio
          hint: `.and_router(|| …)` adds in-process HTTP to a target
        ");
    }

    #[cfg(feature = "http")]
    #[tokio::test]
    async fn a_url_that_is_not_http_says_what_is_wrong() {
        let finding = |url| open(Target::url(url), TransportKind::Http);
        insta::assert_snapshot!(finding("ws://localhost:3000/mcp").await, @"
        cannot connect to `ws://localhost:3000/mcp`: `ws` is WebSocket, which is not a transport of MCP
          expected a URL such as http://127.0.0.1:3000/mcp
        ");
        insta::assert_snapshot!(finding("localhost:3000/mcp").await, @"
        cannot connect to `localhost:3000/mcp`: `localhost` is not HTTP
          expected a URL such as http://127.0.0.1:3000/mcp
        ");
        let started = Target::url_started_by("wss://localhost/mcp", Command::new("sh"));
        let finding =
            started.prepare().await.map(drop).map_err(Finding::from).expect_err("no HTTP");
        assert!(finding.headline.contains("`wss` is WebSocket"), "{finding}");
    }

    #[cfg(all(unix, feature = "http"))]
    #[tokio::test]
    async fn a_program_that_does_not_listen_is_reported_with_its_stderr() {
        let exits = Command::new("sh").args(["-c", "echo no config >&2; exit 3"]);
        let prepared = Target::url_started_by("http://127.0.0.1:9/mcp", exits).prepare().await;
        let finding = prepared.map(drop).map_err(Finding::from).expect_err("nothing listens");
        insta::assert_snapshot!(finding, @"
        `sh -c 'echo no config >&2; exit 3'` does not serve http://127.0.0.1:9/mcp
          expected a program that listens at http://127.0.0.1:9/mcp
          got a program that ended with exit code 3
          hint: its stderr ends with
            no config
        ");

        let nowhere = Target::url_started_by("/mcp", Command::new("sh")).prepare().await;
        let finding = nowhere.map(drop).map_err(Finding::from).expect_err("no URL");
        insta::assert_snapshot!(finding, @"
        cannot connect to `/mcp`: it has no host
          expected a URL such as http://127.0.0.1:3000/mcp
        ");
    }
}
