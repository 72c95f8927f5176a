//! `client-http-headers`.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::client::RequestOptions;
use mcp_test_core::scenario::ReceivedMessage;
use mcp_test_core::spec;
use mcp_test_core::transport::ClientEnd;

use crate::scenarios::http_exchange::{
    AfterGet, after_get, endpoint_path, http_exchanges, stopped_at_get,
};
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// Every POST says that the client reads JSON and event streams, and every GET that it reads event streams: the server
    /// decides which of them it sends. It closes the stream of a GET at once.
    ///
    /// At 2026-07-28 headers also mirror names. The server lists prompts whose names a header cannot hold as they are, for clients that get
    /// prompts, and a tool whose annotation for a header changes after the client has listed it, for clients that call it.
    Client "client-http-headers": "The client sends the headers that each request needs",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!("client-post-accept", "`Accept` of every POST lists `application/json` and `text/event-stream`",
            [TRANSPORT_HTTP_ACCEPT_BOTH]),
        check!("client-get-accept", "`Accept` of every GET lists `text/event-stream`",
            [TRANSPORT_HTTP_GET_ACCEPT]),
        check!(POSTS,
            "The client sends nothing to the endpoint but POSTs with messages, and GET and DELETE without a body",
            [TRANSPORT_HTTP_ONE_POST_PER_MESSAGE]),
        check!(CLOSED, "The client goes on when the server closes the stream of its GET",
            [TRANSPORT_HTTP_GET_STREAM_CLOSE_TOLERATED]),
        check!(ENCODED, "`Mcp-Name` holds a name that is not ASCII in Base64, between the exact markers",
            [TRANSPORT_HTTP_MCP_NAME_ENCODED, TRANSPORT_HTTP_SENTINEL_EXACT]),
        check!(COLLISION, "`Mcp-Name` holds a name that looks like marked Base64 in Base64",
            [TRANSPORT_HTTP_SENTINEL_COLLISION]),
        check!(REFRESH,
            "After error -32020 the client lists the tools again, and repeats its call with the headers that they name",
            [TRANSPORT_HTTP_HEADER_MISMATCH_CLIENT_REFRESH]),
    ],
}

const POSTS: &str = "client-posts-messages";
const CLOSED: &str = "client-tolerates-closed-stream";
const ENCODED: &str = "client-encodes-names";
const COLLISION: &str = "client-encodes-marked-names";
const REFRESH: &str = "client-refreshes-tools";

/// The names of the prompts: one that is not ASCII, and one that a receiver would decode if it came as it is.
const PROMPTS: [&str; 2] = ["gr\u{fc}\u{df}e", "=?base64?bGl0ZXJhbA==?="];

/// The headers of the argument, before and after the annotation changes.
const REGIONS: [&str; 2] = ["Region", "Zone"];

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

const OVER_SSE: &str = "the client uses HTTP+SSE";

fn serve(test: &ClientTest) -> Server {
    // A refusal for one header would hide the others.
    let lenient = [Misbehavior::IgnoresAccept, Misbehavior::SkipsMirrors].map(Fault::misbehavior);
    let server = server(test).faults(lenient);
    if test.era() == Era::Handshake {
        return server.faults([Fault::empty_body("GET")]);
    }
    let is_called = Arc::new(AtomicBool::new(false));
    let was_called = Arc::clone(&is_called);
    server
        .capabilities(json!({ "tools": {}, "prompts": {} }))
        .on("prompts/list", |_: Call| async {
            json!({ "prompts": PROMPTS.map(|name| json!({ "name": name })) })
        })
        .on("prompts/get", |_: Call| async {
            json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "Hello" } }] })
        })
        .on("tools/list", move |_: Call| {
            let header = REGIONS[usize::from(was_called.load(Ordering::Relaxed))];
            let region = json!({ "type": "string", "x-mcp-header": header });
            let schema = json!({ "type": "object", "properties": { "region": region }, "required": ["region"] });
            async move { json!({ "tools": [{ "name": "add", "inputSchema": schema }] }) }
        })
        .on("tools/call", move |call: Call| {
            // Only a call with the argument lacks a header for it.
            let refuses = region_of(call.params()).is_some() && !is_called.swap(true, Ordering::Relaxed);
            async move {
                match refuses {
                    true => Answer::error(error_code::HEADER_MISMATCH, "the annotation has changed"),
                    false => json!({ "content": [{ "type": "text", "text": "called" }] }).into(),
                }
            }
        })
}

