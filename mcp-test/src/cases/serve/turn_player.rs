//! Executes the actions of a turn: notifications, requests to the client, the reply, and what follows it.
//!
//! Messages that belong to a request are sent in order on its stream. Those that follow a reply, or a notification of the
//! client, are unsolicited; they are sent without waiting for the client.

use std::sync::Arc;

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::server::mock_support::Outbound;
use mcp_test_core::server::{Answer, Call};
use mcp_test_core::spec::{Era, LISTEN, Revision, error_code};
use mcp_test_core::wire::{Request, RpcError};
use tokio::sync::oneshot;

use super::client_session::{ChosenTurn, ClientSession};
use super::compiled_contract::CompiledContract;
use super::conversation::TurnId;
use super::event::{MatchedMessage, MockEvent};
use super::labels::Labels;
use super::log::MockLog;
use super::message_ref::MessageRef;
use super::resume_point::ResumePoint;
use super::turn::{Action, Turn};
use super::{branch, era};
use crate::cases::compare::{Tolerance, compare};
use crate::cases::{ExpandError, Values, capture, expand};

/// A turn that is being played; a clone continues where the original is.
#[derive(Clone)]
pub(super) struct TurnPlayer {
    log: Arc<MockLog>,
    session: Arc<ClientSession>,
    at: TurnId,
    /// Whether it plays what precedes the first turn of the conversation.
    is_opening: bool,
    labels: Labels,
    values: Values,
    revision: Revision,
    outbound: Outbound,
}

/// Why the server cannot execute an action.
#[derive(Debug, thiserror::Error)]
enum TurnError {
    #[error("{0}: {1}")]
    Expand(String, ExpandError),
    #[error("{0}: it has neither a result nor an error")]
    NoOutcome(String),
    #[error("{0}: the case has no `out` that answers this request")]
    NoReply(String),
    #[error("{0}: the case does not continue with the input that this requests from the client")]
    NoFollowUp(String),
    #[error("{0}: too many requests to the client are pending")]
    TooManyPending(String),
}

impl From<TurnError> for Answer {
    fn from(error: TurnError) -> Self {
        Self::error(error_code::INTERNAL_ERROR, error.to_string())
    }
}

impl TurnPlayer {
    /// A player of the turn that was chosen for a call.
    pub(super) fn new(
        log: &Arc<MockLog>,
        session: &Arc<ClientSession>,
        chosen: &ChosenTurn,
        call: &Call,
    ) -> Self {
        Self {
            log: Arc::clone(log),
            session: Arc::clone(session),
            at: chosen.at,
            is_opening: false,
            labels: Labels::new(&session.contract.turn(chosen.at).incoming, call),
            values: chosen.values.clone(),
            revision: call.revision(),
            outbound: call.outbound(),
        }
    }

    /// A player of the messages at the beginning of a conversation that do not depend on the client.
    pub(super) fn opening(
        log: &Arc<MockLog>,
        session: &Arc<ClientSession>,
        conversation: usize,
        call: &Call,
    ) -> Self {
        Self {
            log: Arc::clone(log),
            session: Arc::clone(session),
            at: TurnId { conversation, turn: 0 },
            is_opening: true,
            labels: Labels::default(),
            values: session.contract.conversations[conversation].values.clone(),
            revision: call.revision(),
            outbound: call.outbound(),
        }
    }

    fn contract(&self) -> Arc<CompiledContract> {
        Arc::clone(&self.session.contract)
    }

