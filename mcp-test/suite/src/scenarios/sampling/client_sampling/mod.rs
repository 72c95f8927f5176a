//! `client-sampling`.

mod peers;

use futures_util::future::join_all;
use mcp_test_core::clock;
use mcp_test_core::expect::{any_of, non_empty_array, one_of};
use mcp_test_core::spec::error_code::{INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST};
use serde_json::Value as Json;

use super::client_sampling::peers::{
    ends_its_turn, generates_for_a_hologram, generates_for_a_mixture, generates_for_nothing,
    generates_without_a_result, ignores_what_is_invalid, names_another_error, refuses_arrays,
    uses_a_tool, uses_it_as_user, uses_no_tool,
};
use crate::scenarios::exchange::{Exchange, first, param, result};
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::listing_server::{REPLY_TIME, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// Before the server answers `tools/list`, it asks a client that declares `sampling` for generations: with the content of a message as
    /// one block and as an array, without messages, and with content of an unknown type. A client that declares `sampling.tools` is also
    /// asked to use a tool, not to use one, and to go on after results of tools that are incomplete or mixed with text.
    ///
    /// A user may refuse each of them, and what is not answered may wait for a user: neither is judged.
    Client "client-sampling": "The client takes every form of a sampling request, and refuses what is not valid",
    revisions: Revisions::only(Revision::V2025_11_25),
    checks: [
        check!("client-takes-blocks-and-arrays",
            "The client takes the content of a message as one block and as an array alike",
            [SAMPLING_CONTENT_CLIENT_ACCEPTS_SINGLE_AND_ARRAY]),
        check!("client-generates-message",
            "The generated message has the role of a user or an assistant, and content",
            [SAMPLING_MESSAGE_ROLE_AND_CONTENT]),
        check!("client-refuses-invalid-sampling", "The client answers a request without messages with error -32602",
            [JSONRPC_INVALID_PARAMS_ERROR, SAMPLING_ERROR_RETURNED]),
        check!("client-refuses-unknown-content", "The client refuses content of an unknown type",
            [SAMPLING_SECURITY_VALIDATE_CONTENT]),
        check!("client-uses-required-tool", "With the tool choice `required`, the message uses a tool",
            [SAMPLING_TOOL_CHOICE_REQUIRED]),
        check!("client-uses-no-tool", "With the tool choice `none`, the message uses no tool",
            [SAMPLING_TOOL_CHOICE_NONE]),
        check!("client-tool-use-by-assistant", "A message that uses a tool is of the assistant",
            [SAMPLING_RESULT_TOOL_USE_ASSISTANT_ROLE]),
        check!("client-tool-use-stop-reason", "The stop reason of a message that uses a tool is `toolUse`",
            [SAMPLING_RESULT_TOOL_USE_STOP_REASON]),
        check!("client-refuses-missing-tool-result",
            "The client refuses messages that lack the result of a tool use with error -32602",
            [SAMPLING_ERROR_TOOL_RESULT_MISSING_32602]),
        check!("client-refuses-mixed-tool-results",
            "The client refuses a message that mixes results of tools with text with error -32602",
            [SAMPLING_ERROR_TOOL_RESULTS_MIXED_32602]),
    ],
}

const SAMPLING: &str = "sampling/createMessage";

/// The method of what is not valid, until a fault of the server changes it into that of sampling.
const INVALID: &str = "mcp-test/invalid-sampling";

/// The error for a user who refuses.
const USER_REJECTED: i64 = -1;

/// What the server asks for. The `metadata` of each request has its name, which no client reads.
const REQUESTS: [&str; 8] =
    [BLOCK, ARRAY, NO_MESSAGES, UNKNOWN_CONTENT, REQUIRED, NONE, MISSING_RESULT, MIXED_RESULTS];
const BLOCK: &str = "content as one block";
const ARRAY: &str = "content as an array";
const NO_MESSAGES: &str = "no messages";
const UNKNOWN_CONTENT: &str = "content of an unknown type";
const REQUIRED: &str = "tool choice `required`";
const NONE: &str = "tool choice `none`";
const MISSING_RESULT: &str = "a tool use without a result";
const MIXED_RESULTS: &str = "the result of a tool with text";

fn serve(test: &ClientTest) -> Server {
    // So that what is not valid does not count against mcp-test.
    let renamed = Fault::set(INVALID, "/method", json!(SAMPLING));
    server(test).faults([renamed]).on("tools/list", ask_and_list)
}

