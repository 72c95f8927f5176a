//! Subscriptions, in the form of each era.
//!
//! From 2026-07-28 on that is one `subscriptions/listen`, which stays open, and whose notifications carry its id. Before,
//! the server tells of changed lists by itself, `resources/subscribe` asks for a resource, and over Streamable HTTP a GET
//! opens the stream on which all that comes.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>

use std::time::Duration;

use super::notice::Notice;
use super::state::State;
use super::until::Awaited;
use super::wait::Pending;
use super::{Client, RequestOptions};
use crate::check::Finding;
use crate::json::{Object, Value};
use crate::spec::Era;
use crate::trace::Seq;
use crate::wire::Id;

const LISTEN: &str = "subscriptions/listen";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// What a client wants to be told of.
///
/// ```
/// use mcp_test::client::SubscriptionFilter;
///
/// let filter = SubscriptionFilter::new().tools_list_changed().resource("file:///notes.md");
/// assert_eq!(
///     filter.to_value().to_string(),
///     r#"{"toolsListChanged":true,"resourceSubscriptions":["file:///notes.md"]}"#,
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "hand it to `Client::subscribe`"]
pub struct SubscriptionFilter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Vec<String>,
}

impl SubscriptionFilter {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes of the list of tools.
    pub fn tools_list_changed(mut self) -> Self {
        self.tools = true;
        self
    }

    /// Changes of the list of prompts.
    pub fn prompts_list_changed(mut self) -> Self {
        self.prompts = true;
        self
    }

    /// Changes of the list of resources.
    pub fn resources_list_changed(mut self) -> Self {
        self.resources = true;
        self
    }

    /// Changes of this resource.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        self.uris.push(uri.into());
        self
    }

    /// The filter as `subscriptions/listen` carries it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut filter = Object::new();
        let lists = [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ];
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

/// A subscription that the server has accepted.
#[derive(Debug)]
#[must_use = "hand it to `Client::unsubscribe` in the end"]
pub struct Subscription {
    filter: SubscriptionFilter,
    /// The `subscriptions/listen` that stays open, in the stateless era.
    listening: Option<Pending>,
    acknowledged: Value,
    since: Option<Seq>,
}

impl Subscription {
    /// The id under which the server tells of changes, where the revision has one.
    #[must_use]
    pub fn id(&self) -> Option<&Id> {
        self.listening.as_ref().map(Pending::id)
    }

    /// What the server agreed to tell: what its acknowledgement says, and before 2026-07-28 all that was asked for.
    #[must_use]
    pub fn acknowledged(&self) -> &Value {
        &self.acknowledged
    }

    /// Whether a notification belongs to the subscription: by its id, or by the stream on which it came.
    fn owns(&self, notice: &Notice) -> bool {
        let Some(listening) = &self.listening else { return true };
        let exchange = listening.sent().exchange;
        notice.subscription().as_ref() == Some(listening.id())
            || (exchange.is_some() && notice.exchange == exchange)
    }
}

/// How a subscription ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SubscriptionEnd {
    /// The server answered `subscriptions/listen`, with this result, as it should.
    Answered(Value),
    /// The server said that it cancels the subscription.
    Cancelled,
    /// The stream broke off without an answer; in words.
    BrokeOff(String),
}

impl Client {
    /// Opens the stream on which a server of Streamable HTTP up to 2025-11-25 speaks of its own accord.
    ///
    /// Returns whether there is one: a server need not have it, and other carriers and revisions do without.
    ///
    /// # Errors
    ///
    /// A finding when the server neither opens the stream nor refuses it with HTTP 405.
    pub async fn listen(&mut self) -> Result<bool, Finding> {
        self.listen_within(self.options.timeout).await
    }

    /// As [`Client::listen`], with less time for the response to begin; a stream that begins later is there nevertheless.
    ///
    /// # Errors
    ///
    /// As for [`Client::listen`].
    pub async fn listen_within(&mut self, patience: Duration) -> Result<bool, Finding> {
        let deadline = self.options.deadline_after(patience);
        let Some(sent) = self.link.listen(deadline).await else { return Ok(false) };
        let Some(exchange) = sent.exchange else { return Ok(false) };
        self.state.listen(exchange);
        let status = self.link.recorder().response_status(self.link.connection(), exchange);
        match status {
            Some(200) => Ok(true),
            Some(405) => Ok(false),
            other => {
                let got = match other {
                    Some(status) => format!("HTTP {status}"),
                    None => "no HTTP response".to_owned(),
                };
                Err(Finding::peer("the server does not take a GET as it should")
                    .expected("an event stream, or HTTP 405 Method Not Allowed")
                    .got(got)
                    .requires("transport.http.get-sse-or-405")
                    .evidence(sent.seq))
            }
        }
    }