/// The argument of a call that a header mirrors.
fn region_of(params: &Value) -> Option<&str> {
    params.at("/arguments/region")?.as_str()
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let posts = accepts(judging, "POST");
    if posts.is_empty() {
        return Err(Finding::peer("the client sent no POST")
            .expected("each message in a POST of its own")
            .got("none in the whole conversation")
            .requires(Requirement::TRANSPORT_HTTP_ACCEPT_BOTH));
    }
    if judging.trace().announces_sse_endpoint() {
        // The rules are those of Streamable HTTP.
        for id in ["client-post-accept", POSTS] {
            judging.check(id).skip(OVER_SSE);
        }
        if judging.revision().has_get_stream() {
            for id in ["client-get-accept", CLOSED] {
                judging.check(id).skip(OVER_SSE);
            }
        }
        return Ok(());
    }
    judge_accepts(judging, "client-post-accept", "POST", &posts, &[JSON, EVENTS]);
    if judging.revision().has_get_stream() {
        let gets = accepts(judging, "GET");
        judge_accepts(judging, "client-get-accept", "GET", &gets, &[EVENTS]);
        closed_stream(judging);
    }
    posts_messages(judging);
    if judging.revision().mirrors_headers() {
        encodes_names(judging);
        refreshes(judging);
    }
    Ok(())
}

/// Judges what the client does after the end of the stream of its GET.
fn closed_stream(judging: &mut Judging) {
    let succeeded = matches!(judging.client_end().0, ClientEnd::Succeeded | ClientEnd::Unobserved);
    let has_listed = !judging.requests("tools/list").is_empty();
    let after = after_get(&http_exchanges(judging));
    let check = judging.check(CLOSED);
    match after {
        AfterGet::NoGet => check.skip("the client sent no GET"),
        AfterGet::WentOn => check.pass(),
        AfterGet::Stopped(_) if succeeded => check.pass(),
        AfterGet::Stopped(_) if has_listed => {
            check.skip("the GET was the last that the client sent")
        }
        AfterGet::Stopped(get) => {
            check.fail(stopped_at_get("the server had closed the stream of its GET", get))
        }
    };
}

/// Judges the methods of all requests to the endpoint.
fn posts_messages(judging: &mut Judging) {
    let trace = judging.trace();
    let endpoint = endpoint_path(&trace);
    let has_body = |headers: &[(String, String)]| {
        headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("transfer-encoding")
                || name.eq_ignore_ascii_case("content-length") && value.trim() != "0"
        })
    };
    let of_client = trace.events.iter().filter(|event| event.party == Party::Client);
    let wrong = of_client.filter_map(|event| match &event.kind {
        EventKind::HttpRequest { method, path, headers } if Some(path.as_str()) == endpoint => {
            match method.as_str() {
                "POST" | "HEAD" | "OPTIONS" => None,
                "GET" | "DELETE" => {
                    has_body(headers).then(|| (event.seq, format!("{method} with a body")))
                }
                other => Some((event.seq, other.to_owned())),
            }
        }
        _ => None,
    });
    let wrong = wrong.map(|(seq, got)| {
        Finding::peer("the client sent something to the endpoint by another method than POST")
            .expected("each message in a POST of its own")
            .got(got)
            .evidence(seq)
    });
    let check = judging.check(POSTS);
    wrong.fold(check.pass(), CheckBuilder::fail);
}

/// Judges `Mcp-Name` of all requests whose name a header cannot hold as it is.
fn encodes_names(judging: &mut Judging) {
    let messages = judging.messages();
    let named = messages.iter().filter_map(|received| {
        let member = spec::method(received.method())?.name_param?;
        Some((received, received.params().get(member)?.as_str()?))
    });
    let named: Vec<(&ReceivedMessage, &str)> =
        named.filter(|(_, name)| header::encode_value(name) != **name).collect();
    for (id, is_ascii) in [(ENCODED, false), (COLLISION, true)] {
        let mut named = named.iter().filter(|(_, name)| name.is_ascii() == is_ascii).peekable();
        let check = judging.check(id);
        if named.peek().is_none() {
            check.skip("the client sent no request with such a name");
            continue;
        }
        named.fold(check, |check, (received, name)| {
            let got = received.header(header::MCP_NAME);
            let is_right = got.is_some_and(|got| {
                got != *name && header::decode_value(got).as_deref() == Ok(*name)
            });
            let is_marked = got.is_some_and(|got| got.starts_with("=?") && got.ends_with("?="));
            let requirement = match is_ascii {
                true => Requirement::TRANSPORT_HTTP_SENTINEL_COLLISION,
                false if is_marked => Requirement::TRANSPORT_HTTP_SENTINEL_EXACT,
                false => Requirement::TRANSPORT_HTTP_MCP_NAME_ENCODED,
            };
            if is_right {
                return check.pass();
            }
            check.fail(
                Finding::peer("`Mcp-Name` does not hold the name in Base64")
                    .expected(format!("`{}: {}`", header::MCP_NAME, header::encode_base64(name)))
                    .got(got.map_or("no such header".to_owned(), |got| format!("{got:?}")))
                    .requires(requirement)
                    .evidence(received.seq),
            )
        });
    }
}

