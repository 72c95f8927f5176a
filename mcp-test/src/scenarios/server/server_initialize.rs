//! `server-initialize`.

use serde_json::json;

use super::references::{INITIALIZE, SESSION};
use crate::check::Finding;
use crate::expect::{boolean, object, one_of, string};
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Official, Part};
use crate::server::reference::everything;
use crate::spec::{Capability, Revision, Revisions, header};
use crate::trace::{Party, What};
use crate::{proofs, scenario};

scenario! {
    /// The server completes the handshake: it answers `initialize` with its revision, its capabilities and its name,
    /// and accepts `notifications/initialized`.
    ///
    /// Over HTTP it may issue a session id, which every later request has to carry in a header; characters other than
    /// visible ASCII do not survive that.
    Server "server-initialize": "The server completes the handshake",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    checks: [
        CheckSpec::official(
            "server-initialize",
            "ServerInitialize",
            "The server answers `initialize` and accepts `notifications/initialized`",
            &[INITIALIZE],
        )
        .requires(&["lifecycle.initialize-response", "schema.initialize-result"]),
        CheckSpec::official(
            "server-session-id-visible-ascii",
            "ServerSessionIdVisibleAscii",
            "The session id that the server issues consists of visible ASCII characters",
            &[SESSION],
        )
        .requires(&["transport.http.session-id-ascii"])
        .within(Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25))
        .conditional(),
        CheckSpec::own(
            "server-initialize-result",
            "ServerInitializeResult",
            "The result of `initialize` settles on the proposed revision or another of the handshake era, and each declared capability is an object with Boolean flags",
        )
        .requires(&["schema.initialize-result", "lifecycle.version-server-alternative"]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let declared = ctx.client().await?.server().declared_in.clone().unwrap_or(Value::Null);
    let trace = ctx.trace();
    let reply = trace
        .messages()
        .find(|(event, _)| event.party == Party::Server)
        .map(|(event, _)| event.seq);
    let said = |value| Part::new("the result of `initialize`", value, reply);

    let implementation = object().member("name", string()).member("version", string());
    ctx.check("server-initialize").requires("schema.initialize-result").expect(
        &said(&declared),
        object()
            .member("protocolVersion", string())
            .member("capabilities", object())
            .member("serverInfo", implementation)
            .optional("instructions", string()),
    );
    session_id(ctx);

    let known = object().member("protocolVersion", one_of(Revision::ALL.map(Revision::as_str)));
    let mut result = ctx
        .check("server-initialize-result")
        .requires("lifecycle.version-server-alternative")
        .expect(&said(&declared), known);
    for capability in Capability::ALL {
        let pointer = format!("/capabilities{}", capability.pointer());
        let Some(value) = declared.at(&pointer).filter(|value| !value.is_bool()) else {
            continue;
        };
        let flags = object().optional("listChanged", boolean()).optional("subscribe", boolean());
        result = result
            .requires("schema.initialize-result")
            .expect(&Part::new(format!("the capability `{capability}`"), value, reply), flags);
    }
    Ok(())
}

/// Looks at the session id of the handshake itself.
fn session_id(ctx: &mut Ctx) {
    if ctx.revision() < Revision::V2025_03_26 {
        return;
    }
    let is_http = ctx.carrier().is_http();
    let issued = ctx.trace().events.iter().find_map(|event| match &event.what {
        What::HttpResponse { headers, .. } if event.party == Party::Server => headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(header::MCP_SESSION_ID))
            .map(|(_, value)| (event.seq, value.clone())),
        _ => None,
    });
    let check = ctx.check("server-session-id-visible-ascii");
    match issued {
        None if is_http => check.info("the server issues no session id"),
        None => check.info("there are no session ids on this carrier"),
        Some((_, id)) if !id.is_empty() && id.chars().all(|c| c.is_ascii_graphic()) => check.pass(),
        Some((seq, id)) => check.fail(
            Finding::peer("the session id holds other characters than visible ASCII")
                .expected("characters from 0x21 to 0x7E")
                .got(format!("{id:?}"))
                .evidence(seq),
        ),
    };
}

proofs! {
    passes on everything();
    catches "server-initialize" by reply_error("initialize", -32603),
        also "server-session-id-visible-ascii" Skipped, also "server-initialize-result" Skipped;
    catches "server-initialize" by remove("initialize", "/serverInfo/version");
    catches "server-initialize" by retype("initialize", "/capabilities");
    catches "server-session-id-visible-ascii" by session_id("not visible"), over Router;
    catches "server-initialize-result" by set("initialize", "/capabilities/tools", json!([]));
    catches "server-initialize-result" by set("initialize", "/capabilities/tools/listChanged", json!("yes"));
}
