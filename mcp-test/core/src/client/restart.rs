//! Restarting a server program that has exited.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#unexpected-termination>

use std::time::Duration;

use super::Client;
use crate::check::Finding;
use crate::spec::Era;

/// How long the remains of the old program may take to exit.
const GRACE: Duration = Duration::from_secs(2);

impl Client {
    /// Starts the server's program again; `false` if the client did not start one.
    ///
    /// 2026-07-28 asks clients to do so when the program exits unexpectedly. It does not happen automatically, because
    /// a test wants to see the exit. Open requests are lost and have to be sent again. In the handshake era the
    /// conversation starts over with `initialize`.
    ///
    /// # Errors
    ///
    /// A finding when the program cannot be started again or does not complete the handshake.
    pub async fn restart(&mut self) -> Result<bool, Finding> {
        match self.connection.restart(GRACE).await {
            None => return Ok(false),
            Some(restarted) => restarted?,
        }
        // Before the handshake, whose own request must not be failed with the old ones.
        self.state.restart();
        if self.revision().era() == Era::Handshake {
            // The new process has no session; in the stateless era it needs none.
            self.initialize().await.map(drop)?;
        }
        Ok(true)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::client::Options;
    use crate::process::Command;
    use crate::spec::Revision;
    use crate::trace::Recorder;
    use crate::transport::{Limits, Target, TransportKind};

    /// A server that answers one request, reads another one, and crashes.
    const CRASHING: &str = r#"
        read line
        id=${line#*\"id\":}
        echo '{"jsonrpc":"2.0","id":'${id%%,*}',"result":{"resultType":"complete"}}'
        read line
        exit 101
    "#;

    async fn open(target: &Target, transport: TransportKind) -> Client {
        let connection = target.open(transport, &Recorder::new(), Limits::default()).await.unwrap();
        let options = Options::speaking(Revision::NEWEST).timeout(Duration::from_secs(20));
        Client::uninitialized(connection, options)
    }

    #[tokio::test]
    async fn a_crashed_program_answers_after_a_restart() {
        let program = Target::command(Command::new("sh").args(["-c", CRASHING]));
        let mut client = open(&program, TransportKind::Stdio).await;
        let params = || serde_json::json!({});
        assert!(client.request("tools/list", params()).await.is_ok());
        let lost = client.start("tools/list", params()).await;
        let crash = client.request("tools/list", params()).await.map(drop).unwrap_err();
        assert!(crash.to_string().contains("exit code 101"), "{crash}");
        assert!(client.restart().await.unwrap());
        insta::assert_snapshot!(client.wait(lost).await.map(drop).unwrap_err(), @"
        the connection ended before `tools/list` was answered
          expected a response with id 2
          got a program that exited and was restarted
        ");
        assert!(client.request("tools/list", params()).await.is_ok());
    }

    #[tokio::test]
    async fn a_target_without_a_program_is_not_restarted() {
        let target = Target::duplex(|_| async { Ok(()) });
        assert!(!open(&target, TransportKind::Duplex).await.restart().await.unwrap());
    }
}
