//! Dispatches the messages of a conversation: JSON-RPC is validated strictly, each request is admitted to an era, and
//! the answer of its handler gets the form of the revision.

use futures_util::future::{FutureExt, join_all, ready};

use super::Refusal;
use super::call::Call;
use super::conversation::{Reply, ServerConversation};
use super::given::ClientMessage;
use super::handler::Handler;
use super::reply::{refusal, reply};
use super::request_context::RequestContext;
use crate::json::{Number, Value};
use crate::spec::{Era, LISTEN, Revision, error_code};
use crate::transport::actor::{Conversation, InboundText, OutboundMessage, Outbox, Work};
use crate::transport::event_form::EventForm;
use crate::transport::fault::{self, FollowUp, Misbehavior};
use crate::wire::{ErrorReply, Frame, Id, Malformed, Message, Notification, Request, RpcError};

impl Conversation for ServerConversation {
    fn receive(&self, received: InboundText, outbox: Outbox) -> Work {
        let (text, replies) = fault::intake(received, self.0.server.injected_faults());
        let work =
            text.map_or_else(|| ready(()).boxed(), |text| self.dispatch(text, outbox.clone()));
        let answer = async move {
            // Answers that faults give in place of a handler.
            for reply in replies {
                outbox.send(reply).await;
            }
            work.await;
        };
        answer.boxed()
    }

    fn revision(&self) -> Option<Revision> {
        self.agreed().map(|context| context.revision)
    }

    fn attach(&self, outbox: Outbox) {
        let mut own = self.lock_own_outbox();
        // Checked under the lock, which `close` takes as well: no outbox is set after the end.
        if !self.is_over() {
            *own = Some(outbox);
            drop(own);
            self.0.server.open_conversations().join(self);
        }
    }

    fn close(&self) {
        // Held until the end, so that `attach` either sees that the conversation is over or sets what is cleared here.
        let mut own = self.lock_own_outbox();
        self.0.over.send_replace(true);
        *own = None;
        // Wakes the handlers that wait for the client, which can no longer reply.
        self.0.outgoing_requests.close();
    }

    fn is_over(&self) -> bool {
        *self.0.over.borrow()
    }
}

impl ServerConversation {
    fn dispatch(&self, received: InboundText, outbox: Outbox) -> Work {
        let document = match received {
            InboundText::Json(mut document) => {
                self.misread_id(&mut document.value);
                document
            }
            InboundText::Unreadable(_)
                if self.0.server.misbehaves(Misbehavior::ExitsAtInvalidText) =>
            {
                let exit = OutboundMessage::instead("", FollowUp::Exit);
                return deliver(ready(Some(exit)).boxed(), outbox);
            }
            // JSON-RPC 2.0: text that is not JSON is answered with a parse error, since it may have been a request.
            InboundText::Unreadable(reason) => {
                let error = RpcError::new(error_code::PARSE_ERROR, reason);
                return deliver(self.refuse_text(None, error), outbox);
            }
        };
        match Frame::read(&document.value) {
            Ok(Frame::One(message)) => {
                deliver(self.dispatch_message(message, &outbox, false), outbox)
            }
            Ok(Frame::Batch(items)) => self.batch(items, outbox),
            // JSON-RPC 2.0: neither a notification nor a reply is answered, not even an invalid one.
            Err(_) if is_never_answered(&document.value) => ready(()).boxed(),
            Err(malformed) => deliver(self.malformed(&malformed), outbox),
        }
    }

    /// Reads the id of a message as a server does that is less strict.
    fn misread_id(&self, message: &mut Value) {
        let server = &self.0.server;
        let is_served = server.misbehaves(Misbehavior::ServesAnyId);
        let is_truncated = server.misbehaves(Misbehavior::TruncatesIds);
        let read = message.get("id").map(Id::read);
        let misread = match read {
            Some(None) if is_served => Value::Null,
            Some(Some(Id::Number(number))) if is_truncated && !number.is_integer() => {
                let whole = number.as_f64().and_then(|it| Number::from_f64(it.floor()));
                whole.map_or(Value::Null, Value::from)
            }
            _ => return,
        };
        message.set("/id", misread);
    }

