//! `server-exit`, for clients.

use std::future::pending;

use mcp_test_core::server::steps;

use crate::scenarios::listing_client::crashed_or_hung;
use crate::scenarios::prelude::*;

scenario! {
    /// The server closes its output and exits instead of answering `tools/list`, once. The client has to notice that its
    /// request will never be answered: it may fail, or start the server again, but it may neither wait for ever nor crash.
    ///
    /// Over HTTP a server has no output that it could close for good.
    Client "server-exit": "The client notices that the server has exited",
    revisions: Revisions::all(),
    transports: Only[Stdio, Duplex],
    tolerates_failed_exit: true,
    checks: [
        check!("client-notices-server-exit", "The client ends although its request is not answered",
            [TRANSPORT_STDIO_SERVER_EXIT_TOLERATED]),
    ],
}

fn serve(test: &ClientTest) -> Server {
    let server = Server::new(json!({ "name": "server-exit-server", "version": "1.0.0" }))
        .revisions(Revisions::until(test.revision))
        .capabilities(json!({ "tools": {} }))
        .on("tools/list", |_: Call| async { json!({ "tools": [] }) });
    // Once, so that a client which starts the server again can go on.
    let exit = given(method("tools/list")).respond_with(steps().close()).up_to_n_times(1);
    server.mount(exit);
    server
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let requests = judging.requests("tools/list");
    let Some(request) = requests.first() else {
        return Err(judging
            .task_not_done("the client never sent the request at which the server exits")
            .expected("`tools/list`")
            .got("no `tools/list` in the whole conversation"));
    };
    let noticed = crashed_or_hung(judging).map_or(Ok(()), |got| {
        Err(Finding::peer("the client did not cope with a server that exits")
            .expected("the end of the client, with or without an error, after the output of the server has ended")
            .got(got)
            .evidence(request.seq))
    });
    judging.check("client-notices-server-exit").judge(noticed);
    Ok(())
}

/// Waits for ever when its request is not answered.
fn waiting() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        match client.request("tools/list", json!({})).await {
            Ok(_) => Ok(()),
            Err(_) => pending().await,
        }
    })
}

proofs! {
    passes on good_client();
    catches "client-notices-server-exit" on waiting(), over Duplex, timeout 1;
}
