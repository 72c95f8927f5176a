//! `http-custom-headers`.

use serde_json::json;

use super::lenient_server::lenient_server;
use super::references::{SEP_2243_CUSTOM, SEP_2243_ENCODING};
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::client::{ClientTask, ScriptedClient};
use crate::json::Value;
use crate::scenario::{CheckSpec, ClientTest, Judging, Official, Profile, ReceivedMessage};
use crate::scenarios::ensure;
use crate::server::{Answer, Call, Server};
use crate::spec::header::{self, MCP_PARAM_PREFIX, X_MCP_HEADER};
use crate::spec::{Revision, Revisions, error_code, param_headers};
use crate::{proofs, scenario};

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
    context: context,
    checks: [
        official(SUPPORTS, "ClientSupportsCustomHeaders", "The call has a header for an argument")
            .requires(&["transport.http.param-headers-mirrored"]),
        official(MIRRORS, "ClientMirrorsDesignatedParams",
            "Each text that a header can hold is mirrored as it is, and other arguments are not mirrored")
            .requires(&["transport.http.param-headers-mirrored"]),
        official(ENCODES, "ClientEncodesValues", "Numbers and Booleans are mirrored as text")
            .requires(&["transport.http.param-value-conversion"]),
        official(BASE64, "ClientBase64Unsafe", "Each text that a header cannot hold is mirrored in Base64")
            .requires(&["transport.http.param-value-base64"]),
        official(OMITS, "ClientCustomHeaderOmitNull", "An argument that is null has no header")
            .requires(&["transport.http.param-header-omitted-null"]),
        CheckSpec::own(EXACT, "ClientCustomHeadersExact",
            "In each call of both tools exactly the arguments with a value have headers, with their exact text")
            .requires(&[MIRRORED, CONVERTED, OMITTED_NULL, OMITTED_ABSENT]),
        CheckSpec::own(COMPLETE, "ClientCustomHeadersComplete", "The client makes the calls of the context")
            .requires(&[MIRRORED]),
    ],
}

const SUPPORTS: &str = "sep-2243-client-supports-custom-headers";
const MIRRORS: &str = "sep-2243-client-mirrors-designated-params";
const ENCODES: &str = "sep-2243-client-encode-values";
const BASE64: &str = "sep-2243-client-base64-unsafe";
const OMITS: &str = "sep-2243-client-omit-null";
const EXACT: &str = "client-custom-headers-exact";
const COMPLETE: &str = "client-custom-headers-complete";

const MIRRORED: &str = "transport.http.param-headers-mirrored";
const CONVERTED: &str = "transport.http.param-value-conversion";
const OMITTED_NULL: &str = "transport.http.param-header-omitted-null";
const OMITTED_ABSENT: &str = "transport.http.param-header-omitted-absent";

const TOOL: &str = "test_custom_headers";
const NULL_TOOL: &str = "test_custom_headers_null";

const fn official(id: &'static str, name: &'static str, description: &'static str) -> CheckSpec {
    CheckSpec::official(id, name, description, &[SEP_2243_CUSTOM, SEP_2243_ENCODING])
}

/// A parameter of a tool, and its value in the context.
struct Parameter {
    name: &'static str,
    kind: serde_json::Value,
    value: serde_json::Value,
    /// The header, without its prefix, and the official check of it.
    mirrored: Option<(&'static str, &'static str)>,
}

impl Parameter {
    fn new(
        name: &'static str,
        kind: &'static str,
        value: impl Into<serde_json::Value>,
        header: &'static str,
        check: &'static str,
    ) -> Self {
        let mirrored = Some((header, check)).filter(|_| !header.is_empty());
        Self { name, kind: kind.into(), value: value.into(), mirrored }
    }

    fn schema(&self) -> serde_json::Value {
        let mut schema = json!({ "type": self.kind });
        if let Some((header, _)) = self.mirrored {
            schema[X_MCP_HEADER] = header.into();
        }
        schema
    }
}

