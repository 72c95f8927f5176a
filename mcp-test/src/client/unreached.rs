//! What it means for a test that a target could not be reached: a finding, and nobody blames the peer.

use crate::check::Finding;
use crate::transport::{HttpFailure, OpenError};

impl From<OpenError> for Finding {
    fn from(error: OpenError) -> Self {
        let headline = error.to_string();
        match error {
            OpenError::NoSuchCarrier { has, .. } => {
                let words: Vec<_> = has.iter().map(ToString::to_string).collect();
                Self::test(headline)
                    .expected(format!("one of its transports: {}", words.join(", ")))
            }
            OpenError::NoPipes { .. } => Self::harness(headline),
            OpenError::Url { .. } => {
                Self::environment(headline).expected("a URL such as http://127.0.0.1:3000/mcp")
            }
            OpenError::Occupied { .. } => Self::environment(headline)
                .expected("that address to be free")
                .hint("leave out the command to test what listens there, or choose another port"),
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
    use crate::transport::{CarrierKind, Limits, Target};

    async fn open(target: Target, carrier: CarrierKind) -> Finding {
        let opened = target.open(carrier, &Recorder::new(), Limits::default()).await;
        opened.map(drop).map_err(Finding::from).expect_err("nothing to open")
    }

    #[tokio::test]
    async fn each_way_not_to_reach_a_target_says_what_would_be_right() {
        let command = || Target::command(Command::new("/no/such/server"));
        insta::assert_snapshot!(open(command(), CarrierKind::Stdio).await, @"cannot start `/no/such/server`: there is no file /no/such/server");
        insta::assert_snapshot!(open(command(), CarrierKind::Duplex).await, @"
        `/no/such/server` cannot be reached over duplex
          expected one of its transports: stdio
        ");
    }

    #[cfg(all(unix, feature = "http"))]
    #[tokio::test]
    async fn a_program_that_does_not_listen_is_told_with_its_last_words() {
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
        `/mcp` cannot be spoken to: it names no host
          expected a URL such as http://127.0.0.1:3000/mcp
        ");
    }
}
