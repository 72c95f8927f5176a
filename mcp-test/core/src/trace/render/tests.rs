//! Plays as they are shown.

use insta::assert_snapshot;

use super::*;
use crate::json::Pointer;
use crate::spec::meta;
use crate::trace::{ConnectionId, EventKind, Party, Recorder, UnparsableKind};

struct Stage {
    recorder: Recorder,
    wire: ConnectionId,
}

impl Stage {
    fn on(transport: &str) -> Self {
        let recorder = Recorder::new();
        let wire = recorder.open(transport);
        Self { recorder, wire }
    }

    fn client(&self, text: &str) -> Seq {
        self.recorder.record(self.wire, Party::Client, EventKind::message(text.to_owned().into()))
    }

    fn server(&self, text: &str) -> Seq {
        self.recorder.record(self.wire, Party::Server, EventKind::message(text.to_owned().into()))
    }

    fn happens(&self, party: Party, what: EventKind) -> Seq {
        self.recorder.record(self.wire, party, what)
    }

    fn in_exchange(&self, exchange: u64, party: Party, what: EventKind) -> Seq {
        self.recorder.record_in(self.wire, Some(exchange), party, what)
    }

    fn golden(&self) -> String {
        render(&self.recorder.trace(), &Style::golden())
    }

    fn brief(&self) -> String {
        render(&self.recorder.trace(), &Style::brief())
    }
}

fn handshake() -> Stage {
    let stage = Stage::on("duplex");
    stage.client(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp-test","version":"0.1.0"}}}"#,
    );
    stage.server(
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"calculator","version":"3.1.4"},"instructions":"Adds numbers."}}"#,
    );
    stage.client(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    stage
}

fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn a_golden_trace_reads_like_a_play() {
    let stage = handshake();
    stage.client(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"3"}]}}"#);
    assert_snapshot!(stage.golden(), @r#"
       client → server  initialize
        {
          "protocolVersion": "2025-11-25",
          "capabilities": {},
          "clientInfo": {"name": "mcp-test", "version": "[version]"}
        }
       client ← server  result
        {
          "protocolVersion": "2025-11-25",
          "capabilities": {"tools": {"listChanged": true}, "logging": {}},
          "serverInfo": {"name": "calculator", "version": "3.1.4"},
          "instructions": "Adds numbers."
        }
       client → server  notifications/initialized
    1  client → server  tools/call {"name": "add", "arguments": {"a": 1, "b": 2}}
    2  client ← server  result {"content": [{"type": "text", "text": "3"}]}
    "#);
}

