//! Plays a case against a server: sends each `in`, and compares each `out` with the server's message.
//!
//! | file | what |
//! |---|---|
//! | `roles` | which messages answer which |
//! | `declared` | the capabilities that the client has to declare |
//! | `conversation` | the client, pending requests, and waiting for messages |
//! | `send` | the messages of the client |
//! | `receive` | the messages of the server |
//! | `end` | what is left open or was not expected |
//! | `stop` | whether the conversation goes on after a difference |
//!
//! # How a case is played
//!
//! - An id is a label. The client chooses its own ids; an `out` with the label of a request is its reply. An `out` with a
//!   method and an id is a request of the server, whatever its real id is, and the `in` with its label the answer. The same
//!   applies to ids in `notifications/cancelled` and of subscriptions.
//! - A request may be sent before another is answered; the replies may come in any order.
//! - Unsolicited messages may come early. They are late after the reply that follows them in the case, where both come on one
//!   stream: that is reported at once. Messages on another stream get a little more time.
//! - Of several notifications of one method, the first that matches is taken.
//! - A request without an `out` has to be answered with any result, unless it is cancelled; a `subscriptions/listen` has to
//!   be acknowledged. A case that neither requests nor expects anything is followed by a `ping`, or by `server/discover` from
//!   2026-07-28 on: a case that checks nothing of the server must not pass.
//! - A request of the server that the case does not have is refused, and a FAILURE; a `ping` is answered. A notification that
//!   the case does not have is reported, and a FAILURE in profile `strict`.
//! - The client declares the capabilities for the server's requests in the case.
//! - A case with an `initialize` performs the handshake itself, and continues at the revision that was agreed.

mod conversation;
mod declared;
mod end;
mod receive;
pub(super) mod roles;
mod send;
mod stop;
#[cfg(test)]
mod tests;

use mcp_test_core::check::Finding;
use mcp_test_core::scenario::Ctx;

use self::conversation::CaseConversation;
use self::roles::{CaseLine, Role};
use self::stop::Stop;
use super::Values;

/// The check that the server sends nothing that is not in the case.
pub(super) const UNEXPECTED: &str = "unexpected";

/// The check that the server still answers, for cases without requests.
pub(super) const GOES_ON: &str = "goes-on";

/// Why a conversation ended early.
pub(super) enum Ended {
    /// A check reports it already, with this headline.
    Reported(String),
    /// No check reports it yet.
    Unreported(Finding),
    /// It cannot be played, for this reason.
    InvalidTest(String),
}

impl From<Finding> for Ended {
    fn from(finding: Finding) -> Self {
        Self::Unreported(finding)
    }
}

/// Plays the case, and makes the checks of the lines that are reached.
pub(super) async fn play(
    ctx: &mut Ctx,
    lines: &[CaseLine<'_>],
    values: Values,
) -> Result<(), Ended> {
    if lines.is_empty() {
        return Err(Ended::Unreported(
            Finding::test("the case has no message")
                .expected("at least one key that begins with `in` or `out`"),
        ));
    }
    let mut conversation = CaseConversation::open(ctx, lines, values).await?;
    let ending = conversation.play_all(ctx).await;
    conversation.report_unexpected(ctx).await;
    ending
}

/// The lines that have a check.
pub(super) fn checked_lines(lines: &[CaseLine<'_>]) -> Vec<usize> {
    let roles = roles::roles(lines);
    (0..lines.len()).filter(|at| has_check(lines[*at], &roles[*at])).collect()
}

/// Whether a line has a check: those of a case that this one continues have it there.
fn has_check(line: CaseLine<'_>, role: &Role) -> bool {
    line.own && (line.message.direction.is_out() || role.is_unanswered_request())
}

impl CaseConversation<'_> {
    async fn play_all(&mut self, ctx: &mut Ctx) -> Result<(), Ended> {
        for at in 0..self.lines.len() {
            self.at = at;
            let is_out = self.line().message.direction.is_out();
            let outcome = if is_out { self.receive().await } else { self.send().await };
            if is_out || outcome.is_err() {
                self.check(ctx, at, outcome)?;
            }
        }
        // Only now: a request without an `out` may be answered at any time, and may wait for later lines.
        let is_left = |at: &usize| self.roles[*at].is_unanswered_request();
        for at in (0..self.lines.len()).filter(is_left).collect::<Vec<_>>() {
            let outcome = self.answered(at).await;
            self.check(ctx, at, outcome)?;
        }
        if checked_lines(self.lines).is_empty() {
            let outcome = self.goes_on().await;
            ctx.check(GOES_ON).judge(outcome);
        }
        Ok(())
    }

    /// Makes the check of a line. Differences in a case that this one continues are reported by that case.
    fn check(&self, ctx: &mut Ctx, at: usize, outcome: Result<(), Stop>) -> Result<(), Ended> {
        let line = self.lines[at];
        let key = &line.message.key;
        let is_check = has_check(line, &self.roles[at]);
        match outcome {
            Ok(()) if is_check => drop(ctx.check(key).pass()),
            Err(Stop::Differs(finding)) if is_check => drop(ctx.check(key).fail(finding)),
            Err(Stop::Here(finding)) if is_check => {
                let headline = finding.headline.clone();
                ctx.check(key).fail(finding);
                return Err(Ended::Reported(headline));
            }
            Err(Stop::Here(finding)) if !line.own => {
                let (before, why) = (&line.case.id, &finding.headline);
                let headline = format!("`{before}`, which this case continues, ends early: {why}");
                return Err(Ended::Unreported(finding.headed(headline)));
            }
            Err(Stop::Here(finding)) => return Err(Ended::Unreported(finding)),
            Ok(()) | Err(Stop::Differs(_)) => {}
        }
        Ok(())
    }
}
