//! Assertions of what a tool returns for programs: as a type of the test's, and by the tool's own schema.

use std::any::type_name;

use serde::de::DeserializeOwned;

use super::assertions;
use super::reply::complete;
use super::tool_result::called;
use crate::check::Finding;
use crate::client::ToolResult;
use crate::expect::{self, words};
use crate::json::Value;

assertions! { [] ToolResult {
    /// Asserts that the structured content can be read as this type; [`structured`](ToolResult::structured) reads it.
    ///
    /// ```
    /// # use mcp_test::prelude::*;
    /// #[derive(serde::Deserialize)]
    /// struct Sum {
    ///     sum: i64,
    /// }
    ///
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let result = ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_structured::<Sum>();
    /// assert_eq!(result.structured::<Sum>()?.sum, 3);
    /// # Ok(())
    /// # }
    /// ```
    assert_structured / try_structured <T: DeserializeOwned> (self) {
        self.structured::<T>().map(|_| ())
    }

    /// Asserts that the structured content equals this value; the order of members does not count.
    ///
    /// To say less than all of it, use [`assert_member`](Self::assert_member) with a pointer that begins with
    /// `/structuredContent`.
    assert_structured_equals / try_structured_equals (self, value: impl Into<Value>) {
        check_equals(&self, value.into())
    }
}}

impl ToolResult {
    /// The structured content, read as a type of the test's.
    ///
    /// # Errors
    ///
    /// A peer finding when there is none, or it is none of that type.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, Finding> {
        let content = content(self)?;
        T::deserialize(content.to_serde()).map_err(|why| {
            let headline = format!("{} returned structured content of another type", called(self));
            Finding::peer(headline)
                .expected(format!("`/structuredContent` can be read as {}", named::<T>()))
                .got(format!("{}: {why}", words::got(Some(content))))
                .evidence_all(self.reply().evidence())
        })
    }
}

/// The name of a type, without the modules that it and what is in it stand in.
fn named<T>() -> String {
    let mut name = String::new();
    for c in type_name::<T>().chars() {
        name.push(c);
        if name.ends_with("::") {
            let path = name.trim_end_matches(|c: char| c.is_alphanumeric() || "_:".contains(c));
            name.truncate(path.len());
        }
    }
    name
}

/// The structured content of a result.
fn content(result: &ToolResult) -> Result<&Value, Finding> {
    let reply = result.reply();
    complete(reply)?.get("structuredContent").ok_or_else(|| {
        Finding::peer(format!("{} returned no structured content", called(result)))
            .expected("a value at `/structuredContent`")
            .got("nothing")
            .evidence_all(reply.evidence())
    })
}

fn check_equals(result: &ToolResult, expected: Value) -> Result<(), Finding> {
    let reply = result.reply();
    let headline = format!("{} returned other structured content than expected", called(result));
    super::reply::member(reply.result()?, "/structuredContent", &expect::equals(expected), headline)
        .map_err(|finding| finding.evidence_all(reply.evidence()))
}

#[cfg(feature = "schema")]
pub(super) mod listed {
    //! The schema that the server has listed for the tool.

    use super::super::assertions;
    use super::super::tool_result::name;
    use super::*;
    use crate::check::compile_tool_schema;
    use crate::json::Pointer;
    use crate::json_schema::CompileError;
    use crate::trace::{Party, Seq, Trace};
    use crate::wire::Message;

    assertions! { [] ToolResult {
        /// Asserts that the structured content is what the tool promises: that it conforms to the `outputSchema` with which
        /// the server has listed the tool in this conversation.
        ///
        /// ```
        /// # use mcp_test::prelude::*;
        /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
        /// ctx.list_tools().await?.assert_tool("add");
        /// ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_fits_output_schema();
        /// # Ok(())
        /// # }
        /// ```
        assert_fits_output_schema / try_fits_output_schema (self) { check_listed(&self) }
    }}

    fn check_listed(result: &ToolResult) -> Result<(), Finding> {
        let trace = result.reply().recorder().trace();
        let evidence = result.reply().evidence();
        let content = content(result)?;
        let name = name(result, &trace).unwrap_or_default();
        let Some((listed, tool)) = listing(&trace, &name, evidence[1]) else {
            return Err(Finding::test(format!("tool `{name}` has not been listed"))
                .expected("a reply to `tools/list` with the tool, before this call")
                .got("none in this conversation")
                .hint("call `ctx.list_tools()` before"));
        };
        let Some(schema) = tool.get("outputSchema") else {
            return Err(Finding::peer(format!("tool `{name}` promises nothing of its output"))
                .expected("an `outputSchema` in the list of tools")
                .got("nothing")
                .evidence(listed));
        };
        let validator = compile_tool_schema(schema, result.reply().revision())
            .map_err(|error| unusable(&name, &error).evidence(listed))?;
        let mismatches = validator.mismatches(content).map_err(|unfinished| {
            Finding::test(format!("tool `{name}` cannot be held against its `outputSchema`"))
                .expected("a verdict")
                .got(unfinished.to_string())
        })?;
        let Some(first) = mismatches.into_iter().next() else { return Ok(()) };
        let headline = format!("tool `{name}` returned other structured content than it promises");
        let place = Pointer::root().member("structuredContent");
        Err(Finding::mismatch(headline, &first.within(place))
            .requires("tools.structured.conforms-output-schema")
            .evidence(listed)
            .evidence_all(evidence))
    }

    /// What is no JSON Schema is held against the server; what mcp-test cannot judge by is nobody's fault but the test's,
    /// which wants it judged.
    fn unusable(name: &str, error: &CompileError) -> Finding {
        let headline = format!("the `outputSchema` of tool `{name}` cannot be used");
        let finding = match error {
            CompileError::Invalid { .. } => Finding::peer(headline)
                .expected("a JSON Schema")
                .requires("tools.definition.output-schema-valid"),
            _ => Finding::test(headline)
                .expected("a JSON Schema that mcp-test can judge by, within its bounds"),
        };
        finding.got(error.to_string())
    }

    /// The last listing of a tool before an event, and the tool in it.
    fn listing(trace: &Trace, name: &str, before: Seq) -> Option<(Seq, Value)> {
        let by_server = trace.messages().filter(|(event, _)| event.party == Party::Server);
        let earlier = by_server.take_while(|(event, _)| event.seq < before);
        let listings = earlier.filter_map(|(event, message)| {
            let Message::Response(response) = message else { return None };
            let tools = response.result.get("tools")?.as_array()?;
            let named = |tool: &&Value| tool.get("name").and_then(Value::as_str) == Some(name);
            Some((event.seq, tools.iter().find(named)?.clone()))
        });
        listings.last()
    }
}
