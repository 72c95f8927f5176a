//! `client-unusual-results`.

mod results;

use super::client_unusual_results::results::{
    PROMPT, TOOL, URI, contents, messages, prompts, resources, tool_result, tools,
};
use crate::scenarios::listing_client::{fails_after, fails_at_the_first_result, never_listed};
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;
use crate::scenarios::reaction::accepts_replies;

scenario! {
    /// Every result of the server is valid, but has what few servers send: unknown members, capabilities and keys of `_meta`, items with
    /// nothing but the required members, schemas that are composed of others, URIs of unknown schemes, and content of every type.
    ///
    /// A client accepts a result if it sends another message afterwards, or exits without an error. What it does not ask for is not
    /// judged.
    Client "client-unusual-results": "The client accepts valid results that are unusual",
    revisions: Revisions::from(Revision::V2025_03_26),
    checks: [
        check!("client-accepts-unknown-members",
            "The client accepts unknown members, capabilities and keys of `_meta` in the first result, and missing `instructions`",
            [
                BASE_UNKNOWN_CAPABILITY_TOLERATED, BASE_META_UNKNOWN_KEYS_TOLERATED,
                JSONRPC_RESULT_EXTRA_MEMBERS_TOLERATED, RESOURCES_CAPABILITY_CLIENT_TOLERATES_PARTIAL,
                DISCOVER_CLIENT_TOLERATES_NO_INSTRUCTIONS,
            ]),
        check!("client-accepts-tools",
            "The client accepts tools with only the required members, and with composed schemas",
            [
                TOOLS_DEFINITION_CLIENT_ACCEPTS_MINIMAL, TOOLS_DEFINITION_CLIENT_ACCEPTS_COMPOSED_INPUT_SCHEMA,
                TOOLS_DEFINITION_CLIENT_ACCEPTS_ANY_OUTPUT_SCHEMA_ROOT,
            ]),
        check!("client-accepts-tool-results",
            "The client accepts content of every type, links to resources that are not listed, and a result without `isError`",
            [
                TOOLS_CONTENT_CLIENT_ACCEPTS_ALL_TYPES, TOOLS_CONTENT_CLIENT_TOLERATES_UNLISTED_LINK,
                TOOLS_CALL_IS_ERROR_ABSENT_MEANS_SUCCESS, TOOLS_STRUCTURED_CLIENT_ACCEPTS_ANY_JSON,
            ]),
        check!("client-accepts-resources",
            "The client accepts resources with only the required members, of unknown schemes, and of XDG types",
            [
                RESOURCES_DEFINITION_CLIENT_ACCEPTS_MINIMAL, RESOURCES_URI_CLIENT_TOLERATES_CUSTOM_SCHEMES,
                RESOURCES_URI_CLIENT_TOLERATES_XDG_MIME,
            ]),
        check!("client-accepts-contents",
            "The client accepts several contents of one resource, without a `mimeType`, and of other URIs",
            [RESOURCES_READ_CLIENT_TOLERATES_MULTIPLE_CONTENTS]),
        check!("client-accepts-prompts", "The client accepts a prompt with nothing but a name",
            [PROMPTS_DEFINITION_CLIENT_ACCEPTS_MINIMAL]),
        check!("client-accepts-prompt-messages", "The client accepts messages with content of every type",
            [PROMPTS_CONTENT_CLIENT_ACCEPTS_ALL_TYPES, PROMPTS_CONTENT_CLIENT_TOLERATES_RESOURCE_LINK]),
        check!("client-accepts-updates-of-children",
            "The client accepts that a resource below the one of its subscription was updated",
            [RESOURCES_UPDATED_CLIENT_TOLERATES_SUB_RESOURCE])
            .within(Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25), "from 2026-07-28 on, no client subscribes by `resources/subscribe`"),
        check!("client-accepts-completions", "The client accepts completions without `total` and `hasMore`",
            [COMPLETION_IMPL_CLIENT_PARTIAL_RESULTS]),
    ],
}

/// A key of `_meta` that no specification knows.
const META: &str = "com.example/unknown";

/// What a check is about: its id, the method, and what is unusual about the results of that method.
const RESULTS: [(&str, &str, &str); 7] = [
    ("client-accepts-tools", "tools/list", "minimal tools and composed schemas"),
    ("client-accepts-tool-results", "tools/call", "content of every type"),
    ("client-accepts-resources", "resources/list", "minimal resources of several schemes"),
    ("client-accepts-contents", "resources/read", "several contents"),
    ("client-accepts-prompts", "prompts/list", "a minimal prompt"),
    ("client-accepts-prompt-messages", "prompts/get", "content of every type"),
    ("client-accepts-completions", "completion/complete", "no `total` and no `hasMore`"),
];

