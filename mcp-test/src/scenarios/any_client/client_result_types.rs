//! `client-result-types`.

use serde_json::json;

use super::{never_listed, server};
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::client::{ClientTask, ScriptedClient};
use crate::json::Value;
use crate::scenario::{CheckSpec, ClientTest, Judging, ReceivedMessage};
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// The server lists its tools on pages: the first one is an ordinary result, the second one has no `resultType`, and the third one
    /// has a `resultType` that does not exist.
    ///
    /// Each page has a cursor, and a client shows that it uses a page by asking for the one after it. It must read a result without a
    /// type as a complete one, and regard one of an unknown type as invalid. A client that asks for the first page only shows neither.
    Client "client-result-types": "The client reads results by their `resultType`",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        CheckSpec::own(
            "client-reads-result-without-type",
            "ClientReadsResultWithoutType",
            "The client uses a result that has no `resultType`",
        )
        .requires(&["base.result-type-absent-complete"]),
        CheckSpec::own(
            "client-rejects-unknown-result-type",
            "ClientRejectsUnknownResultType",
            "The client does not use a result whose `resultType` is unknown",
        )
        .requires(&["base.result-type-unknown-invalid"]),
    ],
}

/// The cursors after the ordinary page, after the one without a type, and after the one of an unknown type.
const AFTER_TYPED: &str = "after-typed";
const AFTER_UNTYPED: &str = "after-untyped";
const AFTER_UNKNOWN: &str = "after-unknown";

fn serve(test: &ClientTest) -> Server {
    server(test).on("tools/list", |call: Call| async move { page(&call).await })
}

async fn page(call: &Call) -> Answer {
    let tools = json!([{ "name": "add", "inputSchema": { "type": "object" } }]);
    let mut page = json!({ "tools": tools, "ttlMs": 0, "cacheScope": "private" });
    match call.param("cursor").map(Value::as_str) {
        None => {
            page["nextCursor"] = AFTER_TYPED.into();
            page.into()
        }
        Some(Some(AFTER_TYPED)) => {
            page["nextCursor"] = AFTER_UNTYPED.into();
            call.reply_exactly(page).await
        }
        Some(Some(AFTER_UNTYPED)) => {
            page["nextCursor"] = AFTER_UNKNOWN.into();
            page["resultType"] = "mcp-test/unknown".into();
            call.reply_exactly(page).await
        }
        Some(Some(AFTER_UNKNOWN)) => page.into(),
        Some(_) => Answer::error(error_code::INVALID_PARAMS, "this cursor was not issued"),
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let requests = judging.requests("tools/list");
    if requests.is_empty() {
        return Err(never_listed(judging));
    }
    // A client that reports the invalid page as an error is right, and may give up its task.
    judging.may_give_up();
    let asked = |cursor: &str| -> Option<&ReceivedMessage> {
        requests.iter().find(|it| it.params().get("cursor") == Some(&Value::from(cursor)))
    };
    let reads = judging.check("client-reads-result-without-type");
    match (asked(AFTER_TYPED), asked(AFTER_UNTYPED)) {
        (None, _) => reads.skip("the client asked for the first page only"),
        (Some(_), Some(_)) => reads.pass(),
        (Some(request), None) => reads.fail(
            Finding::peer("the client did not use a result without `resultType`")
                .expected(format!("`tools/list` with the cursor {AFTER_UNTYPED:?}"))
                .got("no request after the page without `resultType`")
                .evidence(request.seq),
        ),
    };
    let rejects = judging.check("client-rejects-unknown-result-type");
    match (asked(AFTER_UNTYPED), asked(AFTER_UNKNOWN)) {
        (None, _) => rejects.skip("the client did not ask for the page of an unknown type"),
        (Some(_), None) => rejects.pass(),
        (Some(_), Some(request)) => rejects.fail(
            Finding::peer("the client used a result of an unknown `resultType`")
                .expected("no request with the cursor of that result")
                .got(format!("`tools/list` with the cursor {AFTER_UNKNOWN:?}"))
                .evidence(request.seq),
        ),
    };
    Ok(())
}

/// Lists the tools page by page as long as `uses` accepts the `resultType` of a page.
fn listing(uses: fn(Option<&str>) -> bool) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let mut params = json!({});
        for _ in 0..4 {
            let page = client.request("tools/list", params).await?;
            let Ok(page) = page.outcome() else { break };
            let kind = page.get("resultType").and_then(Value::as_str);
            let Some(cursor) = page.get("nextCursor").filter(|_| uses(kind)) else { break };
            params = json!({ "cursor": cursor.to_serde() });
        }
        client.end().await;
        Ok(())
    })
}

fn requires_a_type() -> ScriptedClient {
    listing(|kind| kind == Some("complete"))
}

fn uses_every_result() -> ScriptedClient {
    listing(|_| true)
}

proofs! {
    passes on good_client();
    catches "client-reads-result-without-type" on requires_a_type(),
        also "client-rejects-unknown-result-type" Skipped;
    catches "client-rejects-unknown-result-type" on uses_every_result();
}
