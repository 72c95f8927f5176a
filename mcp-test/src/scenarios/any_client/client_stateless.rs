//! `client-stateless`.

use serde_json::json;

use super::server;
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::client::{ClientTask, ScriptedClient};
use crate::json::{Object, Value};
use crate::scenario::{CheckSpec, ClientTest, Judging, ReceivedMessage};
use crate::server::Server;
use crate::spec::{Capability, Revision, Revisions, meta};
use crate::trace::{Party, Seq};
use crate::wire::Message;
use crate::{proofs, scenario};

scenario! {
    /// The client talks to a server of the stateless era: without a handshake once the server has answered, and with
    /// nothing but `_meta` in its request for discovery.
    Client "client-stateless": "The client needs no handshake",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        CheckSpec::own(
            "client-no-handshake",
            "ClientNoHandshake",
            "The client sends no `initialize` and no `notifications/initialized` to a server that has answered without one",
        )
        .requires(&["versioning.no-handshake"]),
        CheckSpec::own(
            "client-discovers-without-params",
            "ClientDiscoversWithoutParams",
            "The parameters of `server/discover` are `_meta` alone",
        )
        .requires(&["discover.request-only-meta"]),
        CheckSpec::own(
            "client-selects-listed-version",
            "ClientSelectsListedVersion",
            "After `server/discover` the client names a version that the server has listed",
        )
        .requires(&["discover.client-selects-supported-version"])
        .warns(),
        CheckSpec::own(
            "client-declares-in-every-request",
            "ClientDeclaresInEveryRequest",
            "A feature that one request of the client declares is declared by all of them",
        )
        .requires(&[
            "roots.capability.declare-per-request",
            "sampling.capability.declare-per-request",
            "elicitation.capability.declare-per-request",
        ]),
    ],
}

fn serve(test: &ClientTest) -> Server {
    // A server of the stateless era alone, since what it refuses would be no handshake with it.
    server(test).revisions(Revisions::from(Revision::V2026_07_28))
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
            .requires("versioning.no-handshake"));
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

/// The features that a client declares, and the requirement to declare each of them in every request.
const FEATURES: [(Capability, &str); 3] = [
    (Capability::Roots, "roots.capability.declare-per-request"),
    (Capability::Sampling, "sampling.capability.declare-per-request"),
    (Capability::Elicitation, "elicitation.capability.declare-per-request"),
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
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-no-handshake" on announces_that_it_is_ready();
    catches "client-discovers-without-params" by set("server/discover", "/cursor", json!("1"));
    warns "client-selects-listed-version" by set("tools/list", "/_meta/io.modelcontextprotocol~1protocolVersion", json!("2025-11-25")),
        also "client-left-well" Failure;
    catches "client-declares-in-every-request" by remove("tools/list", "/_meta/io.modelcontextprotocol~1clientCapabilities/roots");
    catches "client-declares-in-every-request" by remove("tools/list", "/_meta/io.modelcontextprotocol~1clientCapabilities/sampling");
    catches "client-declares-in-every-request" by remove("server/discover", "/_meta/io.modelcontextprotocol~1clientCapabilities/elicitation");
}