/// The parameters of the first tool, in the order of official reports.
fn parameters() -> [Parameter; 16] {
    let text = |name, value: &str, header, check| Parameter::new(name, "string", value, header, check);
    [
        text("region", "us-west1", "Region", MIRRORS),
        Parameter::new("priority", "integer", 42, "Priority", ENCODES),
        Parameter::new("verbose", "boolean", false, "Verbose", ENCODES),
        Parameter::new("debug", "boolean", true, "Debug", ENCODES),
        text("empty_val", "", "EmptyVal", MIRRORS),
        text("method_val", "test-method", "Method", MIRRORS),
        #[expect(clippy::approx_constant, reason = "the number of the official suite")]
        Parameter::new("float_val", "number", 3.14159, "", MIRRORS),
        text("non_ascii_val", "Hello, 世界", "NonAscii", BASE64),
        text("whitespace_val", " padded ", "Whitespace", BASE64),
        text("leading_space_val", " us-west1", "LeadingSpace", BASE64),
        text("trailing_space_val", "us-west1 ", "TrailingSpace", BASE64),
        text("internal_space_val", "us west 1", "InternalSpace", MIRRORS),
        text("control_char_val", "line1\nline2", "ControlChar", BASE64),
        text("crlf_val", "line1\r\nline2", "CrLf", BASE64),
        text("tab_val", "\tindented", "Tab", BASE64),
        text("query", "SELECT * FROM users", "", MIRRORS),
    ]
}

/// The parameters of the second tool.
fn null_parameters(profile: Profile) -> [Parameter; 4] {
    let verbose = Parameter::new("verbose", "boolean", json!(null), "Verbose", OMITS);
    let verbose = match profile {
        Profile::Official => verbose,
        // The official type forbids the value that the client is asked to send.
        Profile::Adaptive | Profile::Strict => {
            Parameter { kind: json!(["boolean", "null"]), ..verbose }
        }
    };
    [
        Parameter::new("region", "string", "us-east1", "Region", OMITS),
        Parameter::new("priority", "integer", 1, "Priority", OMITS),
        verbose,
        Parameter::new("query", "string", "SELECT 1", "", OMITS),
    ]
}

fn input_schema(parameters: &[Parameter]) -> serde_json::Value {
    let properties = parameters.iter().map(|it| (it.name.to_owned(), it.schema()));
    let properties: serde_json::Map<_, _> = properties.collect();
    json!({ "type": "object", "properties": properties, "required": ["region", "priority", "query"] })
}

fn arguments(parameters: &[Parameter]) -> serde_json::Value {
    let arguments = parameters.iter().map(|it| (it.name.to_owned(), it.value.clone()));
    serde_json::Value::Object(arguments.collect())
}

fn context() -> serde_json::Value {
    json!({ "toolCalls": [
        { "name": TOOL, "arguments": arguments(&parameters()) },
        { "name": NULL_TOOL, "arguments": arguments(&null_parameters(Profile::Official)) },
    ] })
}

fn serve(test: &ClientTest) -> Server {
    let profile = test.profile;
    let tool = |name: &str, parameters: &[Parameter]| {
        json!({ "name": name, "description": "Mirrors arguments", "inputSchema": input_schema(parameters) })
    };
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

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let (calls, null_calls) = (judging.calls(TOOL), judging.calls(NULL_TOOL));
    for (checks, calls, tool) in [
        (&[SUPPORTS, MIRRORS, ENCODES, BASE64][..], &calls, TOOL),
        (&[OMITS], &null_calls, NULL_TOOL),
    ] {
        for id in checks.iter().filter(|_| calls.is_empty()) {
            let finding = Finding::peer(format!("the client never called `{tool}`"))
                .expected("the calls in $MCP_CONFORMANCE_CONTEXT")
                .got("no such call in the whole conversation");
            // As the official suite names the row of a check that it could not make.
            judging.check(id).named("NotObserved").by_task().fail(finding);
        }
    }
    for call in &calls {
        judge_call(judging, call);
    }
    for call in &null_calls {
        let absent = has_no_header(call, "Verbose");
        let check = judging.check(OMITS);
        match call.argument("verbose") {
            None | Some(Value::Null) => check.judge(absent),
            Some(_) => check.pass().officially_judge(absent, "an argument with a value is mirrored"),
        };
    }
    judge_exactly(judging, [&calls, &null_calls]);
    let complete = has_arguments(&calls, &arguments(&parameters()))
        .and_then(|()| has_arguments(&null_calls, &arguments(&null_parameters(Profile::Official))));
    judging.check(COMPLETE).by_task().judge(complete);
    Ok(())
}

