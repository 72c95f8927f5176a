//! The error for a request that no rule answers, although there are rules about its method.

use super::ClientMessage;
use super::registry::{MountedRule, RuleRegistry};
use super::times::in_words;
use crate::json::{Object, Value};
use crate::spec::error_code;
use crate::wire::RpcError;

impl RuleRegistry {
    /// Says which rule comes nearest and what differs; `None` if no rule that responds is about the method.
    pub(in crate::server) fn unmatched(&self, message: &ClientMessage) -> Option<RpcError> {
        self.read(|state| {
            let responds = |mounted: &&MountedRule| {
                !mounted.is_unmounted
                    && mounted.rule.response.is_some()
                    && mounted.rule.allows_method_of(message)
            };
            let candidates = state.rules.iter().filter(responds);
            // `max_by_key` returns the last of several, which is the one that would respond first.
            let nearest = candidates
                .map(|mounted| (mounted.rule.check(message), mounted))
                .max_by_key(|((met, _), _)| *met);
            nearest.map(|((_, unmet), mounted)| no_rule_answers(message, mounted, &unmet))
        })
    }
}

fn no_rule_answers(message: &ClientMessage, nearest: &MountedRule, unmet: &str) -> RpcError {
    let rule = &nearest.rule;
    let name = rule.name();
    let difference = if unmet.is_empty() {
        // It meets every condition, so that only the number of responses is in the way.
        format!("it has answered {}, as often as it may", in_words(nearest.calls))
    } else {
        format!("it expects a message {}, and this is one {unmet}", rule.describe())
    };
    let method = message.method().unwrap_or_default();
    let text =
        format!("no rule of the test answers this `{method}`; nearest is `{name}`: {difference}");
    let data = [("rule", name), ("difference", difference)];
    let data: Object = data.into_iter().map(|(name, text)| (name, Value::from(text))).collect();
    // Neither an unknown method nor the fault of the client: the script of the test lacks an answer.
    RpcError { data: Some(data.into()), ..RpcError::new(error_code::INTERNAL_ERROR, text) }
}
