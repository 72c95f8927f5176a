//! Stray output: bytes that are not a message where only messages belong, and the requirement that they break.

use bytes::Bytes;

use super::EnvelopeJudge;
use crate::check::cited::{Cited, cites};
use crate::check::walk::JudgedEvent;
use crate::check::{Cause, Finding};
use crate::expect::words::quoted;
use crate::spec::Revision;
use crate::trace::{ParsedText, Party, UnparsableKind};
use crate::wire::MediaType;

cites! {
    JSONRPC_UTF8, TRANSPORT_HTTP_ACCEPTED_202, TRANSPORT_HTTP_BODY_REQUEST_OR_NOTIFICATION,
    TRANSPORT_HTTP_BODY_SINGLE_MESSAGE, TRANSPORT_HTTP_BODY_SINGLE_OR_BATCH,
    TRANSPORT_HTTP_JSON_SINGLE_OBJECT, TRANSPORT_HTTP_REQUEST_CONTENT_TYPE,
    TRANSPORT_HTTP_SSE_EVENT_DATA, TRANSPORT_SSE_MESSAGE_EVENTS, TRANSPORT_STDIO_NEWLINE_DELIMITED,
    TRANSPORT_STDIO_NO_EMBEDDED_NEWLINES, TRANSPORT_STDIO_STDIN_ONLY_MESSAGES,
    TRANSPORT_STDIO_STDOUT_ONLY_MESSAGES,
}

/// How long the lines may be that are put together to see whether they are one message.
const MAX_SPREAD: usize = 64 * 1024;

/// A place where nothing but messages belongs.
struct Place {
    headline: &'static str,
    expected: &'static str,
    /// What does no harm here, and why.
    harmless: Option<(Harmless, &'static str)>,
    /// The first that holds at the revision is broken.
    rules: &'static [Cited],
}

/// What does no harm in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Harmless {
    Stray,
    Everything,
}

const SERVER_OUTPUT: Place = Place {
    headline: "the server wrote something to its output that is not an MCP message",
    expected: "one JSON-RPC message per line, and nothing else",
    harmless: None,
    rules: &[TRANSPORT_STDIO_STDOUT_ONLY_MESSAGES],
};

const CLIENT_OUTPUT: Place = Place {
    headline: "the client wrote something to the server's input that is not an MCP message",
    expected: "one JSON-RPC message per line, and nothing else",
    harmless: None,
    rules: &[TRANSPORT_STDIO_STDIN_ONLY_MESSAGES],
};

const CLIENT_BODY: Place = Place {
    headline: "the client posted something that is not an MCP message",
    expected: "a body that is one JSON-RPC message",
    harmless: None,
    rules: &[
        TRANSPORT_HTTP_BODY_SINGLE_OR_BATCH,
        TRANSPORT_HTTP_BODY_SINGLE_MESSAGE,
        TRANSPORT_HTTP_BODY_REQUEST_OR_NOTIFICATION,
    ],
};

const STREAM: Place = Place {
    headline: "the event stream holds something that is not an MCP message",
    expected: "events with one JSON-RPC message each as their data",
    harmless: Some((Harmless::Stray, "readers of event streams ignore it")),
    rules: &[TRANSPORT_HTTP_SSE_EVENT_DATA, TRANSPORT_SSE_MESSAGE_EVENTS],
};

const JSON_BODY: Place = Place {
    headline: "the server sent a body of application/json that is not JSON",
    expected: "a body that is one JSON-RPC message",
    harmless: None,
    // Earlier revisions do not say that a body is one object, but a body that is not JSON is not of that type either.
    rules: &[TRANSPORT_HTTP_JSON_SINGLE_OBJECT, TRANSPORT_HTTP_REQUEST_CONTENT_TYPE],
};

const BODY_BESIDE_STREAM: Place = Place {
    headline: "the server sent a message in the response to a POST",
    expected: "each message as an event of the event stream, and only there",
    // If the stream lacks the reply, the request is not answered.
    harmless: Some((
        Harmless::Everything,
        "clients of HTTP+SSE read messages from the event stream only",
    )),
    rules: &[TRANSPORT_SSE_MESSAGE_EVENTS],
};

const OTHER_BODY: Place = Place {
    headline: "the server answered a request with something other than JSON or an event stream",
    expected: "a body of type application/json or text/event-stream",
    harmless: None,
    rules: &[TRANSPORT_HTTP_REQUEST_CONTENT_TYPE],
};

const BODY_OF_202: Place = Place {
    headline: "the server answered a notification with a body",
    expected: "HTTP 202 Accepted, without a body",
    harmless: None,
    rules: &[TRANSPORT_HTTP_ACCEPTED_202],
};

impl Place {
    fn rule(&self, revision: Revision) -> Cited {
        let holding = self.rules.iter().find(|rule| rule.applies_at(revision));
        *holding.unwrap_or(&self.rules[0])
    }
}