    fn actions<'a>(&self, contract: &'a CompiledContract) -> &'a [Action] {
        if self.is_opening {
            &contract.conversations[self.at.conversation].opening
        } else {
            &contract.turn(self.at).actions
        }
    }

    /// Answers a request, starting with one of the actions of the turn.
    pub(super) async fn answer(mut self, call: &Call, from: usize) -> Answer {
        let contract = self.contract();
        let mut number = from;
        // Looked up each time: an answer of the client may switch to another case.
        while let Some(action) = self.actions(&contract).get(number) {
            match action {
                Action::Notify(line) => match self.notification(line) {
                    Ok(Some(message)) => {
                        if call.send_raw(message).await.is_err() {
                            return Answer::already_sent();
                        }
                    }
                    Ok(None) => {}
                    Err(error) => return error.into(),
                },
                Action::Ask { request, answer } => {
                    // From 2026-07-28 on, a result asks for input, and the client repeats its request.
                    if !self.revision.has_server_requests() {
                        return self.ask_for_input(request, number).unwrap_or_else(Into::into);
                    }
                    if let Err(answer) = self.ask(call, number, request, answer.as_ref()).await {
                        return answer;
                    }
                }
                Action::Reply(line) => {
                    return self.reply(call, line, number + 1).await.unwrap_or_else(Into::into);
                }
            }
            number += 1;
        }
        let turn = contract.turn(self.at);
        if turn.is_cancelled || turn.incoming.method() == Some(LISTEN) {
            // Neither has a reply in the case: the request stays open as long as the conversation.
            call.over().await;
            return Answer::already_sent();
        }
        TurnError::NoReply(turn.incoming.place()).into()
    }

    /// Continues after a reply or after a notification of the client, starting with one of the actions of the turn.
    pub(super) fn advance(mut self, from: usize) {
        let contract = self.contract();
        for (number, action) in self.actions(&contract).iter().enumerate().skip(from) {
            match action {
                Action::Notify(line) => match self.notification(line) {
                    Ok(Some(message)) if !self.announce(&message) => {
                        self.not_sent(
                            line,
                            "no stream is open for it, or the client does not read",
                        );
                    }
                    // It was sent, or the client did not request it.
                    Ok(_) => {}
                    Err(error) => self.not_sent(line, &error.to_string()),
                },
                Action::Ask { request, answer } => {
                    let waits = answer.is_some();
                    // The rest follows when the client has answered.
                    if self.ask_unsolicited(request, answer.clone(), number) && waits {
                        return;
                    }
                }
                // Unreachable: a request has one reply, a notification none, and this only plays what follows them.
                Action::Reply(_) => {}
            }
        }
        self.store_values();
    }

    /// Sends an unsolicited notification.
    fn announce(&self, message: &Value) -> bool {
        if self.revision.era() == Era::Stateless {
            // Notifications only reach clients there that have subscribed to them.
            let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
            self.outbound.announce(method, message.get("params").cloned().unwrap_or_default());
            return true;
        }
        self.outbound.send(message.clone())
    }

    /// Sends an unsolicited request, and continues when it is answered; `false` if it cannot be sent.
    fn ask_unsolicited(
        &mut self,
        request: &MessageRef,
        answer: Option<MessageRef>,
        number: usize,
    ) -> bool {
        let (mut next, sent_request) = (self.clone(), request.clone());
        let go_on = move |got: Result<Value, RpcError>| {
            if let Some(answer) = answer {
                next.check_answer(number, &sent_request, &answer, &got);
                next.advance(number + 1);
            }
        };
        let message = match self.request(request) {
            Ok(message) => message,
            Err(error) => {
                self.not_sent(request, &error.to_string());
                return false;
            }
        };
        let sent = self.outbound.reserve_id(go_on).filter(|id| {
            self.outbound.send(Request { id: id.clone(), ..message.clone() }.to_value())
        });
        match sent {
            Some(id) => {
                self.log.count(request);
                self.labels.add_request(request, id);
                true
            }
            None => {
                self.not_sent(request, "the server cannot send unsolicited requests here");
                false
            }
        }
    }

    /// Sends a request to the client while the client waits for its own reply.
    async fn ask(
        &mut self,
        call: &Call,
        number: usize,
        request: &MessageRef,
        answer: Option<&MessageRef>,
    ) -> Result<(), Answer> {
        let message = self.request(request)?;
        let (sender, receiver) = oneshot::channel();
        let Some(id) = call.reserve_id(move |got| drop(sender.send(got))) else {
            self.not_sent(request, "too many requests to the client are pending");
            return Ok(());
        };
        self.labels.add_request(request, id.clone());
        self.log.count(request);
        let message = Request { id, ..message }.to_value();
        call.send_raw(message).await.map_err(|_| Answer::already_sent())?;
        // A case without the answer does not depend on it, so the turn goes on at once.
        let Some(answer) = answer else { return Ok(()) };
        // The sender is dropped when the client disconnects, and nobody would read a reply then.
        let got = receiver.await.map_err(|_| Answer::already_sent())?;
        self.check_answer(number, request, answer, &got);
        Ok(())
    }

    /// Compares the client's answer with that of the case, and switches to another case if that has the client's.
    fn check_answer(
        &mut self,
        number: usize,
        request: &MessageRef,
        answer: &MessageRef,
        got: &Result<Value, RpcError>,
    ) {
        let mut message = Object::new();
        match got {
            Ok(result) => message.push("result", result.clone()),
            Err(error) => message.push("error", error.to_value()),
        }
        let got = Value::from(message);
        let mut answer = answer.clone();
        let mut differences = branch::differences(&answer, &got, &self.values, self.revision);
        // An opening has no incoming message that `branch` could compare with those of other cases.
        if !differences.is_empty()
            && !self.is_opening
            && let Some((at, other)) =
                branch::find(&self.contract(), self.at, number, &got, self.revision)
        {
            self.switch_to(at);
            (answer, differences) = (other, Vec::new());
        }
        capture(answer.message(), &got, &mut self.values).ok();
        self.log.count(&answer);
        if !differences.is_empty() {
            let request = self.matched(request, &answer);
            self.log.record(MockEvent::Differed { request, differences });
        }
        self.store_values();
    }

    /// Switches to another case that is the same up to here.
    fn switch_to(&mut self, at: TurnId) {
        let contract = self.contract();
        let incoming = &contract.turn(at).incoming;
        // Both cases are the same up to here, so what was captured for this one is true of the other.
        let mut values = contract.conversations[at.conversation].values.clone();
        let names: Vec<String> = values.names().map(str::to_owned).collect();
        for name in names {
            if let Some(value) = self.values.value(&name) {
                values.set(&name, value.clone());
            }
        }
        self.at = at;
        self.values = values;
        self.labels.relabel(incoming);
        self.log.count(incoming);
        self.session.finish(at, &self.values);
        self.log.record(MockEvent::Answered(self.matched(incoming, incoming)));
    }

    /// Replies, and continues with what follows.
    async fn reply(
        mut self,
        call: &Call,
        line: &MessageRef,
        next: usize,
    ) -> Result<Answer, TurnError> {
        let mut message = self.expanded(line)?;
        capture(line.message(), &message, &mut self.values).ok();
        self.log.count(line);
        self.store_values();
        if let Some(error) = message.get("error") {
            let text = error.get("message").and_then(Value::as_str).unwrap_or_default();
            let code = error.get("code").and_then(Value::as_i64);
            let error = RpcError {
                code: code.unwrap_or(error_code::INTERNAL_ERROR),
                message: text.to_owned(),
                data: error.get("data").cloned(),
            };
            return Ok(self.send_reply(call, error.into(), next).await);
        }
        let Some(result) = message.remove("/result") else {
            return Err(TurnError::NoOutcome(line.place()));
        };
        if !self.revision.has_input_requests()
            && let Some(requests) = era::requested_input(&result)
        {
            let requests = requests.clone();
            // Boxed, because `gather_input` calls `answer`, which calls this function.
            return Box::pin(self.gather_input(call, line, &requests)).await;
        }
        let mut result = era::adapt_result(call.method(), result, self.revision);
        self.labels.apply_to_result(&mut result);
        Ok(self.send_reply(call, result.into(), next).await)
    }

    async fn send_reply(self, call: &Call, answer: Answer, next: usize) -> Answer {
        let contract = self.contract();
        if self.actions(&contract).len() <= next {
            return answer;
        }
        // The replies to a batch are sent together; there, what follows the reply in the case is sent before it.
        let answer = if call.reply(&answer).await { Answer::already_sent() } else { answer };
        self.advance(next);
        answer
    }

    /// Sends the requests that a result of the stateless era asks for, where servers send requests of their own, and goes on
    /// as the case does when the request is repeated with the answers.
    async fn gather_input(
        mut self,
        call: &Call,
        line: &MessageRef,
        requests: &Object,
    ) -> Result<Answer, TurnError> {
        let contract = self.contract();
        let next = TurnId { turn: self.at.turn + 1, ..self.at };
        let repeated = contract.conversations[next.conversation].turns.get(next.turn);
        let repeated = repeated
            .filter(|turn| turn.incoming.param("inputResponses").is_some())
            .ok_or_else(|| TurnError::NoFollowUp(line.place()))?;
        let mut responses = Object::new();
        for (name, request) in requests.effective() {
            let (sender, receiver) = oneshot::channel();
            let id = call
                .reserve_id(move |got| drop(sender.send(got)))
                .ok_or_else(|| TurnError::TooManyPending(line.place()))?;
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let request = Request::new(id, method, request.get("params").cloned());
            if call.send_raw(request.to_value()).await.is_err() {
                return Ok(Answer::already_sent());
            }
            match receiver.await {
                Ok(Ok(result)) => responses.push(name, result),
                Ok(Err(error)) => return Ok(error.into()),
                Err(_) => return Ok(Answer::already_sent()),
            }
        }
        self.check_input(repeated, &responses.into());
        self.at = next;
        // The client does not repeat the request in this era, so its turn is played here.
        self.session.finish(next, &self.values);
        Ok(self.answer(call, 0).await)
    }

    /// Compares the answers to several requests with those in the repeated request of the case.
    fn check_input(&mut self, repeated: &Turn, responses: &Value) {
        let line = &repeated.incoming;
        self.log.count(line);
        let expected = expand(line.value(), &self.values).unwrap_or_else(|_| line.value().clone());
        // Only the answers are the client's; the rest of the repeated request exists only in the case.
        let mut got = expected.clone();
        got.set("/params/inputResponses", responses.clone());
        let (rule, none) = (&line.message().rule, Tolerance::none());
        let differences = compare(&expected, &got, rule, &none, self.values.secrets());
        capture(line.message(), &got, &mut self.values).ok();
        self.log.record(MockEvent::matched(self.matched(line, line), differences));
    }

    /// Replies that input is required, where servers do not send requests: the client repeats its request with the answer.
    fn ask_for_input(self, request: &MessageRef, number: usize) -> Result<Answer, TurnError> {
        let Request { method, params, .. } = self.request(request)?;
        self.log.count(request);
        self.store_values();
        let mut request = Object::new();
        request.push("method", method.as_str());
        request.push("params", params.unwrap_or_else(|| Object::new().into()));
        let mut requests = Object::new();
        // A result asks for one input, so that the name need not be unique.
        requests.push(input_name(&method), request);
        let state = ResumePoint { at: self.at, action: number }.to_state();
        Ok(Answer::input_required(requests, Some(&state)))
    }

    /// Goes on where input was required, with the answer in the repeated request; `None` if that has none.
    pub(super) fn resume(&mut self, call: &Call, point: &ResumePoint) -> Option<()> {
        let contract = self.contract();
        let Action::Ask { request, answer } = self.actions(&contract).get(point.action)? else {
            return None;
        };
        let got = call.input_response(input_name(request.method()?))?;
        if let Some(answer) = answer {
            self.check_answer(point.action, request, answer, &Ok(got.clone()));
        }
        Some(())
    }

    /// The notification to send; `None` if the client did not ask for it.
    fn notification(&mut self, line: &MessageRef) -> Result<Option<Value>, TurnError> {
        let mut message = self.expanded(line)?;
        if !self.labels.apply_to(&mut message) {
            self.not_sent(line, "the client gave no progress token");
            return Ok(None);
        }
        capture(line.message(), &message, &mut self.values).ok();
        self.log.count(line);
        Ok(Some(message))
    }

    /// The request to send, with a placeholder for its id.
    fn request(&self, line: &MessageRef) -> Result<Request, TurnError> {
        let message = self.expanded(line)?;
        let method = line.method().unwrap_or_default();
        Ok(Request::new(0, method, message.get("params").cloned()))
    }

    fn expanded(&self, line: &MessageRef) -> Result<Value, TurnError> {
        expand(line.value(), &self.values).map_err(|error| TurnError::Expand(line.place(), error))
    }

    /// Stores the values for the turns that follow.
    fn store_values(&self) {
        if !self.is_opening && !self.values.is_empty() {
            self.session.store_values(self.at, &self.values);
        }
    }

    fn not_sent(&self, line: &MessageRef, reason: &str) {
        let message = format!("{} ({})", line.method().unwrap_or("a reply"), line.place());
        let (client, reason) = (self.session.number, reason.to_owned());
        self.log.record(MockEvent::NotSent { client, message, reason });
    }

    /// A message, and the message of a case that it matches.
    fn matched(&self, message: &MessageRef, line: &MessageRef) -> MatchedMessage {
        let summary = words::excerpt(message.method().unwrap_or("an answer")).into_owned();
        MatchedMessage::new(self.session.number, summary, line)
    }
}

/// The name of a request among the `inputRequests` of a result.
fn input_name(method: &str) -> &str {
    method.split('/').next().unwrap_or(method)
}
