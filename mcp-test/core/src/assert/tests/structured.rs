//! Failures of assertions about structured content: as a type, and by the output schema that the server listed.

use futures_util::FutureExt;
use serde::Deserialize;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
struct Sum {
    sum: i64,
}

fn structured(content: &Value) -> ToolResult {
    call(json!({"result": {"content": [], "structuredContent": content}}))
}

#[test]
fn structured_content_as_a_type() -> crate::Result {
    let sum = structured(&json!({"sum": 3})).assert_structured::<Sum>().try_structured::<Sum>()?;
    assert_eq!(sum.structured::<Sum>()?, Sum { sum: 3 });
    structured(&json!({"a": 1})).try_structured::<std::collections::BTreeMap<String, u8>>()?;
    insta::assert_snapshot!(message(structured(&json!({"total": 3})).try_structured::<Sum>()), @r#"
    tool `add` returned structured content of an unexpected type
      expected a `/structuredContent` that deserializes to `Sum`
      got {"total":3}: missing field `sum`
    "#);
    insta::assert_snapshot!(message(structured(&json!({"sum": "3"})).try_structured::<Vec<Sum>>()), @r#"
    tool `add` returned structured content of an unexpected type
      expected a `/structuredContent` that deserializes to `Vec<Sum>`
      got {"sum":"3"}: invalid type: map, expected a sequence
    "#);
    // A type within an async function.
    let within = async {
        #[derive(Debug, Deserialize)]
        struct Total {
            #[allow(dead_code, reason = "it is only deserialized")]
            total: i64,
        }
        message(structured(&json!({"sum": 3})).try_structured::<Option<Total>>())
    };
    insta::assert_snapshot!(within.now_or_never().expect("it awaits nothing"), @r#"
    tool `add` returned structured content of an unexpected type
      expected a `/structuredContent` that deserializes to `Option<Total>`
      got {"sum":3}: missing field `total`
    "#);
    insta::assert_snapshot!(message(texts(["3"]).try_structured::<Sum>()), @"
    tool `add` returned no structured content
      expected a value at `/structuredContent`
      got nothing
    ");
    insta::assert_snapshot!(message(call(refused()).try_structured::<Sum>()), @"
    `tools/call` was refused
      expected a result
      got error -32602: Unknown tool: add
    ");
    Ok(())
}

#[cfg(feature = "schema")]
mod listed {
    use super::*;

    /// The result of a tool that was listed before, if `tools` is given.
    fn result_of_listed(tools: Option<Value>, content: &Value) -> ToolResult {
        let content = json!({"result": {"content": [], "structuredContent": content}});
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let conversation = async {
            let list = tools.map(|tools| json!({"result": {"tools": tools}}));
            let is_listed = list.is_some();
            let answers: Vec<Value> = list.into_iter().chain([content]).collect();
            let target = Target::duplex(move |io| serve(io, answers.clone()));
            let link =
                target.open(TransportKind::Duplex, &Recorder::new(), Limits::default()).await?;
            let mut client = Client::connect(link, Options::default()).await?;
            if is_listed {
                let _ = client.request("tools/list", json!({})).await?;
            }
            client.request("tools/call", json!({"name": "add"})).await
        };
        runtime.block_on(conversation).expect("a conversation").into()
    }

    fn add(schema: &Value) -> Option<Value> {
        let other = json!({"name": "sub", "inputSchema": {"type": "object"}});
        let add = json!({"name": "add", "inputSchema": {"type": "object"}, "outputSchema": schema});
        Some(json!([other, add]))
    }

    #[test]
    fn structured_content_against_the_output_schema() -> crate::Result {
        let schema = json!({
            "type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"],
        });
        result_of_listed(add(&schema), &json!({"sum": 3})).assert_fits_output_schema().try_ok()?;
        let fails = |tools, content: &Value| {
            message(result_of_listed(tools, content).try_fits_output_schema())
        };
        insta::assert_snapshot!(fails(add(&schema), &json!({"sum": "3"})), @r#"
        the structured content of tool `add` violates its `outputSchema`
          expected `/structuredContent/sum` is a number
          got "3", which is a string
          [tools.structured.conforms-output-schema]
        "#);
        insta::assert_snapshot!(fails(add(&schema), &json!({})), @"
        the structured content of tool `add` violates its `outputSchema`
          expected `/structuredContent/sum` is present
          got nothing
          [tools.structured.conforms-output-schema]
        ");
        insta::assert_snapshot!(fails(add(&json!({"type": "objekt"})), &json!({})), @r#"
        the `outputSchema` of tool `add` cannot be used
          expected a JSON Schema
          got `/type` is not valid JSON Schema 2020-12: expected "array", "boolean", "integer", "null", "number", "object", "string" or an array, got "objekt"
          [tools.definition.output-schema-valid]
        "#);
        let elsewhere = add(&json!({"$ref": "https://example.org/sum.json"}));
        let finding = result_of_listed(elsewhere, &json!({})).try_fits_output_schema();
        let finding = finding.expect_err("nothing is fetched");
        assert_eq!(finding.blame, Blame::Test);
        insta::assert_snapshot!(finding, @r#"
        the `outputSchema` of tool `add` cannot be used
          expected a JSON Schema that mcp-test supports
          got `/$ref` refers to "https://example.org/sum.json", which is outside this schema and is not fetched
        "#);
        let plain = json!([{"name": "add", "inputSchema": {"type": "object"}}]);
        insta::assert_snapshot!(fails(Some(plain), &json!({"sum": 3})), @"
        tool `add` has no `outputSchema`
          expected an `outputSchema` in the list of tools
          got nothing
        ");
        let unlisted = result_of_listed(None, &json!({"sum": 3})).try_fits_output_schema();
        let finding = unlisted.expect_err("nothing was listed");
        assert_eq!(finding.blame, Blame::Test);
        insta::assert_snapshot!(finding, @r#"
        tool `add` has not been listed
          expected a reply to `tools/list` with the tool, before this call
          got none in this conversation
          hint: first `ctx.list_tools().await?.assert_tool("add");`
        "#);
        Ok(())
    }

    #[test]
    fn a_panic_shows_the_listing_of_the_tool() {
        let schema = json!({"type": "object", "properties": {"sum": {"type": "number"}}});
        let result = || result_of_listed(add(&schema), &json!({"sum": "3"}));
        insta::assert_snapshot!(panic_of(|| result().assert_fits_output_schema()), @r#"
        the structured content of tool `add` violates its `outputSchema`
          expected `/structuredContent/sum` is a number
          got "3", which is a string

        the exchange:
              … 3 messages not shown
          4  client → server  tools/list {}
          5  client ← server  result {"tools":[{"inputSchema":{"type":"object"},"name":"sub"},{"inputSchema":{
                "type":"object"},"name":"add","outputSchema":{"properties":{"sum":{"type":"number"}},"type":
                "object"}}]}
          6  client → server  tools/call {"name":"add"}
          7  client ← server  result {"content":[],"structuredContent":{"sum":"3"}}

        requirement tools.structured.conforms-output-schema (MUST) Structured results validate against the tool's declared `outputSchema`.
          https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
        "#);
    }
}
