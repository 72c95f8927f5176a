//! `versioning-initialize`.

use mcp_test_core::client::{Options, RequestOptions};

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::is_error;

scenario! {
    /// A server without the handshake refuses `initialize` with an error that names its versions.
    ///
    /// An older client shows its user this error, so that it should say which version is missing. A server that also speaks
    /// versions with a handshake has nothing to refuse. A server that answers with a result that it does not stand by leaves
    /// the client with a session that does not exist.
    Server "versioning-initialize": "`initialize` is refused where there is no handshake",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("initialize-refused", "A server that names no version with a handshake refuses `initialize`",
            [VERSIONING_LEGACY_INITIALIZE_REJECTED]).conditional(),
        check!("initialize-error-names-versions", "The error names a version that the server supports",
            [VERSIONING_LEGACY_INITIALIZE_ERROR_NAMES_VERSIONS]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let discovered = ctx.discover().await?;
    let Ok(result) = discovered.outcome() else { return Ok(()) };
    let versions = result.get("supportedVersions").and_then(Value::as_array).unwrap_or_default();
    let versions: Vec<String> =
        versions.iter().filter_map(|version| Some(version.as_str()?.to_owned())).collect();
    let is_of_handshake = |version: &String| {
        version.parse::<Revision>().is_ok_and(|revision| revision.era() == Era::Handshake)
    };
    if versions.is_empty() || versions.iter().any(is_of_handshake) {
        ctx.check("initialize-refused").info("the server names versions with a handshake as well");
        return Ok(());
    }
    let same = ctx.options();
    let legacy =
        Options::speaking(Revision::NEWEST_HANDSHAKE).timeout(same.timeout).until(same.until);
    let mut client = ctx.connect_uninitialized(legacy).await?;
    let params = json!({
        "protocolVersion": Revision::NEWEST_HANDSHAKE.as_str(),
        "capabilities": {},
        "clientInfo": {"name": "mcp-test", "version": env!("CARGO_PKG_VERSION")},
    });
    let reply = client.request_with("initialize", params, RequestOptions::new()).await;
    // Before the end, which reports errors that nobody has looked at.
    let is_accepted = reply.as_ref().is_ok_and(|reply| reply.error().is_none());
    let ping = match is_accepted {
        true => Some(client.request("ping", json!({})).await.and_then(|it| it.result().map(drop))),
        false => None,
    };
    client.end().await;
    if matches!(ping, Some(Ok(()))) {
        // It need not name these versions, but it has them.
        ctx.check("initialize-refused").info("the server has a handshake, which it stands by");
        return Ok(());
    }
    // A slow start cannot be told apart from silence.
    let reply = reply?;
    ctx.check("initialize-refused").judge(is_error(&reply));
    if let Some(error) = reply.error() {
        let data = error.data.as_ref().map(Value::to_string).unwrap_or_default();
        let names = |version: &String| error.message.contains(version) || data.contains(version);
        let outcome = ensure(versions.iter().any(names), || {
            Finding::peer("the refusal of `initialize` does not name a supported version")
                .expected(format!("one of {versions:?} in the message or the data"))
                .got(error.to_string())
                .evidence_all(reply.evidence())
                .should()
        });
        ctx.check("initialize-error-names-versions").judge(outcome);
    }
    Ok(())
}

proofs! {
    // The reference server without the versions that have a handshake.
    passes on everything().revisions(Revisions::from(Revision::V2026_07_28));
    catches "initialize-refused" by answer("initialize", legacy_result());
    warns "initialize-error-names-versions" by reply_error("initialize", -32601);
}

/// A result that the server does not stand by.
fn legacy_result() -> serde_json::Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "confused", "version": "1.0.0"},
    })
}
