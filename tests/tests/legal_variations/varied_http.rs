//! The HTTP endpoint of a server with variations.

use std::convert::Infallible;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{self, Next};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use mcp_test_core::clock::Stopwatch;
use mcp_test_core::json::Value;
use mcp_test_core::spec::header;

use super::peer::{Peer, Set};
use super::variation::Change;
use super::wire::Wire;

/// The largest body that is changed.
const LARGEST: usize = 16 * 1024 * 1024;

/// The endpoint of a plain server, as the varied one serves it.
pub(crate) fn router(plain: Router, set: &Set, wire: &Wire) -> Router {
    let (set, wire) = (set.clone(), wire.clone());
    plain.layer(middleware::from_fn(move |request, next| {
        let peer = Peer::new(&set, wire.open());
        exchange(peer, request, next)
    }))
}

async fn exchange(peer: Peer, request: Request, next: Next) -> Response {
    let stopwatch = Stopwatch::start();
    let (mut head, body) = request.into_parts();
    let text = |headers: &HeaderMap, name: &str| {
        headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or_default().to_owned()
    };
    let (method, origin) = (head.method.clone(), text(&head.headers, "origin"));
    let body = axum::body::to_bytes(body, LARGEST).await.unwrap_or_default();
    let received = peer.received(&body);
    mirror(&mut head.headers, &body, &received);
    let request = Request::from_parts(head, Body::from(received));
    let (mut head, body) = next.run(request).await.into_parts();
    let media = text(&head.headers, "content-type");
    for variation in peer.set.iter() {
        match variation.change {
            Change::Headers(change) => change(&mut head.headers),
            Change::Status(change) => head.status = change(&method, head.status),
            _ => {}
        }
    }
    // The length may be another one.
    head.headers.remove("content-length");
    let after = stopwatch.elapsed().as_millis();
    let field = |(name, value): (_, &HeaderValue)| {
        format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes()))
    };
    let fields: String = head.headers.iter().map(field).collect();
    let status = head.status.as_u16();
    let shown = format!("{method} {status} after {after} ms, from {origin}\n{fields}");
    peer.record.add(shown.as_bytes());
    let body = match () {
        () if media.starts_with("text/event-stream") => events(peer, body),
        () if media.starts_with("application/json") => {
            let text = axum::body::to_bytes(body, LARGEST).await.unwrap_or_default();
            json_body(&peer, &text)
        }
        () => body,
    };
    Response::from_parts(head, body)
}

/// Changes the header with the name that a request is about, if the body with that name was changed.
fn mirror(headers: &mut HeaderMap, before: &[u8], after: &[u8]) {
    let name = |body: &[u8]| {
        let message = Value::parse(body).ok()?.value;
        let name = message.at("/params/name").or_else(|| message.at("/params/uri"))?;
        name.as_str().map(str::to_owned)
    };
    let (Some(odd), Some(plain)) = (name(before), name(after)) else { return };
    let given = headers.get(header::MCP_NAME).and_then(|it| it.to_str().ok());
    // A name that is not plain ASCII is sent in Base64.
    let fits = given.is_some_and(|it| it == odd || it.starts_with("=?base64?"));
    if fits && odd != plain {
        let plain = HeaderValue::from_str(&plain).expect("the reference server's names are ASCII");
        headers.insert(header::MCP_NAME, plain);
    }
}

/// The body with the reply itself: what comes before it needs a stream.
fn json_body(peer: &Peer, text: &[u8]) -> Body {
    let text = peer.sent(text).pop().unwrap_or_default();
    let form = peer.set.iter().find_map(|variation| match variation.change {
        Change::Body(form) => Some(form),
        _ => None,
    });
    let pieces = form.map_or_else(|| vec![text.clone().into_bytes()], |form| form(&text));
    pieces.iter().for_each(|piece| peer.record.add(piece));
    let pieces = pieces.into_iter().map(|piece| Ok::<Bytes, Infallible>(piece.into()));
    Body::from_stream(stream::iter(pieces))
}

/// A stream whose events are changed one by one.
fn events(peer: Peer, body: Body) -> Body {
    let of_stream = |change| match change {
        Change::Stream { start, bytewise } => Some((start, bytewise)),
        _ => None,
    };
    let streams: Vec<_> = peer.set.iter().filter_map(|it| of_stream(it.change)).collect();
    let mut out: String = streams.iter().map(|(start, _)| *start).collect();
    let bytewise = streams.iter().any(|(_, bytewise)| *bytewise);
    let mut buffer = Vec::new();
    let changed = body.into_data_stream().flat_map(move |piece| {
        let pieces: Vec<Result<Bytes, axum::Error>> = match piece {
            Err(error) => vec![Err(error)],
            Ok(piece) => {
                buffer.extend_from_slice(&piece);
                while let Some(end) = buffer.windows(2).position(|it| it == b"\n\n") {
                    let event: Vec<u8> = buffer.drain(..end + 2).collect();
                    out.push_str(&event_text(&peer, &String::from_utf8_lossy(&event)));
                }
                let written = Bytes::from(std::mem::take(&mut out));
                let length = if bytewise { 1 } else { written.len().max(1) };
                let pieces: Vec<Bytes> =
                    written.chunks(length).map(|it| written.slice_ref(it)).collect();
                pieces.iter().for_each(|piece| peer.record.add(piece));
                pieces.into_iter().map(Ok).collect()
            }
        };
        stream::iter(pieces)
    });
    Body::from_stream(changed)
}

/// An event in its varied form; the fields other than the data stay.
fn event_text(peer: &Peer, event: &str) -> String {
    let (data, fields): (Vec<&str>, Vec<&str>) =
        event.lines().filter(|line| !line.is_empty()).partition(|line| line.starts_with("data:"));
    let [data] = &data[..] else { return event.to_owned() };
    let data = data.trim_start_matches("data:").trim_start();
    if data.is_empty() {
        return event.to_owned();
    }
    let form = peer.set.iter().find_map(|variation| match variation.change {
        Change::Event(form) => Some(form),
        _ => None,
    });
    let form = form.unwrap_or(|data| format!("data: {data}\n\n"));
    let texts = peer.sent(data.as_bytes());
    let mut out = String::new();
    for (number, text) in (1..).zip(&texts) {
        // The fields belong to the last one, which is the message of the server itself.
        if number == texts.len() {
            out.extend(fields.iter().flat_map(|field| [field, "\n"]));
        }
        out.push_str(&form(text));
    }
    out
}
