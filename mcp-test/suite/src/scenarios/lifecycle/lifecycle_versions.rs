//! `lifecycle-versions`.

use std::ops::ControlFlow;

use mcp_test_core::client::{Client, RequestOptions};
use mcp_test_core::expect::words::quoted;
use mcp_test_core::scenario::Connected;
use mcp_test_core::server::Rule;
use serde_json::Value;

use super::proposing;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_invalid_params_code, is_error, refused_in_any_way};

scenario! {
    /// To a version that it does not know, the server answers with the newest one that it supports.
    ///
    /// A client of the future connects to servers of today in this way. A server that confirms whatever is proposed leads the
    /// client to believe that it has features which the server has never heard of. That the version is known is shown by a
    /// second proposal. A refusal with a JSON-RPC error is not judged: the examples of the specification have one. A version
    /// that mcp-test does not know may be a draft or a newer one. A client that does not say which version it speaks, what it
    /// can do and who it is has to be refused; a server that guesses is a WARNING.
    Server "lifecycle-versions": "The server negotiates a version that it supports",
    revisions: Revisions::until(Revision::V2025_11_25),
    repeats: OncePerEra,
    checks: [
        check!("unknown-version-alternative", "A version that does not exist is answered with one that does",
            [LIFECYCLE_VERSION_SERVER_ALTERNATIVE, LIFECYCLE_ERROR_CASES_HANDLED_2024, LIFECYCLE_ERROR_CASES_HANDLED])
            .always_fails("a version that does not exist is never right"),
        check!("unknown-version-latest", "The version offered instead is not older than one that the server supports",
            [LIFECYCLE_VERSION_SERVER_LATEST]).conditional(),
        check!("offered-version-accepted",
            "The version that the server offers instead is confirmed when it is proposed",
            [LIFECYCLE_VERSION_SERVER_ECHO]).conditional(),
        check!("version-not-a-string", "A version that is a number is refused with error -32602",
            [JSONRPC_INVALID_PARAMS_ERROR]).fails_or_warns("another error code only warns"),
        check!("initialize-incomplete",
            "`initialize` without a required parameter, or with one of another type, is refused with error -32602",
            [JSONRPC_INVALID_PARAMS_ERROR]).only_warns("a server that guesses what is missing harms no client"),
    ],
}

/// Versions that do not exist: one before the first revision, and one long after this program.
///
/// A server may compare versions as texts, so that it takes only one of them for its own.
const UNKNOWN: [&str; 2] = ["1999-01-01", "2999-12-31"];

/// How long a reply may take on a connection that is not new. A new one decides.
const FIRST_TRY: Duration = Duration::from_secs(3);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut client = ctx.connect_uninitialized(ctx.options()).await?;
    if refuses_incomplete(ctx, &mut client).await.is_break() {
        client.end().await;
        client = ctx.connect_uninitialized(ctx.options()).await?;
    }
    let outcome = propose(&mut client, json!(20_251_125)).await;
    let mut is_used = outcome.as_ref().is_ok_and(|reply| reply.outcome().is_ok());
    let refused = refused_in_any_way(&ctx.trace(), outcome, |reply| {
        // One that offers a version instead treats it as unknown, which does no harm.
        is_error(reply).map_err(Finding::should).and_then(|()| has_invalid_params_code(reply))
    });
    ctx.check("version-not-a-string").judge(refused);
    let mut confirmed = Vec::new();
    for version in UNKNOWN {
        let answer;
        (client, answer) = propose_unknown(ctx, client, version, is_used).await?;
        is_used = answer.as_ref().is_ok_and(|reply| reply.outcome().is_ok());
        let check = ctx.check("unknown-version-alternative");
        let check = check.requires(Requirement::LIFECYCLE_VERSION_SERVER_ALTERNATIVE);
        let (offered, evidence) = match answer.and_then(|reply| alternative(&reply, version)) {
            Ok(Some(alternative)) => alternative,
            Ok(None) => {
                check.info("the server refuses an unknown version instead of offering another");
                continue;
            }
            Err(finding) => {
                check.fail(finding);
                if is_used {
                    continue;
                }
                // Another one would only take as long.
                break;
            }
        };
        check.pass();
        let known = offered.parse::<Revision>().ok();
        let Some(known) = known.filter(|revision| revision.era() == Era::Handshake) else {
            ctx.check("unknown-version-latest").info(format!(
                "the server offers {}, which mcp-test does not speak with a handshake",
                quoted(offered.as_bytes())
            ));
            continue;
        };
        latest(ctx, known, evidence);
        // That of this scenario run is confirmed in all others, and those that the server has spoken before were confirmed.
        let is_confirmed = known == ctx.revision() || ctx.has_spoken(known);
        if !is_confirmed && !confirmed.contains(&known) {
            confirmed.push(known);
        }
    }
    client.end().await;
    for offered in confirmed {
        let mut client = ctx.connect_uninitialized(ctx.options()).await?;
        let reply = propose(&mut client, json!(offered.as_str())).await?;
        client.end().await;
        let confirmed = object().member("protocolVersion", equals(offered.as_str()));
        ctx.check("offered-version-accepted").expect(&reply, confirmed);
    }
    Ok(())
}

