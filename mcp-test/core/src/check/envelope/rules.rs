//! The rules for single messages.

use std::sync::Arc;

use super::sent::{is_unusual_number, rule_of_id};
use super::{EnvelopeJudge, TraceMessage};
use crate::check::cited::cites;
use crate::check::malformed::rule_of;
use crate::check::shape::place_in_words;
use crate::check::walk::JudgedEvent;
use crate::check::{Cause, Finding};
use crate::expect::words::{self, quoted};
use crate::json::{Note, NoteKind, Value};
use crate::spec::{Era, MethodKind, Side, error_code, method};
use crate::trace::{
    EventKind, Fit, ParsedText, Party, Position, Relation, Reply, UnparsableKind,
    claims_to_be_json_rpc,
};
use crate::wire::{ErrorReply, Frame, Id, Malformed, Message, Request};

cites! {
    BASE_RESULT_TYPE_PRESENT, CANCELLATION_NO_RESPONSE, ELICITATION_REQUEST_VIA_INPUT_REQUIRED,
    JSONRPC_BATCH_NOT_SENT, JSONRPC_ERROR_CODE_RESERVED_RANGE, JSONRPC_ERROR_CODE_RETIRED,
    JSONRPC_ERROR_ID_ECHO, JSONRPC_ID_TYPE_PRESERVED, JSONRPC_NOTIFICATION_NO_ID,
    JSONRPC_PARAMS_OBJECT, JSONRPC_REQUEST_ID_TYPE, JSONRPC_REQUEST_ID_UNIQUE_INFLIGHT,
    JSONRPC_REQUEST_ID_UNIQUE_SESSION, JSONRPC_RESULT_ID_ECHO, JSONRPC_RESULT_OBJECT,
    JSONRPC_SINGLE_RESPONSE, MRTR_INPUT_ONLY_VIA_MRTR, MRTR_NO_SERVER_REQUESTS,
    ROOTS_LIST_VIA_INPUT_REQUIRED, SAMPLING_REQUEST_VIA_INPUT_REQUIRED, SCHEMA_MESSAGE_DIRECTION,
    TRANSPORT_HTTP_SERVER_NO_REQUESTS, TRANSPORT_STDIO_CANCEL_NO_FURTHER_MESSAGES,
    TRANSPORT_STDIO_SERVER_NO_REQUESTS,
}

