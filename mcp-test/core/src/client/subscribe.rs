//! Subscriptions, in the form of each era.
//!
//! From 2026-07-28 on, a `subscriptions/listen` request stays open and its notifications carry its id. In earlier
//! revisions the server announces changed lists unsolicited, `resources/subscribe` subscribes to a resource, and over
//! Streamable HTTP a GET opens the stream that carries these notifications.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>

use std::time::Duration;

use super::notification::ReceivedNotification;
use super::notification_wait::Awaited;
use super::state::State;
use super::wait::Pending;
use super::{Client, RequestOptions};
use crate::check::{Cause, Fate, Finding};
use crate::json::{Object, Value};
use crate::spec::{Era, LISTEN, Requirement};
use crate::trace::Seq;
use crate::wire::Id;

pub(super) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The changes that a client subscribes to.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::client::SubscriptionFilter;
///
/// let filter = SubscriptionFilter::new().tools_list_changed().resource("file:///notes.md");
/// assert_eq!(
///     filter.to_value().to_string(),
///     r#"{"toolsListChanged":true,"resourceSubscriptions":["file:///notes.md"]}"#,
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "pass it to `Client::subscribe`"]
pub struct SubscriptionFilter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Vec<String>,
}

impl SubscriptionFilter {
    /// A filter for no changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds changes of the list of tools.
    pub fn tools_list_changed(mut self) -> Self {
        self.tools = true;
        self
    }

    /// Adds changes of the list of prompts.
    pub fn prompts_list_changed(mut self) -> Self {
        self.prompts = true;
        self
    }

    /// Adds changes of the list of resources.
    pub fn resources_list_changed(mut self) -> Self {
        self.resources = true;
        self
    }

    /// Adds changes of this resource.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        self.uris.push(uri.into());
        self
    }

    /// The filter in the form of `subscriptions/listen`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut filter = Object::new();
        let lists = [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ];
        // Only what is wanted: an absent flag means the same as `false`.
        for (name, _) in lists.into_iter().filter(|(_, wanted)| *wanted) {
            filter.push(name, true);
        }
        if !self.uris.is_empty() {
            filter.push(
                "resourceSubscriptions",
                self.uris.iter().map(String::as_str).collect::<Value>(),
            );
        }
        filter.into()
    }
}

/// A subscription that the server has accepted. It ends with [`Client::unsubscribe`], at the latest with its connection.
#[derive(Debug)]
pub struct Subscription {
    filter: SubscriptionFilter,
    /// The `subscriptions/listen` that stays open, in the stateless era.
    listening: Option<Pending>,
    acknowledged: Value,
    since: Option<Seq>,
}

impl Subscription {
    /// The id that notifications of the subscription carry, where the revision has one.
    #[must_use]
    pub fn id(&self) -> Option<&Id> {
        self.listening.as_ref().map(Pending::id)
    }

    /// The filter that the server acknowledged; before 2026-07-28 the requested filter.
    #[must_use]
    pub fn acknowledged(&self) -> &Value {
        &self.acknowledged
    }

    /// Whether a notification belongs to the subscription, by its id or by the stream that carried it.
    fn owns(&self, received: &ReceivedNotification) -> bool {
        // In the handshake era notifications do not name their subscription.
        let Some(listening) = &self.listening else { return true };
        let exchange = listening.sent().exchange;
        received.subscription().as_ref() == Some(listening.id())
            // Over HTTP the stream carries one subscription only, whatever ids its notifications have.
            || (exchange.is_some() && received.exchange == exchange)
    }

    /// Checks the first notification of the subscription, which has to be its acknowledgement.
    fn check_first(
        &self,
        id: &Id,
        received: ReceivedNotification,
    ) -> Result<ReceivedNotification, Finding> {
        let (headline, got, requirement) =
            match (received.method() == ACKNOWLEDGED, received.subscription()) {
                (true, Some(own)) if own == *id => return Ok(received),
                (true, None) => (
                    "the acknowledgement does not name its subscription",
                    "no subscription id".to_owned(),
                    Requirement::SUBSCRIPTIONS_ACK_SENT,
                ),
                (true, Some(own)) => (
                    "the subscription id differs from the id of its request",
                    format!("subscription id {own}"),
                    Requirement::SUBSCRIPTIONS_ID_VALUE,
                ),
                (false, _) => (
                    "the server announced a change before it acknowledged the subscription",
                    format!("`{}`", received.method()),
                    Requirement::SUBSCRIPTIONS_NOTHING_BEFORE_ACK,
                ),
            };
        Err(self.not_acknowledged(id, headline, got, requirement, received.seq))
    }

