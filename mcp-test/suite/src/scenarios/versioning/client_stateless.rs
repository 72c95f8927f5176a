//! `client-stateless`.

use mcp_test_core::scenario::ReceivedMessage;

use crate::scenarios::listing_server::{knowing_first, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// The client talks to a server of the stateless era: without a handshake once the server has answered, and with
    /// nothing but `_meta` in its request for discovery.
    ///
    /// Before the list of tools the server sends a request, which no server of this era may do. A client sends no responses, whatever it
    /// gets; what else it does then is its own affair.
    Client "client-stateless": "The client needs no handshake",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("client-no-handshake",
            "The client sends no `initialize` and no `notifications/initialized` to a server that has answered without one",
            [VERSIONING_NO_HANDSHAKE]),
        check!("client-discovers-without-params", "The parameters of `server/discover` are `_meta` alone",
            [DISCOVER_REQUEST_ONLY_META]),
        check!("client-selects-listed-version",
            "After `server/discover` the client names a version that the server has listed",
            [DISCOVER_CLIENT_SELECTS_SUPPORTED_VERSION]),
        check!("client-probes-first",
            "Over lines the first message is `server/discover`, since the era of the server is not known",
            [TRANSPORT_STDIO_DUAL_ERA_PROBE, TRANSPORT_STDIO_MODERN_ONLY_PROBE]).over_lines().conditional(),
        check!("client-remembers-era", "The client does not ask for discovery before each of its requests",
            [VERSIONING_ERA_CACHED]),
        check!(NO_RESPONSES, "The client does not respond to a request of the server",
            [TRANSPORT_HTTP_CLIENT_NO_RESPONSES, TRANSPORT_STDIO_CLIENT_NO_RESPONSES]),
        check!("client-declares-in-every-request",
            "A feature that one request of the client declares is declared by all of them",
            [
                ROOTS_CAPABILITY_DECLARE_PER_REQUEST, SAMPLING_CAPABILITY_DECLARE_PER_REQUEST,
                ELICITATION_CAPABILITY_DECLARE_PER_REQUEST,
            ]),
    ],
}

const NO_RESPONSES: &str = "client-sends-no-responses";

fn serve(test: &ClientTest) -> Server {
    // A server of the stateless era alone, since what it refuses would be no handshake with it.
    let server = server(test).revisions(Revisions::from(Revision::V2026_07_28));
    server.on("tools/list", knowing_first(ask_and_list))
}

/// Sends the request once only: a client may take it for an error of the server, and try again.
async fn ask_and_list(call: Call, is_first: bool) -> Answer {
    if is_first {
        let of_this_era = json!({
            meta::PROTOCOL_VERSION: Revision::V2026_07_28.as_str(),
            meta::CLIENT_CAPABILITIES: {},
        });
        let params = json!({ "_meta": of_this_era });
        let ping = json!({ "jsonrpc": "2.0", "id": "stray-1", "method": "ping", "params": params });
        // Fails only if the client has gone.
        let _sent = call.send_raw(ping.into()).await;
    }
    one_tool(call).await
}

