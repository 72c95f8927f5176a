//! `initialize`, for clients.

use mcp_test_core::expect::one_of;
use mcp_test_core::scenario::{ClientSession, ReceivedMessage};

use crate::scenarios::prelude::*;
use crate::scenarios::references::LIFECYCLE;

scenario! {
    /// The client opens the conversation: it sends `initialize` with its revision, capabilities and name, and after the
    /// result sends `notifications/initialized`.
    ///
    /// The official check is not reported at all when the client never sends `initialize`, so a silent client passes; here
    /// it fails. The official suite knows only the revisions from 2025-06-18 on.
    ///
    /// A client may open several sessions, and one that speaks both eras may try a request of the stateless era first: our
    /// checks judge each session from its `initialize` on.
    Client "initialize": "The client opens the conversation with a handshake",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    checks: [
        check!("mcp-client-initialization", "`initialize` contains a revision and the name and version of the client",
            [BASE_SUPPORT_CORE, LIFECYCLE_INITIALIZE_CONTENTS, SCHEMA_INITIALIZE_REQUEST, LIFECYCLE_INITIALIZE_FIRST])
            .official(&[LIFECYCLE]).named("MCPClientInitialization"),
        check!("server-info", "The server info that the client received",
            [LIFECYCLE_INITIALIZE_RESPONSE]).official(&[LIFECYCLE]).informs().conditional(),
        check!("client-initialize-complete", "`initialize` is the first message and has all required members",
            [LIFECYCLE_INITIALIZE_CONTENTS, LIFECYCLE_INITIALIZE_FIRST]),
        check!("client-initialized",
            "The client sends `notifications/initialized` after the result and before any other request",
            [LIFECYCLE_INITIALIZED_SENT]),
        check!("client-version-header", "After the handshake every POST has a header with the negotiated revision",
            [TRANSPORT_HTTP_VERSION_HEADER_SENT, TRANSPORT_HTTP_VERSION_HEADER_NEGOTIATED]).over_http(),
    ],
}

/// The revisions that the official suite accepts; 2026-07-28 is among them although it has no `initialize`.
const OFFICIAL: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

fn serve(_: &ClientTest) -> Server {
    Server::new(json!({ "name": "test-server", "version": "1.0.0" }))
        // Whatever revision the client proposes is selected, like in the official mock server, if it has a handshake.
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
            .requires(Requirement::LIFECYCLE_INITIALIZE_FIRST));
    }
    // The official suite reports a row for each `initialize`, not only for the first.
    for request in &opened {
        let known = Revision::ALL.map(Revision::as_str);
        let version = |names: &[&'static str]| {
            object().member("protocolVersion", one_of(names.iter().copied()))
        };
        // The specification only asks for strings; the official check tests them for truth, which an empty one fails.
        let typed = object().member("name", string()).member("version", string());
        let filled = object().member("name", truthy()).member("version", truthy());
        let filled = object().member("clientInfo", filled);
        judging
            .check("mcp-client-initialization")
            .requires(Requirement::LIFECYCLE_INITIALIZE_CONTENTS)
            .expect(&request.part(), version(&known).member("clientInfo", typed))
            .officially(&request.part(), version(&OFFICIAL), "a client may speak an older revision")
            .officially(
                &request.part(),
                filled,
                "`name` and `version` of `clientInfo` may be empty strings",
            );
        judging
            .check("server-info")
            .info("the client received the name `test-server`, version 1.0.0");
    }
    first_and_complete(judging, &opened);
    initialized(judging);
    if judging.transport().is_http() && judging.revision().sends_version_header() {
        version_headers(judging);
    }
    Ok(())
}

fn first_and_complete(judging: &mut Judging, opened: &[ReceivedMessage]) {
    let outside = judging.outside_sessions();
    let first = opened.first().map(|request| request.seq);
    let early = outside.iter().find(|received| {
        // A ping is allowed before the handshake (`basic/lifecycle`). A client that speaks both eras may try a request of the
        // stateless era first (2026-07-28, `basic/transports/streamable-http`, backward compatibility).
        Some(received.seq) < first && received.method() != "ping" && !received.is_stateless()
    });
    let mut check = judging.check("client-initialize-complete");
    if let Some(early) = early {
        check = check.requires(Requirement::LIFECYCLE_INITIALIZE_FIRST).fail(
            Finding::peer("the client sent another message before `initialize`")
                .expected("`initialize` as the first request")
                .got(format!("`{}`", early.method()))
                .evidence(early.seq),
        );
    }
    let required = || {
        object()
            .member("protocolVersion", string())
            .member("capabilities", object())
            .member("clientInfo", object())
    };
    check = check.requires(Requirement::LIFECYCLE_INITIALIZE_CONTENTS);
    drop(opened.iter().fold(check, |check, request| check.expect(&request.part(), required())));
}

