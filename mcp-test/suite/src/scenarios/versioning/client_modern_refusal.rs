//! `client-modern-refusal`.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::client::RequestOptions;

use crate::scenarios::exchange::answered_requests;
use crate::scenarios::http_exchange::{HttpExchange, http_exchanges};
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// The server refuses every request with an error of the stateless era. Over HTTP that is error -32020 with HTTP 400 for the first
    /// request, and error -32601 with HTTP 404 for later ones; over lines it is error -32022, which names a version that no client speaks.
    ///
    /// Such an error shows that the server is of that era. A client which speaks the handshake era, too, must not try that; and one which
    /// speaks HTTP+SSE should not look for its stream. What else the client does is not judged.
    Client "client-modern-refusal": "The client does not fall back after an error of the stateless era",
    revisions: Revisions::from(Revision::V2026_07_28),
    transports: Only[Http, Stdio, Duplex],
    tolerates_failed_exit: true,
    checks: [
        check!(NO_INITIALIZE, "After HTTP 400 with an error of the stateless era the client sends no `initialize`",
            [TRANSPORT_HTTP_FALLBACK_INSPECTS_400]).over_http(),
        check!(NO_INITIALIZE_OVER_LINES, "After error -32022 over lines the client sends no `initialize`",
            [TRANSPORT_STDIO_MODERN_ERROR_NO_FALLBACK]).over_lines(),
        check!(NO_STREAM, "After an error of the stateless era the client opens no event stream with GET",
            [TRANSPORT_SSE_CLIENT_FALLBACK_NON_MODERN]).over_http(),
    ],
}

const NO_INITIALIZE: &str = "client-stays-modern";
const NO_INITIALIZE_OVER_LINES: &str = "client-stays-modern-over-lines";
const NO_STREAM: &str = "client-opens-no-stream";

/// The methods with which a client may begin.
const METHODS: [&str; 5] =
    ["server/discover", "tools/list", "tools/call", "prompts/list", "resources/list"];

const FALLS_BACK: &str = "the client begins a handshake after an error of the stateless era";

/// The version that the server names as the one that it supports.
const FUTURE_VERSION: &str = "2099-01-01";

fn serve(test: &ClientTest) -> Server {
    let is_over_lines = test.transport.is_lines();
    let is_first = Arc::new(AtomicBool::new(true));
    let refuse = move |_: Call| {
        let is_first = is_first.swap(false, Ordering::Relaxed);
        async move {
            match is_first {
                _ if is_over_lines => {
                    let requested = Revision::V2026_07_28.as_str();
                    let error = RpcError::new(
                        error_code::UNSUPPORTED_PROTOCOL_VERSION,
                        "this version is not supported",
                    );
                    let data = json!({ "supported": [FUTURE_VERSION], "requested": requested });
                    Answer::from(error.with_data(data))
                }
                true => Answer::error(error_code::HEADER_MISMATCH, "a header does not match"),
                false => Answer::error(error_code::METHOD_NOT_FOUND, "this method does not exist"),
            }
        }
    };
    let server = server(test).revisions(Revisions::from(Revision::V2026_07_28));
    let server = server.capabilities(json!({ "tools": {}, "prompts": {}, "resources": {} }));
    METHODS.into_iter().fold(server, |server, method| server.on(method, refuse.clone()))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.transport().is_lines() { over_lines(judging) } else { over_http(judging) }
}

/// That the client never sent the request that the server refuses.
fn never_refused(judging: &Judging) -> Finding {
    judging
        .task_not_done("the client sent no request of the stateless era")
        .expected("a request, which the server refuses")
        .got("none in the whole conversation")
}

fn over_lines(judging: &mut Judging) -> Result<(), Finding> {
    let requests = answered_requests(judging);
    let refused = requests.iter().find_map(|it| match &it.reply {
        Some((seq, Message::Error(reply)))
            if reply.error.code == error_code::UNSUPPORTED_PROTOCOL_VERSION =>
        {
            Some(*seq)
        }
        _ => None,
    });
    let Some(refused) = refused else { return Err(never_refused(judging)) };
    let later = judging.requests("initialize").into_iter().find(|it| it.seq > refused);
    judging.check(NO_INITIALIZE_OVER_LINES).judge(match later {
        None => Ok(()),
        Some(initialize) => Err(Finding::peer(FALLS_BACK)
            .expected("a client that stays with the stateless era, to which the error belongs")
            .got("`initialize`")
            .evidence(refused)
            .evidence(initialize.seq)),
    });
    Ok(())
}

fn over_http(judging: &mut Judging) -> Result<(), Finding> {
    let exchanges = http_exchanges(judging);
    let is_refused = |it: &&HttpExchange| it.is_stateless() && it.status == 400;
    let Some(refused) = exchanges.iter().find(is_refused) else {
        return Err(never_refused(judging));
    };
    let later: Vec<&HttpExchange> = exchanges.iter().filter(|it| it.follows(refused)).collect();
    let finding = |headline: &str, it: &HttpExchange| {
        Finding::peer(headline)
            .expected("a client that stays with the stateless era, to which the error belongs")
            .got(it.label())
            .evidence_all(refused.answered)
            .evidence(it.sent)
    };
    // What comes after the next refusal, with HTTP 404, is not about HTTP 400.
    let initialize = later.first().filter(|it| it.is_initialize());
    judging.check(NO_INITIALIZE).judge(match initialize {
        None => Ok(()),
        Some(it) => Err(finding(FALLS_BACK, it)),
    });
    let get = later.iter().find(|it| it.method == "GET");
    judging.check(NO_STREAM).judge(match get {
        None => Ok(()),
        Some(it) => Err(finding(
            "the client looks for an event stream after an error of the stateless era",
            it,
        )),
    });
    Ok(())
}

/// Asks for discovery, takes the refusal for what it is, and asks again.
fn stays() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move { refused_twice(&task).await })
}

async fn refused_twice(task: &ClientTask) -> mcp_test_core::Result {
    let mut client = task.connect(task.options()).await?;
    for _ in 0..2 {
        let _refused = client.discover().await?.outcome();
    }
    client.end().await;
    Ok(())
}

/// Takes any HTTP 400 for that of a server of the handshake era.
fn begins_a_handshake() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let _refused = client.discover().await?.outcome();
        let params = json!({
            "protocolVersion": Revision::NEWEST_HANDSHAKE.as_str(),
            "capabilities": {},
            "clientInfo": { "name": "client", "version": "1" },
        });
        let options = RequestOptions::new().verbatim();
        let _refused = client.request_with("initialize", params, options).await?.outcome();
        client.end().await;
        Ok(())
    })
}

/// Takes any refusal for that of a server that speaks HTTP+SSE.
fn looks_for_a_stream() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        refused_twice(&task).await?;
        let get = HttpRequest::get().header("Accept", "text/event-stream");
        task.open().await?.http(get, Deadline::after(Duration::from_secs(20))).await?;
        Ok(())
    })
}

proofs! {
    passes on stays();
    warns "client-stays-modern" on begins_a_handshake();
    catches "client-stays-modern-over-lines" on begins_a_handshake(), over Duplex;
    warns "client-opens-no-stream" on looks_for_a_stream();
}
