//! The verdicts on the headers of the calls.

use mcp_test_core::scenario::ReceivedMessage;
use mcp_test_core::spec::header::{self, MCP_PARAM_PREFIX};
use mcp_test_core::spec::param_headers;

use super::parameters::{Parameter, arguments, input_schema, null_parameters, parameters};
use super::{
    BASE64, COMPLETE, CONVERTED, ENCODES, EXACT, MIRRORED, MIRRORS, NULL_TOOL, OMITS,
    OMITTED_ABSENT, OMITTED_NULL, SUPPORTS, TOOL,
};
use crate::scenarios::prelude::*;

pub(super) fn judge(judging: &mut Judging) -> Result<(), Finding> {
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
            Some(_) => {
                check.pass().officially_judge(absent, "an argument with a value is mirrored")
            }
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
    let is_annotated = |parameter: &Parameter| {
        parameter.mirrored.is_some()
            && call.argument(parameter.name).is_some_and(|value| !value.is_null())
    };
    // A call without any of the arguments has nothing to mirror: it is another one than the context asks for.
    let supports = match parameters().iter().any(is_annotated) {
        true => judging.check(SUPPORTS),
        false => judging.check(SUPPORTS).by_task(),
    };
    supports.judge(ensure(call.headers.iter().any(is_mirrored), || {
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
        let why = "a client may send more headers than those that a tool names";
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
        Value::Number(_) => Value::parse(text.as_bytes())
            .is_ok_and(|number| number.value.as_f64() == value.as_f64()),
        Value::Bool(truth) => text == if *truth { "true" } else { "false" },
        // The schema allows nothing else.
        _ => false,
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
            let decoded =
                |value: &str| header::decode_value(value).unwrap_or_else(|_| value.to_owned());
            let expected = mirrored.value(arguments).map(|value| decoded(&value));
            let got = call.header(&mirrored.header()).map(decoded);
            let requirement = match (&expected, &got) {
                (Some(_), None) => MIRRORED,
                (Some(_), Some(_)) => CONVERTED,
                (None, _) if arguments.at(&mirrored.pointer).is_some() => OMITTED_NULL,
                (None, _) => OMITTED_ABSENT,
            };
            let shown = |text: &Option<String>| {
                text.as_ref().map_or("no header".to_owned(), |text| format!("{text:?}"))
            };
            check.requires(requirement).judge(ensure(expected == got, || {
                Finding::peer(format!(
                    "`{}` does not mirror its argument exactly",
                    mirrored.header()
                ))
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
