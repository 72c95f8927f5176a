//! `resources-list`.

use mcp_test_core::client::{MAX_PAGES, ResourceList};
use mcp_test_core::expect::{array_of, non_empty_string, number};

use crate::scenarios::matchers::{repeated, uri};
use crate::scenarios::prelude::*;
use crate::scenarios::references::RESOURCES_LIST;

scenario! {
    /// The server lists its resources, each with the URI for `resources/read` and a name to display.
    ///
    /// An empty list is fine: resources may be reachable only through templates.
    Server "resources-list": "The server lists its resources",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Resources)],
    shares_connection: Revisions::all(),
    checks: [
        check!("resources-list", "`resources` is an array whose entries have a URI and a name",
            [RESOURCES_LIST_RESPOND, SCHEMA_LIST_RESOURCES_RESULT]).official(&[RESOURCES_LIST]),
        check!("resources-list-definitions",
            "On every page, of at most 100, the resources have members of the right types and a URI with a scheme; URIs are unique",
            [
                SCHEMA_RESOURCE, RESOURCES_DEFINITION_URI_VALID, RESOURCES_DEFINITION_URI_UNIQUE,
                PAGINATION_CURSOR_STRING,
            ]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let first = ctx.request("resources/list", json!({})).await?;
    first.result()?;
    ctx.check("resources-list")
        .requires(Requirement::SCHEMA_LIST_RESOURCES_RESULT)
        .expect(&first, resources(object().member("uri", truthy()).member("name", truthy())));

    // Requested again, with all pages: the official check looks only at the first.
    let (pages, has_more) = ctx.client().await?.first_pages("resources/list", MAX_PAGES).await?;
    let list = ResourceList::new(pages);
    let mut check = ctx.check("resources-list-definitions");
    for page in list.pages() {
        check = check
            .requires(Requirement::SCHEMA_RESOURCE)
            .expect(page, resources(resource()))
            .requires(Requirement::RESOURCES_DEFINITION_URI_VALID)
            .expect(page, resources(object().member("uri", uri())))
            .requires(Requirement::PAGINATION_CURSOR_STRING)
            .expect(page, object().optional("nextCursor", string()));
    }
    if has_more {
        // A list may be longer than anybody reads: what was read of it is judged.
        let bound = format!("only the first {MAX_PAGES} pages were read, and there are more");
        check = check.details(json!({ "pages": MAX_PAGES })).info(bound);
    }
    if list.items().is_ok_and(|items| items.is_empty()) {
        check.info("the server lists no resources");
    } else if let Some(uri) = repeated(&list.keys().unwrap_or_default()) {
        check.fail(
            Finding::peer(format!("two resources have the URI `{uri}`"))
                .expected("a unique URI for each resource")
                .requires(Requirement::RESOURCES_DEFINITION_URI_UNIQUE)
                .evidence_all(list.evidence()),
        );
    }
    Ok(())
}

fn resources(resource: impl Matcher + 'static) -> impl Matcher {
    object().member("resources", array_of(resource))
}

fn resource() -> impl Matcher {
    object()
        .member("uri", string())
        .member("name", non_empty_string())
        .optional("title", string())
        .optional("description", string())
        .optional("mimeType", string())
        .optional("size", number())
        .optional("annotations", object())
}

proofs! {
    passes on everything();
    catches "resources-list" by reply_error("resources/list", -32601);
    catches "resources-list" by remove("resources/list", "/resources/0/name");
    catches "resources-list" by remove("resources/list", "/resources");
    catches "resources-list-definitions" by set("resources/list", "/resources/0/uri", json!("no scheme"));
    catches "resources-list-definitions" by retype("resources/list", "/resources/0/mimeType");
    catches "resources-list-definitions" on with_duplicate_uri();
}

/// Lists two resources with the same URI.
fn with_duplicate_uri() -> Server {
    everything().on("resources/list", |_: Call| async {
        let twin = json!({"uri": "a:b", "name": "a"});
        json!({ "resources": [twin, twin] })
    })
}
