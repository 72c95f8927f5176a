//! `client-http-sse`.

use std::collections::{HashMap, HashSet};

use super::client_http_sse::sse_client::listing;
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// The server speaks HTTP+SSE of 2024-11-05 alone, and announces an endpoint at another path with a query.
    ///
    /// A client that speaks it posts every message to exactly that URI. One that does not gives up, which is not judged.
    Client "client-http-sse": "The client posts to the endpoint that the server announces",
    revisions: Revisions::only(Revision::V2024_11_05),
    transports: Only[Http],
    tolerates_failed_exit: true,
    checks: [
        check!("client-posts-to-endpoint",
            "Once the server has announced its endpoint, every POST goes there, with its query",
            [TRANSPORT_SSE_CLIENT_POSTS_TO_ENDPOINT]),
    ],
}

fn serve(test: &ClientTest) -> Server {
    server(test).over_http_sse()
}

/// A POST of the client, its path, and the status of its response; 0 as long as there is none.
#[derive(Debug)]
struct Post {
    sent: Seq,
    path: String,
    status: u16,
    is_initialize: bool,
}

impl Post {
    /// Whether the server has accepted it: it does so at the URI that it announced, and nowhere else.
    fn is_accepted(&self) -> bool {
        self.status == 202
    }
}

/// The POSTs after the endpoint was announced, if it was.
fn posts(judging: &Judging) -> Option<Vec<Post>> {
    let trace = judging.trace();
    let announced = trace.events.iter().find(|event| {
        matches!(&event.kind, EventKind::SseEvent { event: Some(event), .. } if event == "endpoint")
    });
    let announced = announced?.seq;
    let (mut posts, mut indices) = (Vec::new(), HashMap::new());
    let handshakes = trace.messages().filter(|(event, message)| {
        event.party == Party::Client && message.method() == Some("initialize")
    });
    let handshakes: HashSet<_> =
        handshakes.map(|(event, _)| (event.connection, event.exchange)).collect();
    for event in trace.events.iter().filter(|event| event.seq > announced) {
        let key = (event.connection, event.exchange);
        match &event.kind {
            EventKind::HttpRequest { method, path, .. }
                if event.party == Party::Client && method == "POST" =>
            {
                indices.insert(key, posts.len());
                posts.push(Post {
                    sent: event.seq,
                    path: path.clone(),
                    status: 0,
                    is_initialize: handshakes.contains(&key),
                });
            }
            EventKind::HttpResponse { status, .. } if event.party == Party::Server => {
                let post = indices.get(&key).and_then(|index| posts.get_mut(*index));
                post.into_iter().for_each(|post: &mut Post| post.status = *status);
            }
            _ => {}
        }
    }
    Some(posts)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let posts = posts(judging).unwrap_or_default();
    let check = judging.check("client-posts-to-endpoint");
    // A client of Streamable HTTP may open a stream for its POSTs as well.
    if !posts.iter().any(Post::is_accepted) {
        check.skip("the client did not use HTTP+SSE");
        return Ok(());
    }
    // A client that speaks both tries Streamable HTTP with an `initialize` of its own.
    let misplaced =
        posts.iter().find(|post| post.status != 0 && !post.is_accepted() && !post.is_initialize);
    check.judge(match misplaced {
        None => Ok(()),
        Some(post) => Err(Finding::peer("the client did not post to the announced endpoint")
            .expected("the URI of the `endpoint` event, with its query")
            .got(format!("a POST to `{}`, which got HTTP {}", post.path, post.status))
            .evidence(post.sent)),
    });
    Ok(())
}

/// Without the feature `http` no run of this scenario needs a client.
/// The client of the proofs.
mod sse_client {
    use std::time::Duration;

    use mcp_test_core::client::{Client, ClientTask, ScriptedClient};
    use mcp_test_core::clock::Deadline;
    use mcp_test_core::trace::Recorder;
    use mcp_test_core::transport::{HttpRequest, Limits, Target, TransportKind};
    use serde_json::json;

    /// Lists the tools over HTTP+SSE; before that it posts something to `elsewhere`.
    pub(super) fn listing(elsewhere: Option<&'static str>) -> ScriptedClient {
        ScriptedClient::new(move |task: ClientTask| async move {
            let target = Target::sse(task.endpoint().url()?);
            let connection =
                target.open(TransportKind::Sse, &Recorder::new(), Limits::default()).await?;
            let mut client = Client::connect(connection, task.options()).await?;
            if let Some(path) = elsewhere {
                let ping = json!({ "jsonrpc": "2.0", "id": "elsewhere", "method": "ping" });
                let post = HttpRequest::post(ping.to_string());
                let post = post.header("Content-Type", "application/json").at(path);
                task.open().await?.http(post, Deadline::after(Duration::from_secs(20))).await?;
            }
            client.request("tools/list", json!({})).await?.result()?;
            client.end().await;
            Ok(())
        })
    }
}

fn lists() -> ScriptedClient {
    listing(None)
}

proofs! {
    passes on lists();
    catches "client-posts-to-endpoint" on listing(Some("/mcp"));
    catches "client-posts-to-endpoint" on listing(Some("/messages"));
}