#[test]
fn a_golden_trace_does_not_depend_on_the_era() {
    let tools = |stage: &Stage, params: &str, additions: &str| {
        let meta = r#"{"token":"own","ttlMs":1}"#;
        stage.client(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list"{params}}}"#));
        stage.server(&format!(
            r#"{{"jsonrpc":"2.0","id":2,"result":{{{additions}"tools":[],"_meta":{meta}}}}}"#
        ));
    };
    let before = handshake();
    tools(&before, "", "");
    let after = Stage::on("duplex");
    let added = format!(
        r#","params":{{"_meta":{{"{}":"2026-07-28","{}":{{}},"{}":{{}}}}}}"#,
        meta::PROTOCOL_VERSION,
        meta::CLIENT_CAPABILITIES,
        meta::CLIENT_INFO
    );
    tools(&after, &added, r#""resultType":"complete","ttlMs":5,"cacheScope":"public","#);
    assert_snapshot!(after.golden(), @r#"
    1  client → server  tools/list
    2  client ← server  result {"tools": [], "_meta": {"token": "[secret]", "ttlMs": 1}}
    "#);
    assert!(before.golden().ends_with(&after.golden()), "{}", before.golden());
    let in_full = Style { additions: true, ..Style::golden() };
    assert_snapshot!(render(&after.recorder.trace(), &in_full), @r#"
    1  client → server  tools/list
        {
          "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {}
          }
        }
    2  client ← server  result
        {
          "resultType": "complete",
          "ttlMs": 5,
          "cacheScope": "public",
          "tools": [],
          "_meta": {"token": "[secret]", "ttlMs": 1}
        }
    "#);
    // Before the era, such members are those of the server.
    let own = Stage::on("duplex");
    own.client(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#);
    own.server(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#);
    tools(&own, "", r#""resultType":"complete","ttlMs":5,"#);
    let own = own.golden();
    assert!(own.contains(r#""resultType": "complete", "ttlMs": 5"#), "{own}");
    // What is not complete is not an addition to a result, but the result.
    let pending = Stage::on("duplex");
    pending.client(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call"{added}}}"#));
    pending.server(r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}"#);
    assert!(pending.golden().contains("input_required"), "{}", pending.golden());
}

#[test]
fn a_brief_play_is_short() {
    let stage = handshake();
    let tool = |name: &str| {
        format!(
            r#"{{"name":"{name}","description":"{}","inputSchema":{{"type":"object"}}}}"#,
            "It does things. ".repeat(9)
        )
    };
    stage.client(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    stage.server(&format!(
        r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{},{}]}}}}"#,
        tool("add"),
        tool("sub")
    ));
    assert_snapshot!(stage.brief(), @r#"
    1  client → server  initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{
          "name":"mcp-test","version":"0.1.0"}}
    2  client ← server  result {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":
          true},"logging":{}},"serverInfo":{"name":"calculator","version":"3.1.4"},"instructions":"Adds
          numbers."}
    3  client → server  notifications/initialized
    4  client → server  tools/list
    5  client ← server  result {"tools":[{"name":"add","description":"It does things. It does things.
          It does thing…" +99,"inputSchema":{"type":"object"}},{"name":"sub","description":"It does
          things. It does things. It does thing…" +99,"inputSchema":{"type":"object"}}]}
    "#);
}

#[test]
fn replies_out_of_order_name_their_requests() {
    let stage = Stage::on("duplex");
    stage.client(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
    stage.client(r#"{"jsonrpc":"2.0","id":"x","method":"b"}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no \"b\"","data":{"try":"a"}}}"#);
    stage.client(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":"1","result":{}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#);
    assert_snapshot!(stage.golden(), @r#"
    1  client → server  a
    2  client → server  b
    3  client ← server  result of 1 {}
    4  client ← server  sampling/createMessage
    5  client ← server  error of 2 -32601 "no \"b\"" {"try": "a"}
    6  client → server  result of 4 {}
    7  client ← server  result of 1 again {}
    8  client ← server  result for unknown id "1" {}
    9  client ← server  error for id null -32700 "what?"
    "#);
}

#[test]
fn what_is_wrong_is_shown_with_its_reason() {
    let stage = Stage::on("stdio");
    let noise = |bytes: &'static [u8], why: &str| EventKind::Unparsable {
        bytes: bytes.into(),
        why: why.to_owned(),
        kind: UnparsableKind::Stray,
    };
    stage.happens(
        Party::Server,
        noise(b"\x1b[32mReady\x1b[0m on C:\\x\r", "not JSON: line 1, column 1"),
    );
    stage.happens(Party::Server, noise(b"caf\xe9 \xf0\x9f\x8e\x89", "not UTF-8"));
    stage.server(r#"{"jsonrpc":"1.0","id":1,"result":{}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":1,"result":{},"extra":[1]}"#);
    stage.server(
        r#"[{"jsonrpc":"2.0","method":"one"},7,{"jsonrpc":"2.0","method":"two","params":{"a":1}}]"#,
    );
    stage.server("{broken");
    assert_snapshot!(stage.golden(), @r#"
    1  client ← server  noise "\u{1b}[32mReady\u{1b}[0m on C:\\x\r"
        ! not JSON: line 1, column 1
    2  client ← server  noise "caf\xe9 🎉"
        ! not UTF-8
    3  client ← server  malformed {"jsonrpc": "1.0", "id": 1, "result": {}}
        ! expected /jsonrpc is "2.0", got "1.0"
    4  client ← server  result for unknown id 1 {}
        also {"extra": [1]}
    5  client ← server  batch of 3
        - one
        - malformed 7
        - two {"a": 1}
        ! expected /1 is a JSON-RPC message, got 7
    6  client ← server  noise "{broken"
        ! not JSON: line 1, column 2: expected a member name in double quotes, found `b`
    "#);
}

#[test]
fn http_lines_stand_below_their_messages() {
    let stage = Stage::on("http http://127.0.0.1:4000/mcp");
    let post = |session: &[(&str, &str)]| EventKind::HttpRequest {
        method: "POST".into(),
        path: "/mcp".into(),
        headers: headers(
            &[&[("Content-Type", "application/json"), ("accept", "*/*")], session].concat(),
        ),
    };
    stage.in_exchange(1, Party::Client, post(&[("authorization", "Bearer abcdefgh")]));
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"token":"abcdefgh"}}"#;
    stage.in_exchange(1, Party::Client, EventKind::message(ping.into()));
    let answer = headers(&[
        ("mcp-session-id", "5e551017"),
        ("content-type", "text/event-stream"),
        ("date", "now"),
    ]);
    stage.in_exchange(1, Party::Server, EventKind::HttpResponse { status: 200, headers: answer });
    let sse = |id: &str| EventKind::SseEvent {
        event: Some("message".into()),
        id: Some(id.into()),
        retry: None,
    };
    stage.in_exchange(1, Party::Server, sse("e-1"));
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"session 5e551017 at 2026-11-21T21:37:43Z"}}"#;
    stage.in_exchange(1, Party::Server, EventKind::message(log.into()));
    stage.in_exchange(1, Party::Server, sse("e-2"));
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    stage.in_exchange(1, Party::Server, EventKind::message(result.into()));
    stage.in_exchange(2, Party::Client, post(&[("mcp-session-id", "5e551017")]));
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    stage.in_exchange(2, Party::Client, EventKind::message(initialized.into()));
    stage.in_exchange(
        2,
        Party::Server,
        EventKind::HttpResponse { status: 202, headers: Vec::new() },
    );
    let get = EventKind::HttpRequest {
        method: "GET".into(),
        path: "/mcp?token=abc".into(),
        headers: Vec::new(),
    };
    stage.in_exchange(3, Party::Client, get);
    let html = EventKind::Unparsable {
        bytes: "<html>Not here</html>".into(),
        why: "its content type is text/html".into(),
        kind: UnparsableKind::BrokenMessage,
    };
    stage.in_exchange(
        3,
        Party::Server,
        EventKind::HttpResponse { status: 404, headers: headers(&[("content-type", "text/html")]) },
    );
    stage.in_exchange(3, Party::Server, html);
    assert_snapshot!(stage.golden(), @r#"
    1  client → server  ping {"token": "[secret]"}
        POST /mcp  authorization: Bearer [secret]  content-type: application/json
    2  client ← server  notifications/message {"data": "session [session] at [time]"}
        HTTP 200  content-type: text/event-stream
        event: message  id: [event-id-1]
    3  client ← server  result of 1 {}
        event: message  id: [event-id-2]
       client → server  notifications/initialized
        POST /mcp  content-type: application/json
       client ← server  HTTP 202
       client → server  GET /mcp?token=[secret]
    4  client ← server  noise "<html>Not here</html>"
        ! its content type is text/html
        HTTP 404  content-type: text/html
    "#);
    let mut plain = Style::golden();
    plain.headers = Headers::Hidden;
    assert_snapshot!(render(&stage.recorder.trace(), &plain), @r#"
    1  client → server  ping {"token": "[secret]"}
    2  client ← server  notifications/message {"data": "session [session] at [time]"}
    3  client ← server  result of 1 {}
       client → server  notifications/initialized
    4  client ← server  noise "<html>Not here</html>"
        ! its content type is text/html
    "#);
}

#[test]
fn everything_is_shown_on_demand() {
    let stage = Stage::on("stdio");
    stage.happens(Party::Server, EventKind::Stderr("\u{1b}[1mstarting\u{1b}[0m".into()));
    stage.client(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    stage.happens(Party::Harness, EventKind::Fence("before the end".into()));
    stage.happens(Party::Harness, EventKind::DeadlineFired { awaited: "the reply to ping".into() });
    stage.happens(Party::Client, EventKind::Resent { why: "the server reset it".into() });
    stage.happens(Party::Server, EventKind::Closed { how: "closed its output".into() });
    stage.happens(Party::Server, EventKind::Exited { status: "exit code 1".into() });
    stage.happens(Party::Server, EventKind::Elided { was: "tools/call".into(), bytes: 1_000_000 });
    assert_snapshot!(stage.golden(), @r"
    1  client → server  ping
        * deadline passed while awaiting: the reply to ping
    2  client ← server  tools/call: 1,000,000 bytes, dropped to save memory
    ");
    let mut full = Style::full();
    full.times = false;
    assert_snapshot!(render(&stage.recorder.trace(), &full), @r"
        * opened: stdio
        server ! \u{1b}[1mstarting\u{1b}[0m
    1  client → server  ping
        * fence: before the end
        * deadline passed while awaiting: the reply to ping
        * sent again on a new connection: the server reset it
        * server: closed its output
        * server exited: exit code 1
    2  client ← server  tools/call: 1,000,000 bytes, dropped to save memory
    ");
    let timed = render(&stage.recorder.trace(), &Style::full());
    let ping = timed.lines().find(|line| line.ends_with("ping")).expect("it is shown");
    assert!(
        ping.trim_start().split_once("  ").is_some_and(|(time, _)| time.parse::<f64>().is_ok()),
        "{ping}"
    );
}

#[test]
fn several_connections_are_distinguished() {
    let stage = Stage::on("http http://localhost:1/mcp");
    let second = Stage {
        wire: stage.recorder.open("http http://localhost:2/mcp"),
        recorder: stage.recorder.clone(),
    };
    stage.client(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
    second.client(r#"{"jsonrpc":"2.0","id":1,"method":"b"}"#);
    second.server(r#"{"jsonrpc":"2.0","id":1,"result":{"of":"b"}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":1,"result":{"of":"a"}}"#);
    assert_snapshot!(stage.golden(), @r#"
        — connection 1: http http://localhost:[port-1]/mcp
    1  client → server  a
        — connection 2: http http://localhost:[port-2]/mcp
    2  client → server  b
    3  client ← server  result {"of": "b"}
        — connection 1: http http://localhost:[port-1]/mcp
    4  client ← server  result of 1 {"of": "a"}
    "#);
}

#[test]
fn an_excerpt_shows_both_halves_of_an_exchange() {
    let stage = handshake();
    stage.client(r#"{"jsonrpc":"2.0","id":2,"method":"prompts/list"}"#);
    stage.client(r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}"#);
    let reply = stage.server(r#"{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":7}]}}"#);
    let stderr = stage.happens(Party::Server, EventKind::Stderr("bye".into()));
    let trace = stage.recorder.trace();
    assert_snapshot!(excerpt(&trace, &[reply]), @r#"
        … 4 messages not shown
    5  client → server  tools/list
        … 1 message not shown
    7  client ← server  result of 5 {"tools":[{"name":7}]}
    "#);
    assert_snapshot!(excerpt(&trace, &[stderr]), @"    server ! bye");
    assert_snapshot!(excerpt(&trace, &[]), @r#"
        … 3 messages not shown
    4  client → server  prompts/list
    5  client → server  tools/list
    6  client ← server  result of 4 {"prompts":[]}
    7  client ← server  result of 5 {"tools":[{"name":7}]}
    "#);
}

#[test]
fn an_excerpt_shows_what_the_server_asked_while_a_call_was_open() {
    let stage = handshake();
    stage.client(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete"}}"#);
    stage.server(
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
    );
    stage.server(
        r#"{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"message":"Sure?"}}"#,
    );
    // Another request of the client, which has nothing to do with the call.
    stage.client(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
    stage.client(r#"{"jsonrpc":"2.0","id":"a","result":{"action":"decline"}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    let reply = stage.server(r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#);
    stage.server(r#"{"jsonrpc":"2.0","id":"b","method":"roots/list"}"#);
    stage.client(r#"{"jsonrpc":"2.0","id":"b","result":{"roots":[]}}"#);
    assert_snapshot!(excerpt(&stage.recorder.trace(), &[reply]), @r#"
         … 3 messages not shown
     4  client → server  tools/call {"name":"delete"}
         … 1 message not shown
     6  client ← server  elicitation/create {"message":"Sure?"}
         … 1 message not shown
     8  client → server  result of 6 {"action":"decline"}
         … 1 message not shown
    10  client ← server  result of 4 {"content":[]}
    "#);
}

#[test]
fn an_excerpt_never_hides_the_place_that_a_finding_is_about() {
    let stage = Stage::on("duplex");
    stage.client(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let tools: Vec<String> = (0..60)
        .map(|index| {
            format!(r#"{{"name":"tool-{index}","title":7,"description":"{}"}}"#, "long ".repeat(20))
        })
        .collect();
    let reply = stage.server(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{}]}}}}"#,
        tools.join(",")
    ));
    let trace = stage.recorder.trace();
    let shown = |pointer: &str| {
        let place = Pointer::parse(pointer).expect("a pointer");
        let excerpt = excerpt_at(&trace, &[reply], Some(&place));
        excerpt
            .lines()
            .filter(|line| line.contains("at /") || line.contains("within /"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    // From the root of the payload, from that of the message, and where something is missing.
    assert_snapshot!(shown("/tools/41/title"), @r#"
    at /tools/41/title: 7
    within /tools/41: {"name":"tool-41","title":7,"description":"long long long long long long long
    "#);
    assert_snapshot!(shown("/result/tools/41/inputSchema"), @r#"
    at /tools/41: {"name":"tool-41","title":7,"description":"long long long long long long long
    "#);
    assert_eq!(shown("/no/such/place"), "");
    // What is shown in full needs no repetition.
    let short = handshake();
    let first = short
        .recorder
        .trace()
        .events
        .iter()
        .find(|it| it.kind.is_payload())
        .expect("a message")
        .seq;
    let place = Pointer::parse("/protocolVersion").expect("a pointer");
    let excerpt = excerpt_at(&short.recorder.trace(), &[first], Some(&place));
    assert!(!excerpt.contains("at /protocolVersion"), "{excerpt}");
}

#[test]
fn long_lines_are_wrapped_below_their_start() {
    let stage = Stage::on("duplex");
    let words = "one two three four five six seven ".repeat(12);
    stage.server(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":"{words}","more":true}}}}"#));
    stage.happens(
        Party::Server,
        EventKind::Unparsable {
            bytes: "=".repeat(1000).into(),
            why: "not JSON".into(),
            kind: UnparsableKind::Stray,
        },
    );
    assert_snapshot!(stage.brief(), @r#"
    1  client ← server  notifications/message {"data":"one two three four five six seven one two three
          four five six seven one two three four five six seven one two three four five six seven one
          two three four five six seven one two three four five six seven one two …" +196,"more":true}
    2  client ← server  noise "=========================================================================
          ==============================================================================================
          ==============================================================================================
          ==============================================================================================
          =============================================…" +600
        ! not JSON
    "#);
}

#[test]
fn a_forged_host_is_shown() {
    let stage = Stage::on("http http://localhost:3000/mcp");
    let request = |path: &str, host: &str| {
        let headers =
            vec![("Host".to_owned(), host.to_owned()), ("X-Other".to_owned(), "1".to_owned())];
        let request = EventKind::HttpRequest { method: "GET".into(), path: path.into(), headers };
        stage.happens(Party::Client, request);
    };
    request("http://localhost:3000/mcp", "LOCALHOST:3000");
    request("http://localhost:3000/mcp", "evil.example\u{1b}[2J");
    // A server records only the path, so that nothing is known to be forged.
    request("/mcp", "localhost:3000");
    assert_snapshot!(stage.golden(), @r"
    client → server  GET http://localhost:[port]/mcp
    client → server  GET http://localhost:[port]/mcp  host: evil.example\u{1b}[2J
    client → server  GET /mcp
    ");
}
