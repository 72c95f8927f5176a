//! What a scenario serves to a client that signs in.

use mcp_test_core::jose::JoseError;
use mcp_test_core::oauth::scripted::{
    Behavior, IssuedTokens, ProtectedResource, ReceivedRequests, RefreshTokens, ScriptedServer,
    SharedFacts,
};

use crate::scenarios::prelude::*;

/// What the actors of a test share, kept for the judge.
pub(in crate::scenarios) fn facts(test: &ClientTest) -> SharedFacts {
    let received = ReceivedRequests::new(test.recorder.clone());
    test.keep(Arc::new(received.clone()));
    let (tokens, refresh_tokens) = (IssuedTokens::default(), RefreshTokens::default());
    SharedFacts { received, tokens, refresh_tokens }
}

/// A protected server with one authorization server, which behaves in this way.
pub(in crate::scenarios) fn protected(
    test: &ClientTest,
    behavior: Behavior,
    protect: impl FnOnce(ProtectedResource) -> ProtectedResource,
) -> Result<Server, Finding> {
    let facts = facts(test);
    let server = ScriptedServer::start(behavior, &facts)?;
    Ok(server_behind(test, protect(ProtectedResource::new(&facts, vec![server]))))
}

/// A finding about the environment, for what needs random numbers.
pub(in crate::scenarios) fn no_key(error: &JoseError) -> Finding {
    Finding::environment("no key can be made").got(error.to_string())
}

/// The MCP server behind a protected resource: one tool, as in the official suite.
pub(in crate::scenarios) fn server_behind(
    test: &ClientTest,
    resource: ProtectedResource,
) -> Server {
    Server::new(json!({ "name": "protected-server", "version": "1.0.0" }))
        .revisions(Revisions::until(test.revision))
        .capabilities(json!({ "tools": {} }))
        .on("tools/list", |_: Call| async {
            json!({ "tools": [{ "name": TOOL, "inputSchema": { "type": "object" } }] })
        })
        .on("tools/call", |call: Call| async move {
            match call.param("name").and_then(Value::as_str) {
                Some(TOOL) => {
                    let content = json!([{ "type": "text", "text": "test" }]);
                    Answer::from(json!({ "content": content }))
                }
                _ => Answer::error(error_code::INVALID_PARAMS, "no such tool"),
            }
        })
        .access(Arc::new(match test.profile {
            Profile::Official => resource.guarding_post_alone(),
            Profile::Adaptive | Profile::Strict => resource,
        }))
}

/// The tool of the protected server.
pub(in crate::scenarios) const TOOL: &str = "test-tool";
