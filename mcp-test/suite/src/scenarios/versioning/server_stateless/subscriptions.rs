//! Probes of two concurrent subscriptions, each of which should be notified of one change.

use mcp_test_core::json;
use mcp_test_core::transport::HttpExchange;
use mcp_test_core::wire::Notification;
use serde_json::Value;

use super::discovery::Discovered;
use super::probes::{Probes, attempt_finding, error};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{call_of_fixture, finding, post, request};

/// The tools that change a list.
pub(super) const CHANGING_TOOLS: &str = "test_trigger_tool_change";
pub(super) const CHANGING_PROMPTS: &str = "test_trigger_prompt_change";

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";

/// How long to wait for a notification that may never arrive, as in the official suite.
const WINDOW: Duration = Duration::from_millis(1500);

/// How long a server may take to acknowledge a subscription.
const PATIENCE: Duration = Duration::from_secs(5);

/// An open subscription.
struct Subscription {
    id: i64,
    exchange: HttpExchange,
}

impl Subscription {
    /// Opens a subscription and waits for its first message.
    async fn open(ctx: &mut Ctx, id: i64, filter: Value) -> Result<Result<Self, Finding>, Finding> {
        let params = json!({ "notifications": filter });
        let message = request(ctx.revision(), id, "subscriptions/listen", params);
        let request = post(ctx.revision(), &message);
        let exchange = match ctx.attempt_open_http(request).await? {
            Ok(exchange) => exchange,
            Err(finding) => return Ok(Err(finding)),
        };
        // Until the acknowledgement nothing says that the server would notify of a change.
        let mut subscription = Self { id, exchange };
        if subscription.exchange.answer().is_stream() {
            subscription.until(Deadline::after(PATIENCE), |_| true).await;
        }
        Ok(Ok(subscription))
    }

    /// Reads messages until one matches or the deadline passes.
    async fn until(&mut self, deadline: Deadline, is_last: impl Fn(&Message) -> bool) {
        self.exchange.read_until_message(deadline, is_last).await;
    }

    /// Waits for a notification. What depends on time alone has to show twice, the second time with more of it.
    async fn notified(&mut self, method: &str, waits_again: bool) {
        let is = |it: &Message| it.method() == Some(method);
        self.until(Deadline::after(WINDOW), is).await;
        if waits_again && !self.has_received(method) {
            self.until(Deadline::after(PATIENCE), is).await;
        }
    }

    fn messages(&self) -> Vec<Message> {
        self.exchange.answer().messages()
    }

    fn notifications(&self) -> Vec<Notification> {
        let messages = self.messages().into_iter();
        messages
            .filter_map(|message| match message {
                Message::Notification(notification) => Some(notification),
                _ => None,
            })
            .collect()
    }

    fn has_received(&self, method: &str) -> bool {
        self.messages().iter().any(|message| message.method() == Some(method))
    }

    fn acknowledged(&self) -> Result<Notification, Finding> {
        match self.messages().into_iter().next() {
            Some(Message::Notification(first)) if first.method == ACKNOWLEDGED => Ok(first),
            _ => Err(self
                .finding("the first message of a subscription is not its acknowledgement")
                .expected(format!("`{ACKNOWLEDGED}` as the first message"))),
        }
    }

    fn finding(&self, headline: &str) -> Finding {
        finding(headline, self.exchange.answer())
    }
}

/// The subscription id in a notification.
fn subscription_id(notification: &Notification) -> Option<&json::Value> {
    notification.params.as_ref()?.get("_meta")?.get(meta::SUBSCRIPTION_ID)
}

/// The checks of subscriptions, in the order of the report. The others need what the first one checks.
const CHECKS: [&str; 9] = [
    "sep-2575-server-sends-subscription-ack",
    "sep-2575-server-tags-subscription-id",
    "sep-2575-server-honors-notification-filter",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
    "sep-2575-server-sends-tools-list-changed-on-subscription",
    "stateless-subscription-id",
    "stateless-subscription-filter",
    "stateless-subscriptions-at-once",
    "stateless-stream-unbuffered",
];

