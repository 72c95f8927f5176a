//! `json-schema-2020-12`.

use mcp_test_core::scenario::Suite;

use super::schema_keywords::kept_keywords;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_1613, SEP_2106};

scenario! {
    /// The input schema of the tool `json_schema_2020_12_tool` is listed as its author wrote it, with all keywords.
    ///
    /// An SDK that reads schemas into types of its own loses the keywords that it does not know, and the model gets another
    /// schema than the author wrote. The tool is not called.
    Server "json-schema-2020-12": "The input schema of a tool is listed with all keywords",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official { revisions: Revisions::from(Revision::V2025_11_25), suites: &[Suite::Pending] },
    needs: [Need::Capability(Capability::Tools), Need::Tool(TOOL)],
    shares_connection: Revisions::all(),
    checks: [
        check!("json-schema-2020-12-tool-found", "The tool is listed",
            [TOOLS_LIST_RESPOND]).official(&[SEP_1613]).named("JsonSchema2020_12ToolFound"),
        check!("json-schema-2020-12-$schema", "`$schema` names the dialect 2020-12",
            [TOOLS_DEFINITION_INPUT_SCHEMA_VALID])
            .official(&[SEP_1613]).named("JsonSchema2020_12$Schema").conditional(),
        check!("json-schema-2020-12-$defs", "`$defs` has a definition `address`",
            [TOOLS_DEFINITION_INPUT_SCHEMA_VALID])
            .official(&[SEP_1613]).named("JsonSchema2020_12$Defs").conditional(),
        check!("json-schema-2020-12-additionalProperties", "`additionalProperties` is false",
            [TOOLS_DEFINITION_INPUT_SCHEMA_VALID])
            .official(&[SEP_1613]).named("JsonSchema2020_12AdditionalProperties").conditional(),
        check!("sep-2106-composition-keywords-preserved",
            "`allOf` has a schema with `anyOf`; checked from 2026-07-28 on",
            [TOOLS_DEFINITION_INPUT_SCHEMA_VALID])
            .official(&[SEP_2106]).named("JsonSchema2020_12CompositionKeywords").conditional(),
        check!("sep-2106-conditional-keywords-preserved", "`if`, `then` and `else` exist; checked from 2026-07-28 on",
            [TOOLS_DEFINITION_INPUT_SCHEMA_VALID])
            .official(&[SEP_2106]).named("JsonSchema2020_12ConditionalKeywords").conditional(),
        check!("sep-2106-anchor-keyword-preserved",
            "The definition `address` has an `$anchor`; checked from 2026-07-28 on",
            [TOOLS_DEFINITION_INPUT_SCHEMA_VALID])
            .official(&[SEP_2106]).named("JsonSchema2020_12AnchorKeyword").conditional(),
        check!("json-schema-2020-12-error", "`tools/list` is answered with a result; reported only on failure",
            [TOOLS_LIST_RESPOND]).official(&[SEP_1613]).named("JsonSchema2020_12Error").conditional(),
    ],
}

const TOOL: &str = "json_schema_2020_12_tool";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let list = ctx.request("tools/list", json!({})).await;
    let list = match list.and_then(|reply| reply.result().map(|_| reply.clone())) {
        Ok(list) => list,
        Err(finding) => {
            ctx.check("json-schema-2020-12-error").fail(finding);
            ctx.skip_the_rest("`tools/list` returns no list");
            return Ok(());
        }
    };
    let tools = list.outcome().ok().and_then(|result| result.get("tools")?.as_array());
    let wanted = ctx.fixtures().name(TOOL);
    let is_it = |tool: &&Value| tool.get("name").and_then(Value::as_str) == Some(wanted);
    let Some(tool) = tools.unwrap_or_default().iter().find(is_it) else {
        let described = ctx.fixtures().describe(TOOL);
        let missing = Finding::peer(format!("the server does not list the tool {described}"));
        ctx.check("json-schema-2020-12-tool-found").by_fixture().missing(missing);
        return Ok(());
    };
    ctx.check("json-schema-2020-12-tool-found").pass();
    let listed = tool.get("inputSchema").cloned().unwrap_or_default();
    let schema =
        Part::new("the input schema of the tool", &listed, list.evidence().last().copied());
    let [dialect, definitions, closed, composed, conditional, anchored] = kept_keywords();
    for (check, expected) in [
        ("json-schema-2020-12-$schema", dialect),
        ("json-schema-2020-12-$defs", definitions),
        ("json-schema-2020-12-additionalProperties", closed),
    ] {
        ctx.check(check).by_fixture().expect(&schema, expected);
    }
    for (check, expected) in [
        ("sep-2106-composition-keywords-preserved", composed),
        ("sep-2106-conditional-keywords-preserved", conditional),
        ("sep-2106-anchor-keyword-preserved", anchored),
    ] {
        let is_early = !ctx.revision().has_any_structured_content();
        let check = ctx.check(check).by_fixture();
        // The schema of earlier revisions describes an input schema with few keywords (`schema#tool`).
        if is_early && expected.check(&listed).is_err() {
            check.skip("revisions before 2026-07-28 do not name these keywords");
        } else {
            check.expect(&schema, expected);
        }
    }
    Ok(())
}

proofs! {
    passes on everything();
    catches "json-schema-2020-12-tool-found" by set("tools/list", "/tools", json!([])), under Official;
    catches "json-schema-2020-12-error" by reply_error("tools/list", -32603), under Official;
    catches "json-schema-2020-12-$schema" by remove("tools/list", "/tools/1/inputSchema/$schema");
    catches "json-schema-2020-12-$defs" by remove("tools/list", "/tools/1/inputSchema/$defs");
    catches "json-schema-2020-12-additionalProperties"
        by remove("tools/list", "/tools/1/inputSchema/additionalProperties");
    catches "sep-2106-composition-keywords-preserved" by remove("tools/list", "/tools/1/inputSchema/allOf");
    catches "sep-2106-conditional-keywords-preserved" by remove("tools/list", "/tools/1/inputSchema/else");
    catches "sep-2106-anchor-keyword-preserved" by remove("tools/list", "/tools/1/inputSchema/$defs/address/$anchor");
}
