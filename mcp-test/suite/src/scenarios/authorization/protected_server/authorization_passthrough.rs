//! `authorization-passthrough`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_test_core::transport::test_tokens::{Downstream, TestTokens, TokenKind};

use super::endpoint::ProtectedServer;
use super::reference::resource_and_tokens;
use crate::scenarios::prelude::*;
use crate::scenarios::tools::{Calls, call_params};

const KEPT: &str = "token-not-passed-on";

scenario! {
    /// A protected server that calls another service does not pass on the token of its client.
    ///
    /// That service is played by mcp-test (`--downstream`); the server has to know its URL, which a command gets in
    /// `MCP_TEST_DOWNSTREAM`. The tools that the run may call are called; if none of them makes the server call the service, nothing
    /// can be judged. The token is looked for in the URL, the headers and the body of each request.
    Server "authorization-passthrough": "The token of the client stays with the server",
    revisions: Revisions::from(Revision::V2025_06_18),
    transports: StreamableHttp,
    needs: [Need::Protection],
    checks: [
        check!(KEPT, "The service that the server calls does not receive the token of the client",
            [AUTH_TOKEN_NO_PASSTHROUGH]),
    ],
}

/// How many tools are called.
const MOST: usize = 20;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(server) = ProtectedServer::of(ctx) else { return Ok(()) };
    let Some(downstream) = server.tokens.downstream() else {
        ctx.skip_the_rest("no service that the server calls is given (`--downstream`)");
        return Ok(());
    };
    let token = match server.accepted(ctx, TokenKind::User).await? {
        Ok(token) => token,
        Err(why) => {
            ctx.skip_the_rest(&why);
            return Ok(());
        }
    };
    let before = downstream.requests();
    let tools = ctx.callable_tools().await?;
    let mut calls = Calls::default();
    let known = tools.iter().filter_map(|tool| Some((&tool.name, tool.arguments.as_ref()?)));
    for (name, arguments) in known.take(MOST) {
        // How it ends is not asked here: the service has received what it has received.
        match calls.call(ctx, call_params(name, arguments)).await? {
            Some(reply) => drop(reply.outcome()),
            None => break,
        }
    }
    if downstream.has_received(&token) {
        let finding = Finding::peer("the server passes on the token of its client")
            .expected("a token of the server's own, or none, at the service that it calls")
            .got("the token with which the client has called the server");
        ctx.check(KEPT).fail(finding);
    } else if downstream.requests() == before {
        let why = "no tool that the run may call makes the server call the service";
        ctx.check(KEPT).skip(why);
    } else {
        ctx.check(KEPT).pass();
    }
    Ok(())
}

/// A service that receives texts in this process.
#[derive(Debug, Default)]
struct Texts(Mutex<Vec<String>>);

impl Texts {
    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Downstream for Texts {
    fn requests(&self) -> usize {
        self.lock().len()
    }

    fn has_received(&self, text: &str) -> bool {
        self.lock().iter().any(|received| received.contains(text))
    }
}

/// The protected reference server, whose tools call another service with a token.
fn calling_with(token: impl Fn(&dyn TestTokens) -> String + Send + Sync + 'static) -> Server {
    let service = Arc::new(Texts::default());
    let (resource, tokens) = resource_and_tokens(false);
    let tokens: Arc<dyn TestTokens> = Arc::new(tokens.calling(Arc::clone(&service) as _));
    let known = Arc::clone(&tokens);
    let server = everything().on("tools/list", |_: Call| async {
        let annotations = json!({ "readOnlyHint": true });
        let schema = json!({ "type": "object" });
        json!({ "tools": [{ "name": "weather", "inputSchema": schema, "annotations": annotations }] })
    });
    let server = server.on("tools/call", move |_: Call| {
        service.lock().push(token(&*known));
        async { json!({ "content": [] }) }
    });
    server.access(Arc::new(resource)).test_tokens(tokens)
}

fn with_token_of_client() -> Server {
    // The URL of the server in process.
    let token = |tokens: &dyn TestTokens| tokens.token(TokenKind::User, "http://localhost/mcp");
    calling_with(move |tokens| token(tokens).unwrap_or_default())
}

proofs! {
    passes on calling_with(|_| "a-token-of-the-server".to_owned());
    catches "token-not-passed-on" on with_token_of_client();
}
