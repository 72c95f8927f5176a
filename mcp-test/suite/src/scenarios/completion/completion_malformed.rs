//! `completion-malformed`.

use mcp_test_core::server::params;

use super::targets::{Target, targets};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{is_error, refused};

scenario! {
    /// The server refuses malformed completion requests with -32602.
    ///
    /// What a server completes often comes from files, tables or other users, and the request decides where it looks. A server
    /// that proposes values for a reference of an unknown type, or without the name of an argument, has not validated its input.
    /// An empty list of values hides the mistake from the client. What is well-formed but unknown may have an empty list.
    Server "completion-malformed": "Malformed completion requests are refused",
    revisions: Revisions::from(Revision::V2025_03_26),
    needs: [Need::Capability(Capability::Completions)],
    shares_connection: Revisions::all(),
    checks: [
        check!("missing-argument-refused",
            "A request without `argument`, or without its name, is refused with -32602",
            [COMPLETION_ERROR_MISSING_ARGUMENT_32602, COMPLETION_ERROR_STANDARD_ERRORS]),
        check!("malformed-refused", "A request with a malformed reference or argument is refused with -32602",
            [COMPLETION_IMPL_VALIDATE_INPUTS]),
        check!("unknown-not-completed",
            "No values are proposed for an unknown resource template, or for an unknown argument of a known one",
            [COMPLETION_IMPL_VALIDATE_INPUTS]),
        check!("malformed-not-completed", "No values are proposed for a malformed request",
            [COMPLETION_SECURITY_VALIDATE_INPUTS]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // Of something that exists, so that nothing but the malformed part is wrong.
    let (listed, _) = targets(ctx).await?;
    let unlisted = Target {
        reference: json!({"type": "ref/prompt", "name": "no-such-prompt-of-mcp-test"}),
        argument: "name".to_owned(),
    };
    let target = listed.into_iter().next().unwrap_or(unlisted);
    let (reference, name) = (&target.reference, &target.argument);
    let incomplete =
        [json!({"ref": reference}), json!({"ref": reference, "argument": {"value": ""}})];
    let argument = json!({"name": name, "value": ""});
    let malformed = [
        json!({"argument": argument}),
        json!({"ref": {"type": "ref/mcp-test", "name": "x", "uri": "x:y"}, "argument": argument}),
        json!({"ref": "x", "argument": argument}),
        json!({"ref": reference, "argument": {"name": name, "value": 7}}),
    ];
    let unknown_template = json!({"type": "ref/resource", "uri": "mcp-test://{no-such-template}"});
    let unknown = [
        json!({"ref": unknown_template, "argument": {"name": "no-such-template", "value": ""}}),
        json!({"ref": reference, "argument": {"name": "no-such-argument-of-mcp-test", "value": ""}}),
    ];
    let incomplete = replies(ctx, incomplete).await?;
    let malformed = replies(ctx, malformed).await?;
    let mut check = ctx.check("missing-argument-refused");
    for reply in &incomplete {
        check = check
            .requires(Requirement::COMPLETION_ERROR_STANDARD_ERRORS)
            .judge(is_error(reply).map_err(Finding::should))
            .requires(Requirement::COMPLETION_ERROR_MISSING_ARGUMENT_32602)
            .judge(refused(reply, error_code::INVALID_PARAMS));
    }
    drop(check);
    let mut check = ctx.check("malformed-refused");
    for reply in &malformed {
        check = check.judge(is_error(reply).map_err(Finding::should));
    }
    drop(check);
    let unknown = replies(ctx, unknown).await?;
    unknown.iter().fold(ctx.check("unknown-not-completed"), |check, reply| {
        check.judge(has_no_values(reply).map_err(Finding::should))
    });
    let all = incomplete.iter().chain(&malformed);
    all.fold(ctx.check("malformed-not-completed"), |check, reply| {
        check.judge(has_no_values(reply))
    });
    Ok(())
}

async fn replies(
    ctx: &mut Ctx,
    requests: impl IntoIterator<Item = serde_json::Value>,
) -> Result<Vec<Reply>, Finding> {
    let mut replies = Vec::new();
    for params in requests {
        replies.push(ctx.request("completion/complete", params).deliberate().promptly().await?);
    }
    Ok(replies)
}

fn has_no_values(reply: &Reply) -> Result<(), Finding> {
    let values =
        reply.outcome().ok().and_then(|result| result.at("/completion/values")?.as_array());
    if values.unwrap_or_default().is_empty() {
        return Ok(());
    }
    is_error(reply)
}

proofs! {
    passes on everything();
    warns "missing-argument-refused" on failing_without_argument();
    // Proposes nothing where it does not understand the request.
    warns "malformed-refused" on answering(is_malformed, json!({"completion": {"values": []}}));
    warns "unknown-not-completed" on completing_any_argument();
    // Proposes all that it knows where it does not understand the request.
    catches "malformed-not-completed" on answering(is_malformed, json!({"completion": {"values": ["secret"]}}));
}

/// Answers what matches in this way.
fn answering(wrong: fn(&Value) -> bool, answer: impl Into<Answer>) -> Server {
    let answer = answer.into();
    let rule = given(method("completion/complete")).and(params(satisfying("malformed", wrong)));
    reference_server_with([rule.respond_with(answer)])
}

/// Fails when it reads the name of an argument that does not exist.
fn failing_without_argument() -> Server {
    let nameless = |params: &Value| params.at("/argument/name").is_none();
    answering(nameless, Answer::error(error_code::INTERNAL_ERROR, "no name"))
}

/// Proposes the same values for each argument.
fn completing_any_argument() -> Server {
    let is_unknown = |params: &Value| {
        let name = params.at("/argument/name").and_then(Value::as_str);
        name == Some("no-such-argument-of-mcp-test")
    };
    answering(is_unknown, json!({"completion": {"values": ["a"]}}))
}

fn is_malformed(params: &Value) -> bool {
    let text = |pointer: &str| params.at(pointer).and_then(Value::as_str);
    let is_known = |kind: &str| ["ref/prompt", "ref/resource"].contains(&kind);
    !text("/ref/type").is_some_and(is_known)
        || text("/argument/name").is_none()
        || text("/argument/value").is_none()
}