impl EnvelopeJudge {
    /// A message of the judged party.
    pub(super) fn received(
        &mut self,
        event: JudgedEvent<'_>,
        parsed: &ParsedText,
        messages: &[TraceMessage<'_>],
    ) {
        // The body of an HTTP error may, but need not, be a JSON-RPC error (`basic/transports`).
        if self.is_refusal(event) && !parsed.value().is_some_and(claims_to_be_json_rpc) {
            return;
        }
        self.wrong_coding(event);
        parsed.notes().iter().for_each(|note| self.ambiguous_json(event, note));
        match parsed.frame() {
            None => {}
            Some(Err(malformed)) => self.malformed(event, parsed, malformed),
            Some(Ok(Frame::One(_))) => {
                self.begun.remove(&event.connection);
                messages.iter().for_each(|message| self.message(event, message));
            }
            Some(Ok(Frame::Batch(items))) => {
                self.batch(event, items.len());
                // A batch is judged item by item even where batches do not exist: its items may be wrong on their own.
                // `messages` has the well-formed items only, in the order of the batch.
                let mut messages = messages.iter();
                for item in items {
                    match item {
                        Ok(_) => messages.next().into_iter().for_each(|it| self.message(event, it)),
                        Err(malformed) => self.malformed(event, parsed, malformed),
                    }
                }
            }
        }
    }

    /// JSON that is valid, but that not all parsers read alike.
    fn ambiguous_json(&mut self, event: JudgedEvent<'_>, note: &Note) {
        // The other party chose the id of a reply, and `reply_id` judges whether it came back unchanged; another number may be
        // one that the other party has sent, in a double.
        let is_repeated = self.unusual_numbers.contains(&event.connection);
        if !note.kind.is_ambiguous() && (is_repeated || !is_unusual_number(note)) {
            return;
        }
        let (headline, expected, section) = match &note.kind {
            NoteKind::DuplicateMember { .. } => {
                ("a message has an object with duplicate keys", "every member once", "4")
            }
            NoteKind::LoneSurrogate { .. } => {
                ("a message has a string with a lone surrogate", "text that is Unicode", "8.2")
            }
            _ => (
                "a message has a number that not every parser can read",
                "numbers within the range and precision of doubles",
                "6",
            ),
        };
        self.findings.keep(
            event,
            Finding::peer(headline)
                .expected(expected)
                .got(words::excerpt(&note.to_string()).into_owned())
                .should()
                .hint(format!("JSON itself advises against it: RFC 8259, section {section}")),
        );
    }

    /// A batch is forbidden since 2025-06-18. 2024-11-05 does not mention batches, so `find` makes it a WARNING there.
    fn batch(&mut self, event: JudgedEvent<'_>, len: usize) {
        let revision = event.opened_for;
        if !revision.has_batches() {
            self.find(
                event,
                Finding::peer(format!("a batch, which MCP {revision} does not have"))
                    .expected("one JSON-RPC message at a time")
                    .got(format!("an array of {}", words::count(len, "message"))),
                JSONRPC_BATCH_NOT_SENT,
            );
        }
    }

    fn malformed(&mut self, event: JudgedEvent<'_>, parsed: &ParsedText, malformed: &Malformed) {
        // Over stdio, such as a line of a JSON log: the mistake is to write it there at all.
        if let EventKind::Message { text, .. } = &event.kind
            && event.exchange.is_none()
            && parsed.is_unrelated_json()
        {
            return self.stray_output(
                event,
                text,
                "JSON, but not a JSON-RPC message",
                UnparsableKind::Stray,
            );
        }
        // The scenario that sends such an id judges what answers it.
        if malformed.method.is_none() && self.is_repeated_id(event, malformed) {
            return;
        }
        let is_value = parsed.value().is_some_and(|value| !value.is_object() && !value.is_array());
        let misplaced = if is_value { self.misplaced(event) } else { None };
        let rule = misplaced.unwrap_or_else(|| rule_of(malformed));
        self.find(
            event,
            Finding::peer("a message is not a JSON-RPC 2.0 message")
                .expected(format!(
                    "{} is {}",
                    place_in_words(&malformed.pointer),
                    malformed.expected
                ))
                .got(malformed.got()),
            rule,
        );
    }

    fn message(&mut self, event: JudgedEvent<'_>, message: &TraceMessage<'_>) {
        match (message.message, &message.relation) {
            (Message::Request(request), Relation::Request { previous, is_repeated }) => {
                // What is not remembered any more has had its reply.
                let is_answered = previous.as_ref().is_none_or(|it| it.reply.is_some());
                self.request(event, request, is_repeated.then_some(is_answered));
            }
            (Message::Notification(notification), _) => {
                self.params(event, &notification.method, notification.params.as_ref());
                self.kind_of_method(event, &notification.method, None);
                self.direction(event, &notification.method, MethodKind::Notification);
                self.internals_of_log(event, notification);
            }
            (Message::Response(response), Relation::Reply(reply)) => {
                let method = self.reply_id(event, Some(&response.id), reply, None);
                self.result(event, method.as_deref(), &response.result);
                if !reply.is_of_unnamed_revision() {
                    self.result_type(event, method.as_deref(), &response.result);
                }
            }
            (Message::Error(error), Relation::Reply(reply)) => {
                self.reply_id(event, error.id.as_ref(), reply, Some(error.error.code));
                self.error(event, error, reply.is_of_unnamed_revision());
            }
            // The correlation relates each kind of message as above.
            _ => {}
        }
    }

    fn request(&mut self, event: JudgedEvent<'_>, request: &Request, previous: Option<bool>) {
        if self.who == Party::Server && event.opened_for.era() == Era::Stateless {
            let http = event.exchange.is_some();
            let rule = if http {
                TRANSPORT_HTTP_SERVER_NO_REQUESTS
            } else {
                TRANSPORT_STDIO_SERVER_NO_REQUESTS
            };
            // What the server wants to know, it may ask in a result.
            let input = match request.method.as_str() {
                "elicitation/create" => Some(ELICITATION_REQUEST_VIA_INPUT_REQUIRED),
                "roots/list" => Some(ROOTS_LIST_VIA_INPUT_REQUIRED),
                "sampling/createMessage" => Some(SAMPLING_REQUEST_VIA_INPUT_REQUIRED),
                _ => None,
            };
            let of_input = input.into_iter().flat_map(|rule| [MRTR_INPUT_ONLY_VIA_MRTR, rule]);
            let finding = [MRTR_NO_SERVER_REQUESTS].into_iter().chain(of_input).fold(
                Finding::peer(format!("the server sent a request, `{}`", request.method))
                    .expected(format!(
                        "responses and notifications only: MCP {} has no requests of servers",
                        event.opened_for
                    ))
                    .got(format!("a request with id {}", request.id)),
                Finding::also,
            );
            self.find(event, finding, rule);
        }
        if let Some(rule) = rule_of_id(&request.id) {
            self.find(
                event,
                Finding::peer(format!(
                    "the request `{}` has an id that MCP does not allow",
                    request.method
                ))
                .expected("a string or a whole number")
                .got(request.id.to_string()),
                rule,
            );
        }
        self.unique_id(event, request, previous);
        self.kind_of_method(event, &request.method, Some(&request.id));
        self.params(event, &request.method, request.params.as_ref());
        self.direction(event, &request.method, MethodKind::Request);
    }

    /// Over HTTP several clients may share what is one connection here, so that only the ids of a session are compared.
    ///
    /// `previous` says of an earlier request with the id whether it has a reply.
    fn unique_id(&mut self, event: JudgedEvent<'_>, request: &Request, previous: Option<bool>) {
        let stateless = event.opened_for.era() == Era::Stateless;
        let is_comparable = event.exchange.is_none() || self.is_of_same_session(event, &request.id);
        let Some(answered) = previous.filter(|_| is_comparable) else { return };
        let rule = match (stateless, answered) {
            (false, _) => JSONRPC_REQUEST_ID_UNIQUE_SESSION,
            (true, false) => JSONRPC_REQUEST_ID_UNIQUE_INFLIGHT,
            // Without sessions, the stateless era demands unique ids among the requests in flight only.
            (true, true) => return,
        };
        self.find(
            event,
            Finding::peer(format!(
                "the request `{}` has an id that was used before",
                request.method
            ))
            .expected("another id for each request")
            .got(words::excerpt(&request.id.to_string()).into_owned()),
            rule,
        );
    }

    fn params(&mut self, event: JudgedEvent<'_>, method: &str, params: Option<&Value>) {
        params.into_iter().for_each(|params| self.meta_keys(event, params));
        if let Some(params) = params.filter(|params| params.as_object().is_none()) {
            self.find(
                event,
                Finding::peer(format!("the params of `{method}` are not an object"))
                    .expected("`/params` is an object")
                    .got(format!("{}, which is {}", params.short(80), params.kind())),
                JSONRPC_PARAMS_OBJECT,
            );
        }
    }

    /// The method of a request comes with an id, that of a notification without.
    fn kind_of_method(&mut self, event: JudgedEvent<'_>, name: &str, id: Option<&Id>) {
        let revision = event.opened_for;
        // A method that the revision does not define may be an extension, of either kind.
        let Some(known) = method(name).filter(|it| it.revisions().contains(revision)) else {
            return;
        };
        let (finding, rule) = match (known.kind, id) {
            (MethodKind::Request, None) => {
                let finding = Finding::peer(format!("the request `{name}` has no id"))
                    .expected("a string or a whole number")
                    .got("no member `id`");
                (finding, JSONRPC_REQUEST_ID_TYPE)
            }
            (MethodKind::Notification, Some(id)) => {
                let finding = Finding::peer(format!("the notification `{name}` has an id"))
                    .expected("no member `id`, which asks for a response")
                    .got(words::excerpt(&id.to_string()).into_owned());
                (finding, JSONRPC_NOTIFICATION_NO_ID)
            }
            _ => return,
        };
        self.find(event, finding, rule);
    }

    fn direction(&mut self, event: JudgedEvent<'_>, name: &str, kind: MethodKind) {
        let side = match self.who {
            Party::Client => Side::Client,
            _ => Side::Server,
        };
        let Some(known) = method(name) else { return };
        let revision = event.opened_for;
        // `request` reports that servers send no requests at all.
        if kind == MethodKind::Request && side == Side::Server && !revision.has_server_requests() {
            return;
        }
        // A message of the wrong kind is reported by `kind_of_method`.
        if known.kind != kind
            || !known.revisions().contains(revision)
            || known.sent_by(side, revision)
        {
            return;
        }
        self.find(
            event,
            Finding::peer(format!("a {side} does not send `{name}`"))
                .expected(format!("`{name}` to come from the {} only", side.peer()))
                .got(format!("`{name}` from the {side}"))
                .caused_by(Cause::RequirementFor(SCHEMA_MESSAGE_DIRECTION.0, name.to_owned())),
            SCHEMA_MESSAGE_DIRECTION,
        );
    }

    /// Judges the id of a reply, of an error if it has a code, and returns the method of the request that it answers.
    fn reply_id(
        &mut self,
        event: JudgedEvent<'_>,
        id: Option<&Id>,
        reply: &Reply<Position>,
        code: Option<i64>,
    ) -> Option<Arc<str>> {
        let echo = if code.is_some() { JSONRPC_ERROR_ID_ECHO } else { JSONRPC_RESULT_ID_ECHO };
        let Some(id) = id.filter(|id| **id != Id::Null) else {
            // A request that was sent with the id null may have it back.
            let is_echo = id.is_some() && matches!(reply.fit, Fit::Open(_))
                || code.is_none() && self.answers_unreadable_id(event);
            let is_refusal = code.is_some_and(|code| {
                // A refused HTTP request may be answered with an error that has no id.
                self.is_refused(event) && !self.shows_reading(event, code)
                    || self.answers_unreadable(event)
            });
            if !is_echo && !is_refusal {
                self.without_id(event, id, reply.only_open.as_deref(), code.is_some());
            }
            return None;
        };
        if reply.is_late {
            self.late(event, id);
            return None;
        }
        let (finding, rule) = match &reply.fit {
            Fit::Open(method) => {
                if let Some(exchange) = event.exchange {
                    self.replied_in.insert((event.connection, id.to_string()), exchange);
                }
                return Some(Arc::clone(method));
            }
            Fit::Again(_) if self.is_replayed(event, id) => return None,
            Fit::Again(method) => {
                let finding = Finding::peer(format!("`{method}` was answered twice"))
                    .expected("one response to each request")
                    .got(format!("another response with id {id}"));
                (finding, JSONRPC_SINGLE_RESPONSE)
            }
            Fit::Retyped(sent) => {
                let finding = Finding::peer("a reply has its id in another JSON type")
                    .expected(sent.to_string())
                    .got(id.to_string());
                (finding, JSONRPC_ID_TYPE_PRESERVED)
            }
            // It may be a request that is not remembered any more, or that is among the events that were dropped.
            Fit::Forgotten => return None,
            Fit::Unknown if self.findings.elided => return None,
            Fit::Unknown if code.is_some() && self.is_id_of_broken_text(event, id) => return None,
            Fit::Unknown => {
                let finding = Finding::peer("a reply has an id that no request has")
                    .expected("the id of the request that it answers")
                    .got(id.to_string());
                (finding, echo)
            }
        };
        self.find(event, finding, rule);
        None
    }

    /// Whether the client has asked for a reply again: it resumes the stream on which that came, after an earlier event.
    fn is_replayed(&mut self, event: JudgedEvent<'_>, id: &Id) -> bool {
        let Some(first) = self.replied_in.get(&(event.connection, id.to_string())).copied() else {
            return self.replied_in.has_forgotten();
        };
        let cursor = self.exchange(event).and_then(|exchange| exchange.resumes_after.clone());
        let first = self.exchanges.get(&(event.connection, first));
        cursor
            .is_some_and(|cursor| first.is_some_and(|first| first.event_ids.contains_key(&cursor)))
    }

    /// Whether the HTTP response that an event is part of has an error status, or its status was dropped from the trace.
    fn is_refused(&mut self, event: JudgedEvent<'_>) -> bool {
        let status = self.exchange(event).and_then(|exchange| exchange.status);
        status.map_or(self.is_incomplete(), |status| status >= 400)
    }

    /// A reply to a request of which its receiver knew that it was cancelled.
    fn late(&mut self, event: JudgedEvent<'_>, id: &Id) {
        let finding = Finding::peer("a request was answered that had been cancelled before")
            .expected("no response to a request after its cancellation was read")
            .got(format!("a response with id {id}, after one to a later request"));
        let strictly = TRANSPORT_STDIO_CANCEL_NO_FURTHER_MESSAGES;
        // For servers over stdio 2026-07-28 has a MUST NOT; otherwise the specification has a SHOULD NOT.
        if strictly.applies_at(event.opened_for) && self.who == Party::Server {
            return self.find(event, finding, strictly);
        }
        self.find(event, finding, CANCELLATION_NO_RESPONSE);
    }

    fn result(&mut self, event: JudgedEvent<'_>, name: Option<&str>, result: &Value) {
        let request = name.map_or("a request".to_owned(), |method| format!("`{method}`"));
        self.meta_keys(event, result);
        if name == Some("tools/call") && self.who == Party::Server {
            self.internals_of_result(event, result);
        }
        if result.as_object().is_none() {
            self.find(
                event,
                Finding::peer(format!("the result of {request} is not an object"))
                    .expected("`/result` is an object")
                    .got(format!("{}, which is {}", result.short(80), result.kind())),
                JSONRPC_RESULT_OBJECT,
            );
        }
    }

    fn result_type(&mut self, event: JudgedEvent<'_>, name: Option<&str>, result: &Value) {
        if event.opened_for.era() == Era::Stateless
            && self.who == Party::Server
            // The reply to `initialize` is one of the handshake era.
            && name != Some("initialize")
            && result.as_object().is_some()
            && result.get("resultType").and_then(Value::as_str).is_none()
        {
            let request = name.map_or("a request".to_owned(), |method| format!("`{method}`"));
            let got = result.get("resultType").map_or("nothing".to_owned(), |kind| kind.short(40));
            self.find(
                event,
                Finding::peer(format!("the result of {request} does not say its type"))
                    .expected("`/result/resultType` is a string, such as \"complete\"")
                    .got(got),
                BASE_RESULT_TYPE_PRESENT,
            );
        }
    }

    fn error(&mut self, event: JudgedEvent<'_>, error: &ErrorReply, is_of_unnamed_revision: bool) {
        let code = error.error.code;
        if !self.internals_of_error(event, &error.error) {
            self.error_message(event, &error.error);
        }
        if error_code::may_be_sent(code, event.opened_for) {
            self.discouraged_code(event, &error.error);
            return;
        }
        let is_known = error_code::find(code).is_some();
        if is_known && is_of_unnamed_revision {
            return;
        }
        // A code that is known has been defined by another revision.
        let rule =
            if is_known { JSONRPC_ERROR_CODE_RETIRED } else { JSONRPC_ERROR_CODE_RESERVED_RANGE };
        self.find(
            event,
            Finding::peer(format!("the error code {code} is not for MCP {}", event.opened_for))
                .expected("a code that the revision defines, or one outside its reserved range")
                .got(format!("{code}, {}", quoted(error.error.message.as_bytes()))),
            rule,
        );
    }
}
