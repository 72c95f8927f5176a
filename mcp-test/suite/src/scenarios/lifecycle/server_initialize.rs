//! `server-initialize`.

use mcp_test_core::expect::boolean;

use crate::scenarios::prelude::*;
use crate::scenarios::references::{INITIALIZE, SESSION};

scenario! {
    /// The server completes the handshake: it answers `initialize` with its revision, its capabilities and its name,
    /// and accepts `notifications/initialized`.
    ///
    /// Over HTTP it may issue a session id, which every later request has to send in a header; only visible ASCII
    /// characters survive that.
    Server "server-initialize": "The server completes the handshake",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    shares_connection: Revisions::all(),
    checks: [
        check!("server-initialize", "The server answers `initialize` and accepts `notifications/initialized`",
            [LIFECYCLE_INITIALIZE_RESPONSE, SCHEMA_INITIALIZE_RESULT, BASE_SUPPORT_CORE]).official(&[INITIALIZE]),
        check!("server-session-id-visible-ascii", "The session id of the server consists of visible ASCII characters",
            [TRANSPORT_HTTP_SESSION_ID_ASCII]).official(&[SESSION]).conditional(),
        check!("server-initialize-result",
            "Each capability in the result of `initialize` is an object with Boolean flags",
            [SCHEMA_INITIALIZE_RESULT]),
    ],
}

/// The Boolean members of capabilities.
const FLAGS: [&str; 2] = ["listChanged", "subscribe"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let declared = ctx.client().await?.server().declared_in.clone().unwrap_or(Value::Null);
    let trace = ctx.trace();
    // The server sends nothing before it has answered `initialize`, so its first message is the reply.
    let reply = trace
        .messages()
        .find(|(event, _)| event.party == Party::Server)
        .map(|(event, _)| event.seq);
    let result_part = |value| Part::new("the result of `initialize`", value, reply);

    let implementation = object().member("name", string()).member("version", string());
    ctx.check("server-initialize").requires(Requirement::SCHEMA_INITIALIZE_RESULT).expect(
        &result_part(&declared),
        object()
            .member("protocolVersion", string())
            .member("capabilities", object())
            .member("serverInfo", implementation)
            .optional("instructions", string()),
    );
    session_id(ctx);

    // A flag is not looked up by itself: it is a member of the capability that it belongs to.
    let is_flag = |capability: &Capability| {
        FLAGS.iter().any(|flag| capability.pointer().ends_with(&format!("/{flag}")))
    };
    let mut result = ctx.check("server-initialize-result");
    let mut declares_any = false;
    for capability in Capability::ALL.iter().filter(|capability| !is_flag(capability)) {
        let pointer = format!("/capabilities{}", capability.pointer());
        let Some(value) = declared.at(&pointer) else {
            continue;
        };
        declares_any = true;
        let flags = FLAGS.iter().fold(object(), |flags, flag| flags.optional(*flag, boolean()));
        let what = format!("the capability `{capability}`");
        result = result.expect(&Part::new(what, value, reply), flags);
    }
    if !declares_any {
        result.info("the server declares no capabilities");
    }
    Ok(())
}

/// Checks the session id in the headers of the handshake.
fn session_id(ctx: &mut Ctx) {
    // HTTP+SSE of 2024-11-05 has no session ids.
    if !ctx.revision().has_sessions() {
        return;
    }
    let is_http = ctx.transport().is_http();
    // The official suite opens another session to see this header; the trace has that of the client.
    let issued = ctx.trace().events.iter().find_map(|event| match &event.kind {
        EventKind::HttpResponse { headers, .. } if event.party == Party::Server => headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(header::MCP_SESSION_ID))
            .map(|(_, value)| (event.seq, value.clone())),
        _ => None,
    });
    let check = ctx.check("server-session-id-visible-ascii");
    match issued {
        None if is_http => check.info("the server issues no session id"),
        None => check.info("there are no session ids over this transport"),
        Some((_, id)) if !id.is_empty() && id.chars().all(|c| c.is_ascii_graphic()) => check.pass(),
        Some((seq, id)) => check.fail(
            Finding::peer("the session id contains characters other than visible ASCII")
                .expected("characters from 0x21 to 0x7E")
                .got(format!("{id:?}"))
                .evidence(seq),
        ),
    };
}

proofs! {
    passes on everything();
    catches "server-initialize" by reply_error("initialize", -32603);
    catches "server-initialize" by remove("initialize", "/serverInfo/version");
    catches "server-initialize" by retype("initialize", "/capabilities");
    catches "server-session-id-visible-ascii" by session_id("not visible"), over Router;
    catches "server-initialize-result" by set("initialize", "/capabilities/tools", json!([]));
    catches "server-initialize-result" by set("initialize", "/capabilities/tools", json!(true));
    catches "server-initialize-result" by set("initialize", "/capabilities/tools/listChanged", json!("yes"));
}