/// The first result of the server, and whether it answers `server/discover`.
fn first_result(judging: &Judging) -> Option<(Seq, bool)> {
    let trace = judging.trace();
    let mut results = trace.messages().filter_map(|(event, message)| match message {
        Message::Response(response) if event.party == Party::Server => Some((event.seq, response)),
        _ => None,
    });
    results.next().map(|(seq, response)| (seq, response.result.get("supportedVersions").is_some()))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let Some((answered, discovered)) = first_result(judging) else {
        return Err(Finding::peer("the server had no request to answer with a result")
            .expected("a request of the stateless era, with its version in `_meta`")
            .got("none in the whole conversation")
            .requires(Requirement::VERSIONING_NO_HANDSHAKE));
    };
    let messages = judging.messages();
    let is_handshake = |method: &str| matches!(method, "initialize" | "notifications/initialized");
    let handshake =
        messages.iter().find(|received| received.seq > answered && is_handshake(received.method()));
    let check = judging.check("client-no-handshake");
    match handshake {
        None => check.pass(),
        Some(received) => check.fail(
            Finding::peer("the client began a handshake with a server of the stateless era")
                .expected("no handshake after the server has answered without one")
                .got(format!("`{}`", received.method()))
                .evidence_all([answered, received.seq]),
        ),
    };
    discovery(judging);
    probe(judging);
    era(judging);
    no_responses(judging);
    declarations(judging);
    let selects = judging.check("client-selects-listed-version");
    let later = messages.iter().filter(|received| received.seq > answered);
    let mut requests = later.filter(|it| matches!(it.message, Message::Request(_))).peekable();
    if !discovered || requests.peek().is_none() {
        selects.skip("the client sent no request after `server/discover`");
        return Ok(());
    }
    let version = |received: &ReceivedMessage| received.meta(meta::PROTOCOL_VERSION).cloned();
    let listed = Value::from(Revision::V2026_07_28.as_str());
    match requests.find(|received| version(received).is_some_and(|named| named != listed)) {
        None => selects.pass(),
        Some(received) => selects.fail(
            Finding::peer("the client names a version that the server does not list")
                .expected(format!("{listed} in `_meta`"))
                .got(version(received).map(|named| named.short(120)).unwrap_or_default())
                .evidence_all([answered, received.seq]),
        ),
    };
    Ok(())
}

/// Judges what the client sends back after the request of the server.
fn no_responses(judging: &mut Judging) {
    let requests = judging.requests("tools/list");
    let requirement = match judging.transport().is_http() {
        true => Requirement::TRANSPORT_HTTP_CLIENT_NO_RESPONSES,
        false => Requirement::TRANSPORT_STDIO_CLIENT_NO_RESPONSES,
    };
    let messages = judging.messages();
    let response = messages.iter().find(|received| received.message.is_reply());
    if !requests.is_empty() {
        // No requirement says how a client copes with what no server may send.
        judging.tolerate_failed_exit();
    }
    let check = judging.check(NO_RESPONSES).requires(requirement);
    match response {
        None if requests.is_empty() => check.skip("the client never listed the tools"),
        None => check.pass(),
        Some(received) => check.fail(
            Finding::peer("the client sent a response, which clients of this revision do not")
                .expected("nothing but requests and notifications")
                .got(received.message.to_value().short(120))
                .evidence(received.seq),
        ),
    };
}

fn discovery(judging: &mut Judging) {
    let requests = judging.requests("server/discover");
    let mut check = judging.check("client-discovers-without-params");
    if requests.is_empty() {
        check.skip("the client sent no `server/discover`");
        return;
    }
    for request in &requests {
        let mut names = request.params().as_object().into_iter().flat_map(Object::keys);
        check = match names.find(|name| *name != "_meta") {
            None => check.pass(),
            Some(name) => check.fail(
                Finding::peer("`server/discover` has parameters")
                    .expected("`_meta` alone")
                    .got(format!("`{name}`"))
                    .evidence(request.seq),
            ),
        };
    }
}

/// Whether the client begins with the probe for the era of the server, where the transport has no other.
fn probe(judging: &mut Judging) {
    if judging.transport().is_http() {
        return;
    }
    let messages = judging.messages();
    let first = messages.iter().find(|it| matches!(it.message, Message::Request(_)));
    let check = judging.check("client-probes-first");
    check.judge(match first {
        Some(first) if first.method() != "server/discover" => {
            Err(Finding::peer("the client does not probe for the era of the server")
                .expected("`server/discover` as the first message")
                .got(format!("`{}`", first.method()))
                .evidence(first.seq)
                .should())
        }
        _ => Ok(()),
    });
}

/// Whether the client asks for discovery again and again.
fn era(judging: &mut Judging) {
    let messages = judging.messages();
    let methods: Vec<&str> = messages
        .iter()
        .filter(|it| matches!(it.message, Message::Request(_)))
        .map(ReceivedMessage::method)
        .collect();
    let is_probe = |method: &str| method == "server/discover";
    let others = (0..methods.len()).filter(|at| !is_probe(methods[*at])).collect::<Vec<_>>();
    let check = judging.check("client-remembers-era");
    if others.len() < 2 {
        check.skip("the client sent fewer than two other requests");
        return;
    }
    let is_probed = |at: &usize| at.checked_sub(1).is_some_and(|before| is_probe(methods[before]));
    check.judge(match others.iter().all(is_probed) {
        false => Ok(()),
        true => Err(Finding::peer("the client asks for discovery before each request")
            .expected("`server/discover` once for a server")
            .got(methods.join(", "))
            .should()),
    });
}

