//! `client-empty-lists`.

use crate::scenarios::listing_client::{fails_after, never_listed};
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;
use crate::scenarios::reaction::accepts_replies;

scenario! {
    /// The server declares tools, resources and prompts, but has none at the moment: each list is empty.
    ///
    /// A client accepts an empty list if it sends another message afterwards, or exits without an error.
    Client "client-empty-lists": "The client accepts empty lists",
    revisions: Revisions::from(Revision::V2025_03_26),
    checks: [
        check!("client-accepts-no-tools", "The client accepts an empty list of tools",
            [TOOLS_LIST_CLIENT_TOLERATES_EMPTY]),
        check!("client-accepts-no-resources", "The client accepts an empty list of resources",
            [RESOURCES_LIST_CLIENT_TOLERATES_EMPTY]),
        check!("client-accepts-no-prompts", "The client accepts an empty list of prompts",
            [PROMPTS_LIST_CLIENT_TOLERATES_EMPTY]),
    ],
}

const LISTS: [(&str, &str); 3] = [
    ("client-accepts-no-tools", "tools/list"),
    ("client-accepts-no-resources", "resources/list"),
    ("client-accepts-no-prompts", "prompts/list"),
];

fn serve(test: &ClientTest) -> Server {
    server(test)
        .capabilities(json!({ "tools": {}, "resources": {}, "prompts": {} }))
        .on("tools/list", |_: Call| async { json!({ "tools": [] }) })
        .on("resources/list", |_: Call| async { json!({ "resources": [] }) })
        .on("resources/templates/list", |_: Call| async { json!({ "resourceTemplates": [] }) })
        .on("prompts/list", |_: Call| async { json!({ "prompts": [] }) })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if LISTS.iter().all(|(_, method)| judging.requests(method).is_empty()) {
        return Err(never_listed(judging));
    }
    for (check, method) in LISTS {
        accepts_replies(judging, check, method, "no items");
    }
    Ok(())
}

/// Fails at the list of this method, after the two others.
fn fails_at(last: &'static str) -> ScriptedClient {
    let mut methods = LISTS.map(|(_, method)| method);
    methods.sort_by_key(|method| *method == last);
    fails_after(methods.map(|method| (method, json!({}))))
}

proofs! {
    passes on good_client();
    catches "client-accepts-no-tools" on fails_at("tools/list");
    catches "client-accepts-no-resources" on fails_at("resources/list");
    catches "client-accepts-no-prompts" on fails_at("prompts/list");
}