/// Makes the official checks of one call of the first tool.
fn judge_call(judging: &mut Judging, call: &ReceivedMessage) {
    let is_mirrored = |(name, _): &(String, String)| {
        let prefix = name.get(..MCP_PARAM_PREFIX.len());
        prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(MCP_PARAM_PREFIX))
    };
    judging.check(SUPPORTS).judge(ensure(call.headers.iter().any(is_mirrored), || {
        Finding::peer(format!("the call of `{TOOL}` has no header for an argument"))
            .expected(format!("`{MCP_PARAM_PREFIX}…` for each argument that the schema names"))
            .got("none")
            .evidence(call.seq)
    }));
    for parameter in parameters() {
        let Some((header, check)) = parameter.mirrored else { continue };
        let Some(value) = call.argument(parameter.name).filter(|it| !it.is_null()) else {
            continue;
        };
        let row = judging.check(check).named(format!("ClientCustomHeader_{header}"));
        row.judge(mirrors(call, header, value, check == BASE64));
    }
    for (row, header) in [
        ("ClientCustomHeaderNoMirrorNumber", "FloatVal"),
        ("ClientCustomHeaderNoMirrorUnannotated", "Query"),
    ] {
        let why = "it names the headers that a client has to send, and forbids no others";
        let row = judging.check(MIRRORS).named(row);
        row.pass().officially_judge(has_no_header(call, header), why);
    }
}

/// Whether a header has the value, as far as the official suite looks.
fn mirrors(
    call: &ReceivedMessage,
    header: &str,
    value: &Value,
    needs_base64: bool,
) -> Result<(), Finding> {
    let name = format!("{MCP_PARAM_PREFIX}{header}");
    let got = call.header(&name);
    let text = got.and_then(|got| header::decode_value(got).ok());
    let is_same = text.as_deref().is_some_and(|text| match value {
        Value::String(value) => text == value,
        Value::Number(_) => {
            Value::parse(text.as_bytes()).is_ok_and(|number| number.value.as_f64() == value.as_f64())
        }
        value => text == value.to_string(),
    });
    let is_encoded = got != text.as_deref();
    ensure(is_same && (is_encoded || !needs_base64), || {
        let how = if needs_base64 { ", in Base64" } else { "" };
        Finding::peer(format!("`{name}` does not mirror its argument"))
            .expected(format!("{}{how}", value.short(80)))
            .got(got.map_or("no such header".to_owned(), |got| format!("{got:?}")))
            .evidence(call.seq)
    })
}

fn has_no_header(call: &ReceivedMessage, header: &str) -> Result<(), Finding> {
    let name = format!("{MCP_PARAM_PREFIX}{header}");
    let got = call.header(&name);
    ensure(got.is_none(), || {
        Finding::peer(format!("the call has a header `{name}`"))
            .expected("no such header")
            .got(format!("{:?}", got.unwrap_or_default()))
            .evidence(call.seq)
    })
}

