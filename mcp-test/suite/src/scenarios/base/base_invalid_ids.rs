//! `base-invalid-ids`.

use mcp_test_core::json;
use mcp_test_core::trace::Event;
use serde_json::Value;

use super::invalid_message::{InvalidMessages, Reaction, did_not_answer, put_ending_last};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http;

scenario! {
    /// Requests whose ids MCP does not allow are not served, and no id is replaced by another one.
    ///
    /// An id is a string or a whole number. A client that sends another one has made a mistake, which a result hides; a result whose id is `null` also
    /// looks like the answer to a message that could not be read. JSON-RPC allows fractions, so that a server may serve such a request; but a reply
    /// under the number without its fraction belongs to another request. Any error is accepted, with and without an id, and so is silence.
    Server "base-invalid-ids": "Requests with invalid ids are not served",
    revisions: Revisions::all(),
    repeats: OncePerEra,
    later_runs_wait: true,
    shares_connection: Revisions::all(),
    checks: [
        check!("null-id", "A request whose id is `null` is not served",
            [JSONRPC_INVALID_REQUEST_ERROR]),
        check!("structured-id", "A request whose id is an object, an array or a boolean is not served",
            [JSONRPC_INVALID_REQUEST_ERROR]),
        check!("fractional-id", "A request whose id is a fraction is not answered under another id",
            [JSONRPC_RESULT_ID_ECHO, JSONRPC_ERROR_ID_ECHO]),
        check!("usable-after-invalid-ids", "The server answers requests after each of these",
            [JSONRPC_INVALID_REQUEST_ERROR]),
    ],
}

/// Neither the whole number below it nor the one above is the id of another request.
const FRACTION: f64 = 7101.5;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let ids = [
        ("null-id", Value::Null),
        ("structured-id", json!({})),
        ("structured-id", json!(["mcp-test"])),
        ("structured-id", json!(true)),
        ("fractional-id", json!(FRACTION)),
    ];
    let mut requests = ids.map(|(check, id)| (check, format!("a request with the id {id}"), id));
    put_ending_last(ctx, &mut requests, |(_, kind, _)| kind);
    let mut connection = InvalidMessages::default();
    let mut is_any_type_served = false;
    for (check, kind, id) in requests {
        // A server that serves one of them, or ends at it, does not look at the type.
        if check == "structured-id" && is_any_type_served {
            continue;
        }
        let known = always_answered(ctx.revision());
        let mut request = raw_http::request(ctx.revision(), 0, known, json!({}));
        request["id"] = id.clone();
        let before = ctx.fence(format!("before {kind}")).await?;
        // The client only has to know of an open request: what answers it is found in the trace.
        let own = Id::read(&id.clone().into()).unwrap_or(Id::Null);
        let Some(reaction) = connection.send(ctx, &kind, own, request.to_string()).await? else {
            ctx.skip_without_server();
            return Ok(());
        };
        if let Reaction::Reply(Ok(reply)) = &reaction {
            let _any_error = reply.error();
        }
        let reason = match reaction {
            Reaction::Unusable(finding) => {
                ctx.check("usable-after-invalid-ids").fail(finding.should());
                Some("the server does not answer any more".to_owned())
            }
            Reaction::NotSent(revision) => Some(did_not_answer(revision)),
            _ => None,
        };
        if let Some(reason) = reason {
            ctx.check(check).skip(reason);
            is_any_type_served |= check == "structured-id";
            continue;
        }
        let outcome = match check {
            "fractional-id" => keeps_fraction(&ctx.trace(), before),
            _ => is_not_served(&ctx.trace(), before, &id),
        };
        is_any_type_served |= check == "structured-id" && outcome.is_err();
        ctx.check(check).judge(outcome);
    }
    if let Some(usable) = connection.is_usable(ctx).await? {
        ctx.check("usable-after-invalid-ids").judge(usable);
    }
    Ok(())
}

/// A reply of the server, whose id may be of any type.
struct UntypedReply {
    seq: Seq,
    id: Option<json::Value>,
    is_result: bool,
    text: String,
}

impl UntypedReply {
    /// Whether no valid request can have this id, or there is none.
    fn has_invalid_id(&self) -> bool {
        self.id.as_ref().and_then(Id::read).is_none_or(|id| id == Id::Null)
    }
}

/// The event of the first message of the client after this event.
fn sent(trace: &Trace, since: Seq) -> Option<Seq> {
    let is_sent = |event: &&Event| {
        event.party == Party::Client && matches!(event.kind, EventKind::Message { .. })
    };
    trace.since(since).iter().find(is_sent).map(|event| event.seq)
}

/// The replies after this event; those to earlier requests may be late.
fn replies(trace: &Trace, since: Seq) -> impl Iterator<Item = UntypedReply> {
    trace.since(since).iter().filter(|event| event.party == Party::Server).filter_map(|event| {
        let EventKind::Message { parsed, .. } = &event.kind else { return None };
        let value = parsed.value().filter(|value| value.get("method").is_none())?;
        let (id, is_result) = (value.get("id").cloned(), value.get("result").is_some());
        let is_reply = is_result || value.get("error").is_some();
        is_reply.then(|| UntypedReply { seq: event.seq, id, is_result, text: value.short(120) })
    })
}

/// That no result answers a request with an invalid id.
fn is_not_served(trace: &Trace, since: Seq, id: &Value) -> Result<(), Finding> {
    let served = replies(trace, since).find(|reply| reply.is_result && reply.has_invalid_id());
    served.map_or(Ok(()), |reply| {
        Err(Finding::peer("a request whose id is not valid was served")
            .expected(format!("an error, since the id is {id}"))
            .got(reply.text)
            .evidence_all(sent(trace, since))
            .evidence(reply.seq)
            .should())
    })
}

/// That what answers a request whose id is a fraction has this id, or none if it is an error.
fn keeps_fraction(trace: &Trace, since: Seq) -> Result<(), Finding> {
    // Truncated, rounded, and as a string; one without an id may be a late reply to a request before.
    let whole = [FRACTION.floor(), FRACTION.ceil()].map(json::Value::from);
    let text = json::Value::from(FRACTION.to_string().as_str());
    let is_other = |reply: &UntypedReply| {
        reply.id.as_ref().is_some_and(|id| whole.contains(id) || *id == text)
    };
    let Some(reply) = replies(trace, since).find(is_other) else { return Ok(()) };
    let requirement = match reply.is_result {
        true => Requirement::JSONRPC_RESULT_ID_ECHO,
        false => Requirement::JSONRPC_ERROR_ID_ECHO,
    };
    Err(Finding::peer("a request whose id is a fraction was answered under another id")
        .expected(format!("an error without an id, or a response with id {FRACTION}"))
        .got(reply.text)
        .requires(requirement)
        // As for any reply with another id.
        .caused_by(Cause::for_requirement(requirement))
        .evidence_all(sent(trace, since))
        .evidence(reply.seq))
}

proofs! {
    passes on everything();
    warns "null-id" by misbehavior(Misbehavior::ServesAnyId);
    warns "structured-id" by misbehavior(Misbehavior::ServesAnyId);
    warns "structured-id" by misbehavior(Misbehavior::ServesAnyId), over Router;
    catches "fractional-id" by misbehavior(Misbehavior::TruncatesIds);
    catches "fractional-id" by misbehavior(Misbehavior::TruncatesIds), over Router;
    // Closes the connection after a message that it cannot read.
    warns "usable-after-invalid-ids"
        on reference_server_with([given(method("ping")).respond_with(Answer::close())]), at V2025_11_25;
}
