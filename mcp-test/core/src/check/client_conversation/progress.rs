//! What a client says of the progress of a request of the server.

use std::collections::VecDeque;
use std::time::Duration;

use super::ClientConversationJudge;
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::of_both_sides::{
    blank_progress, late_progress, no_progress, retyped_token, too_much,
};
use crate::check::rate::{SHOWN_PER_SECOND, exceeds};
use crate::check::walk::JudgedEvent;
use crate::expect::words;
use crate::json::Value;
use crate::spec::{Side, meta};
use crate::wire::{Id, Notification, Request};

cites! {
    PROGRESS_INCREASES, PROGRESS_MESSAGE_MEANINGFUL, PROGRESS_RATE_LIMITED,
    PROGRESS_STOPS_AFTER_COMPLETION, PROGRESS_TOKEN_ECHOED, PROGRESS_TOKEN_KNOWN,
}

/// How many of them are remembered: a client declares no more work than it has.
const TRACKED: usize = 1000;

/// A request of the server that asks for progress.
pub(super) struct TrackedRequest {
    id: Id,
    token: Value,
    /// The progress that the client reported last.
    last: Option<f64>,
    /// When the last notifications arrived.
    times: VecDeque<Duration>,
    is_answered: bool,
}

impl ClientConversationJudge {
    /// Notes the progress token of a request of the server.
    pub(super) fn asked_for_progress(&mut self, event: JudgedEvent<'_>, request: &Request) {
        let params = request.params.as_ref();
        let token = params.and_then(|params| params.get("_meta")?.get(meta::PROGRESS_TOKEN));
        let Some(token) = token else { return };
        let tracked = TrackedRequest {
            id: request.id.clone(),
            token: token.clone(),
            last: None,
            times: VecDeque::new(),
            is_answered: false,
        };
        let conversation = self.conversation(event);
        conversation.tracked.push_back(tracked);
        if conversation.tracked.len() > TRACKED {
            conversation.tracked.pop_front();
            conversation.has_forgotten_tracked = true;
        }
    }

    /// Notes that the client has replied to a request of the server.
    pub(super) fn answered(&mut self, event: JudgedEvent<'_>, id: &Id) {
        let tracked = self.conversation(event).tracked.iter_mut().rev();
        for request in tracked.filter(|request| request.id == *id) {
            request.is_answered = true;
        }
    }

    /// A token is one that the server has sent, and the progress of one request increases until its reply.
    pub(super) fn progressed(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        let params = notification.params.as_ref();
        if let Some(finding) = blank_progress(notification) {
            self.findings.add(event, finding, PROGRESS_MESSAGE_MEANINGFUL);
        }
        let Some(token) = params.and_then(|params| params.get("progressToken")) else { return };
        let progress = params.and_then(|params| params.get("progress")?.as_f64());
        let elided = self.findings.elided;
        let tracked = &mut self.conversation(event).tracked;
        let Some(request) = tracked.iter_mut().rev().find(|request| request.token == *token) else {
            if elided {
                return;
            }
            let tokens = tracked.iter().map(|request| &request.token);
            if let Some(finding) = retyped_token(Side::Client, tokens, token) {
                return self.findings.add(event, finding, PROGRESS_TOKEN_ECHOED);
            }
            let finding = Finding::peer("progress with a token that no request has")
                .expected("the `progressToken` of a request of the server")
                .got(words::excerpt(&token.to_string()).into_owned());
            return self.findings.add(event, finding, PROGRESS_TOKEN_KNOWN);
        };
        let before = request.last;
        request.last = progress.or(before);
        let is_answered = request.is_answered;
        if exceeds(&mut request.times, event.at, SHOWN_PER_SECOND) {
            let finding = too_much("there is too much progress of one request");
            self.findings.add(event, finding, PROGRESS_RATE_LIMITED);
        }
        // Each message of a client over HTTP has a request of its own, and they may overtake one another.
        if event.exchange.is_some() {
            return;
        }
        if is_answered {
            self.findings.add(event, late_progress(token), PROGRESS_STOPS_AFTER_COMPLETION);
        } else if let Some(finding) = no_progress(before, progress) {
            self.findings.add(event, finding, PROGRESS_INCREASES);
        }
    }
}