/// Opens two subscriptions, triggers one change for each, and judges what they received.
pub(super) async fn subscriptions(
    ctx: &mut Ctx,
    probes: &mut Probes,
    discovered: &Discovered,
) -> Result<(), Finding> {
    let tools = Subscription::open(ctx, 901, json!({ "toolsListChanged": true })).await?;
    let mut tools = match tools {
        Ok(tools) => tools,
        Err(finding) => {
            let [first, others @ ..] = CHECKS;
            ctx.check(first).fail(finding.clone());
            for id in others {
                ctx.check(id).missing(finding.clone());
            }
            return Ok(());
        }
    };
    if !tools.exchange.answer().is_stream() {
        return without_stream(ctx, probes, tools, discovered).await;
    }
    acknowledged(ctx, &tools);
    let prompts = Subscription::open(ctx, 902, json!({ "promptsListChanged": true })).await?;
    let mut prompts = match prompts {
        Ok(prompts) => prompts,
        Err(finding) => {
            ctx.check("stateless-subscriptions-at-once").fail(finding);
            ctx.skip_the_rest("the second subscription was not answered");
            return Ok(());
        }
    };
    concurrent(ctx, &prompts);

    let waits_again = |ctx: &Ctx, name: &str, tool: &str| {
        ctx.profile() != Profile::Official
            && discovered.declares(&format!("/{name}/listChanged"))
            && discovered.not_listed(ctx.fixtures(), tool).is_none()
    };
    trigger(ctx, probes, 911, CHANGING_TOOLS).await?;
    tools.notified(TOOLS_CHANGED, waits_again(ctx, "tools", CHANGING_TOOLS)).await;
    // The change of prompts is a fence: a notification about tools on that stream would arrive before it.
    trigger(ctx, probes, 912, CHANGING_PROMPTS).await?;
    prompts.notified(PROMPTS_CHANGED, waits_again(ctx, "prompts", CHANGING_PROMPTS)).await;
    received(ctx, discovered, &tools, &prompts);
    Ok(())
}

async fn trigger(ctx: &mut Ctx, probes: &mut Probes, id: i64, tool: &str) -> Result<(), Finding> {
    let message = call_of_fixture(ctx, id, tool);
    // A trigger that fails shows in the subscription, which is not notified.
    probes.post(ctx, &message).await?.ok();
    Ok(())
}

/// Reports a subscription that is not answered with a stream.
async fn without_stream(
    ctx: &mut Ctx,
    probes: &mut Probes,
    subscription: Subscription,
    discovered: &Discovered,
) -> Result<(), Finding> {
    let answer = subscription.exchange.finish(Deadline::after(PATIENCE)).await;
    probes.inspect(subscription.id, &answer);
    let attempt = Ok(answer);
    let code = error(&attempt).map(|error| error.code);
    let is_unsupported = code == Some(error_code::METHOD_NOT_FOUND);
    // Without capabilities nothing shows that the method may be unsupported, so the checks are not skipped.
    let is_declared = discovered.capabilities.is_none()
        || [
            "/tools/listChanged",
            "/prompts/listChanged",
            "/resources/listChanged",
            "/resources/subscribe",
        ]
        .iter()
        .any(|pointer| discovered.declares(pointer));
    if is_unsupported && !is_declared {
        for id in CHECKS {
            ctx.check(id).skip("the server declares nothing that could be subscribed to");
        }
        return Ok(());
    }
    let expected = "an event stream that begins with an acknowledgement";
    let mut finding = attempt_finding(
        "`subscriptions/listen` is not answered with an event stream",
        &attempt,
        expected,
    );
    if code.is_some() {
        // A server that refuses every subscription lacks a message pattern (`basic/index`).
        finding = finding.requires(Requirement::BASE_SUPPORT_CORE_PATTERNS);
    }
    for id in CHECKS {
        // As in the official suite: a change that is not declared is skipped, whatever else is wrong.
        let changes = [("prompts", "/prompts/listChanged"), ("tools", "/tools/listChanged")];
        let undeclared = changes.iter().find(|(name, pointer)| {
            id.ends_with(&format!("{name}-list-changed-on-subscription"))
                && !discovered.declares(pointer)
        });
        match undeclared {
            Some((name, _)) => ctx.check(id).skip(format!("changes of {name} are not declared")),
            // Without a subscription nothing else about subscriptions can be tested.
            None if id != CHECKS[0] => ctx.check(id).missing(finding.clone()),
            None if is_unsupported => ctx.check(id).untestable(finding.clone()),
            None => ctx.check(id).fail(finding.clone()),
        };
    }
    Ok(())
}

