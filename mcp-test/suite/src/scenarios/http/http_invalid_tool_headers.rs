//! `http-invalid-tool-headers`.

use mcp_test_core::spec::header::X_MCP_HEADER;

use crate::scenarios::listing_server::lenient_server;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2243_ANNOTATION;

scenario! {
    /// The client drops tools that ask for headers with invalid names or of values that a header cannot hold, and keeps the
    /// other tools of the list.
    ///
    /// The official checks of dropped tools pass for a client that calls nothing, or only tools that it knows by name. Our own
    /// check also lists a valid tool under a name that no client knows: only of a client that calls it, and so whatever it
    /// lists, does it say anything that an invalid tool was not called.
    Client "http-invalid-tool-headers": "The client drops tools with invalid header annotations",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(LISTS, "The client lists the tools; reported only on failure",
            [TOOLS_X_MCP_HEADER_CLIENT_KEEPS_VALID_TOOLS])
            .official(&[SEP_2243_ANNOTATION]).named("ClientInvalidToolHeadersToolsList").conditional(),
        check!(KEEPS, "The valid tool is called",
            [TOOLS_X_MCP_HEADER_CLIENT_KEEPS_VALID_TOOLS, TOOLS_X_MCP_HEADER_CLIENT_TOLERATES_ANNOTATION])
            .official(&[SEP_2243_ANNOTATION]).named("ClientKeepsValidTool"),
        check!(NOT_EMPTY, "A tool with an empty name of a header is not called",
            DROPS).official(&[SEP_2243_ANNOTATION]).named("ClientRejectsInvalidTool"),
        check!(PRIMITIVE,
            "A tool with a header for an argument that is not a string, an integer or a boolean is not called",
            DROPS).official(&[SEP_2243_ANNOTATION]).named("ClientRejectsInvalidTool"),
        check!(UNIQUE, "A tool with the same header twice is not called",
            DROPS).official(&[SEP_2243_ANNOTATION]).named("ClientRejectsInvalidTool"),
        check!(CHARSET, "A tool with characters in the name of a header that it cannot have is not called",
            DROPS).official(&[SEP_2243_ANNOTATION]).named("ClientRejectsInvalidTool"),
        check!(DROPS_ALL, "A client that calls whatever it lists calls no tool with an invalid annotation",
            DROPS),
    ],
}

const LISTS: &str = "sep-2243-invalid-tool-tools-list-gate";
const KEEPS: &str = "sep-2243-client-reject-invalid-tool";
const NOT_EMPTY: &str = "sep-2243-x-mcp-header-not-empty";
const PRIMITIVE: &str = "sep-2243-x-mcp-header-primitive-only";
const UNIQUE: &str = "sep-2243-x-mcp-header-unique";
const CHARSET: &str = "sep-2243-x-mcp-header-charset";
const DROPS_ALL: &str = "client-drops-invalid-tools";

const DROPS: &[&Requirement] = &[Requirement::TOOLS_X_MCP_HEADER_CLIENT_EXCLUDES_INVALID];

const VALID: &str = "valid_tool";
/// A valid tool that the official suite does not have.
const UNKNOWN: &str = "valid_nested_tool";

/// The tools of the official suite with invalid annotations, and the check of each; in the order of official reports.
fn invalid_tools() -> [(&'static str, &'static str, serde_json::Value); 11] {
    let on = |kind: &str, header: &str| json!({ "value": { "type": kind, X_MCP_HEADER: header } });
    let text = |header: &str| json!({ "type": "string", X_MCP_HEADER: header });
    [
        ("invalid_empty_header", NOT_EMPTY, on("string", "")),
        ("invalid_object_header", PRIMITIVE, on("object", "Data")),
        ("invalid_array_header", PRIMITIVE, on("array", "Items")),
        ("invalid_null_header", PRIMITIVE, on("null", "Nil")),
        ("invalid_number_header", PRIMITIVE, on("number", "Score")),
        (
            "invalid_duplicate_same_case",
            UNIQUE,
            json!({ "a": text("Region"), "b": text("Region") }),
        ),
        (
            "invalid_duplicate_diff_case",
            UNIQUE,
            json!({ "a": text("MyField"), "b": text("myfield") }),
        ),
        ("invalid_space_in_name", CHARSET, on("string", "My Region")),
        ("invalid_colon_in_name", CHARSET, on("string", "Region:Primary")),
        ("invalid_non_ascii_name", CHARSET, on("string", "Région")),
        ("invalid_control_char_name", CHARSET, on("string", "Region\t1")),
    ]
}

