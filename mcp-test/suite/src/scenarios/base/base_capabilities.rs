//! `base-capabilities`.

use mcp_test_core::check::Fate;
use serde_json::Value;

use super::undeclared_served;
use crate::scenarios::prelude::*;

scenario! {
    /// What a server declares, it serves; what it serves, it declares.
    ///
    /// Clients request only what is declared, so that undeclared tools or prompts are never found, and a declared list that
    /// the server does not know is an error in every session. An empty list without its capability is harmless before
    /// 2026-07-28; from then on the method has to be unknown, and so have those that get a prompt or read a resource. Levels and
    /// subscriptions that are accepted without their capability promise what no client looks for, which is a WARNING.
    Server "base-capabilities": "The server serves what it declares",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("declared-served", "No request that a declared capability is for is refused as an unknown method",
            [
                DISCOVER_CAPABILITIES_TRUTHFUL, TOOLS_LIST_RESPOND, PROMPTS_LIST_RESPOND, RESOURCES_LIST_RESPOND,
                COMPLETION_COMPLETE_RESPOND, RESOURCES_SUBSCRIBE_ACCEPT,
            ]).conditional(),
        check!("served-declared",
            "Nothing is listed, completed, got, read, set or subscribed to without the capability for it",
            [BASE_SERVER_FEATURES_ADVERTISED]).conditional()
            .fails_or_warns("levels and subscriptions that are accepted only promise what no client looks for"),
        check!("undeclared-unknown", "A request whose capability is not declared is answered with error -32601",
            [BASE_UNADVERTISED_METHOD_NOT_FOUND]).conditional(),
    ],
}

/// A request that needs a capability, the member of its result that holds items, and the requirement to answer it.
type Request = (Capability, &'static str, Value, &'static str, &'static Requirement);

fn requests() -> [Request; 4] {
    let list = |kind: ItemKind, requirement| {
        (kind.capability(), kind.method(), json!({}), kind.member(), requirement)
    };
    let unknown = json!({
        "ref": {"type": "ref/prompt", "name": "no-such-prompt-of-mcp-test"},
        "argument": {"name": "a", "value": ""},
    });
    let (completions, complete) = (Capability::Completions, "completion/complete");
    [
        list(ItemKind::Tool, Requirement::TOOLS_LIST_RESPOND),
        list(ItemKind::Prompt, Requirement::PROMPTS_LIST_RESPOND),
        list(ItemKind::Resource, Requirement::RESOURCES_LIST_RESPOND),
        (completions, complete, unknown, "completion", Requirement::COMPLETION_COMPLETE_RESPOND),
    ]
}

/// Further requests that need a capability, with the member of their results.
///
/// A declared one may have no templates, and the names are unknown, so that they are tried without it only.
fn further() -> [(Capability, &'static str, Value, &'static str); 3] {
    let (resources, prompts) = (Capability::Resources, Capability::Prompts);
    [
        (resources, "resources/templates/list", json!({}), "resourceTemplates"),
        (resources, "resources/read", json!({"uri": UNKNOWN_URI}), "contents"),
        (prompts, "prompts/get", json!({"name": "no-such-prompt-of-mcp-test"}), "messages"),
    ]
}

const UNKNOWN_URI: &str = "mcp-test:no-such-resource";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    for (capability, method, params, member, requirement) in requests() {
        // At 2024-11-05 completion cannot be declared.
        if !capability.revisions().contains(ctx.revision()) {
            continue;
        }
        let is_declared = ctx.declares(capability).await?;
        let request = ctx.request(method, params);
        // What is not offered may be ignored; what is offered may take its time.
        let reply = match is_declared {
            true => request.await?,
            false => request.deliberate().promptly().await?,
        };
        if is_declared {
            judge_declared(ctx, capability, &reply, requirement);
        } else {
            judge_undeclared(ctx, capability, member, &reply);
        }
    }
    for (capability, method, params, member) in further() {
        if !ctx.declares(capability).await? {
            let reply = ctx.request(method, params).deliberate().promptly().await?;
            judge_undeclared(ctx, capability, member, &reply);
        }
    }
    subscriptions(ctx).await?;
    accepted(ctx).await
}

/// Requests that a server without the capability for them refuses, since it would not act on them.
async fn accepted(ctx: &mut Ctx) -> Result<(), Finding> {
    // From 2026-07-28 on these methods do not exist, which other scenarios test.
    if ctx.revision().era() == Era::Stateless {
        return Ok(());
    }
    let resources = ctx.offered(ItemKind::Resource).await?;
    let uri = resources.keys(ItemKind::Resource).next().unwrap_or(UNKNOWN_URI);
    let requests = [
        // The level with the fewest messages, should the server accept it.
        (Capability::Logging, "logging/setLevel", json!({"level": "emergency"})),
        (Capability::ResourcesSubscribe, "resources/subscribe", json!({ "uri": uri })),
    ];
    for (capability, method, params) in requests {
        if ctx.declares(capability).await? {
            continue;
        }
        let reply = ctx.request(method, params.clone()).deliberate().promptly().await?;
        let outcome = reply.outcome().map(|result| result.short(120));
        let outcome = outcome.map_or(Ok(()), |result| {
            let headline = format!("`{method}` is accepted, but `{capability}` is not declared");
            Err(Finding::peer(headline)
                .expected("an error, such as -32601, or the capability")
                .got(format!("the result {result}"))
                .evidence_all(reply.evidence())
                .should())
        });
        if outcome.is_err() && capability == Capability::ResourcesSubscribe {
            let _any_reply =
                ctx.request("resources/unsubscribe", params).deliberate().promptly().await?.error();
        }
        ctx.check("served-declared").judge(outcome);
    }
    Ok(())
}

