//! [`RequestStates`]: the `requestState` of results that ask for input, which a client cannot change.

use std::hash::{BuildHasher, RandomState};

use super::{Call, invalid};
use crate::wire::RpcError;

/// Seals what a server has to remember until a client sends its responses, since the client keeps it.
///
/// A state is valid for one purpose, such as the name of a tool, and for the instance that has issued it.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::server::{Answer, Call, InputRequest, RequestStates, Server};
/// use serde_json::json;
///
/// async fn confirm(call: Call, states: RequestStates) -> Result<Answer, Answer> {
///     let roots = [InputRequest::roots("roots")];
///     let state = states.seal("confirm", "begun");
///     if states.open(&call, "confirm")?.is_none() {
///         return Ok(call.input_required(&roots, Some(&state)));
///     }
///     call.input_responses(&roots, Some(&state))?;
///     Ok(json!({"content": []}).into())
/// }
///
/// let states = RequestStates::new();
/// let server = Server::new(json!({"name": "careful", "version": "1.0.0"}))
///     .capabilities(json!({"tools": {}}))
///     .on("tools/call", move |call: Call| {
///         let states = states.clone();
///         async move { confirm(call, states).await.unwrap_or_else(|instead| instead) }
///     });
/// # drop(server);
/// ```
#[derive(Debug, Clone, Default)]
pub struct RequestStates {
    /// `RandomState` takes its keys from the random numbers of the operating system, which saves a dependency.
    keys: [RandomState; 2],
}

impl RequestStates {
    /// With keys of its own; clones share them.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A state with this content, for retries of requests with this purpose. The client can read the content.
    #[must_use]
    pub fn seal(&self, purpose: &str, content: &str) -> String {
        // The purpose is part of what is hashed, so that the state is not valid for any other.
        let [first, second] = self.keys.each_ref().map(|key| key.hash_one((purpose, content)));
        format!("{content}.{first:016x}{second:016x}")
    }

    /// The content of the state that the client has sent back; `None` if it has sent none.
    ///
    /// # Errors
    ///
    /// -32602, if the state was not issued for this purpose, or was changed.
    pub fn open<'a>(&self, call: &'a Call, purpose: &str) -> Result<Option<&'a str>, RpcError> {
        let Some(state) = call.param("requestState") else { return Ok(None) };
        let content = state.as_str().and_then(|state| state.rsplit_once('.'));
        let content = content.map(|(content, _)| content);
        let is_issued = |content: &&str| state.as_str() == Some(&*self.seal(purpose, content));
        let content = content.filter(is_issued);
        content.map(Some).ok_or_else(|| invalid("`requestState` was not issued for this call"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_belongs_to_its_purpose_and_its_content() {
        let states = RequestStates::new();
        let state = states.seal("a", "step1");
        assert!(state.starts_with("step1."));
        assert_eq!(state, states.clone().seal("a", "step1"));
        assert_ne!(state, states.seal("b", "step1"));
        assert_ne!(state, RequestStates::new().seal("a", "step1"));
        let tag = |state: &str| state.rsplit_once('.').map(|(_, tag)| tag.to_owned());
        assert_ne!(tag(&state), tag(&states.seal("a", "step2")));
    }
}
