//! `client-result-types`.

use crate::scenarios::listing_client::never_listed;
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// The server lists its only tool in a result of an unknown `resultType`, with a cursor for another page.
    ///
    /// A client has to regard the result as invalid. It shows that it uses it nevertheless if it calls the tool, or asks for the next
    /// page. It may report an error and give up.
    Client "client-result-types": "The client uses no result of an unknown `resultType`",
    revisions: Revisions::from(Revision::V2026_07_28),
    tolerates_failed_exit: true,
    checks: [
        check!("client-rejects-unknown-result-type", "The client does not use a result whose `resultType` is unknown",
            [BASE_RESULT_TYPE_UNKNOWN_INVALID]),
    ],
}

/// A tool that only the invalid result has, and the cursor of that result.
const TOOL: &str = "only_in_the_invalid_result";
const CURSOR: &str = "only-in-the-invalid-result";

fn serve(test: &ClientTest) -> Server {
    let unknown = Fault::set("tools/list", "/resultType", "mcp-test/unknown");
    server(test).faults([unknown]).on("tools/list", |call: Call| async move {
        let tool = json!({ "name": TOOL, "inputSchema": { "type": "object" } });
        match call.param("cursor") {
            None => json!({ "tools": [tool], "nextCursor": CURSOR }),
            Some(_) => json!({ "tools": [] }),
        }
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let listed = judging.requests("tools/list");
    if listed.is_empty() {
        return Err(never_listed(judging));
    }
    if judging.spoken().is_some_and(|spoken| spoken.era() == Era::Handshake) {
        judging.skip_checks("the version that the client speaks has no `resultType`");
        return Ok(());
    }
    let mut listed = listed.into_iter();
    let next_page = listed.find(|it| it.params().get("cursor").is_some_and(|it| *it == CURSOR));
    let used = next_page.or_else(|| judging.calls(TOOL).into_iter().next());
    judging.check("client-rejects-unknown-result-type").judge(match used {
        None => Ok(()),
        Some(request) => Err(Finding::peer("the client used a result of an unknown `resultType`")
            .expected("no request with the tool or the cursor of that result")
            .got(format!("`{}` with it", request.method()))
            .evidence(request.seq)),
    });
    Ok(())
}

/// Lists the tools, and sends this request whatever the type of the result is.
fn goes_on_with(method: &'static str, params: fn() -> serde_json::Value) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        client.request(method, params()).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-rejects-unknown-result-type" on goes_on_with("tools/call", || json!({ "name": TOOL }));
    catches "client-rejects-unknown-result-type" on goes_on_with("tools/list", || json!({ "cursor": CURSOR }));
}