/// Sends `initialize` without each of its required parameters; the connection is of no more use after one that was not refused.
async fn refuses_incomplete(ctx: &mut Ctx, client: &mut Client) -> ControlFlow<()> {
    let whole = proposing(&json!(ctx.revision().as_str()), &json!({}));
    let with = |member: &str, value: Option<Value>| {
        let mut params = whole.clone();
        match value {
            Some(value) => params[member] = value,
            None => drop(params.as_object_mut().and_then(|params| params.remove(member))),
        }
        params
    };
    // The version of another type has a check of its own.
    let incomplete = [
        json!({}),
        with("protocolVersion", None),
        with("capabilities", None),
        with("clientInfo", None),
        with("capabilities", Some(json!("mcp-test"))),
        with("clientInfo", Some(json!("mcp-test"))),
        with("clientInfo", Some(json!({"version": "1.0.0"}))),
    ];
    for params in incomplete {
        let options = RequestOptions::new().deliberate().promptly();
        let outcome = client.request_with("initialize", params.clone(), options).await;
        let is_accepted = outcome.as_ref().is_ok_and(|reply| reply.outcome().is_ok());
        let has_reply = outcome.is_ok();
        let refused = refused_in_any_way(&ctx.trace(), outcome, |reply| {
            is_error(reply).map_err(Finding::should).and_then(|()| has_invalid_params_code(reply))
        });
        let check = ctx.check("initialize-incomplete");
        // The next request on a connection of its own shows whether it answers at all.
        if refused.is_err() && !has_reply {
            match client.has_received() {
                true => check.info("`initialize` without what it requires is not answered"),
                // Its program may not have started yet.
                false => check.skip("the server sent nothing"),
            };
            return ControlFlow::Break(());
        }
        let expected = format!("a JSON-RPC error with code -32602 for the parameters {params}");
        check.judge(refused.map_err(|finding| finding.expected(expected)));
        if is_accepted || client.is_closed() {
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}

/// Proposes an unknown version: on the connection that there is, if that is as good as a new one.
async fn propose_unknown(
    ctx: &mut Ctx,
    mut client: Connected,
    version: &str,
    is_used: bool,
) -> Result<(Connected, Result<Reply, Finding>), Finding> {
    if !client.is_closed() && (!is_used || negotiates_again(ctx, &mut client).await) {
        // A failure has to be shown on a new connection: some servers end one on which they have refused an `initialize`.
        let options = RequestOptions::new().deliberate().timeout(FIRST_TRY);
        if let Ok(reply) = propose_with(&mut client, json!(version), options).await {
            let is_shown = match alternative(&reply, version) {
                Ok(Some(_)) => true,
                Ok(None) => !is_used,
                Err(_) => false,
            };
            if is_shown {
                return Ok((client, Ok(reply)));
            }
        }
    }
    client.end().await;
    client = ctx.connect_uninitialized(ctx.options()).await?;
    let answer = propose(&mut client, json!(version)).await;
    Ok((client, answer))
}

/// Whether the server, once initialized, negotiates the version again: it confirms one after another that it supports.
///
/// Then a connection is as good as a new one, for which the program would have to be started.
async fn negotiates_again(ctx: &Ctx, client: &mut Client) -> bool {
    let spoken = || {
        let all = Revision::ALL.into_iter().filter(|it| it.era() == Era::Handshake);
        all.filter(|it| ctx.has_spoken(*it)).map(Revision::as_str)
    };
    if ctx.transport().is_http() || spoken().count() < 2 {
        return false;
    }
    for version in spoken().take(2) {
        let reply = propose(client, json!(version)).await;
        let confirmed = reply.as_ref().ok().and_then(offered);
        if confirmed != Some(version) {
            return false;
        }
    }
    true
}

/// The version in the result of `initialize`.
fn offered(reply: &Reply) -> Option<&str> {
    reply.outcome().ok()?.get("protocolVersion")?.as_str()
}

/// Judges whether a version that is offered is not older than the one that the server is known to support.
fn latest(ctx: &mut Ctx, offered: Revision, evidence: Vec<Seq>) {
    let newest = ctx.revision();
    ctx.check("unknown-version-latest").judge(ensure(offered >= newest, || {
        Finding::peer("the server offers an older version than it supports")
            .expected(format!("{:?}, or a newer version", newest.as_str()))
            .got(format!("{:?}", offered.as_str()))
            .evidence_all(evidence)
            .should()
    }));
}

/// The answer to a proposal.
async fn propose(client: &mut Client, version: Value) -> Result<Reply, Finding> {
    propose_with(client, version, RequestOptions::new().deliberate()).await
}

async fn propose_with(
    client: &mut Client,
    version: Value,
    options: RequestOptions,
) -> Result<Reply, Finding> {
    let params = proposing(&version, &json!({}));
    let reply = client.request_with("initialize", params, options).await;
    // Before the end, which reports errors that nobody has looked at.
    let _any_reply = reply.as_ref().map(Reply::error);
    reply
}

/// The version that is offered for an unknown one, and the events that show it; `None` if the request is refused.
///
/// Any other version is accepted: it may be a draft, or one that is newer than this program.
fn alternative(reply: &Reply, proposed: &str) -> Result<Option<(String, Vec<Seq>)>, Finding> {
    if reply.outcome().is_err() {
        return Ok(None);
    }
    let offered = offered(reply);
    let headline = match offered {
        Some(offered) if offered != proposed => {
            return Ok(Some((offered.to_owned(), reply.evidence())));
        }
        Some(_) => "the server confirms a version that does not exist",
        None => "the server offers no version",
    };
    Err(Finding::peer(headline)
        .expected("the result of `initialize` with a version that the server supports")
        .got(offered.map_or_else(|| "no version".to_owned(), |offered| format!("{offered:?}")))
        .evidence_all(reply.evidence()))
}

proofs! {
    passes on everything();
    warns "initialize-incomplete" by misbehavior(Misbehavior::SkipsClientInfo);
    warns "initialize-incomplete" by answer("initialize", newest());
    // Confirms versions that do not exist.
    catches "unknown-version-alternative" on reference_server_with(UNKNOWN.map(|version| answering(version, version)));
    // Offers the first revision.
    warns "unknown-version-latest" on reference_server_with(UNKNOWN.map(|version| answering(version, "2024-11-05")));
    // Offers a version that it does not support.
    catches "offered-version-accepted" on reference_server_with([answering("2025-11-25", "2025-06-18")]), at V2025_06_18;
    catches "version-not-a-string" by wrong_id("initialize");
    warns "version-not-a-string" by answer("initialize", newest());
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

/// The rule that answers this proposal with this version.
fn answering(proposal: &str, version: &str) -> Rule {
    let is_proposed = param("/protocolVersion", equals(proposal));
    given(method("initialize")).and(is_proposed).respond_with(agreed(version))
}
