//! One conversation: JSON-RPC is kept exactly, each request is admitted to its era, and its handler's answer shaped.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, FutureExt, join_all, ready};
use tokio::sync::watch;

use super::{
    Refusal, Server,
    asked::Asked,
    call::Call,
    given::ClientMessage,
    handler::Handler,
    in_flight::InFlight,
    reply::{refusal, reply},
    subscriptions::{LISTEN, Wishes},
    terms::Terms,
};
use crate::{
    json::Value,
    spec::{Era, Revision, error_code},
    transport::{
        fault::{self, Then},
        serve::{Conversation, Emitted, Outbox, Received, Work},
    },
    wire::{ErrorReply, Frame, Id, Malformed, Message, Notification, Request, RpcError},
};

/// What one message leads to: a reply, or none.
pub(super) type Reply = BoxFuture<'static, Option<Emitted>>;

/// One conversation; copies are the same conversation.
#[derive(Debug, Clone)]
pub(super) struct Talk(pub(super) Arc<State>);

#[derive(Debug)]
pub(super) struct State {
    /// Which of the server's conversations it is.
    number: u64,
    pub(super) server: Server,
    pub(super) era: Option<Era>,
    pub(super) agreed: Mutex<Option<Terms>>,
    /// The way for what the server sends on its own account.
    own: Mutex<Option<Outbox>>,
    over: watch::Sender<bool>,
    pub(super) wishes: Wishes,
    /// The level that the client has set for the whole conversation.
    pub(super) log_level: Mutex<Option<String>>,
    asked: Asked,
    pub(super) in_flight: InFlight,
    /// What the script keeps for as long as the conversation lasts.
    #[cfg(feature = "cases")]
    pub(super) kept: std::sync::OnceLock<Arc<dyn std::any::Any + Send + Sync>>,
}

impl Conversation for Talk {
    fn receive(&self, received: Received, outbox: Outbox) -> Work {
        let (heard, replies) = fault::intake(received, self.0.server.wrongs());
        let work = heard.map_or_else(|| ready(()).boxed(), |text| self.hear(text, outbox.clone()));
        let answer = async move {
            for reply in replies {
                outbox.send(reply).await;
            }
            work.await;
        };
        answer.boxed()
    }

    fn revision(&self) -> Option<Revision> {
        self.agreed().map(|terms| terms.revision)
    }

    fn attach(&self, outbox: Outbox) {
        let mut own = self.own();
        if !self.is_over() {
            *own = Some(outbox);
            drop(own);
            self.0.server.audience().join(self);
        }
    }

    fn close(&self) {
        let mut own = self.own();
        self.0.over.send_replace(true);
        *own = None;
        self.0.asked.close();
    }

    fn is_over(&self) -> bool {
        *self.0.over.borrow()
    }
}

impl Talk {
    pub(super) fn new(server: Server, era: Option<Era>) -> Self {
        Self(Arc::new(State {
            number: server.book().welcome(),
            server,
            era,
            agreed: Mutex::default(),
            own: Mutex::default(),
            log_level: Mutex::default(),
            over: watch::Sender::default(),
            wishes: Wishes::default(),
            asked: Asked::default(),
            in_flight: InFlight::default(),
            #[cfg(feature = "cases")]
            kept: std::sync::OnceLock::new(),
        }))
    }

    /// The way for what the server sends on its own account, where there is one.
    pub(super) fn own_outbox(&self) -> Option<Outbox> {
        self.own().clone()
    }

    /// Waits until the conversation is over.
    pub(super) async fn over(&self) {
        // The sender lives as long as this conversation does.
        self.0.over.subscribe().wait_for(|over| *over).await.ok();
    }

    fn own(&self) -> MutexGuard<'_, Option<Outbox>> {
        self.0.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn asked(&self) -> &Asked {
        &self.0.asked
    }

    fn hear(&self, received: Received, outbox: Outbox) -> Work {
        let document = match received {
            Received::Json(document) => document,
            Received::Unreadable(reason) => {
                let error = RpcError::new(error_code::PARSE_ERROR, reason);
                return deliver(self.refuse_text(None, error), outbox);
            }
        };
        match Frame::read(&document.value) {
            Ok(Frame::One(message)) => deliver(self.take(message, &outbox, false), outbox),
            Ok(Frame::Batch(items)) => self.batch(items, outbox),
            Err(_) if wants_no_answer(&document.value) => ready(()).boxed(),
            Err(malformed) => deliver(self.malformed(&malformed), outbox),
        }
    }