async fn ask_and_list(call: Call) -> Answer {
    let declared = call.client_capabilities();
    let is_asked = |name: &&str| match *name {
        BLOCK | ARRAY | NO_MESSAGES | UNKNOWN_CONTENT => Capability::Sampling.declared_in(declared),
        _ => Capability::SamplingTools.declared_in(declared),
    };
    let requests = REQUESTS.into_iter().filter(is_asked);
    let method = |name| match name {
        NO_MESSAGES | UNKNOWN_CONTENT => INVALID,
        _ => SAMPLING,
    };
    let replies = requests.map(|name| call.request(method(name), params(name)));
    // The trace has the replies, and shows which are missing.
    let _replies = clock::within(Deadline::after(REPLY_TIME), join_all(replies)).await;
    one_tool(call).await
}

/// The params of a request.
fn params(name: &str) -> Json {
    let text = json!({ "type": "text", "text": "Reply with one word." });
    let user = |content: Json| json!({ "role": "user", "content": content });
    let tool_use =
        |id: &str| json!({ "type": "tool_use", "id": id, "name": "lookup", "input": {} });
    let found = json!({ "type": "text", "text": "found" });
    let tool_result = json!({ "type": "tool_result", "toolUseId": "use-1", "content": [found] });
    let uses = |uses: Json| json!({ "role": "assistant", "content": uses });
    let messages = match name {
        ARRAY => json!([user(json!([text]))]),
        UNKNOWN_CONTENT => json!([user(json!({ "type": "hologram", "hologram": "none" }))]),
        MISSING_RESULT => json!([
            user(text),
            uses(json!([tool_use("use-1"), tool_use("use-2")])),
            user(json!([tool_result]))
        ]),
        MIXED_RESULTS => {
            json!([
                user(text.clone()),
                uses(json!([tool_use("use-1")])),
                user(json!([tool_result, text]))
            ])
        }
        _ => json!([user(text)]),
    };
    let mut params =
        json!({ "messages": messages, "maxTokens": 64, "metadata": { "mcp-test": name } });
    match name {
        NO_MESSAGES => drop(params.as_object_mut().and_then(|params| params.remove("messages"))),
        REQUIRED => params["toolChoice"] = json!({ "mode": "required" }),
        NONE => params["toolChoice"] = json!({ "mode": "none" }),
        _ => {}
    }
    if [REQUIRED, NONE, MISSING_RESULT, MIXED_RESULTS].contains(&name) {
        params["tools"] = json!([{ "name": "lookup", "inputSchema": { "type": "object" } }]);
    }
    params
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let [block, array, no_messages, unknown, required, none, missing, mixed] =
        REQUESTS.map(|name| {
            first(judging, |request| {
                let named = param(request, "metadata").and_then(|it| it.get("mcp-test"));
                named == Some(&Value::from(name))
            })
        });
    blocks_and_arrays(judging, block.as_ref(), array.as_ref());
    let message = judging.check("client-generates-message");
    match block.as_ref().and_then(result) {
        None => message.skip("the client generated no message"),
        Some((seq, result)) => {
            let content = any_of(vec![Box::new(object()), Box::new(non_empty_array())]);
            let role = one_of(["user", "assistant"]);
            let expected = object().member("role", role).member("content", content);
            message.expect(&Part::new("the generated message", result, Some(seq)), expected)
        }
    };
    // A user may have to read a request before it is answered, unless another one was answered without that.
    let is_automatic = block.as_ref().is_some_and(|(_, reply)| reply.is_some());
    let invalid = no_messages.as_ref();
    let check = judging.check("client-refuses-invalid-sampling");
    if let (Some((asked, None)), true) = (invalid, is_automatic) {
        check.requires(Requirement::SAMPLING_ERROR_RETURNED).fail(
            Finding::peer("the client did not answer a sampling request that is not valid")
                .expected("error -32602")
                .got("no reply before the client exited")
                .evidence(*asked)
                .should(),
        );
    } else {
        refused(
            check.requires(Requirement::JSONRPC_INVALID_PARAMS_ERROR),
            invalid,
            Some(INVALID_PARAMS),
        );
    }
    refused(judging.check("client-refuses-unknown-content"), unknown.as_ref(), None);
    let missing_result = judging.check("client-refuses-missing-tool-result");
    refused(missing_result, missing.as_ref(), Some(INVALID_PARAMS));
    let mixed_results = judging.check("client-refuses-mixed-tool-results");
    refused(mixed_results, mixed.as_ref(), Some(INVALID_PARAMS));
    tools(judging, required.as_ref(), none.as_ref());
    Ok(())
}

/// The code of the error that the client answered with, unless a user may have refused.
fn error_of((_, reply): &Exchange) -> Option<i64> {
    match reply {
        Some((_, Message::Error(reply))) => {
            Some(reply.error.code).filter(|it| *it != USER_REJECTED)
        }
        _ => None,
    }
}

