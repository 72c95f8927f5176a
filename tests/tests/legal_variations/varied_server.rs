//! The reference server with variations, and what a run of the built-in scenarios reports of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use futures_util::StreamExt;
use mcp_test_core::check::Status;
use mcp_test_core::clock::virtual_time;
use mcp_test_core::json::Value;
use mcp_test_core::run::{Level, Plan, Selection, Summary, run};
use mcp_test_core::scenario::Profile;
use mcp_test_core::server::Server;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::{Target, TransportKind};
use mcp_test_suite::scenarios;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::variation::{Change, Variation};

type Set = Arc<[&'static Variation]>;

/// The largest body that is changed.
const LARGEST: usize = 16 * 1024 * 1024;

/// Where variations are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// At this revision, over the first transport on which they have an effect.
    At(Revision),
    /// At every revision and over all such transports.
    Everywhere,
}

/// What a run by the rules of this profile reports as a failure of the reference server with these variations, and not of the same
/// server without them.
pub(crate) fn failures(
    set: &[&'static Variation],
    extent: Extent,
    profile: Profile,
) -> Vec<String> {
    let transports = transports(set);
    let transports = match extent {
        Extent::At(_) => &transports[..1],
        Extent::Everywhere => &transports,
    };
    let mut failures = Vec::new();
    for transport in transports.iter().copied() {
        let of_others = of_plain_server(transport, extent, profile);
        let of_set = failures_over(set, transport, extent, profile);
        let new = of_set.into_iter().filter(|failure| !of_others.contains(failure));
        failures.extend(new.map(|failure| format!("{transport}, {profile}: {failure}")));
    }
    failures
}

/// What fails without any variation, which is nothing but what the profiles other than `adaptive` fail. Each run is made once.
fn of_plain_server(transport: TransportKind, extent: Extent, profile: Profile) -> Vec<String> {
    type PlainRuns = BTreeMap<String, Arc<OnceLock<Vec<String>>>>;
    static PLAIN: Mutex<PlainRuns> = Mutex::new(PlainRuns::new());
    if profile == Profile::Adaptive {
        return Vec::new();
    }
    let key = format!("{transport} {extent:?} {profile}");
    let run = Arc::clone(PLAIN.lock().expect("no panic").entry(key).or_default());
    run.get_or_init(|| failures_over(&[], transport, extent, profile)).clone()
}

/// The transports on which a set has an effect.
fn transports(set: &[&'static Variation]) -> Vec<TransportKind> {
    let is_of_lines = |variation: &&Variation| matches!(variation.change, Change::Line(_));
    let is_of_http =
        |variation: &&Variation| matches!(variation.change, Change::Event(_) | Change::Headers(_));
    let lines = (!set.iter().copied().all(|it| is_of_http(&it))).then_some(TransportKind::Duplex);
    let http = (!set.iter().copied().all(|it| is_of_lines(&it))).then_some(TransportKind::Router);
    lines.into_iter().chain(http).collect()
}

fn failures_over(
    set: &[&'static Variation],
    transport: TransportKind,
    extent: Extent,
    profile: Profile,
) -> Vec<String> {
    let revisions = match extent {
        Extent::Everywhere => Vec::new(),
        Extent::At(revision) => vec![revision],
    };
    let set: Set = set.into();
    let target = match transport {
        TransportKind::Duplex => over_lines(set),
        _ => over_http(set),
    };
    let selection = Selection { revisions, ..Selection::default() };
    let plan = Plan::build(scenarios::all(), target, profile, &selection);
    let plan = plan.expect("a plan").timeout(Duration::from_secs(20));
    let summary = virtual_time::block_on(run(&plan, &mut |_| {}));
    failing(&summary)
}

/// The headlines of what fails in a run, and of what keeps it from being made.
pub(crate) fn failing(summary: &Summary) -> Vec<String> {
    let not_run = summary.not_run.iter().map(ToString::to_string);
    let is_failure = |level: Level| matches!(level, Level::Failing | Level::NotRun);
    let problems = summary.problems.sorted();
    let problems = problems.iter().filter(|it| {
        // Strictly, a warning fails as well.
        it.example.check.status != Status::Warning
            && it.unexpected_level(None).is_some_and(is_failure)
    });
    not_run.chain(problems.map(|problem| problem.headline().to_owned())).collect()
}

fn server(set: &Set) -> Server {
    set.iter().fold(everything(), |server, variation| match variation.change {
        Change::Server(change) => change(server),
        _ => server,
    })
}

/// The texts of what is sent in place of one message.
fn sent(set: &Set, text: &[u8]) -> Vec<String> {
    let Ok(document) = Value::parse(text) else {
        return vec![String::from_utf8_lossy(text).into_owned()];
    };
    let mut value = document.value;
    let mut messages = Vec::new();
    for variation in set.iter() {
        match variation.change {
            Change::Message(change) | Change::Both { sent: change, .. } => change(&mut value),
            Change::Before(message) => messages.extend(message(&value)),
            _ => {}
        }
    }
    messages.push(value);
    let text = |message: &Value| {
        set.iter().fold(message.to_string(), |text, variation| match variation.change {
            Change::Text(change) => change(&text),
            _ => text,
        })
    };
    messages.iter().map(text).collect()
}

/// What the reference server receives in place of a message.
fn received(set: &Set, text: &[u8]) -> Vec<u8> {
    let undone = set.iter().find_map(|variation| match variation.change {
        Change::Both { received, .. } => Some(received),
        _ => None,
    });
    let (Some(undo), Ok(document)) = (undone, Value::parse(text)) else { return text.to_vec() };
    let mut value = document.value;
    undo(&mut value);
    value.to_string().into_bytes()
}

fn over_lines(set: Set) -> Target {
    Target::duplex(move |io| {
        let set = Arc::clone(&set);
        async move {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let (from_client, mut to_client) = tokio::io::split(io);
            let (from_server, mut to_server) = tokio::io::split(ours);
            let serving = async {
                // What a server of this kind returns at the end is not of interest here.
                let _ = server(&set).serve(theirs).await;
            };
            let incoming = async {
                let mut lines = BufReader::new(from_client).split(b'\n');
                while let Ok(Some(line)) = lines.next_segment().await {
                    let line = [&received(&set, &line)[..], b"\n"].concat();
                    if to_server.write_all(&line).await.is_err() {
                        break;
                    }
                }
                drop(to_server.shutdown().await);
            };
            let outgoing = async {
                let mut lines = BufReader::new(from_server).split(b'\n');
                while let Ok(Some(line)) = lines.next_segment().await {
                    for piece in sent(&set, &line).iter().flat_map(|text| written(&set, text)) {
                        if to_client.write_all(&piece).await.is_err() {
                            return;
                        }
                    }
                }
            };
            tokio::join!(serving, incoming, outgoing);
            Ok(())
        }
    })
}

/// The pieces in which a line is written.
fn written(set: &Set, text: &str) -> Vec<Vec<u8>> {
    let form = set.iter().find_map(|variation| match variation.change {
        Change::Line(form) => Some(form),
        _ => None,
    });
    form.map_or_else(|| vec![format!("{text}\n").into_bytes()], |form| form(text))
}

fn over_http(set: Set) -> Target {
    Target::router(move || {
        let set = Arc::clone(&set);
        server(&set).router().layer(middleware::from_fn(move |request, next| {
            let set = Arc::clone(&set);
            async move { exchange(&set, request, next).await }
        }))
    })
}

async fn exchange(set: &Set, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, LARGEST).await.unwrap_or_default();
    let request = Request::from_parts(head, Body::from(received(set, &body)));
    let (mut head, body) = next.run(request).await.into_parts();
    let media =
        head.headers.get("content-type").and_then(|it| it.to_str().ok()).unwrap_or_default();
    let (is_stream, is_json) =
        (media.starts_with("text/event-stream"), media.starts_with("application/json"));
    for variation in set.iter() {
        if let Change::Headers(change) = variation.change {
            change(&mut head.headers);
        }
    }
    // The length may be another one.
    head.headers.remove("content-length");
    let body = match (is_stream, is_json) {
        (true, _) => events(set, body),
        // Only the reply itself: what comes before it needs a stream.
        (_, true) => {
            let text = axum::body::to_bytes(body, LARGEST).await.unwrap_or_default();
            Body::from(sent(set, &text).pop().unwrap_or_default())
        }
        _ => body,
    };
    Response::from_parts(head, body)
}

/// A stream whose events are changed one by one.
fn events(set: &Set, body: Body) -> Body {
    let set = Arc::clone(set);
    let mut buffer = Vec::new();
    let changed = body.into_data_stream().map(move |piece| {
        let piece = piece?;
        buffer.extend_from_slice(&piece);
        let mut out = String::new();
        while let Some(end) = buffer.windows(2).position(|it| it == b"\n\n") {
            let event: Vec<u8> = buffer.drain(..end + 2).collect();
            out.push_str(&event_text(&set, &String::from_utf8_lossy(&event)));
        }
        Ok::<Bytes, axum::Error>(out.into())
    });
    Body::from_stream(changed)
}

/// An event in its varied form; the fields other than the data stay.
fn event_text(set: &Set, event: &str) -> String {
    let (data, fields): (Vec<&str>, Vec<&str>) =
        event.lines().filter(|line| !line.is_empty()).partition(|line| line.starts_with("data:"));
    let [data] = &data[..] else { return event.to_owned() };
    let data = data.trim_start_matches("data:").trim_start();
    let form = set.iter().find_map(|variation| match variation.change {
        Change::Event(form) => Some(form),
        _ => None,
    });
    let form = form.unwrap_or(|data| format!("data: {data}\n\n"));
    if data.is_empty() {
        return event.to_owned();
    }
    let texts = sent(set, data.as_bytes());
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
