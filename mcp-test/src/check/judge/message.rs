//! The rules for single messages, said by the judged party or heard by it.

use super::ids::Match;
use super::{Exchange, Judge};
use crate::check::{Finding, requirement_of};
use crate::expect::words::{self, quoted};
use crate::json::{NoteKind, Value};
use crate::spec::{Era, MethodKind, Side, error_code, method};
use crate::trace::{Damage, Event, Party, Reading, What};
use crate::wire::{ErrorReply, Frame, Id, Malformed, Message, Notification, Request, Response};

impl Judge<'_> {
    /// A message of the other party: it opens what the judged one has to answer.
    pub(super) fn heard(&mut self, event: &Event, reading: &Reading) {
        let Some(conversation) = self.connections.get_mut(&event.connection) else { return };
        let frame = match reading.frame() {
            Some(Ok(frame)) => frame,
            Some(Err(Malformed { id: Some(id), method, .. })) => {
                // What is no message may be refused under its id.
                conversation.ids.send(id, method.as_deref().unwrap_or_default());
                return;
            }
            _ => return,
        };
        let mut requests = false;
        for message in frame.messages() {
            match message {
                Message::Request(request) => {
                    requests = true;
                    conversation.ids.send(&request.id, &request.method);
                    conversation.cancelled.ask(&request.id);
                }
                Message::Notification(Notification { method, params: Some(params) })
                    if method == "notifications/cancelled" && event.exchange.is_none() =>
                {
                    if let Some(id) = params.get("requestId").and_then(Id::read) {
                        conversation.cancelled.cancel(id);
                    }
                }
                Message::Response(Response { id, .. })
                | Message::Error(ErrorReply { id: Some(id), .. }) => {
                    conversation.asked.entry(id.clone()).and_modify(|answered| *answered = true);
                }
                _ => {}
            }
        }
        if let Some(exchange) = event.exchange {
            conversation.exchanges.insert(
                exchange,
                Exchange { only_notifications: !requests, ..Exchange::default() },
            );
        }
    }

    /// A message of the judged party.
    pub(super) fn said(&mut self, event: &Event, reading: &Reading) {
        if self.is_refusal(event) && !reading.value().is_some_and(claims_to_be_json_rpc) {
            return;
        }
        for note in reading.notes() {
            let (expected, section) = match &note.kind {
                NoteKind::DuplicateMember { .. } => ("every member once", "4"),
                NoteKind::LoneSurrogate { .. } => ("text that is Unicode", "8.2"),
                _ => ("numbers within the range and precision of doubles", "6"),
            };
            self.find(
                event,
                Finding::peer("a message is JSON that parsers read differently")
                    .expected(expected)
                    .got(words::begun(&note.to_string()).into_owned())
                    .should()
                    .hint(format!("JSON itself advises against it: RFC 8259, section {section}")),
            );
        }
        match reading.frame() {
            None => {}
            Some(Err(malformed)) => self.malformed(event, reading, malformed),
            Some(Ok(Frame::One(message))) => self.message(event, message),
            Some(Ok(Frame::Batch(items))) => {
                if !self.revision(event).has_batches() {
                    self.find(
                        event,
                        Finding::peer(format!(
                            "a batch, which MCP {} does not have",
                            self.revision(event)
                        ))
                        .expected("one JSON-RPC message at a time")
                        .got(format!("an array of {} messages", items.len()))
                        .requires("jsonrpc.batch-not-sent"),
                    );
                }
                for item in items {
                    match item {
                        Ok(message) => self.message(event, message),
                        Err(malformed) => self.malformed(event, reading, malformed),
                    }
                }
            }
        }
    }

    fn malformed(&mut self, event: &Event, reading: &Reading, malformed: &Malformed) {
        if let What::Message { text, .. } = &event.what
            && event.exchange.is_none()
            && reading.is_no_attempt()
        {
            return self.noise(event, text, "JSON, but no message of JSON-RPC", Damage::Stray);
        }
        if let Some(id) = &malformed.id
            && let Some(conversation) = self.connections.get_mut(&event.connection)
        {
            conversation.ids.answer(id);
        }
        let at = malformed.pointer.to_string();
        let is_value = reading.value().is_some_and(|value| !value.is_object() && !value.is_array());
        let misplaced = if is_value { self.misplaced(event) } else { None };
        let requirement = misplaced.unwrap_or_else(|| requirement_of(malformed));
        self.find(
            event,
            Finding::peer("a message is no JSON-RPC 2.0 message")
                .expected(format!("{} is {}", or_message(&at), malformed.expected))
                .got(malformed.got.clone())
                .requires(requirement),
        );
    }

    fn message(&mut self, event: &Event, message: &Message) {
        match message {
            Message::Request(request) => self.request(event, request),
            Message::Notification(notification) => {
                self.params(event, &notification.method, notification.params.as_ref());
                self.misnamed(event, &notification.method, None);
                self.direction(event, &notification.method, MethodKind::Notification);
            }
            Message::Response(response) => {
                let method = self.reply_id(event, Some(&response.id), false);
                self.result(event, method.as_deref(), &response.result);
            }
            Message::Error(error) => {
                self.reply_id(event, error.id.as_ref(), true);
                self.error(event, error);
            }
        }
    }

    fn request(&mut self, event: &Event, request: &Request) {
        if self.who == Party::Server && self.revision(event).era() == Era::Stateless {
            let http = event.exchange.is_some();
            let requirement = if http {
                "transport.http.server-no-requests"
            } else {
                "transport.stdio.server-no-requests"
            };
            self.find(
                event,
                Finding::peer(format!("the server sent a request, `{}`", request.method))
                    .expected(format!(
                        "responses and notifications only: MCP {} has no requests of servers",
                        self.revision(event)
                    ))
                    .got(format!("a request with id {}", request.id))
                    .requires(requirement),
            );
        }
        let id = match &request.id {
            Id::Null => Some("jsonrpc.request-id-not-null"),
            Id::Number(number) if !number.is_integer() => Some("jsonrpc.request-id-type"),
            _ => None,
        };
        if let Some(requirement) = id {
            self.find(
                event,
                Finding::peer(format!(
                    "the request `{}` has an id that MCP does not allow",
                    request.method
                ))
                .expected("a string or a whole number")
                .got(request.id.to_string())
                .requires(requirement),
            );
        }
        self.unique(event, request);
        self.misnamed(event, &request.method, Some(&request.id));
        self.params(event, &request.method, request.params.as_ref());
        self.direction(event, &request.method, MethodKind::Request);
    }

    /// Over HTTP several clients may share what is one connection here, so that ids are not compared.
    fn unique(&mut self, event: &Event, request: &Request) {
        let stateless = self.revision(event).era() == Era::Stateless;
        let Some(conversation) = self.connections.get_mut(&event.connection) else { return };
        let known = conversation.asked.insert(request.id.clone(), false);
        let Some(answered) = known.filter(|_| event.exchange.is_none()) else { return };
        let requirement = match (stateless, answered) {
            (false, _) => "jsonrpc.request-id-unique-session",
            (true, false) => "jsonrpc.request-id-unique-inflight",
            (true, true) => return,
        };
        self.find(
            event,
            Finding::peer(format!(
                "the request `{}` has an id that was used before",
                request.method
            ))
            .expected("another id for each request")
            .got(words::begun(&request.id.to_string()).into_owned())
            .requires(requirement),
        );
    }

    fn params(&mut self, event: &Event, method: &str, params: Option<&Value>) {
        if let Some(params) = params.filter(|params| params.as_object().is_none()) {
            self.find(
                event,
                Finding::peer(format!("the params of `{method}` are no object"))
                    .expected("`/params` is an object")
                    .got(format!("{}, which is {}", params.short(80), params.kind()))
                    .requires("jsonrpc.params-object"),
            );
        }
    }

    /// A method says whether there is an id.
    fn misnamed(&mut self, event: &Event, name: &str, id: Option<&Id>) {
        let revision = self.revision(event);
        let Some(known) = method(name).filter(|it| it.revisions().contains(revision)) else {
            return;
        };
        let finding = match (known.kind, id) {
            (MethodKind::Request, None) => Finding::peer(format!("the request `{name}` has no id"))
                .expected("a string or a whole number")
                .got("no member `id`")
                .requires("jsonrpc.request-id-type"),
            (MethodKind::Notification, Some(id)) => {
                Finding::peer(format!("the notification `{name}` has an id"))
                    .expected("no member `id`, which asks for a response")
                    .got(words::begun(&id.to_string()).into_owned())
                    .requires("jsonrpc.notification-no-id")
            }
            _ => return,
        };
        self.find(event, finding);
    }

    fn direction(&mut self, event: &Event, name: &str, kind: MethodKind) {
        let side = match self.who {
            Party::Client => Side::Client,
            _ => Side::Server,
        };
        let Some(known) = method(name) else { return };
        let revision = self.revision(event);
        // That there are no requests of servers at all says it already.
        if kind == MethodKind::Request && side == Side::Server && !revision.has_server_requests() {
            return;
        }
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
                .requires("schema.message-direction"),
        );
    }

    /// Matches a reply with its request; hands back the method that it answers.
    fn reply_id(&mut self, event: &Event, id: Option<&Id>, is_error: bool) -> Option<String> {
        let echo = if is_error { "jsonrpc.error-id-echo" } else { "jsonrpc.result-id-echo" };
        let elided = self.elided;
        let conversation = self.connections.get_mut(&event.connection)?;
        let id = match id {
            Some(id) if *id != Id::Null => id,
            _ => {
                let status =
                    event.exchange.and_then(|number| conversation.exchanges.get(&number)?.status);
                // A refused HTTP request may be answered with an error that has no id.
                let refused = status.map_or(elided, |status| status >= 400);
                if !(is_error && refused) {
                    self.find(
                        event,
                        Finding::peer("a reply has no id")
                            .expected("the id of the request that it answers")
                            .got(if id.is_some() { "null" } else { "no member `id`" })
                            .requires(echo),
                    );
                }
                return None;
            }
        };
        if conversation.cancelled.answer(id) {
            conversation.ids.answer(id);
            self.late(event, id);
            return None;
        }
        let finding = match conversation.ids.answer(id) {
            Match::Answers(method) => return Some(method.to_owned()),
            Match::Again(method) => Finding::peer(format!("`{method}` was answered twice"))
                .expected("one response to each request")
                .got(format!("another response with id {id}"))
                .requires("jsonrpc.single-response"),
            Match::Retyped(sent) => Finding::peer("a reply has its id in another JSON type")
                .expected(sent.to_string())
                .got(id.to_string())
                .requires("jsonrpc.id-type-preserved"),
            Match::Unknown if elided => return None,
            Match::Unknown => Finding::peer("a reply has an id that no request has")
                .expected("the id of the request that it answers")
                .got(id.to_string())
                .requires(echo),
        };
        self.find(event, finding);
        None
    }

    /// A reply to a request of which its receiver knew that it was cancelled.
    fn late(&mut self, event: &Event, id: &Id) {
        let finding = Finding::peer("a request was answered that had been cancelled before")
            .expected("no response to a request after its cancellation was read")
            .got(format!("a response with id {id}, after one to a later request"));
        let strictly = "transport.stdio.cancel-no-further-messages";
        if super::holds(strictly, self.revision(event)) && self.who == Party::Server {
            return self.find(event, finding.requires(strictly));
        }
        self.find(event, finding.requires("cancellation.no-response").should());
    }

    fn result(&mut self, event: &Event, method: Option<&str>, result: &Value) {
        let name = method.unwrap_or("a request");
        if result.as_object().is_none() {
            self.find(
                event,
                Finding::peer(format!("the result of `{name}` is no object"))
                    .expected("`/result` is an object")
                    .got(format!("{}, which is {}", result.short(80), result.kind()))
                    .requires("jsonrpc.result-object"),
            );
        } else if self.revision(event).era() == Era::Stateless
            && self.who == Party::Server
            && result.get("resultType").and_then(Value::as_str).is_none()
        {
            let got = result.get("resultType").map_or("nothing".to_owned(), |kind| kind.short(40));
            self.find(
                event,
                Finding::peer(format!("the result of `{name}` does not say its type"))
                    .expected("`/result/resultType` is a string, such as \"complete\"")
                    .got(got)
                    .requires("base.result-type-present"),
            );
        }
    }

    fn error(&mut self, event: &Event, error: &ErrorReply) {
        let code = error.error.code;
        if error_code::may_be_sent(code, self.revision(event)) {
            return;
        }
        let requirement = if error_code::find(code).is_some() {
            "jsonrpc.error-code-retired"
        } else {
            "jsonrpc.error-code-reserved-range"
        };
        self.find(
            event,
            Finding::peer(format!("the error code {code} is not for MCP {}", self.revision(event)))
                .expected("a code that the revision defines, or one outside its reserved range")
                .got(format!("{code}, {}", quoted(error.error.message.as_bytes())))
                .requires(requirement),
        );
    }
}

/// Whether a value, or an item of it, says what it is by the member that all messages have.
fn claims_to_be_json_rpc(value: &Value) -> bool {
    let says_so = |value: &Value| value.get("jsonrpc").is_some();
    says_so(value) || value.as_array().is_some_and(|items| items.iter().any(says_so))
}

fn or_message(pointer: &str) -> String {
    if pointer.is_empty() { "the message".to_owned() } else { format!("`{pointer}`") }
}
