//! `client-answers-requests`.

use futures_util::future::{join, join_all};
use mcp_test_core::client::{FormElicitation, Handlers, SamplingResponse};
use mcp_test_core::clock;
use serde_json::Value as Json;

use crate::scenarios::exchange::{Exchange, exchanged, result};
use crate::scenarios::listing_client::{listing, never_listed};
use crate::scenarios::listing_server::{REPLY_TIME, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// Before the server answers `tools/list`, it sends a `ping`, a request whose method does not exist, and one for each feature that the
    /// client does not declare, and waits a moment for the replies.
    ///
    /// A client must answer a ping, and refuse a method that it does not know. One that does neither gets its list all the same. What it
    /// does not declare it must not do: a server could not know that it may ask for it.
    Client "client-answers-requests": "The client answers requests of the server",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    checks: [
        check!("client-answers-ping", "The client answers `ping` with an empty result",
            [PING_RESPONDS_PROMPTLY, PING_RESULT_EMPTY, JSONRPC_REQUEST_ANSWERED]),
        check!("client-refuses-unknown-method", "The client refuses a request of an unknown method with error -32601",
            [JSONRPC_UNKNOWN_METHOD_ERROR]),
        check!("client-refuses-undeclared-feature",
            "The client does not list roots, generate or elicit for a server without having declared it",
            [
                ROOTS_CAPABILITY_DECLARE_IN_INITIALIZE, SAMPLING_CAPABILITY_DECLARE_IN_INITIALIZE,
                ELICITATION_CAPABILITY_DECLARE_IN_INITIALIZE,
            ]),
    ],
}

/// A method that no revision has.
const UNKNOWN: &str = "mcp-test/no-such-method";

fn serve(test: &ClientTest) -> Server {
    server(test).on("tools/list", ask_and_list)
}

/// What a client has to declare, the request for it, and the requirement that it is declared.
const FEATURES: [(Capability, &str, &Requirement); 3] = [
    (Capability::Roots, "roots/list", Requirement::ROOTS_CAPABILITY_DECLARE_IN_INITIALIZE),
    (
        Capability::Sampling,
        "sampling/createMessage",
        Requirement::SAMPLING_CAPABILITY_DECLARE_IN_INITIALIZE,
    ),
    (
        Capability::Elicitation,
        "elicitation/create",
        Requirement::ELICITATION_CAPABILITY_DECLARE_IN_INITIALIZE,
    ),
];

fn params(feature: Capability) -> Json {
    let text = json!({ "type": "text", "text": "Reply with one word." });
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    match feature {
        Capability::Sampling => {
            json!({ "messages": [{ "role": "user", "content": text }], "maxTokens": 16 })
        }
        Capability::Elicitation => json!({ "message": "Who are you?", "requestedSchema": schema }),
        _ => json!({}),
    }
}

async fn ask_and_list(call: Call) -> Answer {
    let declared = call.client_capabilities();
    let is_undeclared = |(feature, ..): &&(Capability, _, _)| {
        feature.revisions().contains(call.revision()) && !feature.declared_in(declared)
    };
    let undeclared = FEATURES.iter().filter(is_undeclared);
    let features = undeclared.map(|(feature, method, _)| call.request(method, params(*feature)));
    let pinged = join(call.request("ping", json!({})), call.request(UNKNOWN, json!({})));
    let replies = join(pinged, join_all(features));
    // The trace has the replies, and shows which are missing.
    let _replies = clock::within(Deadline::after(REPLY_TIME), replies).await;
    one_tool(call).await
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let (Some(ping), Some(unknown)) = (exchanged(judging, "ping"), exchanged(judging, UNKNOWN))
    else {
        return Err(never_listed(judging));
    };
    judging.check("client-answers-ping").judge(answered_ping(&ping));
    judging.check("client-refuses-unknown-method").judge(refused(&unknown));
    let features =
        FEATURES.map(|(_, method, requirement)| (exchanged(judging, method), method, requirement));
    let mut check = judging.check("client-refuses-undeclared-feature");
    if features.iter().all(|(asked, ..)| !asked.as_ref().is_some_and(|(_, reply)| reply.is_some()))
    {
        check.skip("the client was asked for nothing that it does not declare, or did not reply");
        return Ok(());
    }
    for (asked, method, requirement) in &features {
        check = check.requires(requirement);
        check = match asked.as_ref().map(|asked| (asked, result(asked))) {
            Some((asked, Some((seq, result)))) => check.fail(
                Finding::peer(format!("the client answered `{method}` without declaring it"))
                    .expected("an error, or a capability in `initialize`")
                    .got(result.short(120))
                    .evidence_all([asked.0, seq]),
            ),
            Some((asked, None)) if asked.1.is_some() => check.pass(),
            _ => check,
        };
    }
    Ok(())
}

fn answered_ping((asked, reply): &Exchange) -> Result<(), Finding> {
    let finding = |headline: &str| {
        Finding::peer(headline).expected("a result without members of its own").evidence(*asked)
    };
    match reply {
        None => Err(finding("the client did not answer `ping`")
            .got("no reply before the client exited")
            .requires(Requirement::PING_RESPONDS_PROMPTLY)),
        Some((seq, Message::Response(response))) => {
            let mut members = response.result.as_object().into_iter().flat_map(Object::keys);
            // Any result may have `_meta`.
            match members.find(|name| *name != "_meta") {
                None => Ok(()),
                Some(name) => Err(finding("the result of `ping` is not empty")
                    .got(format!("a member `{name}`"))
                    .requires(Requirement::PING_RESULT_EMPTY)
                    .evidence(*seq)),
            }
        }
        Some((seq, reply)) => Err(finding("the client answered `ping` with an error")
            .got(reply.to_value().short(120))
            .requires(Requirement::PING_RESPONDS_PROMPTLY)
            .evidence(*seq)),
    }
}

fn refused((asked, reply): &Exchange) -> Result<(), Finding> {
    let finding = |headline: &str| {
        Finding::peer(headline)
            .expected(format!("error {}", error_code::METHOD_NOT_FOUND))
            .evidence(*asked)
    };
    match reply {
        None => Err(finding("the client did not answer a request of an unknown method")
            .got("no reply before the client exited")),
        Some((_, Message::Error(reply))) if reply.error.code == error_code::METHOD_NOT_FOUND => {
            Ok(())
        }
        Some((seq, Message::Error(reply))) => {
            Err(finding("the client refused an unknown method with another error")
                .got(format!("error {}", reply.error.code))
                .evidence(*seq))
        }
        Some((seq, reply)) => Err(finding("the client answered a request of an unknown method")
            .got(reply.to_value().short(120))
            .evidence(*seq)),
    }
}

/// Connects without declaring anything, and lists the tools.
fn undeclared(handlers: fn() -> Handlers) -> ScriptedClient {
    listing(move |task| task.options().handlers(handlers()).capabilities(json!({})))
}

proofs! {
    passes on good_client();
    catches "client-answers-ping" by never("ping");
    catches "client-answers-ping" by reply_error("ping", -32601);
    catches "client-answers-ping" by set("ping", "/pong", json!(true));
    catches "client-refuses-unknown-method" by never(UNKNOWN);
    catches "client-refuses-unknown-method" by reply_error(UNKNOWN, -32603);
    catches "client-refuses-undeclared-feature" on undeclared(|| Handlers::new().roots(["file:///project"]));
    catches "client-refuses-undeclared-feature"
        on undeclared(|| Handlers::new().sampling(|_| SamplingResponse::text("generated")));
    catches "client-refuses-undeclared-feature"
        on undeclared(|| Handlers::new().elicitation(FormElicitation::accept_examples));
}