    fn batch(&self, items: Vec<Result<Message, Malformed>>, outbox: Outbox) -> Work {
        // Only 2025-03-26 has batches, so `initialize` cannot be in one: nothing is negotiated before it.
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
                    |message| self.dispatch_message(message, &outbox, true),
                )
            })
            .collect();
        let answer = async move {
            let replies = join_all(replies).await;
            let replies: Vec<_> = replies.into_iter().flatten().collect();
            // JSON-RPC 2.0: a batch without requests gets no reply, not even an empty array.
            if !replies.is_empty() {
                outbox.send(OutboundMessage::batch(replies)).await;
            }
        };
        answer.boxed()
    }

    /// Records a message and returns the handler of the rule that answers it; without a context it reaches no rule.
    fn record(&self, message: Message, context: Option<&RequestContext>) -> Option<Handler> {
        self.0.server.rules().record(self.received(message, context), context.is_some())
    }

    fn received(&self, message: Message, context: Option<&RequestContext>) -> ClientMessage {
        ClientMessage {
            client: self.0.number,
            client_info: context.and_then(|context| context.info.clone()),
            revision: context.map(|context| context.revision),
            message,
        }
    }

    /// The refusal of a request that neither a rule nor a handler answers, nor the server by itself.
    fn unanswerable(
        &self,
        request: Message,
        context: &RequestContext,
        refusal: Refusal,
    ) -> Refusal {
        let message = self.received(request, Some(context));
        let rules = self.0.server.rules();
        let nearest = rules.unmatched(&message);
        rules.keep_unscripted(message);
        nearest.map_or(refusal, Refusal::from)
    }

    /// Dispatches one message. What depends on the order of messages happens at once, the rest in the returned future.
    fn dispatch_message(&self, message: Message, outbox: &Outbox, in_batch: bool) -> Reply {
        // Requests and notifications are recorded below, where their context and their rule are known.
        if message.is_reply() {
            self.record(message.clone(), self.agreed().as_ref());
        }
        match message {
            Message::Request(request) => self.request(request, outbox, in_batch),
            Message::Notification(notification) => self.notification(notification, outbox),
            Message::Response(response) => {
                let outgoing = &self.0.outgoing_requests;
                ready(outgoing.resolve(&response.id, Ok(response.result))).boxed()
            }
            Message::Error(reply) => {
                let outgoing = &self.0.outgoing_requests;
                // An error without an id cannot be matched to a request.
                let id = reply.id.as_ref();
                ready(id.and_then(|id| outgoing.resolve(id, Err(reply.error)))).boxed()
            }
        }
    }

    fn notification(&self, notification: Notification, outbox: &Outbox) -> Reply {
        let message = Message::Notification(notification.clone());
        let Notification { method, params } = notification;
        if method == "notifications/cancelled" {
            let id = params.as_ref().and_then(|params| params.get("requestId")).and_then(Id::read);
            // Here and not in the returned future: a cancellation must not be overtaken by the request that follows it.
            id.iter().for_each(|id| self.0.in_flight.cancel(id));
        }
        let server = &self.0.server;
        let context =
            // The `_meta` of a notification is optional, so without one the context is that of the handshake, if any.
            RequestContext::from_meta(params.as_ref(), server).ok().or_else(|| self.agreed());
        let rule = self.record(message, context.as_ref());
        let Some(handler) = rule.or_else(|| server.handler(&method)) else {
            return ready(None).boxed();
        };
        let context =
            // Handlers need a revision even for a notification that is sent before the handshake.
            context.unwrap_or_else(|| RequestContext::before_negotiation(server.newest()));
        let call = self.call(None, method, params, context, outbox);
        let observe = async move {
            handler.answer(call).await;
            None
        };
        observe.boxed()
    }

    fn request(&self, request: Request, outbox: &Outbox, in_batch: bool) -> Reply {
        let message = Message::Request(request.clone());
        let Request { id, method, params } = request;
        if !is_valid(&id) && !self.0.server.misbehaves(Misbehavior::ServesAnyId) {
            let error = RpcError::new(
                error_code::INVALID_REQUEST,
                "a request id is a string or a whole number",
            );
            return self.refuse_text(None, error);
        }
        let server = &self.0.server;
        let admitted = self.admit(&method, params.as_ref());
        // Recorded before the method is looked up: a rule may answer a method that the server does not have.
        let rule = self.record(message.clone(), admitted.as_ref().ok());
        let admitted = admitted.and_then(|context| match rule {
            Some(_) => Ok(context),
            None => match server.exists(&method, context.revision) {
                Ok(()) => server.check_log_level(params.as_ref(), &context).map(|()| context),
                Err(refusal) => Err(self.unanswerable(message.clone(), &context, refusal)),
            },
        });
        let context = match admitted {
            Ok(context) => context,
            Err(Refusal { error, status }) => {
                return ready(Some(refusal(id, method, error, status))).boxed();
            }
        };
        // A rule or a handler also replaces what is built in.
        let Some(handler) = rule.or_else(|| server.handler(&method)) else {
            if method == LISTEN {
                // Not in `built_in`, because its reply is due when the subscription ends.
                return self.listen(id, &params.unwrap_or_default(), context, outbox);
            }
            let mut answer = server.built_in(&method, &context);
            let proposed = params.as_ref().and_then(|params| params.get("protocolVersion"));
            if method == "initialize"
                && server.misbehaves(Misbehavior::EchoesVersion)
                && let (Ok(result), Some(proposed)) = (&mut answer, proposed)
            {
                result.set("/protocolVersion", proposed.clone());
            }
            let answer =
                answer.map_err(|error| self.unanswerable(message, &context, error.into()).error);
            return ready(Some(reply(id, method, answer, &context, server))).boxed();
        };
        let call = self.call(Some(id.clone()), method, params, context, outbox);
        self.handle(id, handler, Call { in_batch, ..call })
    }

    /// Runs the handler of a request, unless the client cancels the request first.
    fn handle(&self, id: Id, handler: Handler, call: Call) -> Reply {
        let (method, context) = (call.method.clone(), call.context.clone());
        let uri = call.param("uri").and_then(Value::as_str).map(str::to_owned);
        // Here and not in the future below, so that a cancellation that follows at once finds the request.
        let in_flight = self.0.in_flight.register(&id);
        let conversation = self.clone();
        let answer = async move {
            let answer = tokio::select! {
                // A cancellation goes first, so that a request is not answered if both are ready.
                biased;
                // The specification forbids clients to cancel `initialize`.
                () = in_flight.cancelled(), if method != "initialize" => return None,
                answer = handler.answer(call) => answer,
            };
            let ends_session = answer.ends_session();
            Some(match answer.into_outcome() {
                Ok(Err(error)) if ends_session => {
                    // Over HTTP the session is looked for by its conversation, which is over from here on.
                    conversation.close();
                    refusal(id, method, error, Some(404))
                }
                Ok(answer) => {
                    if answer.is_ok() {
                        // Before the reply is sent: a client may rely on updates from the reply on.
                        conversation.0.subscriptions.record(&method, uri.as_deref());
                    }
                    reply(id, method, answer, &context, &conversation.0.server)
                }
                // The handler has already sent the reply.
                Err(FollowUp::Continue) => return None,
                Err(then) => OutboundMessage::instead(method, then),
            })
        };
        answer.boxed()
    }

    fn call(
        &self,
        id: Option<Id>,
        method: String,
        params: Option<Value>,
        context: RequestContext,
        outbox: &Outbox,
    ) -> Call {
        let params = params.unwrap_or_default();
        let (conversation, outbox) = (self.clone(), outbox.clone());
        let form = EventForm::Plain;
        Call { id, method, params, context, conversation, outbox, in_batch: false, form }
    }

    fn malformed(&self, malformed: &Malformed) -> Reply {
        // A null id says that no id could be read, which `refuse_text` expresses as the revision wants it.
        let id = malformed.id.clone().filter(|id| *id != Id::Null);
        self.refuse_text(id, RpcError::new(error_code::INVALID_REQUEST, malformed.to_string()))
    }

    /// Refuses text that is not a valid request; the error has the id of the text only where one could be read.
    fn refuse_text(&self, id: Option<Id>, error: RpcError) -> Reply {
        let error = match self.0.server.misbehaves(Misbehavior::VagueRefusal) {
            true => RpcError { code: error_code::INTERNAL_ERROR, ..error },
            false => error,
        };
        // Before 2025-11-25 the schema requires an id in errors, for which JSON-RPC 2.0 prescribes null.
        let may_lack_id = match self.revision() {
            Some(revision) => revision.has_errors_without_id(),
            None => self.0.era == Some(Era::Stateless),
        };
        let id = id.or((!may_lack_id).then_some(Id::Null));
        let value = ErrorReply { id, error }.to_value();
        ready(Some(OutboundMessage { status: Some(400), ..OutboundMessage::unsolicited(value) }))
            .boxed()
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

/// Whether an id is valid in a request, for which MCP is stricter than JSON-RPC: it is a string or an integer.
fn is_valid(id: &Id) -> bool {
    match id {
        Id::Number(number) => number.is_integer(),
        Id::String(_) => true,
        Id::Null => false,
    }
}

/// Whether an invalid message was meant as a notification or a reply, which are never answered.
fn is_never_answered(value: &Value) -> bool {
    let has = |name| value.get(name).is_some();
    // JSON-RPC 2.0: only the missing id makes a notification, however wrong its other members are.
    match value.get("method") {
        Some(method) => method.is_string() && !has("id"),
        None => has("result") || has("error"),
    }
}