/// Looks in each session for `notifications/initialized` before the first request.
fn initialized(judging: &mut Judging) {
    let sessions = judging.sessions();
    let check = judging.check("client-initialized");
    if sessions.is_empty() {
        return drop(check.skip("the server refused `initialize`"));
    }
    drop(sessions.iter().fold(check, |check, session| match session.is_abandoned() {
        true => check.skip("the client disconnected: the server selected another revision"),
        false => check.judge(initialized_in(session)),
    }));
}

fn initialized_in(session: &ClientSession) -> Result<(), Finding> {
    let position =
        |wanted: &dyn Fn(&ReceivedMessage) -> bool| session.later.iter().find(|it| wanted(it));
    let initialized = position(&|received| received.method() == "notifications/initialized");
    let request = position(&|received| {
        // Replies have an id as well, but no method.
        received.message.id().is_some() && !["", "initialize", "ping"].contains(&received.method())
    });
    match (initialized, request) {
        (Some(initialized), Some(request)) if request.seq < initialized.seq => {
            Err(Finding::peer("the client sent a request before `notifications/initialized`")
                .expected("`notifications/initialized` first")
                .got(format!("`{}`", request.method()))
                .evidence_all([request.seq, initialized.seq]))
        }
        (Some(_), _) => Ok(()),
        (None, _) => Err(Finding::peer("the client never sent `notifications/initialized`")
            .expected("`notifications/initialized` after the result of `initialize`")
            .got(
                request.map_or("nothing".to_owned(), |received| format!("`{}`", received.method())),
            )
            .evidence(session.initialize.seq)
            .evidence_all(request.map(|received| received.seq))),
    }
}

fn version_headers(judging: &mut Judging) {
    let sessions = judging.sessions();
    let mut check = judging.check("client-version-header");
    let mut any = false;
    for session in &sessions {
        // A client may have proposed an older revision, which has no such header.
        let Some(negotiated) = session.negotiated.filter(|it| it.sends_version_header()) else {
            continue;
        };
        for received in &session.later {
            any = true;
            check = version_header(check, received, negotiated);
        }
    }
    if !any {
        drop(check.skip("no message followed a handshake at a revision with this header"));
    }
}

/// The header is a MUST, that it names the negotiated revision a SHOULD (`basic/transports#protocol-version-header`).
fn version_header<'a>(
    check: CheckBuilder<'a>,
    received: &ReceivedMessage,
    negotiated: Revision,
) -> CheckBuilder<'a> {
    let wrong = || {
        Finding::peer("a POST does not have a header with the negotiated revision")
            .expected(format!("`{}: {negotiated}`", header::MCP_PROTOCOL_VERSION))
            .evidence(received.seq)
    };
    match received.header(header::MCP_PROTOCOL_VERSION) {
        Some(named) if named == negotiated.as_str() => check.pass(),
        Some(named) => check
            .requires(Requirement::TRANSPORT_HTTP_VERSION_HEADER_NEGOTIATED)
            .fail(wrong().got(format!("`{named}` on `{}`", received.method())).should()),
        None => check
            .requires(Requirement::TRANSPORT_HTTP_VERSION_HEADER_SENT)
            .fail(wrong().got(format!("no such header on `{}`", received.method()))),
    }
}

/// Lists tools without a handshake.
fn without_handshake() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        Ok(())
    })
}

/// Lists tools before the handshake.
fn early() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        drop(client.request("tools/list", json!({})).await?);
        client.end().await;
        good_client().run(task.endpoint().clone()).await
    })
}

/// Opens two sessions, the second without `notifications/initialized`.
fn second_session_uninitialized() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        good_client().run(task.endpoint().clone()).await?;
        let never = good_client().faults([Fault::never("notifications/initialized")]);
        never.run(task.endpoint().clone()).await
    })
}

/// Opens two sessions, the second without the header.
fn second_session_without_header() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        good_client().run(task.endpoint().clone()).await?;
        let unnamed = Fault::no_header("tools/list", "MCP-Protocol-Version");
        good_client().faults([unnamed]).run(task.endpoint().clone()).await
    })
}

proofs! {
    passes on good_client();
    catches "mcp-client-initialization" by set("initialize", "/protocolVersion", json!("1999-01-01"));
    catches "mcp-client-initialization" by set("initialize", "/protocolVersion", json!("2025-03-26")), under Official;
    catches "mcp-client-initialization" by set("initialize", "/clientInfo/name", json!("")), under Official;
    catches "mcp-client-initialization" by remove("initialize", "/clientInfo/version");
    catches "mcp-client-initialization" on without_handshake();
    catches "client-initialize-complete" by remove("initialize", "/capabilities");
    catches "client-initialize-complete" on early();
    catches "client-version-header" on second_session_without_header();
    catches "client-version-header" by no_header("tools/list", "MCP-Protocol-Version");
    warns "client-version-header" by header("tools/list", "MCP-Protocol-Version", "2025-03-26");
    catches "client-initialized" by never("notifications/initialized");
    catches "client-initialized" on second_session_uninitialized();
}
