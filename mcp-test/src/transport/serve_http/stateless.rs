//! The stateless era over HTTP: every POST stands by itself, and its headers mirror its body.

use axum::response::Response;
use http::{HeaderMap, StatusCode};

use super::{HttpServer, drive::Drive, gate, reply};
use crate::{
    json::Value,
    spec::{self, Era, error_code, header, meta},
    transport::{
        fault::Lapse,
        serve::{Actor, Mirrored, Received},
        tap::Wire,
    },
    wire::{Id, Message, Request, RpcError},
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
                let mirrors = mirrors(&*self.0.actor, headers, &request);
                if let Err(error) = mirrors
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
                return self.accept(Drive::start(&conversation, received), true).await;
            }
            Some(Err(_)) | None => {}
        }
        let conversation = self.0.actor.converse(Some(Era::Stateless));
        let drive = Drive::start(&conversation, received);
        self.respond(wire, drive).await
    }
}

/// Whether the headers say what the body says.
fn mirrors(actor: &dyn Actor, headers: &HeaderMap, request: &Request) -> Result<(), RpcError> {
    let Request { method, params, .. } = request;
    let params = params.as_ref();
    let version =
        params.and_then(|params| params.get("_meta")?.get(meta::PROTOCOL_VERSION)?.as_str());
    if method == "initialize" && version.is_none() {
        // A client of the handshake era: it needs to hear of versions, not of headers.
        return Ok(());
    }
    let literal = |value: &str| Some(value.to_owned());
    same(headers, header::MCP_PROTOCOL_VERSION, version, literal)?;
    same(headers, header::MCP_METHOD, Some(method), literal)?;
    let name = spec::method(method).and_then(|method| method.name_param);
    let Some(name) = name.and_then(|name| params?.get(name)?.as_str()) else { return Ok(()) };
    same(headers, header::MCP_NAME, Some(name), decoded)?;
    if method != "tools/call" {
        return Ok(());
    }
    let arguments = params.and_then(|params| params.get("arguments"));
    for Mirrored { pointer, header, .. } in actor.mirrored(name) {
        let header = format!("{}{header}", header::MCP_PARAM_PREFIX);
        let argument = arguments.and_then(|arguments| arguments.at(&pointer));
        argument_is(headers, &header, argument)?;
    }
    Ok(())
}

/// Whether a header says what an argument is; one that is not there has none.
fn argument_is(headers: &HeaderMap, name: &str, argument: Option<&Value>) -> Result<(), RpcError> {
    match argument {
        None | Some(Value::Null) if headers.contains_key(name) => {
            Err(mismatch(&format!("`{name}` is there, but the argument is not")))
        }
        None | Some(Value::Null | Value::Array(_) | Value::Object(_)) => Ok(()),
        Some(Value::String(text)) => same(headers, name, Some(text), decoded),
        Some(Value::Number(number)) => {
            let same_number = |value: &str| {
                let value = value.parse::<f64>().ok()?;
                let text = number.to_string();
                Some(if number.as_f64() == Some(value) { text } else { value.to_string() })
            };
            same(headers, name, Some(&number.to_string()), same_number)
        }
        Some(Value::Bool(value)) => {
            same(headers, name, Some(if *value { "true" } else { "false" }), decoded)
        }
    }
}

/// Whether a header is there and, where the body has something to compare with, says the same.
fn same(
    headers: &HeaderMap,
    name: &str,
    body: Option<&str>,
    decode: impl Fn(&str) -> Option<String>,
) -> Result<(), RpcError> {
    if !headers.contains_key(name) {
        return Err(mismatch(&format!("`{name}` is missing")));
    }
    let Some(value) = gate::value(headers, name).map(str::trim).and_then(decode) else {
        return Err(mismatch(&format!("`{name}` cannot be read")));
    };
    match body {
        Some(body) if body != value => {
            Err(mismatch(&format!("`{name}` is `{value}`, but the body says `{body}`")))
        }
        _ => Ok(()),
    }
}

fn decoded(value: &str) -> Option<String> {
    header::decode_value(value).ok()
}

fn mismatch(why: &str) -> RpcError {
    RpcError::new(error_code::HEADER_MISMATCH, format!("header mismatch: {why}"))
}
