//! `initialize`, of clients.

use serde_json::json;

use super::references::LIFECYCLE;
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::client::{Errand, Visitor};
use crate::expect::{object, one_of, string};
use crate::scenario::{CheckSpec, Heard, Judging, Official, Stage, truthy};
use crate::server::{Call, Server};
use crate::spec::{Revision, Revisions, header};
use crate::trace::Seq;
use crate::{proofs, scenario};

scenario! {
    /// The client opens the conversation: it sends `initialize` with its revision, its capabilities and its name, and
    /// after the answer says that it is ready.
    ///
    /// The official check is not made at all when the client never sends `initialize`, so that one which says nothing
    /// passes; here it fails then. Officially only the revisions from 2025-06-18 on are known.
    Client "initialize": "The client opens the conversation with a handshake",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    checks: [
        CheckSpec::official(
            "mcp-client-initialization",
            "MCPClientInitialization",
            "`initialize` names a revision, and the client with its version",
            &[LIFECYCLE],
        )
        .requires(&["lifecycle.initialize-contents", "schema.initialize-request"]),
        CheckSpec::official("server-info", "ServerInfo", "What the client was told", &[LIFECYCLE])
            .requires(&["lifecycle.initialize-response"])
            .informs()
            .conditional(),
        CheckSpec::own(
            "client-initialize-complete",
            "ClientInitializeComplete",
            "`initialize` comes once, before everything else, and states all that it has to",
        )
        .requires(&["lifecycle.initialize-contents", "lifecycle.initialize-first"]),
        CheckSpec::own(
            "client-initialized",
            "ClientInitialized",
            "After the answer the client says that it is ready, before it asks for anything",
        )
        .requires(&["lifecycle.initialized-sent"]),
        CheckSpec::own(
            "client-version-header",
            "ClientVersionHeader",
            "After the handshake every POST names the revision that was agreed on in a header",
        )
        .requires(&["transport.http.version-header-sent", "transport.http.version-header-negotiated"])
        .within(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25))
        .also_warns(),
    ],
}

/// What the official suite takes for a revision.
const OFFICIAL: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

fn serve(_: &Stage) -> Server {
    Server::new(json!({ "name": "test-server", "version": "1.0.0" }))
        .revisions(Revisions::until(Revision::NEWEST_HANDSHAKE))
        .capabilities(json!({ "tools": {} }))
        .on("tools/list", |_: Call| async { json!({ "tools": [] }) })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let opened = judging.requests("initialize");
    if opened.is_empty() {
        return Err(Finding::peer("the client never sent `initialize`")
            .expected("`initialize` as the first request")
            .got("none in the whole conversation")
            .requires("lifecycle.initialize-first"));
    }
    for request in &opened {
        let known = Revision::ALL.map(Revision::as_str);
        let version = |names: &[&'static str]| {
            object().member("protocolVersion", one_of(names.iter().copied()))
        };
        let named = object().member("name", string()).member("version", string());
        let filled = object().member("name", truthy()).member("version", truthy());
        let filled = object().member("clientInfo", filled);
        judging
            .check("mcp-client-initialization")
            .requires("lifecycle.initialize-contents")
            .expect(&request.part(), version(&known).member("clientInfo", named))
            .officially(&request.part(), version(&OFFICIAL), "a client may speak an older revision")
            .officially(&request.part(), filled, "the texts may be empty");
        judging.check("server-info").info("it was told the name `test-server`, version 1.0.0");
    }
    complete(judging);
    ready(judging);
    if judging.revision().sends_version_header() {
        versions(judging, opened[0].seq);
    }
    Ok(())
}

fn complete(judging: &mut Judging) {
    let heard = judging.heard();
    let opened = judging.requests("initialize");
    let check = judging.check("client-initialize-complete");
    let early =
        heard.first().filter(|first| first.method() != "initialize" && first.method() != "ping");
    let check = match early {
        Some(first) => check.requires("lifecycle.initialize-first").fail(
            Finding::peer("something came before `initialize`")
                .expected("`initialize` as the first request")
                .got(format!("`{}`", first.method()))
                .evidence(first.seq),
        ),
        None => check,
    };
    let stated = object()
        .member("protocolVersion", string())
        .member("capabilities", object())
        .member("clientInfo", object());
    if let Some(first) = opened.first() {
        check.requires("lifecycle.initialize-contents").expect(&first.part(), stated);
    }
}