/// Judges whether the client refuses one form of the content after it has answered the other.
fn blocks_and_arrays(judging: &mut Judging, block: Option<&Exchange>, array: Option<&Exchange>) {
    let check = judging.check("client-takes-blocks-and-arrays");
    let (Some(block), Some(array)) = (block, array) else {
        check.skip("the client does not declare `sampling`");
        return;
    };
    // Other errors may come from the model, or from a limit.
    let is_about_form =
        |code: &i64| [INVALID_PARAMS, INVALID_REQUEST, INTERNAL_ERROR].contains(code);
    let refuses = |exchange| error_of(exchange).filter(is_about_form);
    let refused = match (result(block), result(array)) {
        (Some(_), Some(_)) => {
            check.pass();
            return;
        }
        (Some(_), None) => refuses(array).map(|code| (array, code, "an array")),
        (None, Some(_)) => refuses(block).map(|code| (block, code, "one block")),
        (None, None) => None,
    };
    match refused {
        None => check.skip("the client did not generate messages for both forms"),
        Some((exchange, code, form)) => check.fail(
            Finding::peer(format!("the client refuses the content of a message as {form}"))
                .expected("a message, as for the other form of the same content")
                .got(format!("error {code}"))
                .evidence(exchange.0)
                .evidence_all(exchange.1.as_ref().map(|(seq, _)| *seq)),
        ),
    };
}

/// Judges whether the client refuses what is not valid, with this error if the specification names one.
fn refused(check: CheckBuilder<'_>, exchange: Option<&Exchange>, code: Option<i64>) {
    let Some((asked, reply)) = exchange else {
        check.skip("the client does not declare what the request needs");
        return;
    };
    let expected = code.map_or_else(|| "an error".to_owned(), |code| format!("error {code}"));
    let finding = |headline: &str| Finding::peer(headline).expected(expected).evidence(*asked);
    match reply {
        None => check.skip("the client did not answer; a person may have to"),
        Some((_, Message::Error(reply))) if reply.error.code == USER_REJECTED => {
            check.skip("a user may have refused")
        }
        Some((_, Message::Error(reply))) if code.is_none_or(|code| reply.error.code == code) => {
            check.pass()
        }
        Some((seq, Message::Error(reply))) => check.fail(
            finding("the client refuses a sampling request that is not valid with another error")
                .got(format!("error {}", reply.error.code))
                .evidence(*seq),
        ),
        Some((seq, reply)) => check.fail(
            finding("the client generates a message for a request that is not valid")
                .got(reply.to_value().short(120))
                .evidence(*seq),
        ),
    };
}

fn uses_tool(message: &Value) -> bool {
    let is_use = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_use");
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().any(is_use),
        Some(block) => is_use(block),
        None => false,
    }
}

fn tools(judging: &mut Judging, required: Option<&Exchange>, none: Option<&Exchange>) {
    const SKIPPED: &str = "the client generated no message for a request with this tool choice";
    for (id, exchange, is_required) in
        [("client-uses-required-tool", required, true), ("client-uses-no-tool", none, false)]
    {
        let check = judging.check(id);
        match exchange.and_then(result) {
            None => check.skip(SKIPPED),
            Some((_, message)) if uses_tool(message) == is_required => check.pass(),
            Some((seq, message)) => check.fail(
                Finding::peer("the client did not keep to the tool choice")
                    .expected(match is_required {
                        true => "a message with content of type `tool_use`",
                        false => "a message without content of type `tool_use`",
                    })
                    .got(message.short(120))
                    .evidence(seq),
            ),
        };
    }
    let used = required.and_then(result).filter(|(_, message)| uses_tool(message));
    for (id, member, expected) in [
        ("client-tool-use-by-assistant", "role", "assistant"),
        ("client-tool-use-stop-reason", "stopReason", "toolUse"),
    ] {
        let check = judging.check(id);
        match used {
            None => check.skip("no message of the client uses a tool"),
            Some((seq, message)) => {
                let subject = Part::new("the message that uses a tool", message, Some(seq));
                check.expect(&subject, object().member(member, one_of([expected])))
            }
        };
    }
}

proofs! {
    passes on good_client();
    catches "client-takes-blocks-and-arrays" on refuses_arrays();
    catches "client-generates-message" by set("sampling/createMessage", "/role", json!("system"));
    catches "client-refuses-invalid-sampling" on generates_for_nothing();
    catches "client-refuses-invalid-sampling" on names_another_error();
    warns "client-refuses-invalid-sampling" on ignores_what_is_invalid();
    warns "client-refuses-unknown-content" on generates_for_a_hologram();
    catches "client-uses-required-tool" on uses_no_tool();
    catches "client-uses-no-tool" on uses_a_tool();
    catches "client-tool-use-by-assistant" on uses_it_as_user();
    warns "client-tool-use-stop-reason" on ends_its_turn();
    warns "client-refuses-missing-tool-result" on generates_without_a_result();
    warns "client-refuses-mixed-tool-results" on generates_for_a_mixture();
}