/// The request that begins a conversation.
const fn first_request(revision: Revision) -> &'static str {
    match revision.era() {
        Era::Handshake => "initialize",
        Era::Stateless => "server/discover",
    }
}

fn serve(test: &ClientTest) -> Server {
    let first = first_request(test.revision);
    // `subscribe` and `listChanged` are optional, and so is every member of the others.
    let optional = match test.era() {
        Era::Handshake => json!({ "subscribe": true }),
        Era::Stateless => json!({ "listChanged": false }),
    };
    let capabilities = json!({
        "tools": {}, "prompts": {}, "completions": {}, "resources": optional,
        "experimental": { "mcp-test": {} }, "com.example.unknown": { "nested": [{}] },
    });
    server(test)
        .capabilities(capabilities)
        .faults([
            Fault::set(first, "/unknownMember", json!({ "nested": [1, null] })),
            Fault::set(first, "/_meta", json!({ META: { "a": [1] } })),
        ])
        .on("tools/list", |call: Call| async move { tools(call.revision()) })
        .on("tools/call", |call: Call| async move { tool_result(&call) })
        .on("resources/list", |_: Call| async { resources() })
        .on("resources/templates/list", |_: Call| async { json!({ "resourceTemplates": [] }) })
        .on("resources/read", |call: Call| async move { contents(&call) })
        .on("resources/subscribe", |call: Call| async move { update_of_child(&call).await })
        .on("prompts/list", |_: Call| async { prompts() })
        .on("prompts/get", |call: Call| async move { messages(call.revision()) })
        .on("completion/complete", |_: Call| async { json!({ "completion": { "values": [] } }) })
}

/// Tells the client, before its subscription is confirmed, that a resource below that of the subscription was updated.
async fn update_of_child(call: &Call) -> serde_json::Value {
    let uri = call.param("uri").and_then(Value::as_str).unwrap_or(URI);
    let params = json!({ "uri": format!("{uri}/child") });
    // If the client has left, nobody waits for the confirmation either.
    let _sent = call.notify("notifications/resources/updated", params).await;
    json!({})
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let first = first_request(judging.revision());
    if judging.requests("tools/list").is_empty() && judging.requests(first).is_empty() {
        return Err(never_listed(judging));
    }
    accepts_replies(judging, "client-accepts-unknown-members", first, "unknown members");
    for (check, method, what) in RESULTS {
        accepts_replies(judging, check, method, what);
    }
    if judging.revision().era() == Era::Handshake {
        let (check, method) = ("client-accepts-updates-of-children", "resources/subscribe");
        accepts_replies(judging, check, method, "an update of a resource below it");
    }
    Ok(())
}

/// Requests everything that the server offers, this method last, and fails at its result.
fn fails_at(last: &'static str) -> ScriptedClient {
    let mut requests = all_requests();
    requests.sort_by_key(|(method, _)| *method == last);
    fails_after(requests)
}

/// The same, with a subscription at the end.
fn fails_at_a_subscription() -> ScriptedClient {
    let mut requests = all_requests();
    requests.push(("resources/subscribe", json!({ "uri": URI })));
    fails_after(requests)
}

fn all_requests() -> Vec<(&'static str, serde_json::Value)> {
    let params = [
        json!({}),
        json!({ "name": TOOL }),
        json!({}),
        json!({ "uri": URI }),
        json!({}),
        json!({ "name": PROMPT }),
        json!({
            "ref": { "type": "ref/prompt", "name": PROMPT },
            "argument": { "name": "a", "value": "" },
        }),
    ];
    RESULTS.map(|(_, method, _)| method).into_iter().zip(params).collect()
}

proofs! {
    passes on good_client();
    catches "client-accepts-unknown-members" on fails_at_the_first_result();
    catches "client-accepts-tools" on fails_at("tools/list");
    catches "client-accepts-tool-results" on fails_at("tools/call");
    catches "client-accepts-resources" on fails_at("resources/list");
    catches "client-accepts-contents" on fails_at("resources/read");
    catches "client-accepts-prompts" on fails_at("prompts/list");
    catches "client-accepts-prompt-messages" on fails_at("prompts/get");
    catches "client-accepts-updates-of-children" on fails_at_a_subscription(), at V2025_11_25;
    warns "client-accepts-completions" on fails_at("completion/complete");
}