/// Lists the tools twice, and asks for discovery before each.
fn discovers_each_time() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        for _ in 0..2 {
            client.discover().await?.result()?;
            // A request of the server is an error in this era, and what the client gets after it does not matter.
            drop(client.request("tools/list", json!({})).await);
        }
        client.end().await;
        Ok(())
    })
}

/// Lists the tools without any probe.
fn lists_at_once() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        for _ in 0..2 {
            drop(client.request("tools/list", json!({})).await);
        }
        client.end().await;
        Ok(())
    })
}

/// The features that a client declares, and the requirement to declare each of them in every request.
const FEATURES: [(Capability, &Requirement); 3] = [
    (Capability::Roots, Requirement::ROOTS_CAPABILITY_DECLARE_PER_REQUEST),
    (Capability::Sampling, Requirement::SAMPLING_CAPABILITY_DECLARE_PER_REQUEST),
    (Capability::Elicitation, Requirement::ELICITATION_CAPABILITY_DECLARE_PER_REQUEST),
];

fn declarations(judging: &mut Judging) {
    let mut declared = Vec::new();
    for received in judging.messages() {
        if let (Message::Request(_), Some(capabilities)) =
            (&received.message, received.meta(meta::CLIENT_CAPABILITIES))
        {
            declared.push((received.seq, received.method().to_owned(), capabilities.clone()));
        }
    }
    let mut check = judging.check("client-declares-in-every-request");
    if declared.len() < 2 {
        check.skip("the client did not send two requests that declare its capabilities");
        return;
    }
    for (feature, requirement) in FEATURES {
        let declares = |(_, _, it): &&(_, _, Value)| feature.declared_in(it);
        let first = declared.iter().find(declares);
        let lacking = declared.iter().find(|it| !declares(it));
        check = check.requires(requirement).judge(match (first, lacking) {
            (Some(first), Some(lacking)) => {
                let (seq, method, capabilities) = lacking;
                Err(Finding::peer(format!("`{method}` does not declare `{feature}`"))
                    .expected(format!("`{feature}`, as in `{}`", first.1))
                    .got(capabilities.short(120))
                    .evidence_all([first.0, *seq]))
            }
            _ => Ok(()),
        });
    }
}

/// Discovers, and announces that it is ready as in the other era.
fn announces_that_it_is_ready() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.discover().await?.result()?;
        client.notify("notifications/initialized", json!({})).await;
        // The request of the server is a finding of ours, and the reply is not awaited.
        let _listed = client.request("tools/list", json!({})).await;
        client.end().await;
        Ok(())
    })
}

/// Lists the tools, and answers what the server has asked before.
fn answers_the_server() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.discover().await?.result()?;
        let _listed = client.request("tools/list", json!({})).await;
        for request in client.server_requests().to_vec() {
            client.answer(&request, Ok(json!({ "resultType": "complete" }).into())).await;
        }
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-sends-no-responses" on answers_the_server();
    catches "client-sends-no-responses" on answers_the_server(), over Duplex;
    catches "client-no-handshake" on announces_that_it_is_ready();
    warns "client-probes-first" on lists_at_once(), over Duplex;
    warns "client-remembers-era" on discovers_each_time();
    catches "client-discovers-without-params" by set("server/discover", "/cursor", json!("1"));
    warns "client-selects-listed-version"
        by set("tools/list", "/_meta/io.modelcontextprotocol~1protocolVersion", json!("2025-11-25"));
    catches "client-declares-in-every-request"
        by remove("tools/list", "/_meta/io.modelcontextprotocol~1clientCapabilities/roots");
    catches "client-declares-in-every-request"
        by remove("tools/list", "/_meta/io.modelcontextprotocol~1clientCapabilities/sampling");
    catches "client-declares-in-every-request"
        by remove("server/discover", "/_meta/io.modelcontextprotocol~1clientCapabilities/elicitation");
}
