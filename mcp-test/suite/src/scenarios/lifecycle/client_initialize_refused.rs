//! `client-initialize-refused`.

use std::future::pending;

use crate::scenarios::listing_client::crashed_or_hung;
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// The server refuses `initialize` with an error that has `data`: an array with a value of each JSON type. The client may end with
    /// an error, but it may neither wait for ever nor crash.
    ///
    /// A server that never answers `initialize` shows nothing: no time is named after which a client has to give up.
    Client "client-initialize-refused": "The client copes with a server that refuses `initialize`",
    revisions: Revisions::until(Revision::V2025_11_25),
    tolerates_failed_exit: true,
    checks: [
        check!("client-copes-with-refusal",
            "The client ends after `initialize` was refused with an error that has data",
            [JSONRPC_ERROR_DATA_TOLERATED, LIFECYCLE_ERROR_CASES_HANDLED, LIFECYCLE_ERROR_CASES_HANDLED_2024])
            .always_fails("a client that crashes or waits breaks each of them"),
    ],
}

fn serve(test: &ClientTest) -> Server {
    server(test).on("initialize", |_: Call| async {
        let data = json!(["text", 1.5, true, null, [[]], { "nested": { "reason": null } }]);
        Answer::from(RpcError::new(error_code::INVALID_PARAMS, "not today").with_data(data))
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let requests = judging.requests("initialize");
    let Some(request) = requests.first() else {
        return Err(judging
            .task_not_done("the client never sent `initialize`")
            .expected("`initialize`, which the server refuses")
            .got("none in the whole conversation"));
    };
    let ended = crashed_or_hung(judging);
    let error_cases = Requirement::first_at(
        judging.revision(),
        &[
            Requirement::LIFECYCLE_ERROR_CASES_HANDLED_2024,
            Requirement::LIFECYCLE_ERROR_CASES_HANDLED,
        ],
    );
    let check = judging.check("client-copes-with-refusal");
    match ended {
        None => check.pass(),
        // It does not wait, and nothing says when it has to give up.
        Some(_) if requests.len() > 1 => {
            check.skip("the client sends `initialize` again and again")
        }
        Some(got) => check.fail(
            Finding::peer("the client did not cope with the refusal of `initialize`")
                .expected("the end of the client, with or without an error, after the refusal")
                .got(got)
                .requires(Requirement::JSONRPC_ERROR_DATA_TOLERATED)
                .requires(error_cases)
                .evidence(request.seq),
        ),
    };
    Ok(())
}

/// Waits for ever when `initialize` is refused.
fn waiting() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        match task.connect(task.options()).await {
            Ok(_) => Ok(()),
            Err(_) => pending().await,
        }
    })
}

proofs! {
    passes on good_client();
    catches "client-copes-with-refusal" on waiting(), timeout 1;
    catches "client-copes-with-refusal" on waiting(), at V2024_11_05, over Duplex, timeout 1;
}
