//! A client's end of a connection with faults on it: the carrier stays good, what it is given to send does not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::bare::BareCall;
use super::fault::{Delivery, Fault, HttpDamage};
use super::link::{BoxFuture, Carry, Restarted};
use super::{Ending, HttpRequest, Incoming, Link, Outgoing, Sent};
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::{Connection, Party, Recorder, What};
use crate::wire::{Id, Message};

/// How many questions of the server are remembered; the answers to more are sent as they are.
const QUESTIONS: usize = 1000;

/// A carrier that sends what faults leave of each message.
pub(super) struct Faulty {
    inner: Box<dyn Carry>,
    faults: Arc<[Fault]>,
    questions: Questions,
    recorder: Recorder,
    connection: Connection,
}

/// What the server has asked, for faults on the answers; copies are the same.
#[derive(Clone, Default)]
pub(super) struct Questions(Arc<Mutex<HashMap<Id, String>>>);

impl Questions {
    /// Takes note of a question.
    pub(super) fn hear(&self, incoming: &Incoming) {
        if let Incoming::Message { message: Message::Request(request), .. } = incoming {
            let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if asked.len() < QUESTIONS {
                asked.insert(request.id.clone(), request.method.clone());
            }
        }
    }

    fn answered_by(&self, message: &Message) -> Option<String> {
        let id = message.id().filter(|_| message.is_reply())?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }
}

impl Link {
    /// Puts faults on what is sent from now on; see [`Fault`].
    #[must_use]
    pub fn faults(self, faults: impl Into<Arc<[Fault]>>) -> Self {
        let faults = faults.into();
        if faults.is_empty() {
            return self;
        }
        let (recorder, connection) = (self.recorder().clone(), self.connection());
        let questions = Questions::default();
        self.carried(questions.clone(), |inner| {
            Box::new(Faulty { inner, faults, questions, recorder, connection })
        })
    }
}

impl Faulty {
    /// What is left of a message: nothing, one, or several texts to send, in this order and after this time.
    fn leaves(&self, outgoing: Outgoing) -> (Duration, Vec<Outgoing>) {
        let Some(message) = &outgoing.message else { return (Duration::ZERO, vec![outgoing]) };
        let answers = self.questions.answered_by(message);
        let about = answers.clone().or_else(|| message.method().map(str::to_owned));
        let is_request = matches!(message, Message::Request(_));
        let http = HttpDamage::of(about.as_deref().unwrap_or_default(), is_request, &self.faults);
        let delivery = Delivery::of_client(message.to_value(), answers, &self.faults);
        let part = |bytes: &bytes::Bytes| {
            // The headers mirror what is sent, so that a fault in the body is no fault in them.
            let read = Value::parse(bytes).ok().and_then(|text| Message::read(&text.value).ok());
            let mut headers = outgoing.headers.clone();
            http.change_headers(&mut headers);
            let left_out = http.headers.iter().filter(|(_, value)| value.is_none());
            Outgoing {
                text: http.body.clone().unwrap_or_else(|| bytes.clone()),
                message: read.or_else(|| outgoing.message.clone()),
                headers,
                without: left_out.map(|(name, _)| name.clone()).collect(),
            }
        };
        let texts = delivery.parts.iter().map(|one| part(one.bytes())).collect();
        (delivery.late.unwrap_or_default(), texts)
    }
}

impl Carry for Faulty {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            let mut last = None;
            let meant = outgoing.text.clone();
            let (late, texts) = self.leaves(outgoing);
            if !late.is_zero() {
                clock::quiet(late).await;
            }
            for one in texts {
                let damaged = one.text != meant;
                let sent = self.inner.send(one, deadline).await;
                if damaged {
                    self.recorder.mark_deliberate(sent.seq);
                }
                last = Some(sent);
            }
            last.unwrap_or_else(|| {
                let note = What::Note("a fault kept a message from being sent".to_owned());
                let seq = self.recorder.record(self.connection, Party::Harness, note);
                Sent { seq, exchange: None, written: true }
            })
        })
    }

    fn speak(&mut self, revision: Revision) {
        self.inner.speak(revision);
    }

    fn listen<'a>(
        &'a mut self,
        after: Option<&'a str>,
        deadline: Deadline,
    ) -> BoxFuture<'a, Option<Sent>> {
        self.inner.listen(after, deadline)
    }

    fn hang_up(&mut self, exchange: u64) -> bool {
        self.inner.hang_up(exchange)
    }

    fn restart(&mut self, grace: Duration) -> BoxFuture<'_, Option<Restarted>> {
        self.inner.restart(grace)
    }

    fn bare(&self, request: HttpRequest) -> Option<BareCall> {
        self.inner.bare(request)
    }

    fn as_http(&self, outgoing: Outgoing) -> Option<HttpRequest> {
        self.inner.as_http(outgoing)
    }

    fn session(&self) -> Option<String> {
        self.inner.session()
    }

    fn end(self: Box<Self>, grace: Duration) -> BoxFuture<'static, Ending> {
        self.inner.end(grace)
    }
}
