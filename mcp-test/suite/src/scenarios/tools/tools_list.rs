//! `tools-list`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::client::{MAX_PAGES, ToolList};
use mcp_test_core::expect::{array_of, boolean, in_characters, non_empty_string};

use crate::scenarios::matchers::repeated;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{
    SEP_986_HISTORY, SEP_986_INTEGRATION, TOOL_NAMES, TOOL_NAMES_DRAFT, TOOLS_LIST, TOOLS_ORDER,
};

scenario! {
    /// The server lists its tools, each with a name and an input schema.
    ///
    /// A model chooses a tool by its name and calls it according to its input schema; a tool without either cannot be
    /// used. Names that are repeated or contain unusual characters break clients that combine the tools of several
    /// servers, and an order that changes defeats prompt caches.
    Server "tools-list": "The server lists its tools",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools)],
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-list", "`tools` is an array whose entries have a name, a description and an input schema",
            [TOOLS_LIST_RESPOND, SCHEMA_LIST_TOOLS_RESULT]).official(&[TOOLS_LIST]),
        check!("tools-name-format",
            "Tool names consist of 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`",
            [TOOLS_NAME_LENGTH, TOOLS_NAME_CHARSET, TOOLS_NAME_NO_SPECIAL_CHARACTERS])
            .official(&[TOOL_NAMES, TOOL_NAMES_DRAFT, SEP_986_HISTORY, SEP_986_INTEGRATION]).conditional(),
        check!("tools-list-deterministic-order", "Three consecutive replies list the same tools in the same order",
            [TOOLS_LIST_DETERMINISTIC_ORDER]).official(&[TOOLS_ORDER]).conditional(),
        check!("tools-list-definitions",
            "On every page, of at most 100, the tools have members of the right types and an object as input schema; names are unique, and well-formed after the first page",
            [
                SCHEMA_TOOL, TOOLS_DEFINITION_INPUT_SCHEMA_OBJECT_ROOT, TOOLS_NAME_UNIQUE, TOOLS_NAME_LENGTH,
                TOOLS_NAME_CHARSET, PAGINATION_CURSOR_STRING,
            ]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // The official checks look only at the first page; `definitions` follows the cursors.
    let first = ctx.request("tools/list", json!({})).await?;
    first.result()?;
    ctx.check("tools-list")
        .requires(Requirement::SCHEMA_LIST_TOOLS_RESULT)
        .expect(&first, tools(object().member("name", truthy()).member("inputSchema", truthy())))
        .officially(
            &first,
            tools(object().member("description", truthy())),
            "the description of a tool is optional",
        );
    if ctx.revision().has_tool_name_format() {
        name_format(ctx, &first);
    }
    if ctx.makes("tools-list-deterministic-order") {
        deterministic_order(ctx, &first).await;
    }
    definitions(ctx).await
}

fn tools(tool: impl Matcher + 'static) -> impl Matcher {
    object().member("tools", array_of(tool))
}

fn listed(reply: &Reply) -> Option<&[Value]> {
    reply.outcome().ok()?.get("tools")?.as_array()
}

fn name_format(ctx: &mut Ctx, reply: &Reply) {
    let check = ctx.check("tools-name-format");
    if listed(reply).is_none_or(<[Value]>::is_empty) {
        check.info("the server lists no tools");
        return;
    }
    check
        .requires(Requirement::TOOLS_NAME_CHARSET)
        .expect(reply, tools(object().member("name", name_charset())))
        .requires(Requirement::TOOLS_NAME_LENGTH)
        .expect(reply, tools(object().member("name", name_length())));
}

fn name_charset() -> impl Matcher {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    in_characters("A-Z, a-z, 0-9, `_`, `-` and `.`", allowed, 0, usize::MAX)
}

fn name_length() -> impl Matcher {
    in_characters("any characters", |_| true, 1, 128)
}

