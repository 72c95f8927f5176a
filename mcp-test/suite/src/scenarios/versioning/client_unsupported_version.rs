//! `client-unsupported-version`.

use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// The server answers `initialize` with a protocol version that no client speaks. The client should disconnect, with an error or
    /// without one.
    Client "client-unsupported-version": "The client disconnects from a server whose version it does not speak",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    tolerates_failed_exit: true,
    checks: [
        check!("client-disconnects", "The client sends nothing more in a session whose version it does not speak",
            [LIFECYCLE_VERSION_CLIENT_DISCONNECT]),
    ],
}

/// Older than any revision.
const VERSION: &str = "1999-01-01";

fn serve(test: &ClientTest) -> Server {
    server(test).faults([Fault::set("initialize", "/protocolVersion", VERSION)])
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let sessions = judging.sessions();
    if sessions.is_empty() {
        return Err(judging
            .task_not_done("the client never sent `initialize`")
            .expected("`initialize`, which the server answers with a version that no client speaks")
            .got("none in the whole conversation"));
    }
    let later = sessions.iter().flat_map(|session| &session.later);
    let check = judging.check("client-disconnects");
    match later.clone().next() {
        None => check.pass(),
        Some(message) => check.fail(
            Finding::peer("the client went on in a version that it does not speak")
                .expected(format!("no message after the server selected `{VERSION}`"))
                .got(format!("`{}`", message.method()))
                .evidence(message.seq),
        ),
    };
    Ok(())
}

/// Disconnects, and takes the refusal for what it is.
fn disconnects() -> ScriptedClient {
    initialized(false)
}

/// Announces that it is ready, whatever the version.
fn goes_on() -> ScriptedClient {
    initialized(true)
}

fn initialized(goes_on: bool) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        client.request("initialize", client.initialize_params()).await?.result()?;
        if goes_on {
            client.notify("notifications/initialized", json!({})).await;
        }
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on disconnects();
    warns "client-disconnects" on goes_on();
}
