//! `json-schema-2020-12-preservation`.

use mcp_test_core::server::reference::tools::contact;

use super::schema_keywords::kept_keywords;
use crate::scenarios::listing_server::lenient_server;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_1613, SEP_2106};

scenario! {
    /// The client keeps all keywords of the input schema of a tool. It shows that by calling another tool, `json_schema_echo`,
    /// with the schema as argument.
    ///
    /// A client that reads schemas into types of its own loses the keywords that it does not know, and the model gets another
    /// schema than the author wrote. The official checks look at a few keywords, and not at all of what they contain; our own
    /// check compares the whole schema.
    Client "json-schema-2020-12-preservation": "The client keeps all keywords of an input schema",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official { revisions: Revisions::from(Revision::V2025_11_25), suites: &[] },
    checks: [
        check!(FOUND, "The client lists the tools",
            [SCHEMA_LIST_TOOLS_REQUEST]).official(&[SEP_1613]).named("JsonSchema2020_12ClientToolFound"),
        check!(ECHOED, "The client calls `json_schema_echo` with an object as `schema`",
            [SCHEMA_CALL_TOOL_REQUEST]).official(&[SEP_1613]).named("JsonSchema2020_12ClientEchoCompleted"),
        check!("json-schema-2020-12-client-$schema-preserved", "`$schema` names the dialect 2020-12",
            [BASE_SCHEMA_DEFAULT_DIALECT]).official(&[SEP_1613]).named("JsonSchema2020_12Client$SchemaPreserved"),
        check!("json-schema-2020-12-client-$defs-preserved", "`$defs` has a definition `address`",
            [BASE_SCHEMA_DEFAULT_DIALECT]).official(&[SEP_1613]).named("JsonSchema2020_12Client$DefsPreserved"),
        check!("json-schema-2020-12-client-additionalProperties-preserved", "`additionalProperties` is false",
            [BASE_SCHEMA_DEFAULT_DIALECT])
            .official(&[SEP_1613]).named("JsonSchema2020_12ClientAdditionalPropertiesPreserved"),
        check!("sep-2106-client-composition-keywords-preserved",
            "`allOf` has a schema with `anyOf`; it fails from 2026-07-28 on",
            [BASE_SCHEMA_DEFAULT_DIALECT])
            .official(&[SEP_2106]).named("JsonSchema2020_12ClientCompositionKeywordsPreserved"),
        check!("sep-2106-client-conditional-keywords-preserved",
            "`if`, `then` and `else` exist; it fails from 2026-07-28 on",
            [BASE_SCHEMA_DEFAULT_DIALECT])
            .official(&[SEP_2106]).named("JsonSchema2020_12ClientConditionalKeywordsPreserved"),
        check!("sep-2106-client-anchor-keyword-preserved",
            "The definition `address` has an `$anchor`; it fails from 2026-07-28 on",
            [BASE_SCHEMA_DEFAULT_DIALECT])
            .official(&[SEP_2106]).named("JsonSchema2020_12ClientAnchorKeywordPreserved"),
        check!(EXACT, "The schema is the listed one",
            [SCHEMA_CALL_TOOL_REQUEST]).named("JsonSchema2020_12ClientSchemaExact"),
    ],
}

const FOUND: &str = "json-schema-2020-12-client-tool-found";
const ECHOED: &str = "json-schema-2020-12-client-echo-completed";
const EXACT: &str = "json-schema-2020-12-client-schema-exact";
/// The checks of the keywords, in the order of [`kept_keywords`].
const KEYWORDS: [&str; 6] = [
    "json-schema-2020-12-client-$schema-preserved",
    "json-schema-2020-12-client-$defs-preserved",
    "json-schema-2020-12-client-additionalProperties-preserved",
    "sep-2106-client-composition-keywords-preserved",
    "sep-2106-client-conditional-keywords-preserved",
    "sep-2106-client-anchor-keyword-preserved",
];

const ECHO: &str = "json_schema_echo";

