//! Doing what a case has the server do: telling, asking, replying, and going on after the reply.
//!
//! What belongs to a request goes its way, in order. What follows a reply, or a notification of the client, goes where the
//! server speaks on its own account; nobody is waited for there.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::edition::{At, Edition};
use super::event::{Answered, Event, brief};
use super::labels::Labels;
use super::line::Line;
use super::seat::{Choice, Seat};
use super::turn::{Act, Turn};
use super::{Shared, branch, era};
use crate::cases::compare::{Tolerance, compare};
use crate::cases::{Values, capture, expand};
use crate::json::{Object, Value};
use crate::server::{Answer, Call, Voice};
use crate::spec::{Era, Revision, error_code};
use crate::wire::{Request, RpcError};

/// The method whose requests may stay open.
const LISTEN: &str = "subscriptions/listen";

/// A turn that is being played; copies go on by themselves.
#[derive(Clone)]
pub(super) struct Play {
    mock: Arc<Shared>,
    pub(super) seat: Arc<Seat>,
    at: At,
    /// Whether it is what the conversation opens with, before its first turn.
    is_opening: bool,
    labels: Labels,
    values: Values,
    revision: Revision,
    voice: Voice,
}

impl Play {
    /// The turn that was chosen for a call.
    pub(super) fn new(mock: &Arc<Shared>, seat: &Arc<Seat>, choice: &Choice, call: &Call) -> Self {
        Self {
            mock: Arc::clone(mock),
            seat: Arc::clone(seat),
            at: choice.at,
            is_opening: false,
            labels: Labels::of(&seat.edition.turn(choice.at).heard, call),
            values: choice.values.clone(),
            revision: call.revision(),
            voice: call.voice(),
        }
    }

    /// What a conversation opens with.
    pub(super) fn opening(mock: &Arc<Shared>, seat: &Arc<Seat>, chain: usize, call: &Call) -> Self {
        Self {
            mock: Arc::clone(mock),
            seat: Arc::clone(seat),
            at: At { chain, turn: 0 },
            is_opening: true,
            labels: Labels::default(),
            values: seat.edition.chains[chain].values.clone(),
            revision: call.revision(),
            voice: call.voice(),
        }
    }

    fn edition(&self) -> Arc<Edition> {
        Arc::clone(&self.seat.edition)
    }

