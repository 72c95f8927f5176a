//! `request-metadata`, for clients.

mod judge;

use std::sync::atomic::{AtomicBool, Ordering};

use super::request_metadata::judge::{ELICITATION, ROOTS, SAMPLING, judge};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2575_META;

scenario! {
    /// Every request is self-contained: it names its revision in `_meta` and, over HTTP, in a header, and carries the
    /// capabilities and the name of the client.
    ///
    /// The server refuses the first request unconditionally, with a list of the revisions that it speaks; the client should
    /// continue with one of them. The official suite checks notifications too; the specification only binds requests.
    Client "request-metadata": "Every request carries its revision and client info",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    checks: [
        check!("sep-2575-http-client-sends-version-header", "Every POST has a header with its revision",
            [TRANSPORT_HTTP_VERSION_HEADER_REQUIRED])
            .official(&[SEP_2575_META]).named("ClientSendsVersionHeader").over_http(),
        check!("sep-2575-client-populates-meta",
            "The `_meta` of every request has the revision and the client capabilities",
            [BASE_META_REQUEST_REQUIRED_FIELDS]).official(&[SEP_2575_META]).named("ClientPopulatesMeta"),
        check!("sep-2575-client-sends-client-info", "The `_meta` of every request has the client info",
            [BASE_META_CLIENT_INFO]).official(&[SEP_2575_META]).named("ClientSendsClientInfo")
            .fails_or_warns("the official suite fails it"),
        check!("sep-2575-http-version-header-matches-meta", "Header and `_meta` name the same revision",
            [TRANSPORT_HTTP_VERSION_HEADER_MATCHES_BODY])
            .official(&[SEP_2575_META]).named("ClientVersionHeaderMatchesMeta").over_http(),
        check!(ROOTS.0, "`roots`, if declared, is an object",
            [SCHEMA_CLIENT_CAPABILITIES]).official(&[SEP_2575_META]).named("ClientDeclaresRootsCapability"),
        check!(SAMPLING.0, "`sampling`, if declared, is an object",
            [SCHEMA_CLIENT_CAPABILITIES]).official(&[SEP_2575_META]).named("ClientDeclaresSamplingCapability"),
        check!(ELICITATION.0, "`elicitation`, if declared, is an object",
            [SCHEMA_CLIENT_CAPABILITIES]).official(&[SEP_2575_META]).named("ClientDeclaresElicitationCapability"),
        check!("sep-2575-client-retry-supported-version",
            "After the refusal the client continues with a revision that the server speaks",
            [VERSIONING_CLIENT_RETRIES_SUPPORTED]).official(&[SEP_2575_META]).named("ClientRetrySupportedVersion")
            .fails_or_warns("the official suite fails it"),
    ],
}

fn serve(_: &ClientTest) -> Server {
    // Shared by all methods: the first request of the conversation is refused, whatever it is and whatever its revision.
    let refused = Arc::new(AtomicBool::new(false));
    let capabilities = || json!({ "tools": {} });
    let answer = |result: serde_json::Value| {
        let refused = Arc::clone(&refused);
        move |call: Call| {
            let first = !refused.swap(true, Ordering::SeqCst);
            let answer = if first { refusal(&call) } else { result.clone().into() };
            async move { answer }
        }
    };
    let known =
        json!({ "supportedVersions": [Revision::NEWEST.as_str()], "capabilities": capabilities() });
    Server::new(json!({ "name": "request-metadata-server", "version": "1.0.0" }))
        .revisions(Revisions::from(Revision::V2026_07_28))
        .capabilities(capabilities())
        .on("server/discover", answer(known))
        .on("tools/list", answer(json!({ "tools": [] })))
        .on("tools/call", answer(json!({ "content": [] })))
}

fn refusal(call: &Call) -> Answer {
    let requested = call.params().at("/_meta/io.modelcontextprotocol~1protocolVersion");
    let data = json!({
        "supported": [Revision::NEWEST.as_str()],
        "requested": requested.map(Value::to_serde),
    });
    let code = error_code::UNSUPPORTED_PROTOCOL_VERSION;
    RpcError::new(code, "unsupported protocol version").with_data(data).into()
}

/// Never connects.
fn absent() -> ScriptedClient {
    ScriptedClient::new(|_: ClientTask| async { Ok(()) })
}

/// Gives up after the refusal, although a common revision is on the list.
fn without_retry() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut options = task.options();
        options.capabilities =
            Some(json!({ "roots": {}, "sampling": {}, "elicitation": {} }).into());
        let _ = task.connect(options).await?.discover().await?;
        Ok(())
    })
}

/// As [`without_retry`], with an error.
fn failing_without_retry() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        without_retry().run(task.endpoint().clone()).await?;
        Err("the server supports no common revision".into())
    })
}

proofs! {
    passes on good_client();
    catches "sep-2575-http-client-sends-version-header" by no_header("tools/list", "MCP-Protocol-Version");
    catches "sep-2575-client-populates-meta"
        by remove("tools/list", "/_meta/io.modelcontextprotocol~1clientCapabilities");
    warns "sep-2575-client-sends-client-info" by remove("tools/list", "/_meta/io.modelcontextprotocol~1clientInfo");
    catches "sep-2575-http-version-header-matches-meta" by header("tools/list", "MCP-Protocol-Version", "2025-11-25");
    catches "sep-2575-client-declares-roots-capability"
        by retype("*", "/_meta/io.modelcontextprotocol~1clientCapabilities/roots");
    catches "sep-2575-client-declares-sampling-capability"
        by retype("*", "/_meta/io.modelcontextprotocol~1clientCapabilities/sampling");
    catches "sep-2575-client-declares-elicitation-capability"
        by retype("*", "/_meta/io.modelcontextprotocol~1clientCapabilities/elicitation");
    warns "sep-2575-client-retry-supported-version" on without_retry();
    // What it fails for is only recommended.
    warns "sep-2575-client-retry-supported-version" on failing_without_retry();
    warns "sep-2575-client-retry-supported-version" on failing_without_retry(), under Strict;
    catches "sep-2575-client-retry-supported-version" on absent(), under Strict;
    catches "sep-2575-client-sends-client-info" on absent(), under Strict;
}
