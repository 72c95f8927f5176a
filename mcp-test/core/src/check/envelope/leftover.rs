//! What the judged party left behind when it should have ended.

use super::EnvelopeJudge;
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::clock;
use crate::trace::{ExitWait, Leftover};

cites! {
    MCP_TEST_SERVER_LEAVES_NO_PROCESS, TRANSPORT_HTTP_SSE_CLOSE_AFTER_RESPONSE,
    TRANSPORT_STDIO_EXIT_ON_EOF, TRANSPORT_STDIO_EXIT_ON_EOF_IMPLIED,
}

impl EnvelopeJudge {
    pub(super) fn lingered(
        &mut self,
        event: JudgedEvent<'_>,
        what: Leftover,
        how: &str,
        wait: Option<ExitWait>,
    ) {
        let revision = event.opened_for;
        if what == Leftover::Process && wait.is_some_and(|wait| !wait.is_conclusive()) {
            return;
        }
        let (finding, rule) = match what {
            Leftover::Process => {
                let rules = [TRANSPORT_STDIO_EXIT_ON_EOF, TRANSPORT_STDIO_EXIT_ON_EOF_IMPLIED];
                // The older revisions only imply it, by how a client is to shut a server down.
                let rule = rules.into_iter().find(|rule| rule.applies_at(revision));
                let finding = Finding::peer("the server did not exit when its input ended")
                    .expected("a server that exits on its own soon after the end of its input");
                (finding, rule.unwrap_or(rules[0]))
            }
            Leftover::Descendant => {
                let finding = Finding::peer("the server left a process behind that it had started")
                    .expected("a server that ends what it has started before it exits")
                    .hint("it holds what it has inherited, such as pipes; mcp-test has killed it");
                (finding, MCP_TEST_SERVER_LEAVES_NO_PROCESS)
            }
            Leftover::Stream => {
                let finding = Finding::peer("an event stream was not ended after its reply")
                    .expected("the end of the stream soon after the last reply on it");
                (finding, TRANSPORT_HTTP_SSE_CLOSE_AFTER_RESPONSE)
            }
        };
        let finding = match wait.and_then(wait_text) {
            Some(text) => finding.hint(text),
            None => finding,
        };
        self.find(event, finding.got(how), rule);
    }
}

/// How long an exit was awaited, and why that long.
fn wait_text(wait: ExitWait) -> Option<String> {
    let waited = clock::format_duration(wait.waited);
    let start_up = clock::format_duration(wait.start_up?);
    Some(format!(
        "mcp-test waited {waited} for its exit, which depends on how fast it starts: its first message came {start_up} after its start"
    ))
}
