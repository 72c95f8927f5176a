//! Whether a client accepted the reply to one of its requests, as far as what it did afterwards shows it.

use mcp_test_core::trace::ReceivedMessage;
use mcp_test_core::transport::ClientEnd;

use crate::scenarios::exchange::reply_to;
use crate::scenarios::prelude::*;

/// What a client did after the server had replied to a request.
enum Reaction {
    /// It sent another message, or exited without an error.
    WentOn,
    /// It failed, and this was the only reply after which it sent nothing.
    Failed(Seq),
    /// It failed, or was ended, after several replies or before any.
    Unclear,
}

/// Makes a check of whether the client accepts the replies to its requests of `method`, which contain `what`.
pub(super) fn accepts_replies(judging: &mut Judging, check: &str, method: &str, what: &str) {
    let requests = judging.requests(method);
    accepts_replies_to(judging, check, &requests, &format!("`{method}`"), what);
}

/// The same for these requests, which `label` names.
pub(super) fn accepts_replies_to(
    judging: &mut Judging,
    check: &str,
    requests: &[ReceivedMessage],
    label: &str,
    what: &str,
) {
    let reactions: Vec<Reaction> =
        requests.iter().map(|request| reaction(judging, request)).collect();
    let failed = reactions.iter().find_map(|reaction| match reaction {
        Reaction::Failed(reply) => Some(*reply),
        Reaction::WentOn | Reaction::Unclear => None,
    });
    if failed.is_some() && judging.only_warns(check) {
        // What a client should accept, but need not, may also end it.
        judging.tolerate_failed_exit();
    }
    let is_accepted = reactions.iter().any(|reaction| matches!(reaction, Reaction::WentOn));
    let check = judging.check(check);
    match failed {
        Some(reply) => check.fail(
            Finding::peer(format!("the client failed after the result of {label} with {what}"))
                .expected("another message, or an exit without an error: the result is valid")
                .got("no message after the result, and an exit with an error")
                .evidence(reply)
                .shown_by_exit()
                .hint("a client that fails in every scenario may have another reason"),
        ),
        None if requests.is_empty() => check.skip(format!("the client did not send {label}")),
        None if is_accepted => check.pass(),
        None => check.skip("nothing shows at which result the client stopped"),
    };
}

/// What the client did after the reply to a request: `Some(true)` if it went on, `Some(false)` if it failed, `None` if nothing shows it.
pub(super) fn went_on(judging: &Judging, request: &ReceivedMessage) -> Option<bool> {
    match reaction(judging, request) {
        Reaction::WentOn => Some(true),
        Reaction::Failed(_) => Some(false),
        Reaction::Unclear => None,
    }
}

fn reaction(judging: &Judging, request: &ReceivedMessage) -> Reaction {
    let trace = judging.trace();
    let reply_to = |request| reply_to(&trace, request).map(|(seq, _)| seq);
    let Some(reply) = reply_to(request) else { return Reaction::Unclear };
    let messages = judging.messages();
    if messages.iter().any(|message| message.seq > reply) {
        return Reaction::WentOn;
    }
    match judging.client_end().0 {
        ClientEnd::Succeeded | ClientEnd::Unobserved => Reaction::WentOn,
        ClientEnd::Failed(_) => {
            // Requests may be sent at once, and then any of their replies may be the reason.
            let last = messages.last().map(|message| message.seq);
            let later = messages.iter().filter_map(reply_to);
            match later.filter(|reply| Some(*reply) > last).count() {
                1 => Reaction::Failed(reply),
                _ => Reaction::Unclear,
            }
        }
        _ => Reaction::Unclear,
    }
}
