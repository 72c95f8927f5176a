//! The terms of a request: under which revision it is served, and what its client can do.
//!
//! In the handshake era `initialize` sets them for the whole conversation; in the stateless era each request brings
//! its own in `_meta`.

use serde_json::json;

use super::{Refusal, Server};
use crate::{
    json::Value,
    spec::{Era, Revision, Revisions, error_code, meta},
    transport::fault::Lapse,
    wire::RpcError,
};

/// What holds for a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Terms {
    pub(super) revision: Revision,
    pub(super) capabilities: Value,
    pub(super) info: Option<Value>,
}

impl Terms {
    /// The terms before anything was agreed, for what may be asked by then.
    pub(super) fn unsettled(revision: Revision) -> Self {
        Self { revision, capabilities: json!({}).into(), info: None }
    }

    /// What the parameters of `initialize` lead to.
    pub(super) fn negotiate(params: &Value, server: &Server) -> Result<Self, RpcError> {
        let requested = text(params, "/protocolVersion")?;
        object(params, "/capabilities")?;
        object(params, "/clientInfo")?;
        text(params, "/clientInfo/name")?;
        text(params, "/clientInfo/version")?;
        let handshake = of_era(server.served(), Era::Handshake);
        let revision = requested
            .parse()
            .ok()
            .filter(|revision| handshake.clone().any(|served| served == *revision))
            .or_else(|| handshake.clone().last())
            .ok_or_else(|| unsupported(requested, server.served()))?;
        Ok(Self {
            revision,
            capabilities: params.get("capabilities").cloned().unwrap_or_default(),
            info: params.get("clientInfo").cloned(),
        })
    }

    /// What `_meta` of a request says.
    pub(super) fn of_request(params: Option<&Value>, server: &Server) -> Result<Self, Refusal> {
        let served = server.served();
        let bad = |error| Refusal { error, status: Some(400) };
        let is_lenient = server.lapses(Lapse::SkipsMeta);
        let nothing = Value::from(json!({}));
        let meta = params.and_then(|params| params.get("_meta")).unwrap_or(&nothing);
        let requested = match meta.get(meta::PROTOCOL_VERSION) {
            Some(Value::String(requested)) => requested.as_str(),
            _ if is_lenient => Revision::NEWEST.as_str(),
            other => return Err(bad(lacking(meta::PROTOCOL_VERSION, "a string", other))),
        };
        let revision = requested
            .parse()
            .ok()
            .filter(|revision: &Revision| {
                served.contains(*revision) && revision.era() == Era::Stateless
            })
            .ok_or_else(|| {
                let error = unsupported(requested, served);
                bad(match server.lapses(Lapse::VagueVersion) {
                    true => RpcError { code: error_code::INVALID_REQUEST, ..error },
                    false => error,
                })
            })?;
        let capabilities = match meta.get(meta::CLIENT_CAPABILITIES) {
            Some(capabilities @ Value::Object(_)) => capabilities.clone(),
            _ if is_lenient => json!({}).into(),
            other => return Err(bad(lacking(meta::CLIENT_CAPABILITIES, "an object", other))),
        };
        if server.lapses(Lapse::WantsClientInfo) && meta.get(meta::CLIENT_INFO).is_none() {
            return Err(bad(lacking(meta::CLIENT_INFO, "an object", None)));
        }
        Ok(Self { revision, capabilities, info: meta.get(meta::CLIENT_INFO).cloned() })
    }
}

/// Whether a request brings its own terms.
pub(super) fn brings_terms(params: Option<&Value>) -> bool {
    let meta = params.and_then(|params| params.get("_meta"));
    meta.is_some_and(|meta| meta::REQUIRED_ON_REQUESTS.iter().any(|key| meta.get(key).is_some()))
}

/// The revisions of one era, the oldest first.
pub(super) fn of_era(served: Revisions, era: Era) -> impl Iterator<Item = Revision> + Clone {
    Revision::ALL
        .into_iter()
        .filter(move |revision| served.contains(*revision) && revision.era() == era)
}

/// The refusal of a version, with those that would do.
pub(super) fn unsupported(requested: &str, served: Revisions) -> RpcError {
    let supported = supported(served);
    let message =
        format!("unsupported protocol version; this server speaks {}", supported.join(", "));
    RpcError::new(error_code::UNSUPPORTED_PROTOCOL_VERSION, message)
        .with_data(json!({ "supported": supported, "requested": requested }))
}

/// The names of the revisions, the newest first.
pub(super) fn supported(served: Revisions) -> Vec<&'static str> {
    Revision::ALL
        .into_iter()
        .rev()
        .filter(|revision| served.contains(*revision))
        .map(Revision::as_str)
        .collect()
}

fn lacking(key: &str, kind: &str, got: Option<&Value>) -> RpcError {
    let got = got.map_or("nothing", Value::kind);
    let message = format!("`_meta` must hold {kind} as `{key}`, got {got}");
    RpcError::new(error_code::INVALID_PARAMS, message)
}

fn text<'a>(params: &'a Value, pointer: &str) -> Result<&'a str, RpcError> {
    params.at(pointer).and_then(Value::as_str).ok_or_else(|| missing(params, pointer, "a string"))
}

fn object(params: &Value, pointer: &str) -> Result<(), RpcError> {
    match params.at(pointer) {
        Some(Value::Object(_)) => Ok(()),
        _ => Err(missing(params, pointer, "an object")),
    }
}

fn missing(params: &Value, pointer: &str, kind: &str) -> RpcError {
    let got = params.at(pointer).map_or("nothing", Value::kind);
    RpcError::new(
        error_code::INVALID_PARAMS,
        format!("`params{pointer}` must be {kind}, got {got}"),
    )
}
