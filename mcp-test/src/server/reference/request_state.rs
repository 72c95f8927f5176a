//! The `requestState` of the reference server, which a client cannot change.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use super::{Call, invalid};
use crate::wire::RpcError;

/// The keys of the process. `RandomState` takes them from the random numbers of the operating system, which saves a dependency.
static KEYS: LazyLock<[RandomState; 2]> =
    LazyLock::new(|| [RandomState::new(), RandomState::new()]);

/// A state with this content, for retries of calls of this tool.
pub(super) fn seal(tool: &str, content: &str) -> String {
    // The tool is part of what is hashed, so that its state is not valid for any other.
    let [first, second] = KEYS.each_ref().map(|key| key.hash_one((tool, content)));
    format!("{content}.{first:016x}{second:016x}")
}

/// The content of the state that the client has sent back; `None` if it has sent none.
///
/// # Errors
///
/// If this process has not issued the state for this tool.
pub(super) fn open<'a>(call: &'a Call, tool: &str) -> Result<Option<&'a str>, RpcError> {
    let Some(state) = call.param("requestState") else { return Ok(None) };
    let content =
        state.as_str().and_then(|state| state.rsplit_once('.')).map(|(content, _)| content);
    let is_issued = |content: &&str| state.as_str() == Some(&*seal(tool, content));
    let content = content.filter(is_issued);
    content.map(Some).ok_or_else(|| invalid("`requestState` was not issued for this call"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_belongs_to_its_tool_and_its_content() {
        let state = seal("a", "step1");
        assert!(state.starts_with("step1."));
        assert_eq!(state, seal("a", "step1"));
        assert_ne!(state, seal("b", "step1"));
        let tag = |state: &str| state.rsplit_once('.').map(|(_, tag)| tag.to_owned());
        assert_ne!(tag(&state), tag(&seal("a", "step2")));
    }
}
