//! How a client ends the server that it has started over stdio: its standard input first, then time to exit, then signals.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio>

use std::time::Duration;

use super::EnvelopeJudge;
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::clock;
use crate::trace::EndSignal;

cites! {
    TRANSPORT_STDIO_SHUTDOWN_CLOSE_STDIN, TRANSPORT_STDIO_SHUTDOWN_SIGTERM_SIGKILL,
    TRANSPORT_STDIO_SHUTDOWN_WAITS,
}

/// A signal this soon after the end of the input leaves no time to exit: SDKs wait for seconds.
const AT_ONCE: Duration = Duration::from_millis(100);

impl EnvelopeJudge {
    /// A signal that a client sent to its server.
    pub(super) fn signalled(
        &mut self,
        event: JudgedEvent<'_>,
        signal: EndSignal,
        since_eof: Option<Duration>,
    ) {
        let is_first = self.signalled.insert(event.connection);
        let name = signal.as_str();
        match since_eof {
            // What follows the first signal follows from it.
            _ if !is_first => {}
            None => {
                let finding = Finding::peer("the client ended the server before it closed its standard input")
                    .expected("the end of the server's standard input first, then time for it to exit, and signals only if it does not")
                    .got(format!("{name} while its standard input was open"));
                self.find(event, finding, TRANSPORT_STDIO_SHUTDOWN_CLOSE_STDIN);
            }
            Some(since) if since < AT_ONCE => {
                let finding = Finding::peer("the client did not wait for the server to exit")
                    .expected(
                        "some seconds between the end of the server's standard input and a signal",
                    )
                    .got(format!("{name} after {}", clock::format_duration(since)));
                self.find(event, finding, TRANSPORT_STDIO_SHUTDOWN_WAITS);
            }
            Some(_) => {}
        }
        // In newer revisions the means of the operating system are up to the client.
        if is_first
            && signal == EndSignal::Kill
            && TRANSPORT_STDIO_SHUTDOWN_SIGTERM_SIGKILL.applies_at(event.opened_for)
        {
            let finding = Finding::peer("the client killed the server without SIGTERM before")
                .expected("SIGTERM, time to exit, and then SIGKILL")
                .got(name);
            self.find(event, finding, TRANSPORT_STDIO_SHUTDOWN_SIGTERM_SIGKILL);
        }
    }
}