/// Requests need the readiness before them; a client whose handshake was refused has nothing to say.
fn ready(judging: &mut Judging) {
    let heard = judging.heard();
    let initialized = heard.iter().find(|said| said.method() == "notifications/initialized");
    let request = heard.iter().find(|said| {
        said.message.id().is_some() && !["", "initialize", "ping"].contains(&said.method())
    });
    let check = judging.check("client-initialized");
    match (initialized, request) {
        (Some(ready), Some(request)) if request.seq < ready.seq => check.fail(
            Finding::peer("the client asked for something before it said that it is ready")
                .expected("`notifications/initialized` first")
                .got(format!("`{}`", request.method()))
                .evidence_all([request.seq, ready.seq]),
        ),
        (Some(_), _) => check.pass(),
        (None, _) => check.fail(
            Finding::peer("the client never said that it is ready")
                .expected("`notifications/initialized` after the answer to `initialize`")
                .got(request.map_or("nothing".to_owned(), |said| format!("`{}`", said.method())))
                .evidence_all(request.map(|said| said.seq)),
        ),
    };
}

fn versions(judging: &mut Judging, opened: Seq) {
    let agreed = judging.agreed().filter(|revision| revision.sends_version_header());
    let heard = judging.heard();
    let mut later = heard.iter().filter(|said| said.seq > opened).peekable();
    let check = judging.check("client-version-header");
    let Some(agreed) = agreed.filter(|_| later.peek().is_some()) else {
        return drop(check.skip("nothing came after a handshake whose revision has the header"));
    };
    let right = format!("`{}: {agreed}`", header::MCP_PROTOCOL_VERSION);
    let wrong = |said: &Heard| {
        Finding::peer("a POST does not name the revision that was agreed on")
            .expected(right.clone())
            .evidence(said.seq)
    };
    drop(later.fold(check, |check, said| {
        match said.header(header::MCP_PROTOCOL_VERSION) {
            Some(named) if named == agreed.as_str() => check.pass(),
            Some(named) => check
                .requires("transport.http.version-header-negotiated")
                .fail(wrong(said).got(format!("`{named}` with `{}`", said.method())).should()),
            None => check
                .requires("transport.http.version-header-sent")
                .fail(wrong(said).got(format!("no such header with `{}`", said.method()))),
        }
    }));
}

/// A client that lists tools as if there were no handshake.
fn hasty() -> Visitor {
    Visitor::new(|errand: Errand| async move {
        let mut client = errand.silent(errand.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "mcp-client-initialization" by set("initialize", "/protocolVersion", json!("1999-01-01"));
    catches "mcp-client-initialization" by set("initialize", "/protocolVersion", json!("2025-03-26")),
        under Official, also "client-version-header" Skipped, also "client-left-well" Failure;
    catches "mcp-client-initialization" by set("initialize", "/clientInfo/name", json!("")), under Official;
    catches "mcp-client-initialization" by remove("initialize", "/clientInfo/version"),
        also "client-initialized" Failure, also "client-version-header" Skipped, also "client-left-well" Failure,
        also "wire-schema-valid" Failure;
    catches "mcp-client-initialization" on hasty(), also "server-info" Skipped,
        also "client-initialize-complete" Skipped, also "client-initialized" Skipped,
        also "client-version-header" Skipped, also "client-left-well" Failure;
    catches "client-initialize-complete" by remove("initialize", "/capabilities"),
        also "client-initialized" Failure, also "client-version-header" Skipped, also "client-left-well" Failure,
        also "wire-schema-valid" Failure;
    catches "client-version-header" by no_header("tools/list", "MCP-Protocol-Version");
    warns "client-version-header" by header("tools/list", "MCP-Protocol-Version", "2025-03-26");
    catches "client-initialized" by never("notifications/initialized");
}
