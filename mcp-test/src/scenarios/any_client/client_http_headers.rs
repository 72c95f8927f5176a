//! `client-http-headers`.

use std::time::Duration;

use serde_json::json;

use super::endpoint::endpoint_path;
use super::server;
use crate::check::Finding;
use crate::client::{ClientTask, ScriptedClient};
use crate::clock::Deadline;
use crate::scenario::{CheckSpec, ClientTest, Judging};
use crate::server::Server;
use crate::spec::{Revision, Revisions};
use crate::trace::{EventKind, Party, Seq};
use crate::transport::fault::Misbehavior;
use crate::transport::{Fault, HttpRequest};
use crate::{proofs, scenario};

scenario! {
    /// Every POST says that the client reads JSON and event streams, and every GET that it reads event streams: the server
    /// decides which of them it sends.
    Client "client-http-headers": "The client says what it reads",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        CheckSpec::own(
            "client-post-accept",
            "ClientPostAccept",
            "`Accept` of every POST lists `application/json` and `text/event-stream`",
        )
        .requires(&["transport.http.accept-both"]),
        CheckSpec::own(
            "client-get-accept",
            "ClientGetAccept",
            "`Accept` of every GET lists `text/event-stream`",
        )
        .requires(&["transport.http.get-accept"])
        .within(Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25)),
    ],
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

const OVER_SSE: &str = "the client uses HTTP+SSE";

fn serve(test: &ClientTest) -> Server {
    // A refusal for one header would hide the others.
    server(test).faults([Fault::misbehavior(Misbehavior::IgnoresAccept)])
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let posts = accepts(judging, "POST");
    if posts.is_empty() {
        return Err(Finding::peer("the client sent no POST")
            .expected("each message in a POST of its own")
            .got("none in the whole conversation")
            .requires("transport.http.accept-both"));
    }
    if judging.trace().announces_sse_endpoint() {
        // The rules are those of Streamable HTTP.
        judging.check("client-post-accept").skip(OVER_SSE);
        if judging.revision().has_get_stream() {
            judging.check("client-get-accept").skip(OVER_SSE);
        }
        return Ok(());
    }
    judge_accepts(judging, "client-post-accept", "POST", &posts, &[JSON, EVENTS]);
    if judging.revision().has_get_stream() {
        let gets = accepts(judging, "GET");
        judge_accepts(judging, "client-get-accept", "GET", &gets, &[EVENTS]);
    }
    Ok(())
}

/// Each request of this HTTP method to the endpoint, and its `Accept`: several headers are one list (RFC 9110, section 5.3).
fn accepts(judging: &Judging, wanted: &str) -> Vec<(Seq, String)> {
    let trace = judging.trace();
    let endpoint = endpoint_path(&trace);
    let of_client = trace.events.iter().filter(|event| event.party == Party::Client);
    let requests = of_client.filter_map(|event| match &event.kind {
        EventKind::HttpRequest { method, path, headers }
            if method == wanted && Some(path.as_str()) == endpoint =>
        {
            let lists = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("accept"));
            let lists: Vec<&str> = lists.map(|(_, list)| list.as_str()).collect();
            Some((event.seq, lists.join(", ")))
        }
        _ => None,
    });
    requests.collect()
}

fn judge_accepts(
    judging: &mut Judging,
    id: &str,
    method: &str,
    requests: &[(Seq, String)],
    wanted: &[&str],
) {
    let mut check = judging.check(id);
    if requests.is_empty() {
        check.skip(format!("the client sent no {method}"));
        return;
    }
    for (seq, accept) in requests {
        let missing = wanted.iter().find(|media_type| !lists(accept, media_type));
        check = match missing {
            None => check.pass(),
            Some(media_type) => check.fail(
                Finding::peer(format!("`Accept` of a {method} does not list `{media_type}`"))
                    .expected(format!("`Accept: {}`", wanted.join(", ")))
                    .got(match accept.as_str() {
                        "" => "no such header".to_owned(),
                        accept => format!("`Accept: {accept}`"),
                    })
                    .evidence(*seq),
            ),
        };
    }
}

/// Whether a list names a media type, with or without parameters; a range such as `*/*` does not.
fn lists(accept: &str, media_type: &str) -> bool {
    let types = accept.split(',').map(|item| item.split(';').next().unwrap_or_default().trim());
    types.into_iter().any(|listed| listed.eq_ignore_ascii_case(media_type))
}

/// Opens the stream for messages of the server, and asks for metadata elsewhere, as clients with authorization do.
fn listens() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let metadata = HttpRequest::get().header("Accept", "application/json");
        let metadata = metadata.at("/.well-known/oauth-protected-resource/mcp");
        task.open().await?.http(metadata, Deadline::after(Duration::from_secs(20))).await?;
        if task.revision().has_get_stream() {
            client.listen().await?;
        }
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

/// Lists the tools, and asks for a stream as if it were a document. The request belongs to no session, so that it is refused.
fn listens_for_json() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        let get = HttpRequest::get().header("Accept", "application/json");
        task.open().await?.http(get, Deadline::after(Duration::from_secs(20))).await?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on listens();
    catches "client-post-accept" by header("tools/list", "Accept", "application/json");
    catches "client-post-accept" by no_header("tools/list", "Accept");
    catches "client-post-accept" by header("tools/list", "Accept", "*/*");
    catches "client-get-accept" on listens_for_json(), at V2025_11_25;
}
