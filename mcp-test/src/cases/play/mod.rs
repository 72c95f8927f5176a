//! Playing a case against a server: each `in` is said, each `out` awaited and held against what really comes.
//!
//! | file | what it knows |
//! |---|---|
//! | `roles` | which message answers which |
//! | `declared` | what the client has to declare for what the server asks |
//! | `conversation` | the client, what is under way, and waiting for what is to come |
//! | `say` | what the client says |
//! | `hear` | what the server is to say |
//! | `end` | what is left open or was not expected |
//! | `told` | whether the conversation goes on after what went otherwise |
//!
//! # What a case means here
//!
//! - An id is a label. The client numbers its requests itself; an `out` with the label of a request is its reply. An `out`
//!   with method and id is a request of the server, whatever id that really has, and the `in` with its label the answer. The
//!   same holds where an id is told: in `notifications/cancelled`, and as the id of a subscription.
//! - A request may be said before the reply to another one is awaited; the replies may come in any order.
//! - What the server says of its own accord may come before its turn. Too late is what comes after the reply that follows it
//!   in the case, where both come on one stream: that is told at once. What comes on another stream has a little longer.
//! - Of several notifications of one method, the first that is as it has to be is taken.
//! - A request without an `out` has to be answered with a result, whatever it holds; one that is cancelled has not, and a
//!   `subscriptions/listen` has to be acknowledged. A case that neither asks nor awaits anything is followed by a `ping`, or
//!   by `server/discover` from 2026-07-28 on: a case that says nothing of the server cannot pass.
//! - A request of the server that the case does not have is refused, and a FAILURE; a `ping` is answered. A notification that
//!   the case does not have is told, and in profile `strict` a FAILURE.
//! - The client declares the capabilities for what the case has the server ask.
//! - A case with an `initialize` makes the handshake itself, and the conversation goes on in what was agreed.

mod conversation;
mod declared;
mod end;
mod hear;
pub(super) mod roles;
mod say;
#[cfg(test)]
mod tests;
mod told;

use self::conversation::Conversation;
use self::roles::Line;
use self::told::Stop;
use super::Values;
use crate::check::Finding;
use crate::scenario::Ctx;

/// The check that the server says nothing but what the case has.
pub(super) const UNEXPECTED: &str = "unexpected";

/// The check that the server still answers, for cases that ask for nothing.
pub(super) const GOES_ON: &str = "goes-on";

/// What keeps a conversation from being held to its end.
pub(super) enum Ended {
    /// It is held against a check already; in one sentence.
    Told(String),
    /// It is not held against any check yet.
    Untold(Finding),
    /// It is nobody's fault; why.
    Unplayable(String),
}

impl From<Finding> for Ended {
    fn from(finding: Finding) -> Self {
        Self::Untold(finding)
    }
}

/// Holds the conversation, and makes its checks as far as they are reached.
pub(super) async fn play(ctx: &mut Ctx, lines: &[Line<'_>], values: Values) -> Result<(), Ended> {
    if lines.is_empty() {
        return Err(Ended::Untold(
            Finding::test("the case has no message")
                .expected("at least one key that begins with `in` or `out`"),
        ));
    }
    let mut talk = Conversation::open(ctx, lines, values).await?;
    let ending = talk.all(ctx).await;
    talk.tell_unexpected(ctx).await;
    ending
}

/// What the checks of a case are about, besides what it does not have.
pub(super) fn checked(lines: &[Line<'_>]) -> Vec<usize> {
    let roles = roles::roles(lines);
    let own = (0..lines.len()).filter(|at| lines[*at].own);
    own.filter(|at| lines[*at].message.direction.is_out() || roles[*at].is_open_question())
        .collect()
}

impl Conversation<'_> {
    async fn all(&mut self, ctx: &mut Ctx) -> Result<(), Ended> {
        for at in 0..self.lines.len() {
            self.at = at;
            let is_out = self.line().message.direction.is_out();
            let outcome = if is_out { self.hear().await } else { self.say().await };
            if is_out || outcome.is_err() {
                self.check(ctx, at, outcome)?;
            }
        }
        let is_left = |at: &usize| self.roles[*at].is_open_question();
        for at in (0..self.lines.len()).filter(is_left).collect::<Vec<_>>() {
            let outcome = self.answered(at).await;
            self.check(ctx, at, outcome)?;
        }
        if checked(self.lines).is_empty() {
            let outcome = self.goes_on().await;
            ctx.check(GOES_ON).judge(outcome);
        }
        Ok(())
    }

    /// Makes the check of a line. What differs in a case that this one goes on from is told there.
    fn check(&self, ctx: &mut Ctx, at: usize, outcome: Result<(), Stop>) -> Result<(), Ended> {
        let line = self.lines[at];
        let key = &line.message.key;
        let is_check =
            line.own && (line.message.direction.is_out() || self.roles[at].is_open_question());
        match outcome {
            Ok(()) if is_check => drop(ctx.check(key).pass()),
            Err(Stop::Differs(finding)) if is_check => drop(ctx.check(key).fail(finding)),
            Err(Stop::Here(finding)) if is_check => {
                let headline = finding.headline.clone();
                ctx.check(key).fail(finding);
                return Err(Ended::Told(headline));
            }
            Err(Stop::Here(finding)) if !line.own => {
                let (before, why) = (&line.case.id, &finding.headline);
                let headline =
                    format!("`{before}`, which this case goes on from, ends early: {why}");
                return Err(Ended::Untold(Finding { headline, ..finding }));
            }
            Err(Stop::Here(finding)) => return Err(Ended::Untold(finding)),
            Ok(()) | Err(Stop::Differs(_)) => {}
        }
        Ok(())
    }
}
