//! The point at which a turn continues when the client repeats its request with the requested input.

use super::compiled_contract::CompiledContract;
use super::conversation::TurnId;
use super::turn::Action;

/// An action of a turn, as it is written into the `requestState` of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResumePoint {
    pub(super) at: TurnId,
    pub(super) action: usize,
}

impl ResumePoint {
    const MARK: &'static str = "mcp-test-cases";

    pub(super) fn to_state(self) -> String {
        let TurnId { conversation, turn } = self.at;
        format!("{}/{conversation}/{turn}/{}", Self::MARK, self.action)
    }

    /// Parses the state that a client returns; `None` if this server did not write it.
    pub(super) fn parse(state: &str) -> Option<Self> {
        let mut parts = state.strip_prefix(Self::MARK)?.strip_prefix('/')?.split('/');
        let mut number = || parts.next()?.parse::<usize>().ok();
        let (conversation, turn, action) = (number()?, number()?, number()?);
        Some(Self { at: TurnId { conversation, turn }, action })
    }

    /// Whether the contract requests input there, in a turn with this method: the state comes from the client and may be forged.
    pub(super) fn is_in(&self, contract: &CompiledContract, method: &str) -> bool {
        let conversation = contract.conversations.get(self.at.conversation);
        conversation.and_then(|it| it.turns.get(self.at.turn)).is_some_and(|turn| {
            turn.incoming.method() == Some(method)
                && matches!(turn.actions.get(self.action), Some(Action::Ask { .. }))
        })
    }
}
