//! The stateless era over HTTP: every POST is independent, and its headers mirror its body.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata>

use axum::response::Response;
use http::{HeaderMap, StatusCode};

use super::received_message::ReceivedMessage;
use super::request_work::RequestWork;
use super::{HttpServer, request_headers, response};
use crate::expect::words;
use crate::json::Value;
use crate::spec::{self, Era, error_code, header, meta};
use crate::transport::actor::{Actor, MirroredArgument};
use crate::transport::fault::Misbehavior;
use crate::transport::interceptor::InterceptedConnection;
use crate::wire::{Id, Message, Request, RpcError};

/// How many characters of a value are repeated in an error.
const SHOWN: usize = 200;

impl HttpServer {
    pub(super) async fn post_without_session(
        &self,
        wire: &InterceptedConnection,
        headers: &HeaderMap,
        received: ReceivedMessage,
    ) -> Response {
        match received.value().map(Message::read) {
            Some(Ok(Message::Request(request))) => {
                let decode = match wire.misbehaves(Misbehavior::DecodesAnyMarker) {
                    true => decoded_in_any_case,
                    false => decoded,
                };
                let mirrors = check_mirrors(&*self.0.actor, headers, &request, decode);
                if let Err(error) = mirrors
                    && !wire.misbehaves(Misbehavior::SkipsMirrors)
                {
                    let error = match wire.misbehaves(Misbehavior::VagueMirrors) {
                        true => RpcError::new(error_code::INVALID_REQUEST, "bad request"),
                        false => error,
                    };
                    let id = Some(request.id).filter(|id| *id != Id::Null);
                    return response::error(StatusCode::BAD_REQUEST, id, error);
                }
            }
            // Servers of this era send no requests, so there is nothing to reply to.
            Some(Ok(Message::Response(_) | Message::Error(_))) => {
                return response::refusal(
                    StatusCode::BAD_REQUEST,
                    "clients do not send replies in this revision",
                );
            }
            // Only requests have mirrored headers; a notification is accepted with 202.
            Some(Ok(Message::Notification(_))) => {
                let conversation = self.0.actor.new_conversation(Some(Era::Stateless));
                return self.accept(RequestWork::start(&conversation, received), true).await;
            }
            // The actor decides how to answer what is not a message.
            Some(Err(_)) | None => {}
        }
        let conversation = self.0.actor.new_conversation(Some(Era::Stateless));
        let work = RequestWork::start(&conversation, received);
        self.respond(wire, work).await
    }
}

/// Checks that the headers match the body.
fn check_mirrors(
    actor: &dyn Actor,
    headers: &HeaderMap,
    request: &Request,
    decode: fn(&str) -> Option<String>,
) -> Result<(), RpcError> {
    let Request { method, params, .. } = request;
    let params = params.as_ref();
    let version =
        params.and_then(|params| params.get("_meta")?.get(meta::PROTOCOL_VERSION)?.as_str());
    if method == "initialize" && version.is_none() {
        // A client of the handshake era needs an error about versions, not about headers.
        return Ok(());
    }
    let literal = |value: &str| Some(value.to_owned());
    check_header(headers, header::MCP_PROTOCOL_VERSION, version, literal)?;
    check_header(headers, header::MCP_METHOD, Some(method), literal)?;
    let name = spec::method(method).and_then(|method| method.name_param);
    // Without a name there is nothing to mirror; the actor refuses the request.
    let Some(name) = name.and_then(|name| params?.get(name)?.as_str()) else { return Ok(()) };
    check_header(headers, header::MCP_NAME, Some(name), decode)?;
    if method != "tools/call" {
        return Ok(());
    }
    let arguments = params.and_then(|params| params.get("arguments"));
    for MirroredArgument { pointer, header, .. } in actor.mirrored(name) {
        let header = format!("{}{header}", header::MCP_PARAM_PREFIX);
        let argument = arguments.and_then(|arguments| arguments.at(&pointer));
        check_argument(headers, &header, argument)?;
    }
    Ok(())
}

/// Checks that a header matches an argument; a missing argument has no header.
fn check_argument(
    headers: &HeaderMap,
    name: &str,
    argument: Option<&Value>,
) -> Result<(), RpcError> {
    match argument {
        None | Some(Value::Null) if headers.contains_key(name) => {
            Err(mismatch(&format!("`{name}` is present, but the argument is missing")))
        }
        // A missing or null argument has no header, and only primitive ones can be mirrored.
        None | Some(Value::Null | Value::Array(_) | Value::Object(_)) => Ok(()),
        Some(Value::String(text)) => check_header(headers, name, Some(text), decoded),
        Some(Value::Number(number)) => {
            // Numbers should be compared as numbers: `42.0` equals `42`.
            let same_number = |value: &str| {
                let value = value.parse::<f64>().ok()?;
                let text = number.to_string();
                Some(if number.as_f64() == Some(value) { text } else { value.to_string() })
            };
            check_header(headers, name, Some(&number.to_string()), same_number)
        }
        Some(Value::Bool(value)) => check_header(headers, name, Some(&value.to_string()), decoded),
    }
}

/// Checks that a header is present and, if the body has a value for it, equal to that value.
fn check_header(
    headers: &HeaderMap,
    name: &str,
    body: Option<&str>,
    decode: impl Fn(&str) -> Option<String>,
) -> Result<(), RpcError> {
    if !headers.contains_key(name) {
        return Err(mismatch(&format!("`{name}` is missing")));
    }
    let Some(value) = request_headers::value(headers, name).map(str::trim).and_then(decode) else {
        return Err(mismatch(&format!("`{name}` is not readable")));
    };
    match body {
        Some(body) if body != value => {
            let [value, body] = [value.as_str(), body].map(|text| words::cut(text, SHOWN));
            Err(mismatch(&format!("`{name}` is `{value}`, but the body says `{body}`")))
        }
        _ => Ok(()),
    }
}

fn decoded(value: &str) -> Option<String> {
    header::decode_value(value).ok()
}

/// Decodes a value whose marker may be in any case, which the specification does not allow.
fn decoded_in_any_case(value: &str) -> Option<String> {
    decoded(&value.replacen("=?BASE64?", "=?base64?", 1))
}

fn mismatch(why: &str) -> RpcError {
    RpcError::new(error_code::HEADER_MISMATCH, format!("header mismatch: {why}"))
}
