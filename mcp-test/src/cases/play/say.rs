//! What the client says: an `in` of the case goes over the wire, with the ids that belong there.

use super::conversation::{Asking, Conversation};
use super::roles::{CANCELLED, Role, label_of, understood};
use super::told::Stop;
use crate::check::Finding;
use crate::client::RequestOptions;
use crate::json::Value;
use crate::wire::{Id, Message, Notification, Request};

const INITIALIZE: &str = "initialize";
const INITIALIZED: &str = "notifications/initialized";
const LISTEN: &str = "subscriptions/listen";

impl Role {
    /// Whether it is `initialize`, so that the case makes the handshake itself.
    pub(in crate::cases) fn opens(&self) -> bool {
        matches!(self, Self::Asks { method, .. } if method == INITIALIZE)
    }
}

impl Conversation<'_> {
    /// Says the present line.
    pub(super) async fn say(&mut self) -> Result<(), Stop> {
        let value = self.expanded()?;
        if self.line().message.message.is_none() {
            return self.babble(value).await;
        }
        match understood(&value) {
            Some(Message::Request(request)) => self.ask(request).await,
            Some(Message::Notification(told)) => self.tell(told).await,
            Some(Message::Response(reply)) => self.answer(Ok(reply.result)).await,
            Some(Message::Error(reply)) => self.answer(Err(reply.error)).await,
            None => self.babble(value).await,
        }
    }

    async fn ask(&mut self, request: Request) -> Result<(), Stop> {
        let Request { id: label, method, params } = request;
        let mut options = RequestOptions::new().by_hand().deliberate();
        if self.bare {
            options = options.verbatim();
        }
        let params = params.unwrap_or(Value::Null);
        let pending = self.client.start_with(&method, params, options).await;
        if method == LISTEN {
            self.client.stays_open(&pending);
        }
        let id = pending.id().clone();
        let opens = method == INITIALIZE;
        let (line, label) = (self.at, Some(label));
        self.asking.push(Asking { line, label, method, id, pending: Some(pending) });
        let is_answered = matches!(self.roles[self.at], Role::Asks { answered: Some(_), .. });
        // What follows is said in what was agreed.
        if opens && !is_answered {
            let asking = self.asking.len() - 1;
            let reply = self.reply_to(asking).await?;
            self.granted(self.at, &reply).map_err(Stop::Here)?;
            self.client.settle_on(&reply);
        }
        Ok(())
    }

    async fn tell(&mut self, told: Notification) -> Result<(), Stop> {
        if told.method == CANCELLED
            && let Some(label) = told.params.as_ref().and_then(|params| params.get("requestId"))
            && let Some(label) = Id::read(label)
            && let Some(asking) = self.pending_as(&label)
        {
            return self.cancel(asking, told).await;
        }
        let method = told.method.clone();
        let sent = self.client.tell(told).await.map_err(Stop::Here)?;
        self.client.mark_deliberate(sent);
        if method == INITIALIZED {
            self.listen().await;
        }
        Ok(())
    }

    /// A request that is cancelled is not waited for, unless the case has a reply to it all the same.
    async fn cancel(&mut self, asking: usize, told: Notification) -> Result<(), Stop> {
        let Role::Asks { answered, .. } = &self.roles[self.asking[asking].line] else {
            return Ok(());
        };
        let waits = answered.is_some_and(|answered| answered > self.at);
        let Some(pending) = self.asking[asking].pending.take() else { return Ok(()) };
        let pending = self.client.cancel_with(pending, told, waits).await.map_err(Stop::Here)?;
        self.asking[asking].pending = pending;
        Ok(())
    }

    async fn answer(&mut self, answer: crate::client::Answer) -> Result<(), Stop> {
        let Role::Answers(Some(asked_at)) = self.roles[self.at] else {
            let key = &self.line().message.key;
            return Err(Stop::Here(
                Finding::test(format!("`{key}` answers no request of the server"))
                    .expected("an `out` before it that has a `method` and the same `id`")
                    .got(format!("none in the case ({})", self.line().place())),
            ));
        };
        let is_it = |known: &Option<(usize, Id)>| known.as_ref().is_some_and(|it| it.0 == asked_at);
        if let Some(asked) = self.asked.iter().find(|asked| is_it(&asked.known_as)) {
            let request = asked.request.clone();
            let sent = self.client.answer(&request, answer).await;
            self.client.mark_deliberate(sent);
        }
        Ok(())
    }

    /// What is no message goes over the wire as it stands; where it has an id, with one of ours.
    async fn babble(&mut self, mut value: Value) -> Result<(), Stop> {
        let (method, label) = match &self.roles[self.at] {
            Role::Asks { method, label, .. } => (method.clone(), label.clone()),
            _ => match label_of(&value) {
                // Whether or not it is answered, the answer must not be taken for one to another request.
                Some(label) => (String::new(), Some(label)),
                None => {
                    self.client.send_raw(value.to_string()).await;
                    return Ok(());
                }
            },
        };
        let id = self.client.fresh_id();
        if label.is_some() {
            value.set("/id", id.to_value());
        }
        let text = value.to_string();
        let pending = self.client.start_unreadable(id.clone(), &method, text).await;
        self.asking.push(Asking { line: self.at, label, method, id, pending: Some(pending) });
        Ok(())
    }

    /// The latest request with this label that is under way.
    fn pending_as(&self, label: &Id) -> Option<usize> {
        let is_it =
            |asking: &Asking| asking.label.as_ref() == Some(label) && asking.pending.is_some();
        self.asking.iter().rposition(is_it)
    }
}
