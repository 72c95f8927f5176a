//! The context of a request: its revision and the capabilities of its client.
//!
//! In the handshake era `initialize` sets it for the whole conversation; in the stateless era each request
//! carries its own in `_meta`.

use serde_json::json;

use super::{Refusal, Server};
use crate::json::Value;
use crate::spec::{Era, Revision, Revisions, error_code, meta};
use crate::transport::fault::Misbehavior;
use crate::wire::RpcError;

/// The context of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestContext {
    pub(super) revision: Revision,
    pub(super) capabilities: Value,
    pub(super) info: Option<Value>,
}

impl RequestContext {
    /// The context before the handshake, for requests that are allowed by then.
    pub(super) fn before_negotiation(revision: Revision) -> Self {
        Self { revision, capabilities: json!({}).into(), info: None }
    }

    /// The context that results from the parameters of `initialize`.
    pub(super) fn negotiate(params: &Value, server: &Server) -> Result<Self, RpcError> {
        let requested = require_text(params, "/protocolVersion")?;
        require_object(params, "/capabilities")?;
        if !server.misbehaves(Misbehavior::SkipsClientInfo) {
            // Before its members, so that a missing object is named as a whole.
            require_object(params, "/clientInfo")?;
            require_text(params, "/clientInfo/name")?;
            require_text(params, "/clientInfo/version")?;
        }
        let handshake = revisions_in_era(server.served(), Era::Handshake);
        let revision = requested
            .parse()
            .ok()
            // A revision that the server does not have is answered with the latest one that it has; `initialize` never
            // negotiates a revision of the stateless era.
            .filter(|revision| handshake.clone().any(|served| served == *revision))
            .or_else(|| handshake.clone().last())
            .ok_or_else(|| unsupported(requested, server.served()))?;
        Ok(Self {
            revision,
            capabilities: params.get("capabilities").cloned().unwrap_or_default(),
            info: params.get("clientInfo").cloned(),
        })
    }

    /// The context in the `_meta` of a request.
    pub(super) fn from_meta(params: Option<&Value>, server: &Server) -> Result<Self, Refusal> {
        let served = server.served();
        // The specification requires HTTP 400 for a request whose `_meta` is incomplete or names an unsupported
        // revision.
        let refuse = |error| Refusal { error, status: Some(400) };
        // Faults: a correct server requires the revision and the capabilities of every request, but not `clientInfo`.
        let is_lenient = server.misbehaves(Misbehavior::SkipsMeta);
        let empty = Value::from(json!({}));
        let meta = params.and_then(|params| params.get("_meta")).unwrap_or(&empty);
        let requested = match meta.get(meta::PROTOCOL_VERSION) {
            Some(Value::String(requested)) => requested.as_str(),
            _ if is_lenient => Revision::NEWEST.as_str(),
            other => return Err(refuse(invalid_meta(meta::PROTOCOL_VERSION, "a string", other))),
        };
        let revision = requested
            .parse()
            .ok()
            .filter(|revision: &Revision| {
                served.contains(*revision) && revision.era() == Era::Stateless
            })
            .ok_or_else(|| {
                let error = unsupported(requested, served);
                refuse(match server.misbehaves(Misbehavior::VagueVersion) {
                    true => RpcError { code: error_code::INVALID_REQUEST, ..error },
                    false => error,
                })
            })?;
        let capabilities = match meta.get(meta::CLIENT_CAPABILITIES) {
            Some(capabilities @ Value::Object(_)) => capabilities.clone(),
            _ if is_lenient => json!({}).into(),
            other => {
                return Err(refuse(invalid_meta(meta::CLIENT_CAPABILITIES, "an object", other)));
            }
        };
        if server.misbehaves(Misbehavior::WantsClientInfo) && meta.get(meta::CLIENT_INFO).is_none()
        {
            return Err(refuse(invalid_meta(meta::CLIENT_INFO, "an object", None)));
        }
        Ok(Self { revision, capabilities, info: meta.get(meta::CLIENT_INFO).cloned() })
    }
}

/// Whether a request carries its own context.
pub(super) fn has_own_context(params: Option<&Value>) -> bool {
    let meta = params.and_then(|params| params.get("_meta"));
    meta.is_some_and(|meta| meta::REQUIRED_ON_REQUESTS.iter().any(|key| meta.get(key).is_some()))
}

/// The revisions of one era, oldest first.
pub(super) fn revisions_in_era(
    served: Revisions,
    era: Era,
) -> impl Iterator<Item = Revision> + Clone {
    Revision::ALL
        .into_iter()
        .filter(move |revision| served.contains(*revision) && revision.era() == era)
}

/// The error for an unsupported version; it lists the supported ones.
pub(super) fn unsupported(requested: &str, served: Revisions) -> RpcError {
    let supported = supported(served);
    let message =
        format!("unsupported protocol version; this server speaks {}", supported.join(", "));
    RpcError::new(error_code::UNSUPPORTED_PROTOCOL_VERSION, message)
        .with_data(json!({ "supported": supported, "requested": requested }))
}

/// The names of the revisions, newest first.
pub(super) fn supported(served: Revisions) -> Vec<&'static str> {
    served.iter().rev().map(Revision::as_str).collect()
}

fn invalid_meta(key: &str, kind: &str, got: Option<&Value>) -> RpcError {
    let got = got.map_or("nothing", Value::kind);
    let message = format!("`_meta` must hold {kind} as `{key}`, got {got}");
    RpcError::new(error_code::INVALID_PARAMS, message)
}

fn require_text<'a>(params: &'a Value, pointer: &str) -> Result<&'a str, RpcError> {
    params.at(pointer).and_then(Value::as_str).ok_or_else(|| missing(params, pointer, "a string"))
}

fn require_object(params: &Value, pointer: &str) -> Result<(), RpcError> {
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