    /// Asks the server to tell of changes, and waits until it has agreed to.
    ///
    /// # Errors
    ///
    /// A finding when the server refuses, or does not acknowledge a `subscriptions/listen` in the right way.
    pub async fn subscribe(&mut self, filter: SubscriptionFilter) -> Result<Subscription, Finding> {
        if self.facts.revision.era() == Era::Handshake {
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
        self.state.stays_open(pending.id());
        let since = Some(pending.sent().seq);
        let mut subscription =
            Subscription { filter, listening: Some(pending), acknowledged: Value::Null, since };
        let what = format!("the acknowledgement of `{LISTEN}`");
        let awaited = Awaited { what, since };
        let told = self
            .until_told_or(&awaited, |state| acknowledgement(state, &subscription))
            .await
            .map_err(|finding| match finding.requirements.is_empty() {
                true => finding.requires("subscriptions.ack-sent"),
                false => finding,
            })?;
        subscription.acknowledged = told.param("notifications").cloned().unwrap_or_default();
        Ok(subscription)
    }

    /// Waits for the next notification of a method that belongs to the subscription.
    ///
    /// # Errors
    ///
    /// As for [`Client::until_notified`]; also when the subscription ends before.
    pub async fn until_told(
        &mut self,
        subscription: &Subscription,
        method: &str,
    ) -> Result<Notice, Finding> {
        let what = format!("`{method}` of the subscription");
        let awaited = Awaited { what, since: subscription.since };
        self.until_told_or(&awaited, |state| {
            let meant = |notice: &Notice| notice.method() == method && subscription.owns(notice);
            if let Some(notice) = state.said_mut().take(meant) {
                return Some(Ok(notice));
            }
            let end = how_it_ended(state, subscription)?;
            Some(Err(Finding::peer(format!("the subscription ended before `{method}` came"))
                .expected(format!("`{method}`"))
                .got(in_words(&end))
                .evidence_all(subscription.since)))
        })
        .await
    }

    /// Waits until the server ends the subscription.
    ///
    /// # Errors
    ///
    /// A finding when it does not until the deadline.
    pub async fn until_subscription_ends(
        &mut self,
        subscription: &Subscription,
    ) -> Result<SubscriptionEnd, Finding> {
        let what = "the end of the subscription".to_owned();
        let awaited = Awaited { what, since: subscription.since };
        self.until_told_or(&awaited, |state| how_it_ended(state, subscription).map(Ok)).await
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

/// The acknowledgement of a subscription, or what came in its place.
fn acknowledgement(
    state: &mut State,
    subscription: &Subscription,
) -> Option<Result<Notice, Finding>> {
    let listening = subscription.listening.as_ref()?;
    let id = listening.id();
    let wrong = |headline: &str, got: String, requirement: &'static str, seq: Seq| {
        Err(Finding::peer(headline)
            .expected(format!("`{ACKNOWLEDGED}` with subscription id {id}"))
            .got(got)
            .requires(requirement)
            .evidence_all(subscription.since)
            .evidence(seq))
    };
    let since = subscription.since;
    let over_http = listening.sent().exchange.is_some();
    // On a line carrier what has another id, or none, is about something else unless it says what it is.
    let meant = |notice: &Notice| {
        let acknowledges = notice.method() == ACKNOWLEDGED;
        let stray = !over_http
            && acknowledges
            && notice.subscription().is_none_or(|other| other.is_retyped(id));
        Some(notice.seq) > since && (subscription.owns(notice) || stray)
    };
    if let Some(notice) = state.said_mut().take(meant) {
        let own = notice.subscription();
        return Some(match (notice.method() == ACKNOWLEDGED, own) {
            (true, Some(own)) if own == *id => Ok(notice),
            (true, None) => wrong(
                "the acknowledgement of a subscription does not say of which",
                "no subscription id".to_owned(),
                "subscriptions.ack-sent",
                notice.seq,
            ),
            (true, Some(own)) => wrong(
                "a subscription has another id than its request",
                format!("subscription id {own}"),
                "subscriptions.id-value",
                notice.seq,
            ),
            (false, _) => wrong(
                "the server tells of changes before it acknowledges the subscription",
                format!("`{}`", notice.method()),
                "subscriptions.nothing-before-ack",
                notice.seq,
            ),
        });
    }
    if state.is_open(id) {
        return None;
    }
    Some(match state.settled(id)? {
        Ok((seq, Ok(result))) => wrong(
            "`subscriptions/listen` was answered at once, which ends the subscription",
            format!("the result {}", result.short(120)),
            "subscriptions.stays-open",
            seq,
        ),
        Ok((seq, Err(error))) => Err(Finding::peer("`subscriptions/listen` was refused")
            .expected(format!("`{ACKNOWLEDGED}`"))
            .got(error.to_string())
            .evidence_all(since)
            .evidence(seq)),
        Err(finding) => Err(finding),
    })
}

fn how_it_ended(state: &mut State, subscription: &Subscription) -> Option<SubscriptionEnd> {
    let id = subscription.listening.as_ref()?.id();
    if !state.is_open(id) {
        return Some(match state.settled(id) {
            Some(Ok((_, Ok(result)))) => SubscriptionEnd::Answered(result),
            Some(Ok((_, Err(error)))) => SubscriptionEnd::BrokeOff(error.to_string()),
            Some(Err(finding)) => {
                SubscriptionEnd::BrokeOff(finding.got.unwrap_or(finding.headline))
            }
            None => SubscriptionEnd::BrokeOff("it had ended already".to_owned()),
        });
    }
    let cancelled = state.said().cancelled().any(|cancelled| cancelled == *id);
    cancelled.then_some(SubscriptionEnd::Cancelled)
}

fn in_words(end: &SubscriptionEnd) -> String {
    match end {
        SubscriptionEnd::Answered(result) => {
            format!("the answer to `{LISTEN}`: {}", result.short(120))
        }
        SubscriptionEnd::Cancelled => "`notifications/cancelled` for it".to_owned(),
        SubscriptionEnd::BrokeOff(how) => how.clone(),
    }
}