    fn acts<'a>(&self, edition: &'a Edition) -> &'a [Act] {
        if self.is_opening {
            &edition.chains[self.at.chain].opening
        } else {
            &edition.turn(self.at).acts
        }
    }

    /// Answers a request, beginning with one of the acts of the turn.
    pub(super) async fn answer(mut self, call: &Call, from: usize) -> Answer {
        let edition = self.edition();
        let mut number = from;
        // An answer of the client may lead to another case: what follows is looked up each time.
        while let Some(act) = self.acts(&edition).get(number) {
            match act {
                Act::Tell(line) => match self.telling(line) {
                    Ok(Some(message)) => {
                        if call.say(message).await.is_err() {
                            return Answer::given();
                        }
                    }
                    Ok(None) => {}
                    Err(answer) => return answer,
                },
                Act::Ask { question, answer } => {
                    if !self.revision.has_server_requests() {
                        return self.pause(question, number);
                    }
                    if let Err(answer) = self.ask(call, number, question, answer.as_ref()).await {
                        return answer;
                    }
                }
                Act::Reply(line) => return self.reply(call, line, number + 1).await,
            }
            number += 1;
        }
        let turn = edition.turn(self.at);
        if turn.is_cancelled || turn.heard.method() == Some(LISTEN) {
            call.over().await;
            return Answer::given();
        }
        let why =
            format!("{}: the case has no `out` that answers this request", turn.heard.place());
        Answer::error(error_code::INTERNAL_ERROR, why)
    }

    /// Goes on after a reply, or answers a notification, beginning with one of the acts of the turn.
    pub(super) fn go_on(mut self, from: usize) {
        let edition = self.edition();
        for (number, act) in self.acts(&edition).iter().enumerate().skip(from) {
            match act {
                Act::Tell(line) => match self.telling(line) {
                    Ok(Some(message)) => {
                        if !self.announce(&message) {
                            self.unsaid(
                                line,
                                "there is no way for it, or the client does not read",
                            );
                        }
                    }
                    Ok(None) => {}
                    Err(answer) => self.unsaid(line, &reason(answer)),
                },
                Act::Ask { question, answer } => {
                    let waits = answer.is_some();
                    if self.put(question, answer.clone(), number) && waits {
                        return;
                    }
                }
                Act::Reply(_) => {}
            }
        }
        self.keep();
    }

    /// Says something apart from any reply.
    fn announce(&self, message: &Value) -> bool {
        if self.revision.era() == Era::Stateless {
            // Nothing is said there but to those who have asked for it.
            let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
            self.voice.announce(method, message.get("params").cloned().unwrap_or_default());
            return true;
        }
        self.voice.say(message.clone())
    }

    /// Asks something apart from any reply, and goes on when it is answered; `false` if it cannot be asked.
    fn put(&mut self, question: &Line, answer: Option<Line>, number: usize) -> bool {
        let (mut next, asked) = (self.clone(), question.clone());
        let heard = move |said: Result<Value, RpcError>| {
            if let Some(answer) = answer {
                next.heard(number, &asked, &answer, &said);
                next.go_on(number + 1);
            }
        };
        let message = match self.request_of(question) {
            Ok(message) => message,
            Err(answer) => {
                self.unsaid(question, &reason(answer));
                return false;
            }
        };
        let said = self
            .voice
            .number(heard)
            .filter(|id| self.voice.say(Request { id: id.clone(), ..message.clone() }.to_value()));
        match said {
            Some(id) => {
                self.mock.log.count(question);
                self.labels.asked(question, id);
                true
            }
            None => {
                self.unsaid(question, "nothing can be asked apart from a reply here");
                false
            }
        }
    }

    /// Asks the client something while it waits for its own answer.
    async fn ask(
        &mut self,
        call: &Call,
        number: usize,
        question: &Line,
        answer: Option<&Line>,
    ) -> Result<(), Answer> {
        let message = self.request_of(question)?;
        let (tell, told) = oneshot::channel();
        let Some(id) = call.number(move |said| drop(tell.send(said))) else {
            self.unsaid(question, "too much is asked already");
            return Ok(());
        };
        self.labels.asked(question, id.clone());
        self.mock.log.count(question);
        call.say(Request { id, ..message }.to_value()).await.map_err(|_| Answer::given())?;
        let Some(answer) = answer else { return Ok(()) };
        // A client that has gone says nothing more, and hears nothing more.
        let said = told.await.map_err(|_| Answer::given())?;
        self.heard(number, question, answer, &said);
        Ok(())
    }

    /// Holds what the client says against what the case has it say.
    fn heard(
        &mut self,
        number: usize,
        question: &Line,
        answer: &Line,
        said: &Result<Value, RpcError>,
    ) {
        let mut got = Object::new();
        match said {
            Ok(result) => got.push("result", result.clone()),
            Err(error) => got.push("error", error.to_value()),
        }
        let got = Value::from(got);
        let mut answer = answer.clone();
        let mut differences = branch::differences(&answer, &got, &self.values, self.revision);
        if !differences.is_empty()
            && !self.is_opening
            && let Some((at, other)) =
                branch::find(&self.edition(), self.at, number, &got, self.revision)
        {
            self.turn_to(at);
            (answer, differences) = (other, Vec::new());
        }
        capture(answer.message(), &got, &mut self.values).ok();
        self.mock.log.count(&answer);
        if !differences.is_empty() {
            let asked = Answered::new(self.seat.number, words_for(question), &answer);
            self.mock.tell(Event::Differed { asked, differences });
        }
        self.keep();
    }

    /// Goes on with another case that is the same up to here.
    fn turn_to(&mut self, at: At) {
        let edition = self.edition();
        let heard = &edition.turn(at).heard;
        let mut values = edition.chains[at.chain].values.clone();
        let names: Vec<String> = values.names().map(str::to_owned).collect();
        for name in names {
            if let Some(value) = self.values.value(&name) {
                values.set(&name, value.clone());
            }
        }
        self.at = at;
        self.values = values;
        self.labels.relabel(heard);
        self.mock.log.count(heard);
        self.seat.go_on(at, &self.values);
        let what = words_for(heard);
        self.mock.tell(Event::Answered(Answered::new(self.seat.number, what, heard)));
    }

    /// Replies, and goes on with what follows.
    async fn reply(mut self, call: &Call, line: &Line, next: usize) -> Answer {
        let mut message = match expand(line.value(), &self.values) {
            Ok(message) => message,
            Err(error) => return unable(line, &error.to_string()),
        };
        capture(line.message(), &message, &mut self.values).ok();
        self.mock.log.count(line);
        self.keep();
        if let Some(error) = message.get("error") {
            let error = RpcError {
                code: error
                    .get("code")
                    .and_then(Value::as_i64)
                    .unwrap_or(error_code::INTERNAL_ERROR),
                message: error
                    .get("message")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                data: error.get("data").cloned(),
            };
            return self.last(call, error.into(), next).await;
        }
        let Some(result) = message.remove("/result") else {
            return unable(line, "it has neither a result nor an error");
        };
        if !self.revision.has_input_requests()
            && let Some(requests) = era::wanted_input(&result)
        {
            let requests = requests.clone();
            return Box::pin(self.gather(call, line, &requests)).await;
        }
        let mut result = era::fit(call.method(), result, self.revision);
        self.labels.put_into_result(&mut result);
        self.last(call, result.into(), next).await
    }

    async fn last(self, call: &Call, answer: Answer, next: usize) -> Answer {
        let edition = self.edition();
        if self.acts(&edition).len() <= next {
            return answer;
        }
        let answer = if call.reply(&answer).await { Answer::given() } else { answer };
        self.go_on(next);
        answer
    }

    /// Asks what a result of the stateless era wants to know, where servers ask by themselves, and goes on as the case does
    /// when the request comes again with the answers.
    async fn gather(mut self, call: &Call, line: &Line, requests: &Object) -> Answer {
        let edition = self.edition();
        let next = At { turn: self.at.turn + 1, ..self.at };
        let again = edition.chains[next.chain].turns.get(next.turn);
        let Some(again) = again.filter(|turn| turn.heard.param("inputResponses").is_some()) else {
            return unable(line, "nothing in the case follows on what it asks the client for");
        };
        let mut responses = Object::new();
        for (name, request) in requests.effective() {
            let (tell, told) = oneshot::channel();
            let Some(id) = call.number(move |said| drop(tell.send(said))) else {
                return unable(line, "too much is asked already");
            };
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let asked = Request::new(id, method, request.get("params").cloned());
            if call.say(asked.to_value()).await.is_err() {
                return Answer::given();
            }
            match told.await {
                Ok(Ok(result)) => responses.push(name, result),
                Ok(Err(error)) => return error.into(),
                Err(_) => return Answer::given(),
            }
        }
        self.answered(again, &responses.into());
        self.at = next;
        self.seat.go_on(next, &self.values);
        self.answer(call, 0).await
    }

    /// Holds the answers to several questions against those of the case.
    fn answered(&mut self, again: &Turn, responses: &Value) {
        let line = &again.heard;
        self.mock.log.count(line);
        let expected = expand(line.value(), &self.values).unwrap_or_else(|_| line.value().clone());
        let mut got = expected.clone();
        got.set("/params/inputResponses", responses.clone());
        let (rule, none) = (&line.message().rule, Tolerance::none());
        let differences = compare(&expected, &got, rule, &none, self.values.secrets());
        capture(line.message(), &got, &mut self.values).ok();
        let asked = Answered::new(self.seat.number, words_for(line), line);
        self.mock.tell(match differences.is_empty() {
            true => Event::Answered(asked),
            false => Event::Differed { asked, differences },
        });
    }

    /// Where servers send no requests: wants the answer brought along when the request comes again.
    fn pause(self, question: &Line, number: usize) -> Answer {
        let request = match self.request_of(question) {
            Ok(request) => request,
            Err(answer) => return answer,
        };
        self.mock.log.count(question);
        self.keep();
        let mut asked = Object::new();
        asked.push("method", request.method.as_str());
        asked.push("params", request.params.unwrap_or_else(|| Object::new().into()));
        let mut requests = Object::new();
        requests.push(key_of(&request.method), asked);
        let state = Pause { at: self.at, act: number }.to_state();
        Answer::input_required(requests, Some(&state))
    }

    /// Goes on where the client was asked, with what it says now.
    pub(super) fn resume(&mut self, call: &Call, pause: &Pause) -> Option<()> {
        let edition = self.edition();
        let Act::Ask { question, answer } = self.acts(&edition).get(pause.act)? else {
            return None;
        };
        let said = call.input_response(key_of(question.method()?))?;
        if let Some(answer) = answer {
            self.heard(pause.act, question, answer, &Ok(said.clone()));
        }
        Some(())
    }

    /// A notification as the client hears it, if it wants to.
    fn telling(&mut self, line: &Line) -> Result<Option<Value>, Answer> {
        let mut message =
            expand(line.value(), &self.values).map_err(|error| unable(line, &error.to_string()))?;
        if !self.labels.put_into(&mut message) {
            self.unsaid(line, "the client gave no progress token");
            return Ok(None);
        }
        capture(line.message(), &message, &mut self.values).ok();
        self.mock.log.count(line);
        Ok(Some(message))
    }

    /// A request as it is asked, but for its id.
    fn request_of(&self, question: &Line) -> Result<Request, Answer> {
        let message = expand(question.value(), &self.values)
            .map_err(|error| unable(question, &error.to_string()))?;
        let method = question.method().unwrap_or_default();
        Ok(Request::new(0, method, message.get("params").cloned()))
    }

    /// Keeps the values for the turns that follow.
    fn keep(&self) {
        if !self.is_opening && !self.values.is_empty() {
            self.seat.keep(self.at, &self.values);
        }
    }

    fn unsaid(&self, line: &Line, why: &str) {
        let what = format!("{} ({})", line.method().unwrap_or("a reply"), line.place());
        self.mock.tell(Event::Unsaid { client: self.seat.number, what, why: why.to_owned() });
    }
}

