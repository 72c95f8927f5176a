//! The rules about which log messages a server sends: those that were asked for, at the level that was.

use super::ConversationJudge;
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::json::Value;
use crate::spec::Era;
use crate::spec::log_level::LEVELS;
use crate::wire::Notification;

cites! {
    LOGGING_PER_REQUEST_BEFORE_RESPONSE, LOGGING_PER_REQUEST_SILENT_WITHOUT_LEVEL,
    LOGGING_PER_REQUEST_THRESHOLD, LOGGING_SET_LEVEL_THRESHOLD,
}

/// The severity of a level, by its name.
pub(super) fn severity(name: &Value) -> Option<usize> {
    LEVELS.iter().position(|level| name.as_str() == Some(level))
}

impl ConversationJudge {
    /// A log message was asked for, and is not below the level that was.
    pub(super) fn log(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        let named = notification.params.as_ref().and_then(|params| params.get("level"));
        let revision = event.opened_for;
        let elided = self.findings.elided;
        let conversation = self.conversation(event);
        let (least, rule) = if revision.era() == Era::Stateless {
            // Over HTTP the exchange says which request a message belongs to; on a line transport it may be any open one.
            let asked = match event.exchange {
                Some(exchange) => conversation.levels_of_exchanges.get(&exchange).copied(),
                None => conversation.levels_of_requests.values().min().copied(),
            };
            let is_late = conversation.logged_exchanges.contains_key(&event.exchange)
                && (event.exchange.is_some() || asked.is_none());
            if is_late && !elided {
                let finding = Finding::peer("a log message after the reply to its request")
                    .expected("the log messages of a request before its reply")
                    .got("one after it");
                self.findings.add(event, finding, LOGGING_PER_REQUEST_BEFORE_RESPONSE);
                return;
            }
            let Some(asked) = asked else {
                if !elided {
                    let finding = Finding::peer("a log message that no open request asked for")
                        .expected("log messages only for requests with a log level in `_meta`")
                        .got("one while no such request was open");
                    self.findings.add(event, finding, LOGGING_PER_REQUEST_SILENT_WITHOUT_LEVEL);
                }
                return;
            };
            (asked, LOGGING_PER_REQUEST_THRESHOLD)
        } else {
            match conversation.level {
                Some((set, reply))
                    if conversation.follows(event, reply)
                        && conversation.is_of_session(event, reply) =>
                {
                    // A level that is being set may be in force already.
                    let least = conversation.set_levels.values().copied().fold(set, usize::min);
                    (least, LOGGING_SET_LEVEL_THRESHOLD)
                }
                _ => return,
            }
        };
        if let Some(sent) = named.and_then(severity).filter(|sent| *sent < least) {
            let finding = Finding::peer("a log message below the level that was asked for")
                .expected(format!("level `{}` or above", LEVELS[least]))
                .got(format!("level `{}`", LEVELS[sent]));
            self.findings.add(event, finding, rule);
        }
    }
}