async fn deterministic_order(ctx: &mut Ctx, first: &Reply) {
    let id = "tools-list-deterministic-order";
    let mut lists = vec![names(first)];
    let mut evidence = first.evidence();
    for _ in 0..2 {
        match ctx.request("tools/list", json!({})).await {
            Ok(reply) => {
                lists.push(names(&reply));
                evidence.extend(reply.evidence());
            }
            Err(finding) => {
                ctx.check(id).untestable(finding);
                return;
            }
        }
    }
    let check = ctx.check(id);
    let Some(lists) = lists.into_iter().collect::<Option<Vec<Vec<String>>>>() else {
        let finding = Finding::peer("a repeated `tools/list` returns no list");
        check.untestable(finding.evidence_all(evidence));
        return;
    };
    if lists.iter().all(|list| list.len() < 2) {
        check.info("the server lists fewer than two tools");
        return;
    }
    // Compared without their order first: a list that has really changed shows nothing about its order.
    let sorted = |list: &Vec<String>| {
        let mut list = list.clone();
        list.sort_unstable();
        list
    };
    if lists.iter().any(|list| sorted(list) != sorted(&lists[0])) {
        let finding = Finding::peer("the list of tools changed between two requests");
        check.untestable(finding.evidence_all(evidence));
        return;
    }
    match lists.iter().find(|list| **list != lists[0]) {
        None => check.pass(),
        Some(other) => check.fail(
            Finding::peer("the tools are in another order when they are listed again")
                .expected(lists[0].join(", "))
                .got(other.join(", "))
                .evidence_all(evidence),
        ),
    };
}

/// The names of the tools in the order of the reply; `None` if it contains no list.
fn names(reply: &Reply) -> Option<Vec<String>> {
    // As JSON text, because a name of another type also has a place in the order.
    let name = |tool: &Value| tool.get("name").map(ToString::to_string).unwrap_or_default();
    Some(listed(reply)?.iter().map(name).collect())
}

async fn definitions(ctx: &mut Ctx) -> Result<(), Finding> {
    let (pages, has_more) = ctx.client().await?.first_pages("tools/list", MAX_PAGES).await?;
    let list = ToolList::new(pages);
    let has_name_rules = ctx.revision().has_tool_name_format();
    let mut check = ctx.check("tools-list-definitions");
    // The official check looks at the names of the first page.
    for page in list.pages().iter().skip(1).filter(|_| has_name_rules) {
        check = check
            .requires(Requirement::TOOLS_NAME_CHARSET)
            .should(page, tools(object().member("name", name_charset())))
            .requires(Requirement::TOOLS_NAME_LENGTH)
            .should(page, tools(object().member("name", name_length())));
    }
    for page in list.pages() {
        check = check
            .requires(Requirement::SCHEMA_TOOL)
            .expect(page, tools(tool()))
            .requires(Requirement::TOOLS_DEFINITION_INPUT_SCHEMA_OBJECT_ROOT)
            .expect(page, tools(object().member("inputSchema", object_schema())))
            .requires(Requirement::PAGINATION_CURSOR_STRING)
            .expect(page, object().optional("nextCursor", string()));
    }
    if has_more {
        // A list may be longer than anybody reads: what was read of it is judged.
        let bound = format!("only the first {MAX_PAGES} pages were read, and there are more");
        check = check.details(json!({ "pages": MAX_PAGES })).info(bound);
    }
    if list.items().is_ok_and(|items| items.is_empty()) {
        check.info("the server lists no tools");
    } else if let Some(name) = repeated(&list.keys().unwrap_or_default()) {
        check.fail(
            Finding::peer(format!("two tools are named `{name}`"))
                .expected("a unique name for each tool")
                .requires(Requirement::TOOLS_NAME_UNIQUE)
                .evidence_all(list.evidence())
                // Unlike for prompts and resources, unique names are only a SHOULD (`server/tools#tool-names`).
                .should(),
        );
    }
    Ok(())
}

fn object_schema() -> impl Matcher {
    object().member("type", equals("object"))
}

