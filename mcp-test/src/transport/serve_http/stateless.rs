//! The stateless era over HTTP: every POST stands by itself, and its headers mirror its body.

use axum::response::Response;
use http::{HeaderMap, StatusCode};

use super::{HttpServer, drive::Drive, gate, reply};
use crate::{
    json::Value,
    spec::{self, Era, error_code, header, meta},
    transport::{fault::Lapse, serve::Received, tap::Wire},
    wire::{Id, Message, RpcError},
};

impl HttpServer {
    pub(super) async fn post_by_itself(
        &self,
        wire: &Wire,
        headers: &HeaderMap,
        received: Received,
    ) -> Response {
        match received.value().map(Message::read) {
            Some(Ok(Message::Request(request))) => {
                if let Err(error) = mirrors(headers, &request.method, request.params.as_ref())
                    && !wire.lapses(Lapse::SkipsMirrors)
                {
                    let error = match wire.lapses(Lapse::VagueMirrors) {
                        true => RpcError::new(error_code::INVALID_REQUEST, "bad request"),
                        false => error,
                    };
                    let id = Some(request.id).filter(|id| *id != Id::Null);
                    return reply::error(StatusCode::BAD_REQUEST, id, error);
                }
            }
            Some(Ok(Message::Response(_) | Message::Error(_))) => {
                return reply::refusal(
                    StatusCode::BAD_REQUEST,
                    "a client sends no replies in this revision",
                );
            }
            Some(Ok(Message::Notification(_))) => {
                let conversation = self.0.actor.converse(Some(Era::Stateless));
                return self.accept(Drive::start(&*conversation, received), true).await;
            }
            Some(Err(_)) | None => {}
        }
        let conversation = self.0.actor.converse(Some(Era::Stateless));
        let drive = Drive::start(&*conversation, received);
        self.respond(wire, drive).await
    }
}

/// Whether the headers say what the body says.
fn mirrors(headers: &HeaderMap, method: &str, params: Option<&Value>) -> Result<(), RpcError> {
    let version =
        params.and_then(|params| params.get("_meta")?.get(meta::PROTOCOL_VERSION)?.as_str());
    if method == "initialize" && version.is_none() {
        // A client of the handshake era: it needs to hear of versions, not of headers.
        return Ok(());
    }
    same(headers, header::MCP_PROTOCOL_VERSION, version, |value| Some(value.to_owned()))?;
    same(headers, header::MCP_METHOD, Some(method), |value| Some(value.to_owned()))?;
    let name = spec::method(method).and_then(|method| method.name_param);
    match name.and_then(|name| params?.get(name)?.as_str()) {
        Some(name) => {
            same(headers, header::MCP_NAME, Some(name), |value| header::decode_value(value).ok())
        }
        None => Ok(()),
    }
}

/// Whether a header is there and, where the body has something to compare with, says the same.
fn same(
    headers: &HeaderMap,
    name: &str,
    body: Option<&str>,
    decode: impl Fn(&str) -> Option<String>,
) -> Result<(), RpcError> {
    let mismatch = |why: String| {
        Err(RpcError::new(error_code::HEADER_MISMATCH, format!("header mismatch: {why}")))
    };
    if !headers.contains_key(name) {
        return mismatch(format!("`{name}` is missing"));
    }
    let Some(value) = gate::value(headers, name).map(str::trim).and_then(decode) else {
        return mismatch(format!("`{name}` cannot be read"));
    };
    match body {
        Some(body) if body != value => {
            mismatch(format!("`{name}` is `{value}`, but the body says `{body}`"))
        }
        _ => Ok(()),
    }
}
