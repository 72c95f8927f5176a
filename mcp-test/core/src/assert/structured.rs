//! Assertions about structured content: as a Rust type, and by the output schema of the tool.

use serde::de::DeserializeOwned;

use super::assertions;
use super::reply::{check_result_member, complete};
use super::rust_types::short_name;
use super::tool_result::noun;
use crate::check::Finding;
use crate::client::ToolResult;
use crate::expect::{self, words};
use crate::json::Value;
use crate::spec::Requirement;

assertions! { [] ToolResult {
    /// Asserts that the structured content deserializes to this type; [`structured`](ToolResult::structured) returns it.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
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

    /// Asserts that the structured content equals this value; the order of members is ignored.
    ///
    /// To compare only a part, use [`assert_member`](Self::assert_member) with a pointer that begins with
    /// `/structuredContent`.
    assert_structured_equals / try_structured_equals (self, value: impl Into<Value>) {
        check_equals(&self, value.into())
    }
}}

impl ToolResult {
    /// Deserializes the structured content.
    ///
    /// # Errors
    ///
    /// A finding against the peer if there is none, or it does not have that type.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, Finding> {
        let content = content(self)?;
        T::deserialize(content.to_serde()).map_err(|error| {
            let headline =
                format!("{} returned structured content of an unexpected type", noun(self));
            Finding::peer(headline)
                .expected(format!(
                    "a `/structuredContent` that deserializes to `{}`",
                    short_name::<T>()
                ))
                .got(format!("{}: {error}", words::got(Some(content))))
                .evidence_all(self.reply().evidence())
        })
    }
}

/// The structured content of a result.
fn content(result: &ToolResult) -> Result<&Value, Finding> {
    let reply = result.reply();
    complete(reply)?.get("structuredContent").ok_or_else(|| {
        Finding::peer(format!("{} returned no structured content", noun(result)))
            .expected("a value at `/structuredContent`")
            .got("nothing")
            .evidence_all(reply.evidence())
    })
}

fn check_equals(result: &ToolResult, expected: Value) -> Result<(), Finding> {
    let headline = format!("{} returned unexpected structured content", noun(result));
    let equals = expect::equals(expected);
    check_result_member(result.reply(), "/structuredContent", &equals, headline)
}

#[cfg(not(feature = "schema"))]
mod without_schema {
    //! The assertion that needs the feature `schema`: calling it without is a compile error that names the feature.

    use super::ToolResult;

    /// What no type implements, so that a method with this bound cannot be called.
    #[diagnostic::on_unimplemented(
        message = "this needs the feature `schema` of `mcp-test`",
        label = "needs the feature `schema`",
        note = "to enable it: cargo add --dev mcp-test --features schema"
    )]
    pub trait NeedsSchema {}

    /// Takes the place of the type that would have to implement [`NeedsSchema`].
    #[derive(Debug)]
    pub struct Disabled;

    impl ToolResult {
        #[doc(hidden)]
        pub fn assert_fits_output_schema(self) -> Self
        where
            for<'a> &'a Disabled: NeedsSchema,
        {
            self
        }
    }
}

#[cfg(feature = "schema")]
pub(super) mod listed {
    //! The output schema in the list of tools.

    use super::*;
    use crate::assert::assertions;
    use crate::assert::tool_result::name;
    use crate::check::compile_tool_schema;
    use crate::json::Pointer;
    use crate::json_schema::CompileError;
    use crate::trace::{Party, Seq, Trace};
    use crate::wire::Message;

    assertions! { [] ToolResult {
        /// Asserts that the structured content conforms to the `outputSchema` of the tool, which the server must have
        /// listed in this conversation.
        ///
        /// ```
        /// # extern crate mcp_test_core as mcp_test;
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
        // The evidence of a reply is its request and itself: a list that came before the reply counts.
        let Some((listed, tool)) = listing(&trace, &name, evidence[1]) else {
            return Err(Finding::test(format!("tool `{name}` has not been listed"))
                .expected("a reply to `tools/list` with the tool, before this call")
                .got("none in this conversation")
                .hint(format!("first `ctx.list_tools().await?.assert_tool({name:?});`")));
        };
        let Some(schema) = tool.get("outputSchema") else {
            return Err(Finding::peer(format!("tool `{name}` has no `outputSchema`"))
                .expected("an `outputSchema` in the list of tools")
                .got("nothing")
                .evidence(listed));
        };
        let validator = compile_tool_schema(schema, result.reply().revision())
            .map_err(|error| unusable(&name, &error).evidence(listed))?;
        let mismatches = validator.mismatches(content).map_err(|unfinished| {
            Finding::test(format!(
                "the result of tool `{name}` cannot be validated against its `outputSchema`"
            ))
            .expected("a verdict")
            .got(unfinished.to_string())
        })?;
        let Some(first) = mismatches.into_iter().next() else { return Ok(()) };
        let headline =
            format!("the structured content of tool `{name}` violates its `outputSchema`");
        let pointer = Pointer::root().member("structuredContent");
        Err(Finding::mismatch(headline, &first.within(pointer))
            .requires(Requirement::TOOLS_STRUCTURED_CONFORMS_OUTPUT_SCHEMA)
            .evidence(listed)
            .evidence_all(evidence))
    }

    /// An invalid schema counts against the server; a schema that mcp-test does not support counts against the test.
    fn unusable(name: &str, error: &CompileError) -> Finding {
        let headline = format!("the `outputSchema` of tool `{name}` cannot be used");
        let finding = match error {
            CompileError::Invalid { .. } => Finding::peer(headline)
                .expected("a JSON Schema")
                .requires(Requirement::TOOLS_DEFINITION_OUTPUT_SCHEMA_VALID),
            // The server is not to blame for a schema that mcp-test does not support.
            _ => Finding::test(headline).expected("a JSON Schema that mcp-test supports"),
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
        // A list may change, so the tool counts as it was listed last.
        listings.last()
    }
}
