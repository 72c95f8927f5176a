//! `http-custom-headers`.

mod judge;
mod parameters;

use super::http_custom_headers::judge::judge;
use super::http_custom_headers::parameters::{
    Parameter, arguments, input_schema, null_parameters, parameters,
};
use crate::scenarios::listing_server::lenient_server;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_2243_CUSTOM, SEP_2243_ENCODING};

scenario! {
    /// The client mirrors arguments of a tool into the headers that its schema names, as text or, where a header cannot hold
    /// the text, in Base64. The context of the scenario has the calls to make.
    ///
    /// The official checks judge the headers of the arguments that a call has, and compare numbers by value. Our own checks
    /// also look at the headers of the second tool, at those of arguments that are missing, at how a number is written, and at
    /// whether the calls are those of the context. An official check also fails a client that mirrors other arguments.
    Client "http-custom-headers": "Headers mirror the arguments that a tool names",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    context: context,
    checks: [
        check!(SUPPORTS, "The call has a header for an argument",
            [TRANSPORT_HTTP_PARAM_HEADERS_MIRRORED])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ClientSupportsCustomHeaders"),
        check!(MIRRORS, "Each text that a header can hold is mirrored as it is, and other arguments are not mirrored",
            [TRANSPORT_HTTP_PARAM_HEADERS_MIRRORED])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ClientMirrorsDesignatedParams"),
        check!(ENCODES, "Numbers and Booleans are mirrored as text",
            [TRANSPORT_HTTP_PARAM_VALUE_CONVERSION])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ClientEncodesValues").conditional(),
        check!(BASE64, "Each text that a header cannot hold is mirrored in Base64",
            [TRANSPORT_HTTP_PARAM_VALUE_BASE64])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ClientBase64Unsafe").conditional(),
        check!(OMITS, "An argument that is null has no header",
            [TRANSPORT_HTTP_PARAM_HEADER_OMITTED_NULL])
            .official(&[SEP_2243_CUSTOM, SEP_2243_ENCODING]).named("ClientCustomHeaderOmitNull"),
        check!(EXACT,
            "In each call of both tools exactly the arguments with a value have headers, with their exact text",
            &[MIRRORED, CONVERTED, OMITTED_NULL, OMITTED_ABSENT]),
        check!(COMPLETE, "The client makes the calls of the context", &[MIRRORED]),
    ],
}

const SUPPORTS: &str = "sep-2243-client-supports-custom-headers";
const MIRRORS: &str = "sep-2243-client-mirrors-designated-params";
const ENCODES: &str = "sep-2243-client-encode-values";
const BASE64: &str = "sep-2243-client-base64-unsafe";
const OMITS: &str = "sep-2243-client-omit-null";
const EXACT: &str = "client-custom-headers-exact";
const COMPLETE: &str = "client-custom-headers-complete";

const MIRRORED: &Requirement = Requirement::TRANSPORT_HTTP_PARAM_HEADERS_MIRRORED;
const CONVERTED: &Requirement = Requirement::TRANSPORT_HTTP_PARAM_VALUE_CONVERSION;
const OMITTED_NULL: &Requirement = Requirement::TRANSPORT_HTTP_PARAM_HEADER_OMITTED_NULL;
const OMITTED_ABSENT: &Requirement = Requirement::TRANSPORT_HTTP_PARAM_HEADER_OMITTED_ABSENT;

const TOOL: &str = "test_custom_headers";
const NULL_TOOL: &str = "test_custom_headers_null";

fn context() -> serde_json::Value {
    json!({ "toolCalls": [
        { "name": TOOL, "arguments": arguments(&parameters()) },
        { "name": NULL_TOOL, "arguments": arguments(&null_parameters(Profile::Official)) },
    ] })
}

fn serve(test: &ClientTest) -> Server {
    let profile = test.profile;
    let tool = |name: &str, parameters: &[Parameter]| json!({ "name": name, "description": "Mirrors arguments", "inputSchema": input_schema(parameters) });
    let tools = [tool(TOOL, &parameters()), tool(NULL_TOOL, &null_parameters(profile))];
    lenient_server(test)
        .on("tools/list", move |_: Call| {
            let tools = json!({ "tools": tools, "ttlMs": 300_000 });
            async move { tools }
        })
        .on("tools/call", |call: Call| async move {
            match call.param("name").and_then(Value::as_str) {
                Some(TOOL | NULL_TOOL) => {
                    json!({ "content": [{ "type": "text", "text": "called" }] }).into()
                }
                _ => Answer::error(error_code::INVALID_PARAMS, "no such tool"),
            }
        })
}

/// A client that makes these calls of the context, after it has listed the tools or not.
fn calling(lists: bool, called: fn(&str) -> bool) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        if lists {
            client.request("tools/list", json!({})).await?.result()?;
        }
        let calls = task.context().get("toolCalls").and_then(Value::as_array).unwrap_or_default();
        for call in calls {
            if call.get("name").and_then(Value::as_str).is_some_and(called) {
                client.request("tools/call", call.clone()).await?.result()?;
            }
        }
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    // Does not know which arguments to mirror.
    catches "sep-2243-client-supports-custom-headers" on calling(false, |_| true);
    catches "sep-2243-client-supports-custom-headers" on calling(true, |tool| tool == NULL_TOOL), under Strict;
    catches "sep-2243-client-omit-null" on calling(true, |tool| tool == TOOL), under Strict;
    catches "sep-2243-client-mirrors-designated-params" by no_header("tools/call", "Mcp-Param-EmptyVal");
    catches "sep-2243-client-mirrors-designated-params"
        by header("tools/call", "Mcp-Param-FloatVal", "3.14159"), under Official;
    catches "sep-2243-client-encode-values" by header("tools/call", "Mcp-Param-Debug", "True");
    catches "sep-2243-client-base64-unsafe" by header("tools/call", "Mcp-Param-Tab", "indented");
    catches "sep-2243-client-omit-null" by header("tools/call", "Mcp-Param-Verbose", "false");
    catches "client-custom-headers-exact" by header("tools/call", "Mcp-Param-Priority", "42.0");
    catches "client-custom-headers-exact" by remove("tools/call", "/arguments/tab_val");
    catches "client-custom-headers-complete" by set("tools/call", "/arguments/query", json!("SELECT 2")), under Strict;
}
