//! Beginning again with a program that has ended.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#unexpected-termination>

use std::time::Duration;

use super::Client;
use crate::check::Finding;
use crate::spec::Era;

/// How long what is left of the old program may take to end.
const GRACE: Duration = Duration::from_secs(2);

impl Client {
    /// Starts the server's program again; `false` where the server is no program that the client started.
    ///
    /// 2026-07-28 asks clients to do so when the program exits unexpectedly. It is not done unasked: an exit is
    /// something that a test wants to see. What was under way is lost, and has to be asked again. In the handshake era
    /// the conversation begins anew with `initialize`.
    ///
    /// # Errors
    ///
    /// A finding when the program cannot be started again, or does not take up the conversation.
    pub async fn restart(&mut self) -> Result<bool, Finding> {
        match self.link.restart(GRACE).await {
            None => return Ok(false),
            Some(restarted) => restarted?,
        }
        self.state.begin_anew();
        if self.revision().era() == Era::Handshake {
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
    use crate::transport::{CarrierKind, Limits, Target};

    /// A server that answers one request, reads another one, and crashes.
    const BRITTLE: &str = r#"
        read line
        id=${line#*\"id\":}
        echo '{"jsonrpc":"2.0","id":'${id%%,*}',"result":{"resultType":"complete"}}'
        read line
        exit 101
    "#;

    async fn open(target: &Target, carrier: CarrierKind) -> Client {
        let link = target.open(carrier, &Recorder::new(), Limits::default()).await.unwrap();
        let options = Options::speaking(Revision::NEWEST).timeout(Duration::from_secs(20));
        Client::silent(link, options)
    }

    #[tokio::test]
    async fn a_program_that_crashed_answers_again() {
        let program = Target::command(Command::new("sh").args(["-c", BRITTLE]));
        let mut client = open(&program, CarrierKind::Stdio).await;
        let params = || serde_json::json!({});
        assert!(client.request("tools/list", params()).await.is_ok());
        let lost = client.start("tools/list", params()).await;
        let crash = client.request("tools/list", params()).await.map(drop).unwrap_err();
        assert!(crash.to_string().contains("exit code 101"), "{crash}");
        assert!(client.restart().await.unwrap());
        insta::assert_snapshot!(client.wait(lost).await.map(drop).unwrap_err(), @"
        the connection ended before `tools/list` was answered
          expected a response with id 2
          got a program that ended, and was started again
        ");
        assert!(client.request("tools/list", params()).await.is_ok());
    }

    #[tokio::test]
    async fn what_is_no_program_is_left_alone() {
        let target = Target::duplex(|_| async { Ok(()) });
        assert!(!open(&target, CarrierKind::Duplex).await.restart().await.unwrap());
    }
}