    fn not_acknowledged(
        &self,
        id: &Id,
        headline: &str,
        got: String,
        requirement: &'static Requirement,
        seq: Seq,
    ) -> Finding {
        Finding::peer(headline)
            .expected(format!("`{ACKNOWLEDGED}` with subscription id {id}"))
            .got(got)
            .requires(requirement)
            .evidence_all(self.since)
            .evidence(seq)
    }
}

/// How a subscription ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SubscriptionEnd {
    /// The server answered `subscriptions/listen` with this result, as required.
    Answered(Value),
    /// The server cancelled the subscription.
    Cancelled,
    /// The stream ended before it was answered, in this way.
    Broken(String),
}

impl Client {
    /// Opens the stream for unsolicited messages of a Streamable HTTP server up to 2025-11-25.
    ///
    /// Returns whether the server has one: it is optional, and other transports and revisions do not have it.
    ///
    /// # Errors
    ///
    /// A finding when the server neither opens the stream nor refuses it with HTTP 405.
    pub async fn listen(&mut self) -> Result<bool, Finding> {
        self.listen_within(self.options.timeout).await
    }

    /// As [`Client::listen`], with another time-out for the start of the response; a stream that starts later is still
    /// read.
    ///
    /// # Errors
    ///
    /// As for [`Client::listen`].
    pub async fn listen_within(&mut self, timeout: Duration) -> Result<bool, Finding> {
        let deadline = self.options.deadline_after(timeout);
        let Some(sent) = self.connection.listen(deadline).await else { return Ok(false) };
        let Some(exchange) = sent.exchange else { return Ok(false) };
        self.state.listen(exchange);
        let status = self.connection.recorder().response_status(self.connection.id(), exchange);
        match status {
            Some(200) => Ok(true),
            // The stream is optional, and 405 is the only way to refuse it.
            Some(405) => Ok(false),
            other => {
                let got = match other {
                    Some(status) => format!("HTTP {status}"),
                    None => "no HTTP response".to_owned(),
                };
                Err(Finding::peer("the server does not handle a GET as required")
                    .expected("an event stream, or HTTP 405 Method Not Allowed")
                    .got(got)
                    .requires(Requirement::TRANSPORT_HTTP_GET_SSE_OR_405)
                    .evidence(sent.seq))
            }
        }
    }

    /// Subscribes to changes and waits for the acknowledgement.
    ///
    /// # Errors
    ///
    /// A finding when the server refuses, or does not acknowledge `subscriptions/listen` correctly.
    pub async fn subscribe(&mut self, filter: SubscriptionFilter) -> Result<Subscription, Finding> {
        if self.facts.revision.era() == Era::Handshake {
            // Before the first subscription, so that an update that follows it at once has a stream to arrive on.
            self.listen().await?;
            for uri in &filter.uris {
                let mut params = Object::new();
                params.push("uri", uri.as_str());
                self.request("resources/subscribe", params).await?.result()?;
            }
            let acknowledged = filter.to_value();
            return Ok(Subscription { filter, listening: None, acknowledged, since: None });
        }
        let mut params = Object::new();
        params.push("notifications", filter.to_value());
        let pending = self.start_with(LISTEN, params, RequestOptions::new()).await;
        self.state.keep_open(pending.id());
        let since = Some(pending.sent().seq);
        let mut subscription =
            Subscription { filter, listening: Some(pending), acknowledged: Value::Null, since };
        let what = format!("the acknowledgement of `{LISTEN}`");
        let awaited = Awaited { what, method: None, since };
        let acknowledged = self
            .wait_until(&awaited, |state| acknowledgement(state, &subscription))
            .await
            // A time-out and a closed connection cite nothing by themselves.
            .map_err(|finding| match finding.requirements.is_empty() {
                true => finding.requires(Requirement::SUBSCRIPTIONS_ACK_SENT),
                false => finding,
            })?;
        subscription.acknowledged =
            acknowledged.param("notifications").cloned().unwrap_or_default();
        Ok(subscription)
    }

    /// Waits for the next notification of a method that belongs to the subscription.
    ///
    /// # Errors
    ///
    /// As for [`Client::wait_for_notification`]; also when the subscription ends first.
    pub async fn wait_for_update(
        &mut self,
        subscription: &Subscription,
        method: &str,
    ) -> Result<ReceivedNotification, Finding> {
        let what = format!("`{method}` of the subscription");
        let awaited = Awaited { what, method: Some(method), since: subscription.since };
        self.wait_until(&awaited, |state| {
            let wanted = |received: &ReceivedNotification| {
                received.method() == method && subscription.owns(received)
            };
            if let Some(received) = state.received_mut().take(wanted) {
                return Some(Ok(received));
            }
            let end = subscription_end(state, subscription)?;
            Some(Err(Finding::peer(format!("the subscription ended before `{method}` came"))
                .expected(format!("`{method}`"))
                .got(describe(&end))
                .evidence_all(subscription.since)))
        })
        .await
    }

