//! Variations of servers over HTTP: streams, sessions, statuses, and headers.

use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use mcp_test_core::json::Value;
use mcp_test_core::server::Server;
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::Fault;

use super::rewrite::change_type;
use super::variation::{Change, Sign, Variation};
use super::varied_socket::odd_case;

const SSE: &str =
    "basic/transports: streams are server-sent events by the HTML standard, which allows it";
pub(crate) const HTTP: &str = "basic/transports: HTTP allows it (RFC 9110)";
const STATUS: &str =
    "basic/transports#sending-messages-to-the-server: no page says which status this has";

pub(crate) static OVER_HTTP: &[Variation] = &[
    // Streams.
    at_handshake(Variation::new(
        "replies on streams",
        "basic/transports: a server may answer a POST with a stream",
        Change::Server(Server::streaming_replies),
        Sign::Where(|it| it.contains("text/event-stream") && it.contains(r#""serverInfo":"#)),
    )),
    Variation::new(
        "no ids of events",
        "basic/transports#resumability-and-redelivery: servers may attach ids",
        Change::Server(|server| server.faults(["no-event-ids".parse().expect("a fault")])),
        Sign::Lacks("\0id: "),
    )
    .only_over_http()
    .shown_at(Revision::NEWEST_HANDSHAKE),
    event(
        "comments in streams",
        |data| format!(": still here\n:\ndata: {data}\n: that was it\n\n: the end\n\n"),
        Sign::Has(": still here\n:\ndata: {"),
    ),
    event(
        "named events",
        |data| format!("event: message\ndata: {data}\n\n"),
        Sign::Has("event: message\ndata: {"),
    ),
    event("retry times", |data| format!("retry: 10\ndata: {data}\n\n"), Sign::Has("retry: 10\n")),
    event("CRLF in streams", |data| format!("data: {data}\r\n\r\n"), Sign::Has("}\r\n\r\n")),
    event("CR in streams", |data| format!("data: {data}\r\r"), Sign::Has("}\r\r")),
    event(
        "several lines of data",
        |data| format!("data: {}\ndata: {}\n\n", &data[..1], &data[1..]),
        Sign::Has("data: {\ndata: \""),
    ),
    event("no blank after the colon", |data| format!("data:{data}\n\n"), Sign::Has("data:{")),
    event(
        "unknown fields",
        |data| format!("weight: 7\nheartbeat\ndata: {data}\n\n"),
        Sign::Has("heartbeat\ndata: {"),
    ),
    event(
        "long comments",
        |data| format!(":{}\n\ndata: {data}\n\n", "still here ".repeat(1000)),
        Sign::Has(":still here still here"),
    ),
    event(
        "empty events",
        |data| format!("event: tick\n\ndata: {data}\n\n"),
        Sign::Has("event: tick\n\n"),
    ),
    event(
        "a line of data for each member",
        |data| {
            let pretty = Value::parse(data.as_bytes()).map(|it| it.value.pretty());
            let pretty = pretty.expect("the server sends JSON");
            let lines = pretty.lines().map(|line| format!("data: {line}\n"));
            format!("{}\n", lines.collect::<String>())
        },
        Sign::Has("\ndata: }\n\n"),
    ),
    at_handshake(Variation::new(
        "a byte order mark before a stream",
        SSE,
        Change::Stream { start: "\u{feff}", bytewise: false },
        Sign::Has("\0\u{feff}"),
    )),
    at_handshake(Variation::new(
        "streams one byte at a time",
        SSE,
        Change::Stream { start: "", bytewise: true },
        Sign::Has("\0d\0a\0t\0a\0:"),
    )),
    Variation::new(
        "names of headers in any case",
        HTTP,
        Change::Head(odd_case),
        Sign::Has("CoNtEnT-TyPe: "),
    ),
    // Bodies.
    Variation::new(
        "JSON over several lines",
        "JSON-RPC 2.0: messages are JSON (RFC 8259), which allows it; only over stdio a message is one line",
        Change::Body(|text| {
            let pretty = Value::parse(text.as_bytes()).map(|it| it.value.pretty());
            let pretty = pretty.map_or_else(|_| text.to_owned(), |it| it.replace('\n', "\r\n"));
            vec![format!("\r\n{pretty}\r\n").into_bytes()]
        }),
        Sign::Has("\0\r\n{\r\n"),
    ),
    Variation::new(
        "bodies one byte at a time",
        HTTP,
        Change::Body(|text| text.bytes().map(|byte| vec![byte]).collect()),
        Sign::Has("\0{\0\"\0"),
    ),
    // Sessions.
    Variation::new(
        "no sessions",
        "basic/transports#session-management: a server may assign an id",
        Change::Server(|server| server.faults(["no-session".parse().expect("a fault")])),
        Sign::Lacks("mcp-session-id: "),
    )
    .only_over_http()
    .shown_at(Revision::NEWEST_HANDSHAKE)
    .sets("sessions"),
    Variation::new(
        "long ids of sessions",
        "basic/transports#session-management: an id is visible ASCII of any length",
        Change::Server(|server| server.faults([Fault::session_id("!~\"{".repeat(200))])),
        Sign::Has("!~\"{!~\"{"),
    )
    .only_over_http()
    .shown_at(Revision::NEWEST_HANDSHAKE)
    .sets("sessions"),
    Variation::new(
        "no stream for GET",
        "basic/transports#listening-for-messages-from-the-server: a server may answer 405",
        Change::Server(|server| server.faults([Fault::status("GET", 405)])),
        Sign::Lacks("GET 200"),
    )
    .only_over_http()
    .shown_at(Revision::NEWEST_HANDSHAKE),
    Variation::new(
        "sessions that clients cannot end",
        "basic/transports#session-management: a server may answer 405",
        Change::Server(|server| server.faults([Fault::status("DELETE", 405)])),
        Sign::Lacks("DELETE 2"),
    )
    .only_over_http()
    .shown_at(Revision::NEWEST_HANDSHAKE)
    .sets("DELETE"),
    Variation::new(
        "no origins",
        "basic/transports#security-warning: a server validates Origin, and decides which ones it allows",
        Change::Server(|server| server.faults(["no-origin".parse().expect("a fault")])),
        Sign::Where(|it| {
            it.starts_with("POST 403") && it.lines().next().is_some_and(|it| it.contains("localhost"))
        }),
    )
    .only_over_http(),
    // Statuses.
    status(
        "202 for DELETE",
        "basic/transports#session-management: no page says which status a session that was ended has",
        |method, status| if is_ended(method, status) { StatusCode::ACCEPTED } else { status },
        Sign::Has("DELETE 202"),
    )
    .sets("DELETE")
    .shown_at(Revision::NEWEST_HANDSHAKE),
    status(
        "200 for DELETE",
        "basic/transports#session-management: no page says which status a session that was ended has",
        |method, status| if is_ended(method, status) { StatusCode::OK } else { status },
        Sign::Has("DELETE 200"),
    )
    .sets("DELETE")
    .shown_at(Revision::NEWEST_HANDSHAKE),
    status(
        "400 where a media type is not supported",
        STATUS,
        |_, status| if status == 415 { StatusCode::BAD_REQUEST } else { status },
        Sign::Lacks("POST 415"),
    ),
    status(
        "400 where no media type is acceptable",
        STATUS,
        |_, status| if status == 406 { StatusCode::BAD_REQUEST } else { status },
        Sign::Lacks("POST 406"),
    ),
    // Headers.
    Variation::new(
        "media types in upper case",
        HTTP,
        Change::Headers(|headers| change_type(headers, str::to_ascii_uppercase)),
        Sign::Has("content-type: APPLICATION/JSON"),
    )
    .sets("types"),
    Variation::new(
        "a charset",
        HTTP,
        Change::Headers(|headers| change_type(headers, |it| format!("{it}; charset=UTF-8"))),
        Sign::Has("; charset=UTF-8"),
    )
    .sets("types"),
    Variation::new(
        "cookies and caching",
        HTTP,
        Change::Headers(|headers| {
            headers.append("set-cookie", HeaderValue::from_static("a=b; Path=/; HttpOnly"));
            headers.append("set-cookie", HeaderValue::from_static("c=\"d\""));
            headers.insert("cache-control", HeaderValue::from_static("no-store, no-transform"));
            headers.insert("vary", HeaderValue::from_static("*"));
        }),
        Sign::Has("set-cookie: a=b; Path=/"),
    ),
    Variation::new(
        "many headers",
        HTTP,
        Change::Headers(|headers| {
            for number in 0..30 {
                let name = format!("x-odd-{number}").parse::<HeaderName>().expect("a name");
                headers.append(name, HeaderValue::from_static("a, \"b\"; c=d"));
            }
        }),
        Sign::Has("x-odd-29: a, "),
    ),
];

const fn event(name: &'static str, form: fn(&str) -> String, sign: Sign) -> Variation {
    at_handshake(Variation::new(name, SSE, Change::Event(form), sign))
}

/// Both eras have streams, but the plain server uses them for most of its requests in the handshake era only.
const fn at_handshake(variation: Variation) -> Variation {
    variation.only_over_http().shown_at(Revision::NEWEST_HANDSHAKE)
}

const fn status(
    name: &'static str,
    allowed_by: &'static str,
    change: fn(&Method, StatusCode) -> StatusCode,
    sign: Sign,
) -> Variation {
    Variation::new(name, allowed_by, Change::Status(change), sign)
}

fn is_ended(method: &Method, status: StatusCode) -> bool {
    method == Method::DELETE && status.is_success()
}
