//! The findings about what clients and servers may do wrong alike. Which rule they break, and when, is for the judges.

use super::Finding;
use super::rate::{PINGS_PER_SECOND, SHOWN_PER_SECOND};
use crate::expect::words;
use crate::json::Value;
use crate::spec::{Capability, Method, Revision, Side, Sides};
use crate::wire::Notification;

/// A message needs a capability that the side which it concerns has not declared; nothing is found where it is not known what that has declared.
pub(super) fn undeclared(
    sender: Side,
    name: &str,
    capability: Capability,
    client: Option<&Value>,
    server: Option<&Value>,
) -> Option<Finding> {
    let side = match capability.sides() {
        Sides::Client => Side::Client,
        Sides::Server => Side::Server,
        Sides::Both if name.starts_with("notifications/") => sender,
        // The side that has to answer the request.
        Sides::Both => sender.peer(),
    };
    let declared = if side == Side::Server { server? } else { client? };
    if capability.declared_in(declared) {
        return None;
    }
    let finding =
        Finding::peer(format!("the {sender} sent `{name}` without the capability for it"))
            .expected(format!(
                "nothing that needs `{capability}`, which the {side} does not declare"
            ))
            .got(format!("`{name}`"));
    Some(finding)
}

/// A message that its sender may send at other revisions only.
///
/// One that exists at this revision goes into the other direction, which is judged elsewhere.
pub(super) fn other_revision(sender: Side, known: &Method, revision: Revision) -> Option<Finding> {
    let is_of_sender = |other: &Revision| known.sent_by(sender, *other);
    if known.revisions().contains(revision) || !Revision::ALL.iter().any(is_of_sender) {
        return None;
    }
    let finding = Finding::peer(format!("`{}` is not of the agreed version", known.name))
        .expected(format!("only messages that MCP {revision} defines"))
        .got(format!("`{}`", known.name));
    Some(finding)
}

pub(super) fn excessive_pings(sender: Side) -> Finding {
    Finding::peer(format!("the {sender} pings too often"))
        .expected(format!("no more than {PINGS_PER_SECOND} pings within a second"))
        .got("more")
}

/// More of what has this headline than a peer can show.
pub(super) fn too_much(headline: &str) -> Finding {
    Finding::peer(headline)
        .expected(format!("no more than {SHOWN_PER_SECOND} notifications within a second"))
        .got("more")
}

pub(super) fn repeated_token(sender: Side, token: &Value) -> Finding {
    Finding::peer(format!("two requests of the {sender} have the same progress token"))
        .expected("another token for each request that is not answered yet")
        .got(words::excerpt(&token.to_string()).into_owned())
}

/// A token as text, which is the same for a number and the string that spells it.
pub(super) fn token_text(token: &Value) -> String {
    token.as_str().map_or_else(|| token.to_string(), str::to_owned)
}

/// A token of progress that is not among those of the requests, but is one of them in another JSON type.
pub(super) fn retyped_token<'a>(
    sender: Side,
    mut sent: impl Iterator<Item = &'a Value> + Clone,
    got: &Value,
) -> Option<Finding> {
    if sent.clone().any(|token| token == got) {
        return None;
    }
    let text = token_text(got);
    let meant = sent.find(|token| token_text(token) == text)?;
    let finding = Finding::peer(format!("the {sender} changes the type of a progress token"))
        .expected(meant.to_string())
        .got(words::excerpt(&got.to_string()).into_owned());
    Some(finding)
}

/// Progress whose message is a text without a word.
pub(super) fn blank_progress(notification: &Notification) -> Option<Finding> {
    let text = notification.params.as_ref()?.get("message")?.as_str()?;
    let finding = Finding::peer("the message of progress says nothing")
        .expected("a text for people, or no `message`")
        .got(format!("{text:?}"));
    text.trim().is_empty().then_some(finding)
}

pub(super) fn late_progress(token: &Value) -> Finding {
    Finding::peer("progress of a request that is complete")
        .expected("no `notifications/progress` after the reply")
        .got(format!("progress for the token {}", words::excerpt(&token.to_string())))
}

/// The progress is not beyond what was reported before.
pub(super) fn no_progress(before: Option<f64>, now: Option<f64>) -> Option<Finding> {
    let (before, now) = before.zip(now).filter(|(before, now)| now <= before)?;
    let finding = Finding::peer("progress that does not increase")
        .expected(format!("more than {before}"))
        .got(now.to_string());
    Some(finding)
}