    /// Waits until the server ends the subscription.
    ///
    /// # Errors
    ///
    /// A finding when it does not do so before the deadline.
    pub async fn wait_for_subscription_end(
        &mut self,
        subscription: &Subscription,
    ) -> Result<SubscriptionEnd, Finding> {
        let what = "the end of the subscription".to_owned();
        let awaited = Awaited { what, method: None, since: subscription.since };
        self.wait_until(&awaited, |state| subscription_end(state, subscription).map(Ok)).await
    }

    /// Ends a subscription: cancels its `subscriptions/listen`, or unsubscribes from its resources.
    ///
    /// # Errors
    ///
    /// A finding when the server refuses to unsubscribe.
    pub async fn unsubscribe(&mut self, subscription: Subscription) -> Result<(), Finding> {
        if let Some(listening) = subscription.listening {
            self.cancel(listening, None).await;
            return Ok(());
        }
        for uri in &subscription.filter.uris {
            let mut params = Object::new();
            params.push("uri", uri.as_str());
            self.request("resources/unsubscribe", params).await?.result()?;
        }
        Ok(())
    }
}

/// The acknowledgement of a subscription, or a finding about what arrived in its place; `None` while nothing has.
fn acknowledgement(
    state: &mut State,
    subscription: &Subscription,
) -> Option<Result<ReceivedNotification, Finding>> {
    let listening = subscription.listening.as_ref()?;
    let id = listening.id();
    let since = subscription.since;
    let over_http = listening.sent().exchange.is_some();
    // On a line transport a notification with another id, or none, belongs elsewhere, unless it is an acknowledgement
    // whose id is missing or has another JSON type.
    let wanted = |received: &ReceivedNotification| {
        let acknowledges = received.method() == ACKNOWLEDGED;
        let stray = !over_http
            && acknowledges
            && received.subscription().is_none_or(|other| other.is_retyped(id));
        Some(received.seq) > since && (subscription.owns(received) || stray)
    };
    if let Some(received) = state.received_mut().take(wanted) {
        return Some(subscription.check_first(id, received));
    }
    if state.is_open(id) {
        return None;
    }
    Some(Err(match state.settled(id)? {
        Ok((seq, Ok(result))) => subscription.not_acknowledged(
            id,
            "`subscriptions/listen` was answered at once, which ends the subscription",
            format!("the result {}", result.short(120)),
            Requirement::SUBSCRIPTIONS_STAYS_OPEN,
            seq,
        ),
        Ok((seq, Err(error))) => Finding::peer("`subscriptions/listen` was refused")
            .expected(format!("`{ACKNOWLEDGED}`"))
            .got(error.to_string())
            .caused_by(Cause::request(LISTEN, Fate::Refused))
            .evidence_all(since)
            .evidence(seq),
        Err(finding) => finding,
    }))
}

fn subscription_end(state: &mut State, subscription: &Subscription) -> Option<SubscriptionEnd> {
    let id = subscription.listening.as_ref()?.id();
    if !state.is_open(id) {
        return Some(match state.settled(id) {
            Some(Ok((_, Ok(result)))) => SubscriptionEnd::Answered(result),
            Some(Ok((_, Err(error)))) => SubscriptionEnd::Broken(error.to_string()),
            Some(Err(finding)) => SubscriptionEnd::Broken(finding.got.unwrap_or(finding.headline)),
            // `settled` returns an end only once.
            None => SubscriptionEnd::Broken("it had already ended".to_owned()),
        });
    }
    // From 2026-07-28 on, servers send `notifications/cancelled` only for subscriptions.
    let cancelled = state.received().cancelled().any(|cancelled| cancelled == *id);
    cancelled.then_some(SubscriptionEnd::Cancelled)
}

fn describe(end: &SubscriptionEnd) -> String {
    match end {
        SubscriptionEnd::Answered(result) => {
            format!("the answer to `{LISTEN}`: {}", result.short(120))
        }
        SubscriptionEnd::Cancelled => "`notifications/cancelled` for it".to_owned(),
        SubscriptionEnd::Broken(how) => how.clone(),
    }
}
