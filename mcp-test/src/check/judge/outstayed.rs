//! What of the judged party was still there when it should have been over.

use super::{Judge, holds};
use crate::check::Finding;
use crate::trace::{Event, Outstaying};

impl Judge<'_> {
    pub(super) fn outstayed(&mut self, event: &Event, what: Outstaying, how: &str) {
        let revision = self.revision(event);
        let finding = match what {
            Outstaying::Process => {
                let rules = ["transport.stdio.exit-on-eof", "transport.stdio.exit-on-eof-implied"];
                let rule = rules.into_iter().find(|id| holds(id, revision)).unwrap_or(rules[0]);
                Finding::peer("the server did not leave when its input ended")
                    .expected("a server that exits by itself soon after the end of its input")
                    .requires(rule)
            }
            Outstaying::Descendant => {
                Finding::peer("the server left a process behind that it had started")
                    .expected("a server that ends what it has started before it exits")
                    .hint("it holds what it has inherited, such as pipes; mcp-test has killed it")
            }
            Outstaying::Stream => Finding::peer("an event stream was not ended after its reply")
                .expected("the end of the stream soon after the last reply on it")
                .requires("transport.http.sse-close-after-response"),
        };
        self.find(event, finding.got(how).should());
    }
}