impl EnvelopeJudge {
    /// Bytes of the judged party that are not a message.
    pub(super) fn stray_output(
        &mut self,
        event: JudgedEvent<'_>,
        bytes: &[u8],
        why: &str,
        kind: UnparsableKind,
    ) {
        if self.is_refusal(event) {
            return self.internals_of_page(event, bytes);
        }
        if self.is_free(event) {
            return;
        }
        self.spread_message(event, bytes);
        let place = self.place(event);
        let finding = Finding::peer(place.headline)
            .expected(place.expected)
            .got(format!("{} ({why})", quoted(bytes)));
        // The rest was not read, and may well be valid.
        if kind == UnparsableKind::OverLimit {
            let finding = Finding::peer("there is more in a message than mcp-test reads")
                .expected("messages within the limits of mcp-test")
                .got(format!("{} ({why})", quoted(bytes)))
                .hint("the limit is one of mcp-test, not of MCP; what is beyond it was not read")
                .caused_by(Cause::OverLimit);
            self.findings.keep(event, finding.should());
            return;
        }
        if kind == UnparsableKind::Unended {
            let who = if self.who == Party::Client { "client" } else { "server" };
            let finding =
                Finding::peer(format!("the {who} wrote a message without a newline at its end"))
                    .expected("one JSON-RPC message per line, ended by a newline")
                    .got(format!("{} ({why})", quoted(bytes)));
            return self.find(event, finding, TRANSPORT_STDIO_NEWLINE_DELIMITED);
        }
        let is_harmless = |what| what == Harmless::Everything || kind == UnparsableKind::Stray;
        if let Some((_, hint)) = place.harmless.filter(|(what, _)| is_harmless(*what)) {
            return self.findings.keep(event, finding.should().hint(hint));
        }
        let revision = event.opened_for;
        // Bytes that were cut off inside a character may well be valid.
        let is_undecodable = std::str::from_utf8(bytes).is_err_and(|it| it.error_len().is_some());
        let breaks_encoding = kind == UnparsableKind::BrokenMessage && is_undecodable;
        let finding = match breaks_encoding && JSONRPC_UTF8.applies_at(revision) {
            true => finding.also(JSONRPC_UTF8),
            false => finding,
        };
        let rule = place.rule(revision);
        // The first stands for the place at every revision.
        self.find(event, finding.caused_by(Cause::for_requirement(place.rules[0].0)), rule);
    }

    /// Reports a message that was spread over several lines, once its last line has come.
    fn spread_message(&mut self, event: JudgedEvent<'_>, bytes: &[u8]) {
        if event.exchange.is_some() {
            return;
        }
        let text = self.begun.entry(event.connection).or_default();
        let begins = bytes.trim_ascii_start().starts_with(b"{");
        if text.is_empty() && !begins || text.len() + bytes.len() > MAX_SPREAD {
            text.clear();
            return;
        }
        let is_first = text.is_empty();
        text.extend_from_slice(bytes);
        text.push(b'\n');
        let whole = ParsedText::parse(&Bytes::copy_from_slice(text));
        if !matches!(whole.frame(), Some(Ok(_))) {
            return;
        }
        text.clear();
        if is_first {
            // It lacks only the newline.
            return;
        }
        let finding = Finding::peer("a message is spread over several lines")
            .expected("one line, without line breaks inside")
            .got(quoted(bytes))
            .hint("serialize without pretty-printing; line breaks in strings are written as `\\n`");
        self.find(event, finding, TRANSPORT_STDIO_NO_EMBEDDED_NEWLINES);
    }

    /// Whether a body may have any form: one that answers GET or DELETE, and is not a stream.
    fn is_free(&mut self, event: JudgedEvent<'_>) -> bool {
        self.exchange(event).is_some_and(|exchange| {
            exchange.is_not_a_post && exchange.media != Some(MediaType::EventStream)
        })
    }

    fn place(&mut self, event: JudgedEvent<'_>) -> &'static Place {
        let (who, has_own_stream) = (self.who, !event.opened_for.has_streamable_http());
        match (self.exchange(event), who) {
            (None, Party::Client) => &CLIENT_OUTPUT,
            (None, _) => &SERVER_OUTPUT,
            (Some(_), Party::Client) => &CLIENT_BODY,
            (Some(exchange), _) if exchange.only_notifications => &BODY_OF_202,
            (Some(exchange), _) => match exchange.media {
                Some(MediaType::EventStream) => &STREAM,
                Some(MediaType::Json) if has_own_stream => &BODY_BESIDE_STREAM,
                Some(MediaType::Json) => &JSON_BODY,
                Some(MediaType::Other) | None => &OTHER_BODY,
            },
        }
    }

    /// The requirement that a value other than a JSON-RPC message breaks, where its place is more specific than its shape.
    pub(super) fn misplaced(&mut self, event: JudgedEvent<'_>) -> Option<Cited> {
        let revision = event.opened_for;
        let exchange = self.exchange(event)?;
        let place = match exchange.media {
            // First, since no body of any type is allowed there.
            _ if exchange.only_notifications => &BODY_OF_202,
            Some(MediaType::Json) => &JSON_BODY,
            Some(MediaType::EventStream) => &STREAM,
            Some(MediaType::Other) | None => return None,
        };
        Some(place.rule(revision)).filter(|rule| rule.applies_at(revision))
    }
}