fn tool() -> impl Matcher {
    let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
        .into_iter()
        .fold(object().optional("title", string()), |hints, name| hints.optional(name, boolean()));
    object()
        .member("name", non_empty_string())
        .member("inputSchema", object())
        .optional("title", string())
        .optional("description", string())
        .optional("outputSchema", object())
        .optional("annotations", hints)
}

proofs! {
    passes on everything();
    catches "tools-list" by reply_error("tools/list", -32603);
    catches "tools-list" by remove("tools/list", "/tools/0/name");
    catches "tools-list" by remove("tools/list", "/tools/0/inputSchema");
    catches "tools-list" by remove("tools/list", "/tools/0/description"), under Official;
    warns "tools-name-format" by set("tools/list", "/tools/0/name", json!("not allowed"));
    warns "tools-name-format" by set("tools/list", "/tools/0/name", json!("x".repeat(129)));
    catches "tools-list-definitions" by set("tools/list", "/tools/0/inputSchema/type", json!("array"));
    catches "tools-list-definitions" by set("tools/list", "/nextCursor", json!(7));
    // Lists two tools with the same name.
    warns "tools-list-definitions" on everything().on("tools/list", |_: Call| async { listing(["a", "b", "a"]) });
    warns "tools-list-definitions" on with_a_long_name_on_the_second_page();
    warns "tools-list-deterministic-order" on with_changing_order();
    warns "tools-list-deterministic-order" on with_growing_list();
}

/// The second page lists a tool whose name is too long.
fn with_a_long_name_on_the_second_page() -> Server {
    everything().on("tools/list", |call: Call| async move {
        if call.param("cursor").is_some() {
            return listing(["x".repeat(129)]);
        }
        let mut first = listing(["a", "b"]);
        first["nextCursor"] = json!("2");
        first
    })
}

/// Lists its tools in a different order each time.
fn with_changing_order() -> Server {
    let turns = AtomicUsize::new(0);
    everything().on("tools/list", move |_: Call| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        async move {
            if turn.is_multiple_of(2) {
                listing(["a", "b"])
            } else {
                listing(["b", "a"])
            }
        }
    })
}

/// Lists one more tool each time.
fn with_growing_list() -> Server {
    let turns = AtomicUsize::new(0);
    everything().on("tools/list", move |_: Call| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        async move { listing((0..turn + 2).map(|n| format!("tool-{n}"))) }
    })
}

fn listing(names: impl IntoIterator<Item = impl Into<String>>) -> serde_json::Value {
    let tool = |name: String| json!({"name": name, "description": "a tool", "inputSchema": {"type": "object"}});
    let tools: Vec<_> = names.into_iter().map(|name| tool(name.into())).collect();
    json!({ "tools": tools })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_test_core::check::Status;
    use mcp_test_core::scenario::{Profile, Setup};
    use mcp_test_core::transport::TransportKind;

    use super::*;

    #[tokio::test]
    async fn of_a_list_without_an_end_the_first_pages_are_judged() {
        let page = AtomicUsize::new(0);
        let server = everything().on("tools/list", move |_: Call| {
            let number = page.fetch_add(1, Ordering::Relaxed);
            let tool =
                json!({ "name": format!("tool-{number}"), "inputSchema": { "type": "object" } });
            let list = json!({ "tools": [tool], "nextCursor": number.to_string() });
            async move { list }
        });
        let (transport, revision) = (TransportKind::Duplex, Revision::V2025_11_25);
        let limit = Duration::from_secs(20);
        let setup = Setup::new(server.target(), transport, revision, Profile::Adaptive, limit);
        let mut ctx = Ctx::new(setup, Some(SCENARIO.declared()));
        run(&mut ctx).await.expect("replies");
        let checks = ctx.end().await.checks;
        let check = checks.iter().find(|check| check.id == "tools-list-definitions");
        let check = check.expect("the check");
        assert_eq!(check.status, Status::Info, "{check:?}");
        assert!(check.message.as_deref().is_some_and(|it| it.contains("100 pages")), "{check:?}");
    }
}
