//! `lifecycle-versions`.

use serde_json::{Value, json};

use super::proposing;
use crate::check::Finding;
use crate::client::{Reply, RequestOptions};
use crate::expect::equals;
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::refusal::{has_code, is_error, refused_in_any_way};
use crate::scenarios::{ensure, everything_but};
use crate::server::reference::everything;
use crate::server::{Server, given, method, param};
use crate::spec::{Era, Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// To a version that it does not know, the server answers with the newest one that it supports.
    ///
    /// A client of the future connects to servers of today in this way. A server that confirms whatever is proposed leads the
    /// client to believe that it has features which the server has never heard of. That the version is known is shown by a
    /// second proposal. Each proposal is made on a connection of its own. A refusal with a JSON-RPC error is not judged: the
    /// examples of the specification have one.
    Server "lifecycle-versions": "The server negotiates a version that it supports",
    revisions: Revisions::until(Revision::V2025_11_25),
    checks: [
        CheckSpec::own(
            "unknown-version-alternative",
            "UnknownVersionAlternative",
            "A version that does not exist is answered with one that does",
        )
        .requires(&[
            "lifecycle.version-server-alternative",
            "lifecycle.error-cases-handled-2024",
            "lifecycle.error-cases-handled",
        ]),
        CheckSpec::own(
            "unknown-version-latest",
            "UnknownVersionLatest",
            "The version offered instead is not older than one that the server supports",
        )
        .requires(&["lifecycle.version-server-latest"])
        .conditional()
        .warns(),
        CheckSpec::own(
            "offered-version-accepted",
            "OfferedVersionAccepted",
            "The version that the server offers instead is confirmed when it is proposed",
        )
        .requires(&["lifecycle.version-server-echo"])
        .conditional(),
        CheckSpec::own(
            "version-not-a-string",
            "VersionNotAString",
            "A version that is a number is refused with error -32602",
        )
        .requires(&["jsonrpc.invalid-params-error"]),
    ],
}

/// Versions that do not exist: before the first revision, and long after this program.
const UNKNOWN: [&str; 2] = ["1999-01-01", "2999-12-31"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut offered = None;
    for version in UNKNOWN {
        let answer = propose(ctx, &json!(version)).await;
        let outcome = answer.and_then(|reply| alternative(&reply));
        if let Ok(Some((revision, evidence))) = &outcome {
            offered = Some(*revision);
            let is_latest = *revision >= ctx.revision();
            let newest = ctx.revision();
            ctx.check("unknown-version-latest").judge(ensure(is_latest, || {
                Finding::peer("the server offers an older version than it supports")
                    .expected(format!("{:?}, or a newer version", newest.as_str()))
                    .got(format!("{:?}", revision.as_str()))
                    .evidence_all(evidence.iter().copied())
                    .should()
            }));
        }
        match outcome {
            Ok(None) => drop(ctx.check("unknown-version-alternative").info(REFUSED)),
            Ok(Some(_)) => drop(ctx.check("unknown-version-alternative").pass()),
            Err(finding) => {
                let check = ctx.check("unknown-version-alternative");
                drop(check.requires("lifecycle.version-server-alternative").fail(finding));
            }
        }
    }
    if let Some(revision) = offered {
        let reply = propose(ctx, &json!(revision.as_str())).await?;
        let confirmed =
            crate::expect::object().member("protocolVersion", equals(revision.as_str()));
        ctx.check("offered-version-accepted").expect(&reply, confirmed);
    }
    let outcome = number(ctx).await;
    let refused = refused_in_any_way(&ctx.trace(), outcome, |reply| {
        is_error(reply).and_then(|()| has_code(reply, error_code::INVALID_PARAMS))
    });
    ctx.check("version-not-a-string").judge(refused);
    Ok(())
}

/// Why nothing is judged.
const REFUSED: &str = "the server refuses an unknown version instead of offering another";

/// The answer to a proposal on a new connection, which is closed then.
async fn propose(ctx: &mut Ctx, version: &Value) -> Result<Reply, Finding> {
    let mut client = ctx.connect_uninitialized(ctx.options()).await?;
    let options = RequestOptions::new().deliberate();
    let params = proposing(version, &json!({}));
    let reply = client.request_with("initialize", params, options).await;
    // Before the end, which reports errors that nobody has looked at.
    let _any_reply = reply.as_ref().map(Reply::error);
    client.end().await;
    reply
}

/// The answer to a version that is a number.
async fn number(ctx: &mut Ctx) -> Result<Reply, Finding> {
    let mut client = ctx.connect_uninitialized(ctx.options()).await?;
    let options = RequestOptions::new().deliberate();
    let params = proposing(&json!(20_251_125), &json!({}));
    let pending = client.start_with("initialize", params, options).await;
    // Two later replies show where each message is a line that none comes, without a time-out.
    for _ in 0..2 {
        if ctx.transport().is_lines()
            && let Ok(reply) = client.request("ping", json!({})).await
        {
            let _any_reply = reply.error();
        }
    }
    let reply = match ctx.transport().is_lines() && client.is_pending(&pending) {
        true => Err(Finding::peer("`initialize` was not answered")
            .expected("an error")
            .got("only the replies to two later requests")
            .requires("jsonrpc.invalid-params-error")
            .evidence(pending.sent().seq)),
        false => client.wait(pending).await,
    };
    let _any_reply = reply.as_ref().map(Reply::error);
    client.end().await;
    reply
}

/// The version that is offered for an unknown one, and the events that show it; `None` if the request is refused.
fn alternative(reply: &Reply) -> Result<Option<(Revision, Vec<crate::trace::Seq>)>, Finding> {
    let Ok(result) = reply.outcome() else { return Ok(None) };
    let offered = result.get("protocolVersion").and_then(crate::json::Value::as_str);
    let revision = offered.and_then(|offered| offered.parse::<Revision>().ok());
    match revision.filter(|revision| revision.era() == Era::Handshake) {
        Some(revision) => Ok(Some((revision, reply.evidence()))),
        None => Err(Finding::peer("the server confirms a version that does not exist")
            .expected("the result of `initialize` with a version that the server supports")
            .got(offered.map_or_else(|| "no version".to_owned(), |offered| format!("{offered:?}")))
            .evidence_all(reply.evidence())),
    }
}

proofs! {
    passes on everything();
    catches "unknown-version-alternative" on confirming_any_version();
    warns "unknown-version-latest" on offering_its_oldest_version();
    catches "offered-version-accepted" on not_confirming_its_offer();
    catches "version-not-a-string" by answer("initialize", newest());
}

/// A result of `initialize` with this version.
fn agreed(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "confused", "version": "1.0.0"},
    })
}

/// What a server answers that does not look at the version.
fn newest() -> Value {
    agreed("2025-11-25")
}

/// A server that answers this proposal with this version.
fn answering(proposal: &str, version: &str) -> Server {
    let is_proposed = param("/protocolVersion", equals(proposal));
    let rule = given(method("initialize")).and(is_proposed).respond_with(agreed(version));
    everything_but([rule])
}

/// Confirms a version that does not exist.
fn confirming_any_version() -> Server {
    answering(UNKNOWN[0], UNKNOWN[0])
}

/// Offers the first revision.
fn offering_its_oldest_version() -> Server {
    answering(UNKNOWN[0], "2024-11-05")
}

/// Offers a version that it does not support.
fn not_confirming_its_offer() -> Server {
    answering("2025-11-25", "2025-06-18")
}