    fn agreed(&self) -> Option<Terms> {
        self.0.agreed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn batch(&self, items: Vec<Result<Message, Malformed>>, outbox: Outbox) -> Work {
        if items.is_empty() || !self.revision().is_some_and(Revision::has_batches) {
            let error =
                RpcError::new(error_code::INVALID_REQUEST, "expected one message, got an array");
            return deliver(self.refuse_text(None, error), outbox);
        }
        let replies: Vec<_> = items
            .into_iter()
            .map(|item| {
                item.map_or_else(
                    |malformed| self.malformed(&malformed),
                    |message| self.take(message, &outbox, true),
                )
            })
            .collect();
        let answer = async move {
            let replies = join_all(replies).await;
            let replies: Vec<_> = replies.into_iter().flatten().collect();
            if !replies.is_empty() {
                outbox.send(Emitted::batch(replies)).await;
            }
        };
        answer.boxed()
    }

    /// Notes a message, and finds what a rule responds with; without terms, it reaches no rule.
    fn note(&self, message: Message, terms: Option<&Terms>) -> Option<Handler> {
        let message = ClientMessage {
            client: self.0.number,
            client_info: terms.and_then(|terms| terms.info.clone()),
            revision: terms.map(|terms| terms.revision),
            message,
        };
        self.0.server.book().note(message, terms.is_some())
    }

    /// Takes in one message: at once what concerns the order of things, later the rest.
    fn take(&self, message: Message, outbox: &Outbox, in_batch: bool) -> Reply {
        if message.is_reply() {
            self.note(message.clone(), self.agreed().as_ref());
        }
        match message {
            Message::Request(request) => self.request(request, outbox, in_batch),
            Message::Notification(notification) => self.notification(notification, outbox),
            Message::Response(response) => {
                self.0.asked.answer(&response.id, Ok(response.result));
                ready(None).boxed()
            }
            Message::Error(reply) => {
                if let Some(id) = &reply.id {
                    self.0.asked.answer(id, Err(reply.error));
                }
                ready(None).boxed()
            }
        }
    }

    fn notification(&self, notification: Notification, outbox: &Outbox) -> Reply {
        let message = Message::Notification(notification.clone());
        let Notification { method, params } = notification;
        if method == "notifications/cancelled" {
            let id = params.as_ref().and_then(|params| params.get("requestId")).and_then(Id::read);
            id.iter().for_each(|id| self.0.in_flight.cancel(id));
        }
        let server = &self.0.server;
        let terms = Terms::of_request(params.as_ref(), server).ok().or_else(|| self.agreed());
        let rule = self.note(message, terms.as_ref());
        let Some(handler) = rule.or_else(|| server.handler(&method)) else {
            return ready(None).boxed();
        };
        let terms = terms.unwrap_or_else(|| Terms::unsettled(server.newest()));
        let call = self.call(None, method, params, terms, outbox);
        let observe = async move {
            handler.answer(call).await;
            None
        };
        observe.boxed()
    }

    fn request(&self, request: Request, outbox: &Outbox, in_batch: bool) -> Reply {
        let message = Message::Request(request.clone());
        let Request { id, method, params } = request;
        let whole = match &id {
            Id::Number(number) => number.is_integer(),
            Id::String(_) => true,
            Id::Null => false,
        };
        if !whole {
            let error = RpcError::new(
                error_code::INVALID_REQUEST,
                "a request id is a string or a whole number",
            );
            return self.refuse_text(None, error);
        }
        let server = self.0.server.clone();
        let admitted = self.admit(&method, params.as_ref());
        let rule = self.note(message, admitted.as_ref().ok());
        let admitted = admitted.and_then(|terms| match rule {
            Some(_) => Ok(terms),
            None => server.exists(&method, terms.revision).map(|()| terms),
        });
        let terms = match admitted {
            Ok(terms) => terms,
            Err(Refusal { error, status }) => {
                return ready(Some(refusal(id, method, error, status))).boxed();
            }
        };
        let Some(handler) = rule.or_else(|| server.handler(&method)) else {
            if method == LISTEN {
                return self.listen(id, &params.unwrap_or_default(), terms, outbox);
            }
            let answer = server.built_in(&method, &terms);
            return ready(Some(reply(id, method, answer, &terms, &server))).boxed();
        };
        let uri = params.as_ref().and_then(|params| params.get("uri")?.as_str()).map(str::to_owned);
        let call = self.call(Some(id.clone()), method.clone(), params, terms.clone(), outbox);
        let call = Call { in_batch, ..call };
        let ticket = self.0.in_flight.enter(&id);
        let talk = self.clone();
        let answer = async move {
            let answer = tokio::select! {
                biased;
                () = ticket.cancelled(), if method != "initialize" => return None,
                answer = handler.answer(call) => answer,
            };
            Some(match answer.said() {
                Ok(answer) => {
                    if answer.is_ok() {
                        talk.0.wishes.note(&method, uri.as_deref());
                    }
                    reply(id, method, answer, &terms, &server)
                }
                // It was said already.
                Err(Then::GoOn) => return None,
                Err(then) => Emitted::instead(method, then),
            })
        };
        answer.boxed()
    }

    fn call(
        &self,
        id: Option<Id>,
        method: String,
        params: Option<Value>,
        terms: Terms,
        outbox: &Outbox,
    ) -> Call {
        let params = params.unwrap_or_default();
        let (talk, outbox) = (self.clone(), outbox.clone());
        Call { id, method, params, terms, talk, outbox, in_batch: false }
    }

    fn malformed(&self, malformed: &Malformed) -> Reply {
        let id = malformed.id.clone().filter(|id| *id != Id::Null);
        self.refuse_text(id, RpcError::new(error_code::INVALID_REQUEST, malformed.to_string()))
    }

    /// Refuses a text that holds no request which could be answered in its own name.
    fn refuse_text(&self, id: Option<Id>, error: RpcError) -> Reply {
        let may_lack_id = match self.revision() {
            Some(revision) => revision.has_errors_without_id(),
            None => self.0.era == Some(Era::Stateless),
        };
        let id = id.or((!may_lack_id).then_some(Id::Null));
        let value = ErrorReply { id, error }.to_value();
        ready(Some(Emitted { status: Some(400), ..Emitted::unprompted(value) })).boxed()
    }
}

fn deliver(reply: Reply, outbox: Outbox) -> Work {
    let deliver = async move {
        if let Some(emitted) = reply.await {
            outbox.send(emitted).await;
        }
    };
    deliver.boxed()
}

/// Whether a text that is no message was meant as a notification or a reply, which are never answered.
fn wants_no_answer(value: &Value) -> bool {
    let has = |name| value.get(name).is_some();
    match value.get("method") {
        Some(method) => method.is_string() && !has("id"),
        None => has("result") || has("error"),
    }
}