/// Judges what the client does after its call was refused because the annotation had changed.
fn refreshes(judging: &mut Judging) {
    let calls = judging.calls("add");
    let refused = calls.iter().position(|call| region_of(call.params()).is_some());
    let lists = judging.requests("tools/list");
    let Some(refused) = refused else {
        judging.check(REFRESH).skip("the client did not call the tool with its argument");
        return;
    };
    let (refused, later) = (&calls[refused], &calls[refused + 1..]);
    let listed = lists.iter().find(|list| list.seq > refused.seq);
    let name = format!("{}{}", header::MCP_PARAM_PREFIX, REGIONS[1]);
    let is_corrected = |call: &&ReceivedMessage| {
        let mirrored = region_of(call.params()).map(header::encode_value);
        listed.is_some_and(|listed| call.seq > listed.seq)
            && call.header(&name) == mirrored.as_deref()
    };
    let got = match listed {
        None => "no `tools/list` after the refusal".to_owned(),
        Some(_) if later.is_empty() => "`tools/list`, but no further call".to_owned(),
        Some(_) => format!("no call with `{name}`"),
    };
    let corrected = later.iter().any(|call| is_corrected(&call));
    if !corrected {
        judging.tolerate_failed_exit();
    }
    judging.check(REFRESH).judge(ensure(corrected, || {
        Finding::peer("the client did not correct a call that was refused for its headers")
            .expected(format!("`tools/list`, and the call with `{name}`"))
            .got(got)
            .evidence(refused.seq)
            .should()
    }));
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
        if task.revision().era() == Era::Stateless {
            client.request("prompts/list", json!({})).await?.result()?;
            for name in PROMPTS {
                client.request("prompts/get", json!({ "name": name })).await?.result()?;
            }
            let call = json!({ "name": "add", "arguments": { "region": "north" } });
            client.request("tools/call", call).await?.result()?;
        }
        client.end().await;
        Ok(())
    })
}

/// Calls the tool once, whatever comes of it.
fn calls_once() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        for name in PROMPTS {
            client.request("prompts/get", json!({ "name": name })).await?.result()?;
        }
        let call = json!({ "name": "add", "arguments": { "region": "north" } });
        let _refused =
            client.request_with("tools/call", call, RequestOptions::new().once()).await?.outcome();
        client.end().await;
        Ok(())
    })
}

/// Sends a message by PUT before it lists the tools.
fn puts_a_message() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let put = HttpRequest { method: "PUT".to_owned(), ..HttpRequest::post("{}") };
        task.open().await?.http(put, Deadline::after(Duration::from_secs(20))).await?;
        listens().run(task.endpoint().clone()).await
    })
}

/// Takes the end of its stream for the end of the connection.
fn stops_at_the_end_of_the_stream() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.listen().await?;
        drop(client);
        Err("no stream".into())
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
    catches "client-posts-messages" on puts_a_message();
    catches "client-tolerates-closed-stream" on stops_at_the_end_of_the_stream(), at V2025_11_25;
    catches "client-encodes-names" by header("prompts/get", "Mcp-Name", "gr%C3%BC%C3%9Fe");
    catches "client-encodes-names" by header("prompts/get", "Mcp-Name", "=?UTF-8?B?Z3LDvMOfZQ==?=");
    catches "client-encodes-marked-names" by header("prompts/get", "Mcp-Name", "=?base64?bGl0ZXJhbA==?=");
    warns "client-refreshes-tools" on calls_once();
}