// A client that drops keywords of the default dialect does not support it.
fn serve(test: &ClientTest) -> Server {
    lenient_server(test)
        .on("tools/list", |_: Call| async {
            let schema = json!({ "type": "object", "description": "The input schema of the other tool" });
            let echo = json!({ "type": "object", "properties": { "schema": schema }, "required": ["schema"] });
            json!({ "tools": [
                { "name": contact::NAME, "description": "Has many keywords", "inputSchema": contact::input_schema() },
                { "name": ECHO, "description": "Takes a schema", "inputSchema": echo },
            ] })
        })
        .on("tools/call", |call: Call| async move {
            match call.param("name").and_then(Value::as_str) {
                Some(contact::NAME | ECHO) => {
                    json!({ "content": [{ "type": "text", "text": "called" }] }).into()
                }
                _ => Answer::error(error_code::INVALID_PARAMS, "no such tool"),
            }
        })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let is_listed = !judging.requests("tools/list").is_empty();
    judging.check(FOUND).by_task().judge(ensure(is_listed, || {
        Finding::peer("the client never listed the tools")
            .expected("`tools/list`")
            .got("no `tools/list` in the whole conversation")
    }));
    let calls = judging.calls(ECHO);
    let is_echo = |value: &&Value| value.is_object() || value.is_array();
    // The last call counts, as in the official suite, for which an array is an object, too.
    let echo = calls
        .iter()
        .rev()
        .find_map(|call| Some((call.seq, call.argument("schema").filter(is_echo)?)));
    judging.check(ECHOED).by_task().judge(ensure(echo.is_some(), || {
        Finding::peer(format!("the client never called `{ECHO}` with a schema"))
            .expected(format!("a call with the `inputSchema` of `{}` as `schema`", contact::NAME))
            .got("no such call in the whole conversation")
    }));
    let Some((seq, echoed)) = echo else {
        for check in KEYWORDS.into_iter().chain([EXACT]) {
            judging.check(check).skip("the client returns no schema");
        }
        return Ok(());
    };
    let schema = Part::new("the schema that the client returns", echoed, Some(seq));
    let is_early = !judging.revision().has_any_structured_content();
    for (check, expected) in KEYWORDS.into_iter().zip(kept_keywords()) {
        let is_later = check.starts_with("sep-2106");
        let check = judging.check(check);
        // The schema of earlier revisions describes an input schema with few keywords (`schema#tool`).
        if is_later && is_early && expected.check(echoed).is_err() {
            check.skip("revisions before 2026-07-28 do not name these keywords");
        } else {
            check.expect(&schema, expected);
        }
    }
    judging.check(EXACT).by_task().expect(&schema, equals(contact::input_schema()));
    Ok(())
}

/// Lists the tools and calls none.
fn only_lists() -> ScriptedClient {
    calling(true)
}

/// Returns a schema that it did not get from the server.
fn without_listing() -> ScriptedClient {
    calling(false)
}

/// A client that lists the tools, or returns a schema.
fn calling(lists: bool) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        if lists {
            client.request("tools/list", json!({})).await?.result()?;
        } else {
            let call = json!({ "name": ECHO, "arguments": { "schema": contact::input_schema() } });
            client.request("tools/call", call).await?.result()?;
        }
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "json-schema-2020-12-client-tool-found" on without_listing(), under Strict;
    catches "json-schema-2020-12-client-echo-completed" on only_lists(), under Strict;
    catches "json-schema-2020-12-client-$schema-preserved" by remove("tools/call", "/arguments/schema/$schema");
    catches "json-schema-2020-12-client-$defs-preserved"
        by remove("tools/call", "/arguments/schema/$defs"), at V2025_11_25;
    catches "json-schema-2020-12-client-additionalProperties-preserved"
        by remove("tools/call", "/arguments/schema/additionalProperties");
    catches "sep-2106-client-composition-keywords-preserved" by remove("tools/call", "/arguments/schema/allOf");
    catches "sep-2106-client-conditional-keywords-preserved" by remove("tools/call", "/arguments/schema/else");
    catches "sep-2106-client-anchor-keyword-preserved"
        by remove("tools/call", "/arguments/schema/$defs/address/$anchor");
    catches "json-schema-2020-12-client-schema-exact"
        by remove("tools/call", "/arguments/schema/properties/phone"), under Strict;
}
