//! `versioning-supported`.

use mcp_test_core::client::Options;

use crate::scenarios::prelude::*;

scenario! {
    /// Each version that `server/discover` names works.
    ///
    /// A client takes the list at its word when it chooses a version. A version with a handshake is tried with `initialize`,
    /// where requests without `_meta` are served then; one is enough of those that the server has spoken before the scenarios.
    /// Versions that mcp-test does not know, such as drafts, are not tried.
    Server "versioning-supported": "The versions that the server names work",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("supported-version-works", "A conversation at each version that the server names succeeds",
            [VERSIONING_SUPPORTED_LIST_ACCURATE, DISCOVER_SUPPORTED_VERSIONS_TRUTHFUL]).conditional(),
        check!("era-by-opening", "After `initialize`, requests without `_meta` are served",
            [VERSIONING_DUAL_ERA_BY_OPENING]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.discover().await?;
    let Ok(result) = reply.outcome() else { return Ok(()) };
    let versions = result.get("supportedVersions").and_then(Value::as_array).unwrap_or_default();
    let known = versions.iter().filter_map(|version| version.as_str()?.parse::<Revision>().ok());
    let known: Vec<Revision> = known.collect();
    let mut is_era_judged = false;
    for revision in known {
        // The stateless one is that of the list itself.
        let needs_handshake = revision.era() == Era::Handshake;
        if needs_handshake && !(is_era_judged && ctx.has_spoken(revision)) {
            is_era_judged |= handshake(ctx, revision).await;
        } else {
            ctx.check("supported-version-works").pass();
        }
    }
    Ok(())
}

/// Tries a revision with a handshake; returns whether it was agreed on.
async fn handshake(ctx: &mut Ctx, revision: Revision) -> bool {
    let same = ctx.options();
    let options = Options::speaking(revision).timeout(same.timeout).until(same.until);
    let connected = ctx.connect(options).await;
    let mut client = match connected {
        Ok(client) => client,
        Err(finding) => {
            let finding =
                Finding::peer(format!("the server names MCP {revision}, but does not speak it"))
                    .expected(format!("`initialize` to agree on {:?}", revision.as_str()))
                    .got(finding.headline.clone())
                    .evidence_all(finding.evidence.iter().copied());
            ctx.check("supported-version-works").fail(finding);
            return false;
        }
    };
    ctx.check("supported-version-works").pass();
    let reply = client.request("ping", json!({})).await;
    let served = reply.and_then(|reply| reply.result().map(drop));
    client.end().await;
    ctx.check("era-by-opening").judge(served);
    true
}

proofs! {
    passes on everything();
    catches "supported-version-works" by reply_error("initialize", -32602);
    catches "era-by-opening" by reply_error("ping", -32602);
}
