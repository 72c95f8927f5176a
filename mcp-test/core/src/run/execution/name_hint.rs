//! The hint for a test that has failed about a tool, a prompt or a resource that the server does not list.

use std::time::Duration;

use super::{EarlyEnd, RunningScenario};
use crate::assert::AssertionFailure;
use crate::check::{Cause, Fate, Finding};
use crate::clock::{self, Deadline};
use crate::expect::words;
use crate::json::Value;
use crate::scenario::{Ctx, Kind, Stop};
use crate::spec::ItemKind;
use crate::trace::{Event, Trace};
use crate::wire::Message;

/// How long the list may take, of the time that the function has not used.
const LISTING: Duration = Duration::from_secs(5);

impl RunningScenario<'_> {
    /// Adds to the failure of a test which name the server lists that is similar to the one of the request that has failed.
    ///
    /// The list is requested only now, on the same connection: a test that passes sends what its function sends, and nothing else.
    pub(super) async fn suggest_name(&self, early: Option<&mut EarlyEnd>, ctx: &mut Ctx) {
        if self.scenario_run.scenario.kind != Kind::Test {
            return;
        }
        let Some(finding) = early.and_then(finding_mut) else { return };
        let Some((kind, name)) = requested(finding, &ctx.trace()) else { return };
        let left = self.timeout().saturating_sub(self.stopwatch.elapsed());
        let listing = clock::within(Deadline::after(LISTING.min(left)), ctx.names_now(kind)).await;
        if let Ok(Some(names)) = listing
            && !names.contains(&name)
            && let Some(near) = words::closest(&name, names.iter().map(String::as_str))
        {
            let noun = kind.noun();
            finding
                .add_hint(&format!("the server lists no {noun} `{name}`; did you mean `{near}`?"));
        }
    }
}

/// What a function failed with, if that may be about a request.
fn finding_mut(early: &mut EarlyEnd) -> Option<&mut Finding> {
    match early {
        EarlyEnd::Stopped(Stop::Finding(finding)) => Some(finding),
        EarlyEnd::Panicked(payload) => {
            payload.downcast_mut::<AssertionFailure>().map(|failure| &mut failure.finding)
        }
        EarlyEnd::Stopped(_) | EarlyEnd::TimedOut => None,
    }
}

/// The kind and the name of what a finding is about, if it was requested and the server has answered with an error.
fn requested(finding: &Finding, trace: &Trace) -> Option<(ItemKind, String)> {
    let is_shown = |event: &Event| finding.evidence.contains(&event.seq);
    let mut shown = trace.messages().filter(|(event, _)| is_shown(event)).map(|(_, it)| it);
    // The reply comes after its request.
    let (kind, name) = shown.by_ref().find_map(|message| {
        let kind = kind_requested_by(message.method()?)?;
        Some((kind, message.params()?.get(kind.key())?.as_str()?.to_owned()))
    })?;
    let has_failed = shown.any(|message| match message {
        Message::Error(_) => true,
        Message::Response(reply) => reply.result.get("isError") == Some(&Value::Bool(true)),
        Message::Request(_) | Message::Notification(_) => false,
    });
    let is_refused = || {
        let cause = finding.cause.as_deref();
        matches!(cause, Some(Cause::Request { fate: Fate::Refused, .. }))
    };
    // A resource that is not listed may still exist, as one of a template does, so that only its refusal counts.
    (has_failed && (kind != ItemKind::Resource || is_refused())).then_some((kind, name))
}

/// The kind of item that a request of this method names.
fn kind_requested_by(method: &str) -> Option<ItemKind> {
    match method {
        "tools/call" => Some(ItemKind::Tool),
        "prompts/get" => Some(ItemKind::Prompt),
        "resources/read" => Some(ItemKind::Resource),
        _ => None,
    }
}