/// The first listed resource can be subscribed to, if subscriptions are declared.
async fn subscriptions(ctx: &mut Ctx) -> Result<(), Finding> {
    let capability = Capability::ResourcesSubscribe;
    // From 2026-07-28 on there are `subscriptions/listen` and other scenarios for it.
    if ctx.revision().era() == Era::Stateless || !ctx.declares(capability).await? {
        return Ok(());
    }
    let resources = ctx.offered(ItemKind::Resource).await?;
    let Some(uri) = resources.keys(ItemKind::Resource).next() else { return Ok(()) };
    let reply = ctx.request("resources/subscribe", json!({ "uri": uri })).deliberate().await?;
    judge_declared(ctx, capability, &reply, Requirement::RESOURCES_SUBSCRIBE_ACCEPT);
    // A server may have begun the subscription before it refused it.
    let unsubscribed = ctx.request("resources/unsubscribe", json!({ "uri": uri }));
    let _any_reply = unsubscribed.deliberate().promptly().await?.error();
    Ok(())
}

fn judge_declared(
    ctx: &mut Ctx,
    capability: Capability,
    reply: &Reply,
    handshake: &'static Requirement,
) {
    let requirement = match ctx.revision().era() {
        Era::Handshake => handshake,
        Era::Stateless => Requirement::DISCOVER_CAPABILITIES_TRUTHFUL,
    };
    // A server may pass on the error with which its own request was refused.
    let was_asked = asks_during(&ctx.trace(), reply);
    let outcome = match reply.outcome() {
        Err(error) if error.code == error_code::METHOD_NOT_FOUND && !was_asked => {
            Err(Finding::peer(format!(
                "`{}` is unknown, although `{capability}` is declared",
                reply.method()
            ))
            .expected("the request to be served")
            .got(error.to_string())
            .caused_by(Cause::request(reply.method(), Fate::Refused))
            .evidence_all(reply.evidence()))
        }
        // Another error has another reason, which other scenarios judge.
        _ => Ok(()),
    };
    ctx.check("declared-served").requires(requirement).judge(outcome);
}

/// Whether the server sent a request between a request and its reply.
fn asks_during(trace: &Trace, reply: &Reply) -> bool {
    let evidence = reply.evidence();
    let (sent, answered) = (evidence.iter().min(), evidence.iter().max());
    trace.messages().any(|(event, message)| {
        let is_request = matches!(message, Message::Request(_)) && event.party == Party::Server;
        is_request && Some(&event.seq) > sent && Some(&event.seq) < answered
    })
}

fn judge_undeclared(ctx: &mut Ctx, capability: Capability, member: &str, reply: &Reply) {
    let items = reply.outcome().ok().and_then(|result| {
        let items = result.get(member)?;
        items.get("values").unwrap_or(items).as_array()
    });
    let found = items.is_some_and(|items| !items.is_empty());
    let finding = |headline: String| {
        let got = match reply.outcome() {
            Ok(result) => format!("the result {}", result.short(120)),
            Err(error) => error.to_string(),
        };
        Finding::peer(headline).got(got).evidence_all(reply.evidence())
    };
    let method = reply.method();
    let outcome = match found {
        false => Ok(()),
        true => {
            let headline = format!("`{method}` has results, but `{capability}` is not declared");
            Err(finding(headline)
                .expected(format!("the capability `{capability}`"))
                .caused_by(undeclared_served(capability)))
        }
    };
    ctx.check("served-declared").judge(outcome);
    if ctx.makes("undeclared-unknown") {
        let outcome = match reply.outcome() {
            Err(error) if error.code == error_code::METHOD_NOT_FOUND => Ok(()),
            _ => Err(finding(format!("`{method}` is known, but `{capability}` is not declared"))
                .expected(format!("error {}", error_code::METHOD_NOT_FOUND))
                .caused_by(Cause::RequirementFor(
                    Requirement::BASE_UNADVERTISED_METHOD_NOT_FOUND,
                    capability.to_string(),
                ))),
        };
        ctx.check("undeclared-unknown").judge(outcome);
    }
}

proofs! {
    passes on everything();
    catches "declared-served" by reply_error("completion/complete", -32601);
    catches "declared-served" by reply_error("resources/subscribe", -32601), at V2025_11_25;
    catches "served-declared" by remove("initialize", "/capabilities/prompts"), at V2025_11_25;
    warns "served-declared" by remove("initialize", "/capabilities/logging"), at V2025_11_25;
    warns "served-declared" by remove("initialize", "/capabilities/resources/subscribe"), at V2025_11_25;
    catches "undeclared-unknown" on with_an_empty_list();
}

/// Declares tools only, and lists no prompts.
fn with_an_empty_list() -> Server {
    let refuse = |name| {
        let error = Answer::error(error_code::METHOD_NOT_FOUND, "method not found");
        given(method(name)).respond_with(error)
    };
    let none = given(method("prompts/list")).respond_with(json!({"prompts": []}));
    let others = ["resources/list", "resources/templates/list", "resources/read", "prompts/get"];
    let others = others.into_iter().chain(["completion/complete"]).map(refuse);
    reference_server_with([none].into_iter().chain(others))
        .capabilities(json!({"tools": {"listChanged": true}}))
}
