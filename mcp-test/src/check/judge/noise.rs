//! Bytes that are no message where messages belong, and which requirement they break.

use super::{Judge, Media, holds};
use crate::check::Finding;
use crate::expect::words::quoted;
use crate::spec::Revision;
use crate::trace::{Damage, Event, Party};

/// A place where nothing but messages belongs.
struct Place {
    headline: &'static str,
    expected: &'static str,
    /// Where a stray piece does no harm, since readers are told to pass over it.
    lenient: bool,
    /// The first that holds at the revision is broken.
    requirements: &'static [&'static str],
}

const SERVER_OUTPUT: Place = Place {
    headline: "the server wrote something to its output that is no MCP message",
    expected: "one JSON-RPC message per line, and nothing else",
    lenient: false,
    requirements: &["transport.stdio.stdout-only-messages"],
};

const CLIENT_OUTPUT: Place = Place {
    headline: "the client wrote something to the server's input that is no MCP message",
    expected: "one JSON-RPC message per line, and nothing else",
    lenient: false,
    requirements: &["transport.stdio.stdin-only-messages"],
};

const CLIENT_BODY: Place = Place {
    headline: "the client posted something that is no MCP message",
    expected: "a body that is one JSON-RPC message",
    lenient: false,
    requirements: &[
        "transport.http.body-single-or-batch",
        "transport.http.body-single-message",
        "transport.http.body-request-or-notification",
    ],
};

const STREAM: Place = Place {
    headline: "the event stream holds something that is no MCP message",
    expected: "events with one JSON-RPC message each as their data",
    lenient: true,
    requirements: &["transport.http.sse-event-data", "transport.sse.message-events"],
};

const JSON_BODY: Place = Place {
    headline: "the server sent a body of application/json that is no JSON",
    expected: "a body that is one JSON-RPC message",
    lenient: false,
    // Before, that a body be one object was not said; what is no JSON is not of that type, though.
    requirements: &["transport.http.json-single-object", "transport.http.request-content-type"],
};

const OTHER_BODY: Place = Place {
    headline: "the server answered a request with something else than JSON or an event stream",
    expected: "a body of type application/json or text/event-stream",
    lenient: false,
    requirements: &["transport.http.request-content-type"],
};

const BODY_OF_202: Place = Place {
    headline: "the server answered a notification with a body",
    expected: "HTTP 202 Accepted, without a body",
    lenient: false,
    requirements: &["transport.http.accepted-202"],
};

impl Place {
    fn requirement(&self, revision: Revision) -> &'static str {
        let holding = self.requirements.iter().find(|id| holds(id, revision));
        holding.unwrap_or(&self.requirements[0])
    }
}

impl Judge<'_> {
    /// Bytes of the judged party that are no message.
    pub(super) fn noise(&mut self, event: &Event, bytes: &[u8], why: &str, damage: Damage) {
        if self.is_refusal(event) || self.is_free(event) {
            return;
        }
        let place = self.place(event);
        let finding = Finding::peer(place.headline)
            .expected(place.expected)
            .got(format!("{} ({why})", quoted(bytes)));
        if damage == Damage::OverLimit {
            let finding = Finding::peer("there is more in a message than mcp-test reads")
                .expected("messages within the limits of mcp-test")
                .got(format!("{} ({why})", quoted(bytes)))
                .hint("the limit is one of mcp-test, not of MCP; what is beyond it was not read");
            self.find(event, finding.should());
            return;
        }
        if place.lenient && damage == Damage::Stray {
            let hint = "readers of event streams are told to pass over it";
            return self.find(event, finding.should().hint(hint));
        }
        let requirement = place.requirement(self.revision(event));
        self.find(event, finding.requires(requirement));
    }

    /// Whether a body may be anything: one that answers GET or DELETE, and is no stream.
    fn is_free(&mut self, event: &Event) -> bool {
        self.exchange(event)
            .is_some_and(|exchange| exchange.is_no_post && exchange.media != Media::Stream)
    }

    fn place(&mut self, event: &Event) -> &'static Place {
        let who = self.who;
        match (self.exchange(event), who) {
            (None, Party::Client) => &CLIENT_OUTPUT,
            (None, _) => &SERVER_OUTPUT,
            (Some(_), Party::Client) => &CLIENT_BODY,
            (Some(exchange), _) if exchange.only_notifications => &BODY_OF_202,
            (Some(exchange), _) => match exchange.media {
                Media::Stream => &STREAM,
                Media::Json => &JSON_BODY,
                Media::Other => &OTHER_BODY,
            },
        }
    }

    /// The requirement that is broken by a value that is no JSON-RPC message, where its place says it better than its
    /// shape does.
    pub(super) fn misplaced(&mut self, event: &Event) -> Option<&'static str> {
        let revision = self.revision(event);
        let exchange = self.exchange(event)?;
        let place = match exchange.media {
            _ if exchange.only_notifications => &BODY_OF_202,
            Media::Json => &JSON_BODY,
            Media::Stream => &STREAM,
            Media::Other => return None,
        };
        Some(place.requirement(revision)).filter(|id| holds(id, revision))
    }
}
