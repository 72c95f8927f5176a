//! `base-invalid-messages`.

use super::invalid_message::{InvalidMessages, Reaction, did_not_answer, put_ending_last};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{refused, refused_in_any_way};

scenario! {
    /// Text that is not JSON, and JSON that is not a request, are answered with errors, and the connection goes on.
    ///
    /// Whoever sends such a message learns from the error what is wrong; otherwise a request seems to be lost. The ids may
    /// be unreadable, so that the errors need none. Over lines a server that has answered two later requests is taken to
    /// leave a message unanswered.
    Server "base-invalid-messages": "What is not a message is refused",
    revisions: Revisions::all(),
    later_runs_wait: true,
    shares_connection: Revisions::all(),
    checks: [
        check!("parse-error", "Text that is not JSON is answered with error -32700",
            [JSONRPC_PARSE_ERROR]),
        check!("invalid-request-error", "A request whose `method` is a number is answered with error -32600",
            [JSONRPC_INVALID_REQUEST_ERROR]),
        check!("request-without-version", "A request without `jsonrpc` is answered with error -32600",
            [JSONRPC_INVALID_REQUEST_ERROR]),
        check!("usable-after-invalid-messages", "The server answers requests after each of these messages",
            [JSONRPC_PARSE_ERROR, JSONRPC_INVALID_REQUEST_ERROR]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let known = always_answered(ctx.revision());
    let mut messages = [
        (
            "parse-error",
            "p1",
            r#"{"jsonrpc":"2.0","id":"p1","method":"#.to_owned(),
            error_code::PARSE_ERROR,
        ),
        (
            "invalid-request-error",
            "p2",
            json!({"jsonrpc": "2.0", "id": "p2", "method": 7}).to_string(),
            error_code::INVALID_REQUEST,
        ),
        (
            "request-without-version",
            "p3",
            json!({"id": "p3", "method": known}).to_string(),
            error_code::INVALID_REQUEST,
        ),
    ];
    put_ending_last(ctx, &mut messages, |(check, ..)| check);
    let mut connection = InvalidMessages::default();
    for (check, id, text, code) in messages {
        let Some(reaction) = connection.send(ctx, check, Id::from(id), text).await? else {
            ctx.skip_without_server();
            return Ok(());
        };
        match reaction {
            Reaction::Unusable(finding) => {
                let requirement = match check {
                    "parse-error" => Requirement::JSONRPC_PARSE_ERROR,
                    _ => Requirement::JSONRPC_INVALID_REQUEST_ERROR,
                };
                let usable = ctx.check("usable-after-invalid-messages");
                usable.requires(requirement).fail(finding.should());
                ctx.check(check).skip("the server does not answer any more");
            }
            Reaction::NotSent(revision) => {
                ctx.check(check).skip(did_not_answer(revision));
            }
            // Until then no valid error lacks the id, and nothing else may be written.
            Reaction::Ignored(_)
                if check == "parse-error" && !ctx.revision().has_errors_without_id() =>
            {
                ctx.check(check).info("not answered, since errors have ids at this revision");
            }
            Reaction::Ignored(sent) => {
                ctx.check(check).fail(
                    Finding::peer("an invalid message was not answered")
                        .expected(format!("an error with code {code}"))
                        .got("nothing before the replies to two later requests")
                        .evidence(sent)
                        .should(),
                );
            }
            Reaction::Reply(reply) => {
                let outcome = refused_in_any_way(&ctx.trace(), reply, |reply| refused(reply, code));
                ctx.check(check).judge(outcome.map_err(Finding::should));
            }
        }
    }
    if let Some(usable) = connection.is_usable(ctx).await? {
        ctx.check("usable-after-invalid-messages").judge(usable);
    }
    Ok(())
}

proofs! {
    passes on everything();
    warns "parse-error" by misbehavior(Misbehavior::VagueRefusal);
    warns "invalid-request-error" by misbehavior(Misbehavior::VagueRefusal);
    warns "request-without-version" by misbehavior(Misbehavior::VagueRefusal);
    warns "usable-after-invalid-messages" by misbehavior(Misbehavior::ExitsAtInvalidText), at V2025_11_25;
    // Closes the connection after a message that it cannot read.
    warns "usable-after-invalid-messages"
        on reference_server_with([given(method("ping")).respond_with(Answer::close())]), at V2025_11_25;
}
