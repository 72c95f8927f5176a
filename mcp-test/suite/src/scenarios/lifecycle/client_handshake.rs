//! `client-handshake`.

use mcp_test_core::client::Client;
use serde_json::Value as Json;

use crate::scenarios::exchange::{exchanged, reply_in_words, result};
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// The server sends a log message and a `ping` before the result of `initialize`, and speaks no other version than that of the
    /// scenario.
    ///
    /// A server may send both before the client is ready. A client that proposes an older version than 2025-11-25, and then goes on in
    /// that version, has not proposed the newest one that it supports.
    Client "client-handshake": "The client proposes its newest version, and takes messages before the handshake has ended",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    checks: [
        check!("client-tolerates-early-messages",
            "The client goes on after a log message and a `ping` before the result of `initialize`",
            [LIFECYCLE_PREINIT_MESSAGES_TOLERATED]),
        check!("client-answers-early-ping",
            "The client answers a `ping` that comes before the result of `initialize`",
            [PING_DURING_INITIALIZATION]),
        check!("client-proposes-newest-version",
            "The client does not go on in a version that is newer than the one it proposes",
            [LIFECYCLE_VERSION_CLIENT_LATEST])
            .within(Revisions::only(Revision::V2025_11_25), "an older version may be the newest that the client supports"),
    ],
}

fn serve(test: &ClientTest) -> Server {
    let log = json!({
        "jsonrpc": "2.0",
        "method": "notifications/message",
        "params": { "level": "info", "data": "one moment" },
    });
    let ping = json!({ "jsonrpc": "2.0", "id": "early-ping", "method": "ping" });
    // Only one version, so that a client which proposes an older one is offered a newer one.
    let server = server(test).revisions(Revisions::only(test.revision));
    server.faults([Fault::stray("initialize", log), Fault::stray("initialize", ping)])
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let Some(initialize) = judging.requests("initialize").into_iter().next() else {
        return Err(judging
            .task_not_done("the client never sent `initialize`")
            .expected("`initialize`, before whose result the server sends a `ping`")
            .got("none in the whole conversation"));
    };
    let revision = judging.revision();
    let proposed = initialize.params().get("protocolVersion").and_then(Value::as_str);
    let proposed: Option<Revision> = proposed.and_then(|version| version.parse().ok());
    let messages = judging.messages();
    let later = messages.iter().filter(|received| received.seq > initialize.seq);
    // A reply has no method.
    let next = later.clone().find(|it| !["", "initialize"].contains(&it.method()));
    let may_leave = proposed != Some(revision);
    if next.is_none() && may_leave {
        judging.tolerate_failed_exit();
    }
    let tolerates = judging.check("client-tolerates-early-messages");
    match next {
        Some(_) => tolerates.pass(),
        None if may_leave => tolerates.skip("the client does not speak the version of the server"),
        None => tolerates.fail(
            Finding::peer("the client stopped before the handshake had ended")
                .expected("`notifications/initialized` after the result of `initialize`")
                .got("no request and no notification after `initialize`")
                .evidence(initialize.seq),
        ),
    };
    let ping = exchanged(judging, "ping");
    let answers = judging.check("client-answers-early-ping");
    match (ping, next) {
        (Some(ping), _) if result(&ping).is_some() => answers.pass(),
        (Some(ping), Some(_)) => answers.fail(
            Finding::peer("the client did not answer a `ping` before the handshake had ended")
                .expected("an empty result")
                .got(reply_in_words(Some(&ping)))
                .evidence(ping.0),
        ),
        _ => answers.skip("the client stopped before the handshake had ended"),
    };
    if judging.makes("client-proposes-newest-version") {
        let newest = judging.check("client-proposes-newest-version");
        match (proposed.filter(|proposed| *proposed < revision), next) {
            (Some(proposed), Some(next)) => newest.fail(
                Finding::peer("the client supports a newer version than it proposes")
                    .expected(format!("the proposal {revision}, in which it goes on"))
                    .got(format!("the proposal {proposed}, and `{}` after it", next.method()))
                    .evidence_all([initialize.seq, next.seq]),
            ),
            _ => newest.pass(),
        };
    }
    Ok(())
}

async fn initialize(client: &mut Client, version: &str) -> mcp_test_core::Result {
    let reply = client.request("initialize", params(version)).await?;
    client.adopt_revision(&reply);
    reply.result()?;
    Ok(())
}

fn params(version: &str) -> Json {
    let info = json!({ "name": "hasty-client", "version": "1.0.0" });
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": info })
}

/// Leaves when the log message arrives.
fn leaves_at_a_log_message() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        let _initialize = client.start("initialize", params(task.revision().as_str())).await;
        client.wait_for_notification("notifications/message").await?;
        client.end().await;
        Ok(())
    })
}

/// Proposes an older version, and goes on in the one that the server speaks.
fn proposes_an_older_version() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        initialize(&mut client, Revision::V2025_03_26.as_str()).await?;
        client.notify("notifications/initialized", json!({})).await;
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-tolerates-early-messages" on leaves_at_a_log_message();
    catches "client-answers-early-ping" by never("ping");
    catches "client-answers-early-ping" by reply_error("ping", -32601);
    warns "client-proposes-newest-version" on proposes_an_older_version();
}