/// More tools with invalid annotations, which only our own check looks at.
fn more_invalid_tools() -> [(&'static str, serde_json::Value); 3] {
    let text = json!({ "type": "string", X_MCP_HEADER: "Region" });
    [
        ("invalid_header_of_items", json!({ "values": { "type": "array", "items": text } })),
        ("invalid_header_of_a_branch", json!({ "value": { "oneOf": [text, { "type": "null" }] } })),
        ("invalid_header_without_text", json!({ "value": { "type": "string", X_MCP_HEADER: 5 } })),
    ]
}

fn serve(test: &ClientTest) -> Server {
    let text = || json!({ "type": "string" });
    let region = json!({ "type": "string", X_MCP_HEADER: "Region" });
    let place = json!({ "type": "object", "properties": { "zone": { "type": "string", X_MCP_HEADER: "Zone" } } });
    let valid = [
        (VALID, json!({ "region": region })),
        (UNKNOWN, json!({ "region": text(), "place": place })),
    ];
    let invalid = invalid_tools().map(|(name, _, properties)| (name, properties));
    let tools = valid.into_iter().chain(invalid).chain(more_invalid_tools());
    let tools = tools.map(|(name, properties)| {
        let schema = json!({ "type": "object", "properties": properties });
        json!({ "name": name, "description": "Has a header", "inputSchema": schema })
    });
    let tools = json!({ "tools": tools.collect::<Vec<_>>() });
    lenient_server(test)
        .on("tools/list", move |_: Call| {
            let tools = tools.clone();
            async move { tools }
        })
        .on("tools/call", |_: Call| async {
            json!({ "content": [{ "type": "text", "text": "called" }] })
        })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        let finding = Finding::peer("the client never listed the tools");
        let finding =
            finding.expected("`tools/list`").got("no `tools/list` in the whole conversation");
        judging.check(LISTS).by_task().fail(finding);
    }
    let called = judging.requests("tools/call");
    let call = |tool: &str| called.iter().find(|call| call.tool() == Some(tool));
    let not_called = |tool: &str| match call(tool) {
        None => Ok(()),
        Some(call) => Err(Finding::peer(format!("the client calls `{tool}`"))
            .expected(format!("a list without the tool, whose `{X_MCP_HEADER}` is invalid"))
            .got("a call of it")
            .evidence(call.seq)),
    };
    let keeps = ensure(call(VALID).is_some(), || {
        Finding::peer(format!("the client does not call `{VALID}`"))
            .expected("a call of the tool, whose annotation is valid")
            .got("no such call in the whole conversation")
    });
    // A client that calls nothing did not do its task; one that calls another tool has lost this one.
    let check = judging.check(KEEPS);
    if called.is_empty() {
        check.by_task().judge(keeps)
    } else {
        check.judge(keeps)
    };
    for (tool, check, _) in invalid_tools() {
        let row = judging.check(check).named(format!("ClientRejectsInvalidTool_{tool}"));
        row.judge(not_called(tool));
    }
    let invalid = invalid_tools().map(|(tool, ..)| tool);
    let invalid = invalid.into_iter().chain(more_invalid_tools().map(|(tool, _)| tool));
    let dropped = invalid.map(not_called).find(Result::is_err).unwrap_or(Ok(()));
    let check = judging.check(DROPS_ALL);
    if dropped.is_ok() && call(UNKNOWN).is_none() {
        check.skip("the client does not call whatever it lists");
    } else {
        check.judge(dropped);
    }
    Ok(())
}

/// A client that calls the listed tools with these names.
fn calling(called: fn(&str) -> bool) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let page = client.request("tools/list", json!({})).await?;
        let tools = page.result()?.get("tools").and_then(Value::as_array).unwrap_or_default();
        let names = tools.iter().filter_map(|tool| tool.get("name")?.as_str());
        for name in names.filter(|name| called(name)) {
            let call = json!({ "name": name, "arguments": {} });
            client.request("tools/call", call).await?.result()?;
        }
        client.end().await;
        Ok(())
    })
}

/// Does not list the tools.
fn discovering() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.discover().await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    // Lets one invalid tool cost it the valid one.
    catches "sep-2243-client-reject-invalid-tool" on calling(|tool| tool == UNKNOWN);
    catches "sep-2243-client-reject-invalid-tool" on calling(|_| false), under Official;
    catches "sep-2243-invalid-tool-tools-list-gate" on discovering(), under Official;
    catches "sep-2243-x-mcp-header-not-empty"
        on calling(|tool| tool.starts_with("valid") || tool == "invalid_empty_header");
    catches "sep-2243-x-mcp-header-primitive-only"
        on calling(|tool| tool.starts_with("valid") || tool == "invalid_number_header");
    catches "sep-2243-x-mcp-header-unique"
        on calling(|tool| tool.starts_with("valid") || tool == "invalid_duplicate_diff_case");
    catches "sep-2243-x-mcp-header-charset"
        on calling(|tool| tool.starts_with("valid") || tool == "invalid_colon_in_name");
    catches "client-drops-invalid-tools"
        on calling(|tool| tool.starts_with("valid") || tool == "invalid_header_of_items");
    // Ignores the annotations.
    catches "client-drops-invalid-tools" on calling(|_| true);
}