fn acknowledged(ctx: &mut Ctx, tools: &Subscription) {
    let first = tools.acknowledged();
    ctx.check("sep-2575-server-sends-subscription-ack")
        .requires(Requirement::SUBSCRIPTIONS_ACK_SENT)
        .judge(first.clone().map(|_| ()));
    // Proxies that buffer would hold back the events (`basic/transports/streamable-http#receiving-messages`).
    let buffering = tools.exchange.answer().header("x-accel-buffering");
    ctx.check("stateless-stream-unbuffered").judge(match buffering {
        Some(value) if value.eq_ignore_ascii_case("no") => Ok(()),
        other => Err(tools
            .finding("an event stream does not ask proxies not to buffer it")
            .expected("the header `X-Accel-Buffering: no`")
            .got(other.map_or("no such header".to_owned(), |value| format!("{value:?}")))),
    });
    let Ok(first) = first else {
        for id in ["stateless-subscription-id", "stateless-subscription-filter"] {
            ctx.check(id).skip("the subscription is not acknowledged");
        }
        return;
    };
    ctx.check("stateless-subscription-id").judge(has_id(tools, &first));
    let filter = first.params.as_ref().and_then(|params| params.get("notifications"));
    let excess = filter
        .and_then(json::Value::as_object)
        .and_then(|filter| filter.keys().find(|key| *key != "toolsListChanged").map(str::to_owned));
    ctx.check("stateless-subscription-filter").judge(match (filter, excess) {
        (Some(json::Value::Object(_)), None) => Ok(()),
        (filter, _) => Err(tools
            .finding("the acknowledged filter is larger than the requested one")
            .expected("`params.notifications`, with no more than `toolsListChanged`")
            .got(filter.map_or("no `params.notifications`".to_owned(), |it| it.short(120)))),
    });
}

fn has_id(subscription: &Subscription, notification: &Notification) -> Result<(), Finding> {
    let id = subscription_id(notification);
    ensure(id.and_then(Id::read) == Some(Id::from(subscription.id)), || {
        subscription
            .finding("the id of a subscription is not that of its request")
            .expected(format!("{} in `_meta`", subscription.id))
            .got(id.map_or("no id".to_owned(), |id| id.short(80)))
    })
}

fn concurrent(ctx: &mut Ctx, prompts: &Subscription) {
    let outcome = prompts.acknowledged().and_then(|first| has_id(prompts, &first));
    ctx.check("stateless-subscriptions-at-once").judge(outcome);
}

/// Judges what the subscriptions received after both changes.
fn received(ctx: &mut Ctx, discovered: &Discovered, tools: &Subscription, prompts: &Subscription) {
    let all: Vec<_> = tools.notifications().into_iter().chain(prompts.notifications()).collect();
    let untagged = all.iter().find(|notification| subscription_id(notification).is_none());
    let check = ctx.check("sep-2575-server-tags-subscription-id");
    match untagged {
        // Not even an acknowledgement: there is nothing that could have an id.
        _ if all.is_empty() => {
            check.fail(tools.finding("a subscription receives no notifications"))
        }
        None => check.pass(),
        Some(untagged) => check.fail(
            tools
                .finding("a notification does not have the id of its subscription")
                .expected(format!("`{}` in `params._meta`", meta::SUBSCRIPTION_ID))
                .got(format!("`{}` without it", untagged.method)),
        ),
    };
    let check = ctx.check("sep-2575-server-honors-notification-filter");
    if prompts.messages().is_empty() || prompts.has_received(TOOLS_CHANGED) {
        check.fail(
            prompts
                .finding("a subscription to prompts receives other notifications, or none")
                .expected(format!("an acknowledgement, and no `{TOOLS_CHANGED}`")),
        );
    } else {
        check.pass();
    }
    for (subscription, method, name, tool) in [
        (prompts, PROMPTS_CHANGED, "prompts", CHANGING_PROMPTS),
        (tools, TOOLS_CHANGED, "tools", CHANGING_TOOLS),
    ] {
        let id = format!("sep-2575-server-sends-{name}-list-changed-on-subscription");
        let missing = discovered.not_listed(ctx.fixtures(), tool);
        let check = ctx.check(&id);
        if !discovered.declares(&format!("/{name}/listChanged")) {
            check.skip(format!("changes of {name} are not declared"));
        } else if subscription.has_received(method) {
            check.pass();
        } else if let Some(missing) = missing {
            check.missing(missing);
        } else {
            let headline =
                format!("a subscription is not notified that the list of {name} has changed");
            check.fail(subscription.finding(&headline).expected(format!("`{method}`")));
        }
    }
}