/// Makes our own check of the headers of all calls.
fn judge_exactly(judging: &mut Judging, [calls, null_calls]: [&[ReceivedMessage]; 2]) {
    let null_parameters = null_parameters(judging.profile());
    let check = judging.check(EXACT);
    if calls.is_empty() && null_calls.is_empty() {
        check.skip("the client called neither tool");
        return;
    }
    let schemas = [input_schema(&parameters()), input_schema(&null_parameters)].map(Value::from);
    let calls = calls.iter().map(|call| (call, &schemas[0]));
    let calls = calls.chain(null_calls.iter().map(|call| (call, &schemas[1])));
    calls.fold(check, |check, (call, schema)| {
        let none = Value::from(json!({}));
        let arguments = call.params().get("arguments").unwrap_or(&none);
        let mirrored = param_headers(schema).unwrap_or_default();
        mirrored.iter().fold(check, |check, mirrored| {
            let decoded = |value: &str| header::decode_value(value).unwrap_or_else(|_| value.to_owned());
            let expected = mirrored.value(arguments).map(|value| decoded(&value));
            let got = call.header(&mirrored.header()).map(decoded);
            let requirement = match (&expected, &got) {
                (Some(_), None) => MIRRORED,
                (Some(_), Some(_)) => CONVERTED,
                (None, _) if arguments.at(&mirrored.pointer).is_some() => OMITTED_NULL,
                (None, _) => OMITTED_ABSENT,
            };
            let shown = |text: &Option<String>| text.as_ref().map_or("no header".to_owned(), |text| format!("{text:?}"));
            check.requires(requirement).judge(ensure(expected == got, || {
                Finding::peer(format!("`{}` does not mirror its argument exactly", mirrored.header()))
                    .expected(shown(&expected))
                    .got(shown(&got))
                    .evidence(call.seq)
            }))
        })
    });
}

/// Whether one of the calls has these arguments.
fn has_arguments(calls: &[ReceivedMessage], expected: &serde_json::Value) -> Result<(), Finding> {
    let expected = Value::from(expected.clone());
    let has_them = |call: &ReceivedMessage| call.params().get("arguments") == Some(&expected);
    ensure(calls.iter().any(has_them), || {
        let got = calls.last().map_or("no call".to_owned(), |call| call.params().short(200));
        Finding::peer("the client does not make a call of the context")
            .expected(format!("a call with the arguments {}", expected.short(200)))
            .got(got)
            .evidence_all(calls.iter().map(|call| call.seq))
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

/// Does not know which arguments to mirror.
fn without_headers() -> ScriptedClient {
    calling(false, |_| true)
}

fn calling_the_first_tool() -> ScriptedClient {
    calling(true, |tool| tool == TOOL)
}

fn calling_the_second_tool() -> ScriptedClient {
    calling(true, |tool| tool == NULL_TOOL)
}

proofs! {
    passes on good_client();
    catches "sep-2243-client-supports-custom-headers" on without_headers(),
        also "sep-2243-client-mirrors-designated-params" Failure, also "sep-2243-client-encode-values" Failure,
        also "sep-2243-client-base64-unsafe" Failure, also "client-custom-headers-exact" Failure;
    catches "sep-2243-client-supports-custom-headers" on calling_the_second_tool(), under Strict,
        also "sep-2243-client-mirrors-designated-params" Failure, also "sep-2243-client-encode-values" Failure,
        also "sep-2243-client-base64-unsafe" Failure, also "client-custom-headers-complete" Failure;
    catches "sep-2243-client-omit-null" on calling_the_first_tool(), under Strict,
        also "client-custom-headers-complete" Failure;
    catches "sep-2243-client-mirrors-designated-params" by no_header("tools/call", "Mcp-Param-EmptyVal"),
        also "client-custom-headers-exact" Failure;
    catches "sep-2243-client-mirrors-designated-params" by header("tools/call", "Mcp-Param-FloatVal", "3.14159"),
        under Official;
    catches "sep-2243-client-encode-values" by header("tools/call", "Mcp-Param-Debug", "True"),
        also "client-custom-headers-exact" Failure;
    catches "sep-2243-client-base64-unsafe" by header("tools/call", "Mcp-Param-Tab", "indented"),
        also "client-custom-headers-exact" Failure;
    catches "sep-2243-client-omit-null" by header("tools/call", "Mcp-Param-Verbose", "false"),
        also "client-custom-headers-exact" Failure;
    catches "client-custom-headers-exact" by header("tools/call", "Mcp-Param-Priority", "42.0");
    catches "client-custom-headers-exact" by remove("tools/call", "/arguments/tab_val"),
        also "client-custom-headers-complete" Skipped;
    catches "client-custom-headers-complete" by set("tools/call", "/arguments/query", json!("SELECT 2")), under Strict;
}
