//! `prompts-list`.

use mcp_test_core::client::{MAX_PAGES, PromptList};
use mcp_test_core::expect::{array_of, boolean, non_empty_string};

use crate::scenarios::matchers::repeated;
use crate::scenarios::prelude::*;
use crate::scenarios::references::PROMPTS_LIST;

scenario! {
    /// The server lists its prompts, each with the name for `prompts/get`.
    Server "prompts-list": "The server lists its prompts",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Prompts)],
    shares_connection: Revisions::all(),
    checks: [
        check!("prompts-list", "`prompts` is an array whose entries have a name and a description",
            [PROMPTS_LIST_RESPOND, SCHEMA_LIST_PROMPTS_RESULT]).official(&[PROMPTS_LIST]),
        check!("prompts-list-definitions",
            "On every page, of at most 100, the prompts and their arguments have members of the right types; names are unique",
            [SCHEMA_PROMPT, PROMPTS_DEFINITION_NAME_UNIQUE, PAGINATION_CURSOR_STRING]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let first = ctx.request("prompts/list", json!({})).await?;
    first.result()?;
    ctx.check("prompts-list")
        .requires(Requirement::SCHEMA_LIST_PROMPTS_RESULT)
        .expect(&first, prompts(object().member("name", truthy())))
        .officially(
            &first,
            prompts(object().member("description", truthy())),
            "the description of a prompt is optional",
        );

    // Requested again, with all pages: the official check looks only at the first.
    let (pages, has_more) = ctx.client().await?.first_pages("prompts/list", MAX_PAGES).await?;
    let list = PromptList::new(pages);
    let mut check = ctx.check("prompts-list-definitions");
    for page in list.pages() {
        check = check
            .requires(Requirement::SCHEMA_PROMPT)
            .expect(page, prompts(prompt()))
            .requires(Requirement::PAGINATION_CURSOR_STRING)
            .expect(page, object().optional("nextCursor", string()));
    }
    if has_more {
        // A list may be longer than anybody reads: what was read of it is judged.
        let bound = format!("only the first {MAX_PAGES} pages were read, and there are more");
        check = check.details(json!({ "pages": MAX_PAGES })).info(bound);
    }
    if list.items().is_ok_and(|items| items.is_empty()) {
        check.info("the server lists no prompts");
    } else if let Some(name) = repeated(&list.keys().unwrap_or_default()) {
        check.fail(
            Finding::peer(format!("two prompts are named `{name}`"))
                .expected("a unique name for each prompt")
                .requires(Requirement::PROMPTS_DEFINITION_NAME_UNIQUE)
                .evidence_all(list.evidence()),
        );
    }
    Ok(())
}

fn prompts(prompt: impl Matcher + 'static) -> impl Matcher {
    object().member("prompts", array_of(prompt))
}

fn prompt() -> impl Matcher {
    let argument = object()
        .member("name", non_empty_string())
        .optional("title", string())
        .optional("description", string())
        .optional("required", boolean());
    object()
        .member("name", non_empty_string())
        .optional("title", string())
        .optional("description", string())
        .optional("arguments", array_of(argument))
}

proofs! {
    passes on everything();
    catches "prompts-list" by reply_error("prompts/list", -32601);
    catches "prompts-list" by remove("prompts/list", "/prompts/0/name");
    catches "prompts-list" by remove("prompts/list", "/prompts/0/description"), under Official;
    catches "prompts-list-definitions" by retype("prompts/list", "/prompts/0/description");
    catches "prompts-list-definitions" by set("prompts/list", "/prompts/0/arguments", json!([{"required": true}]));
    catches "prompts-list-definitions" on with_duplicate_name();
}

/// Lists two prompts with the same name.
fn with_duplicate_name() -> Server {
    everything().on("prompts/list", |_: Call| async {
        let twin = json!({"name": "a", "description": "a prompt"});
        json!({ "prompts": [twin, twin] })
    })
}
