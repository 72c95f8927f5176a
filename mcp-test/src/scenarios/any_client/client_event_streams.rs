//! `client-event-streams`.

use serde_json::json;

use super::{never_listed, server};
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::client::{ClientTask, ScriptedClient};
use crate::json::Value;
use crate::scenario::{CheckSpec, ClientTest, Judging};
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions};
use crate::transport::{ClientEnd, Fault};
use crate::{proofs, scenario};

scenario! {
    /// The server answers `tools/list` with event streams, which it writes one byte at a time, so that no line and no character arrives
    /// in one piece. The cursor of the second page has characters of two, three and four bytes.
    ///
    /// A client shows that it has read the first page if it asks for the second one. One that asks for the first page only, and
    /// exits without an error, is not judged.
    Client "client-event-streams": "The client reads event streams that arrive in pieces",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        CheckSpec::own(
            "client-reads-event-streams",
            "ClientReadsEventStreams",
            "The client reads an event whose lines and characters arrive in pieces",
        )
        .requires(&["transport.http.client-handles-both"]),
    ],
}

/// The cursor of the second page.
const CURSOR: &str = "page-2-\u{e9}\u{20ac}\u{1f600}";

fn serve(test: &ClientTest) -> Server {
    server(test).faults([Fault::sse_split("tools/list")]).on("tools/list", |call: Call| async move {
        let page = |number: u8| {
            json!({ "name": format!("tool_{number}"), "inputSchema": { "type": "object" } })
        };
        match call.param("cursor") {
            None => Answer::from(json!({ "tools": [page(1)], "nextCursor": CURSOR })),
            Some(_) => Answer::from(json!({ "tools": [page(2)] })),
        }
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let requests = judging.requests("tools/list");
    let Some(first) = requests.first() else {
        return Err(never_listed(judging));
    };
    let finding = |headline: &str| {
        Finding::peer(headline)
            .expected(format!("`tools/list` with the cursor {CURSOR:?} of the first page"))
            .evidence(first.seq)
    };
    let succeeded = matches!(judging.client_end().0, ClientEnd::Succeeded | ClientEnd::Unobserved);
    let next = requests.iter().find_map(|request| Some((request, request.params().get("cursor")?)));
    let check = judging.check("client-reads-event-streams");
    match next {
        Some((_, cursor)) if cursor.as_str() == Some(CURSOR) => check.pass(),
        Some((request, cursor)) => check.fail(
            finding("the client sent a cursor other than that of the event")
                .got(cursor.short(120))
                .evidence(request.seq),
        ),
        None if succeeded => check.skip("the client asked for the first page only"),
        None => check.fail(
            finding("the client did not go on after an event that arrived in pieces")
                .got("no further `tools/list`, and a client that did not exit without an error"),
        ),
    };
    Ok(())
}

/// Lists the first page, and then does what `next` does with the cursor.
fn listing(next: fn(&str) -> Option<String>) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let page = client.request("tools/list", json!({})).await?;
        let cursor = page.result()?.get("nextCursor").and_then(Value::as_str).and_then(next);
        let outcome = match cursor {
            None => Err("cannot read the event".into()),
            Some(cursor) => {
                client.request("tools/list", json!({ "cursor": cursor })).await?.result()?;
                Ok(())
            }
        };
        client.end().await;
        outcome
    })
}

/// Decodes each byte on its own.
fn breaks_characters() -> ScriptedClient {
    listing(|cursor| Some(cursor.bytes().map(char::from).collect()))
}

fn fails() -> ScriptedClient {
    listing(|_| None)
}

proofs! {
    passes on good_client();
    catches "client-reads-event-streams" on breaks_characters();
    catches "client-reads-event-streams" on fails(), also "client-left-well" Failure;
}