/// Where a turn was when the client was asked for something that it brings along later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pause {
    pub(super) at: At,
    pub(super) act: usize,
}

impl Pause {
    const MARK: &'static str = "mcp-test-cases";

    fn to_state(self) -> String {
        format!("{}/{}/{}/{}", Self::MARK, self.at.chain, self.at.turn, self.act)
    }

    /// Reads what a client brings back; what was not written here is none.
    pub(super) fn read(state: &str) -> Option<Self> {
        let mut parts = state.strip_prefix(Self::MARK)?.strip_prefix('/')?.split('/');
        let mut number = || parts.next()?.parse::<usize>().ok();
        let (chain, turn, act) = (number()?, number()?, number()?);
        Some(Self { at: At { chain, turn }, act })
    }

    /// Whether the contract has such a place, where the method is asked for.
    pub(super) fn is_in(&self, edition: &Edition, method: &str) -> bool {
        let turn =
            edition.chains.get(self.at.chain).and_then(|chain| chain.turns.get(self.at.turn));
        turn.is_some_and(|turn| {
            turn.heard.method() == Some(method)
                && matches!(turn.acts.get(self.act), Some(Act::Ask { .. }))
        })
    }
}

/// The name under which a question is asked in a result.
fn key_of(method: &str) -> &str {
    method.split('/').next().unwrap_or(method)
}

fn words_for(line: &Line) -> String {
    brief(line.method().unwrap_or("an answer"), None)
}

/// What a client is told when the case cannot be said.
fn unable(line: &Line, why: &str) -> Answer {
    Answer::error(error_code::INTERNAL_ERROR, format!("{}: {why}", line.place()))
}

/// Why something could not be said.
fn reason(answer: Answer) -> String {
    answer.refusal().map_or_else(String::new, |error| error.message)
}
