//! Rules: which one answers, what it does, and what is found when it was not met.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use insta::assert_snapshot;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::say;
use crate::clock::Deadline;
use crate::expect::{equals, text_starting_with};
use crate::server::{
    Answer, Call, Gate, Rule, Server, any_message, by_client, given, meta, method, param, params,
    revision, steps,
};
use crate::spec::Revision;
use crate::transport::Fault;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"a test","version":"1"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn server() -> Server {
    Server::new(json!({"name": "scripted", "version": "1"}))
}

fn call(id: u64, tool: &str) -> String {
    let params = json!({"name": tool, "_meta": {"progressToken": 7}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn text(text: &str) -> serde_json::Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// What follows the reply to `initialize`.
fn said(server: &Server, lines: &[&str]) -> String {
    let said = say(server, &[&[INITIALIZE], lines].concat());
    said.split_once('\n').unwrap_or_default().1.to_owned()
}

fn with(rules: impl IntoIterator<Item = Rule>) -> Server {
    let server = server();
    rules.into_iter().for_each(|rule| server.mount(rule));
    server
}

fn found(server: &Server) -> String {
    let findings: Vec<_> = server.verify().iter().map(ToString::to_string).collect();
    findings.join("\n")
}

#[test]
fn the_last_rule_that_fits_and_is_not_spent_answers() {
    let server = with([
        given(method("tools/call")).respond_with(text("whatever")),
        given(method("tools/call"))
            .and(param("/name", equals("add")))
            .respond_with(text("added"))
            .up_to_n_times(1),
    ]);
    let calls = [call(1, "add"), call(2, "sub"), call(3, "add")];
    assert_snapshot!(said(&server, &calls.each_ref().map(String::as_str)), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"added","type":"text"}]}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"text":"whatever","type":"text"}]}}
    {"jsonrpc":"2.0","id":3,"result":{"content":[{"text":"whatever","type":"text"}]}}
    "#);
}

#[test]
fn a_rule_comes_before_handlers_and_what_is_built_in() {
    let server = server().on("ping", |_: Call| async { json!({"by": "a handler"}) });
    server.mount(given(method("ping")).respond_with(json!({"by": "a rule"})).up_to_n_times(1));
    server.mount(given(any_message()).watched().expect(3).named("everything"));
    assert_snapshot!(said(&server, &[PING, PING]), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"by":"a rule"}}
    {"jsonrpc":"2.0","id":1,"result":{"by":"a handler"}}
    "#);
    server.assert_verified();
}

#[test]
fn conditions_look_at_everything_that_a_message_says() {
    let fits = |rule: Rule| {
        let server = with([rule.expect(1)]);
        said(&server, &[PING, &call(1, "add")]);
        found(&server)
    };
    let called = |condition| given(method("tools/call")).and(condition).watched();
    assert_eq!(fits(called(param("/name", text_starting_with("a")))), "");
    assert_eq!(fits(given(meta("progressToken", equals(7))).watched()), "");
    assert_eq!(fits(given(revision(Revision::V2025_06_18)).and(method("ping")).watched()), "");
    assert_eq!(fits(given(by_client("a test")).and(method("ping")).watched()), "");
    assert_eq!(fits(given(params(equals(json!(null)))).and(method("ping")).watched()), "");
    let in_words = |message: &crate::server::ClientMessage| message.id().is_some();
    assert_eq!(fits(given(in_words).and(method("ping")).watched()), "");
}

#[test]
fn an_unmet_rule_is_reported_with_the_closest_message() {
    let add = || given(method("tools/call")).and(param("/name", equals("add"))).watched();
    let server = with([
        add().expect(2..).named("adds"),
        given(method("tools/cal")).watched().expect(1),
        given(method("ping")).watched().expect(0).named("leaves it alone"),
        given(method("ping")).and(by_client("another")).watched().expect(1..=2),
        given(method("prompts/list")).and(revision(Revision::V2026_07_28)).watched().expect(1),
        add().expect(..),
    ]);
    said(&server, &[PING, &call(1, "add"), &call(2, "sub")]);
    assert_snapshot!(found(&server), @r#"
    the rule `adds` is not met
      expected a message `tools/call` whose `/name` is "add", at least twice
      got once; nearest came `tools/call` whose `/name` is "sub"
    the rule `tools/cal` is not met
      expected a message `tools/cal`, once
      got never; what came is `initialize`, `ping` and `tools/call`
      hint: `tools/cal` is not a method of MCP; did you mean `tools/call`?
    the rule `leaves it alone` is not met
      expected a message `ping`, never
      got once
    the rule `ping of the client another` is not met
      expected a message `ping` of the client `another`, 1 to 2 times
      got never; nearest came `ping` of the client `a test`
    the rule `prompts/list of revision 2026-07-28` is not met
      expected a message `prompts/list` of revision 2026-07-28, once
      got never; what came is `initialize`, `ping` and `tools/call`
    "#);
    let idle = with([add().expect(1)]);
    assert_snapshot!(found(&idle), @r#"
    the rule `tools/call whose /name is "add"` is not met
      expected a message `tools/call` whose `/name` is "add", once
      got never; nothing else came
    "#);
}

#[test]
fn a_request_that_no_rule_answers_gets_the_nearest_rule_and_the_difference() {
    let add = given(method("tools/call")).and(param("/name", equals("add")));
    let server = with([
        given(method("prompts/get")).respond_with(json!({"messages": []})),
        given(method("tools/call")).watched(),
        add.and(param("/arguments/a", equals(1))).respond_with(text("1")).named("adds"),
        given(method("ping")).and(by_client("another")).respond_with(json!({})),
        given(method("prompts/list")).respond_with(json!({"prompts": []})).up_to_n_times(1),
    ]);
    let ask = |id, method| json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string();
    let prompts = ask(3, "prompts/list");
    let requests = [&*call(1, "sub"), PING, &prompts, &prompts, &ask(4, "tools/list")];
    assert_snapshot!(said(&server, &requests), @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no rule of the test answers this `tools/call`; nearest is `adds`: it expects a message `tools/call` whose `/name` is \"add\" and whose `/arguments/a` is 1, and this is one whose `/name` is \"sub\" and without `/arguments/a`","data":{"rule":"adds","difference":"it expects a message `tools/call` whose `/name` is \"add\" and whose `/arguments/a` is 1, and this is one whose `/name` is \"sub\" and without `/arguments/a`"}}}
    {"jsonrpc":"2.0","id":1,"result":{}}
    {"jsonrpc":"2.0","id":3,"result":{"prompts":[]}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no rule of the test answers this `prompts/list`; nearest is `prompts/list`: it has answered once, as often as it may","data":{"rule":"prompts/list","difference":"it has answered once, as often as it may"}}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: tools/list"}}
    "#);
    // The same where the server declares the capability.
    let server = server.capabilities(json!({"tools": {}}));
    assert!(said(&server, &[&call(1, "sub")]).contains("nearest is `adds`"));
}

#[test]
fn a_rule_that_is_spent_or_overridden_says_so() {
    let server = with([
        given(method("ping")).respond_with(json!({})).expect(1).named("below"),
        given(method("ping")).respond_with(json!({})).named("above"),
    ]);
    said(&server, &[PING]);
    assert_snapshot!(found(&server), @"
    the rule `below` is not met
      expected a message `ping`, once
      got never; `ping` was answered by the rule `above`, which was mounted later
    ");
    let ping = || given(method("ping")).respond_with(json!({})).up_to_n_times(1).expect(2);
    let server = with([ping().named("alone")]);
    said(&server, &[PING, PING]);
    assert_snapshot!(found(&server), @"
    the rule `alone` is not met
      expected a message `ping`, twice
      got once; `ping` came when the rule had answered as often as `up_to_n_times(1)` allows
    ");
    // The rule below answers when the one above is spent, and watching it answers nothing.
    let server = with([
        ping().up_to_n_times(2).expect(2).named("below"),
        ping().named("above"),
        given(method("ping")).watched(),
    ]);
    said(&server, &[PING, PING]);
    assert_snapshot!(found(&server), @"
    the rule `below` is not met
      expected a message `ping`, twice
      got once; `ping` was answered by the rule `above`, which was mounted later
    the rule `above` is not met
      expected a message `ping`, twice
      got once; `ping` came when the rule had answered as often as `up_to_n_times(1)` allows
    ");
}

#[test]
fn a_scoped_rule_is_judged_when_its_guard_goes() {
    let server = server();
    {
        let pings =
            server.mount_as_scoped(given(method("ping")).respond_with(json!({"n": 1})).expect(1));
        assert!(said(&server, &[PING]).contains(r#"{"n":1}"#));
        assert_eq!(pings.calls(), 1);
    }
    assert!(said(&server, &[PING]).contains(r#""result":{}"#));
    let unmet = server.mount_as_scoped(given(method("tools/list")).watched().expect(1));
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| drop(unmet))).unwrap_err();
    assert!(crate::expect::words::panic_text(&*panic).contains("is not met"));
    assert_eq!(found(&server), "");
}

#[test]
fn a_changed_clone_starts_over() {
    let first = with([given(method("ping")).watched().expect(1)]);
    said(&first, &[PING]);
    let second = first.clone().instructions("other");
    assert_eq!(found(&first), "");
    assert!(found(&second).contains("never"));
    assert!(second.received().is_empty());
}

#[test]
fn steps_are_taken_in_order() {
    let server = with([given(method("tools/call")).respond_with(
        steps()
            .notify("notifications/message", json!({"level": "info", "data": "wait"}))
            .progress(1, 2)
            .delay(Duration::from_millis(1))
            .answer(text("done")),
    )]);
    assert_snapshot!(said(&server, &[&call(1, "add")]), @r#"
    {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"wait","level":"info"}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7,"total":2}}
    {"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"done","type":"text"}]}}
    "#);
}

#[test]
fn steps_end_in_any_way() {
    let ends = |course: crate::server::SteppedResponse| {
        let server = with([given(method("tools/call")).respond_with(course)]);
        said(&server, &[&call(1, "add"), PING])
    };
    assert_snapshot!(ends(steps().progress(1, 2).never()), @r#"
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7,"total":2}}
    {"jsonrpc":"2.0","id":1,"result":{}}
    "#);
    assert_snapshot!(ends(steps().progress(1, 2).close()), @r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7,"total":2}}"#);
    assert_snapshot!(ends(steps().progress(1, 2).exit()), @r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7,"total":2}}"#);
    assert_snapshot!(ends(steps().end_stream()), @r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_snapshot!(ends(steps().answer(Answer::error(-32602, "no such tool"))), @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool"}}
    {"jsonrpc":"2.0","id":1,"result":{}}
    "#);
}

/// A server that asks for roots, and returns the reply.
fn curious() -> Server {
    let said = |said: &[crate::json::Value]| {
        let said: Vec<_> = said.iter().map(ToString::to_string).collect();
        text(&said.join(" and ")).into()
    };
    let asks = steps().ask("roots/list", json!({})).ask("roots/list", json!({"n": 2}));
    with([given(method("tools/call")).respond_with(asks.answer_with(said))])
}

/// One client at a server, line by line.
struct Client {
    lines: tokio::io::Lines<BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>>,
    writer: tokio::io::WriteHalf<tokio::io::DuplexStream>,
}

impl Client {
    fn of(server: &Server) -> Self {
        let (client, io) = tokio::io::duplex(1 << 16);
        let server = server.clone();
        tokio::spawn(async move { server.serve(io).await });
        let (reader, writer) = tokio::io::split(client);
        Self { lines: BufReader::new(reader).lines(), writer }
    }

    async fn initialized(server: &Server, name: &str) -> Self {
        let mut client = Self::of(server);
        client.say(&INITIALIZE.replace("a test", name)).await;
        client.hear().await;
        client
    }

    async fn say(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> String {
        self.lines.next_line().await.unwrap().unwrap_or_default()
    }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test)
}

#[test]
fn a_rule_asks_the_client() {
    run(async {
        let mut client = Client::initialized(&curious(), "a").await;
        client.say(&call(1, "x")).await;
        for _ in 0..2 {
            let asked = crate::json::Value::parse(client.hear().await.as_bytes()).unwrap().value;
            let reply = json!({"jsonrpc": "2.0", "id": asked.get("id").unwrap().to_serde(), "result": {"roots": []}});
            client.say(&reply.to_string()).await;
        }
        assert_snapshot!(client.hear().await, @r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"{\"roots\":[]} and {\"roots\":[]}","type":"text"}]}}"#);
        client.say(&call(2, "x")).await;
        let asked = crate::json::Value::parse(client.hear().await.as_bytes()).unwrap().value;
        let refusal = json!({"jsonrpc": "2.0", "id": asked.get("id").unwrap().to_serde(), "error": {"code": -1, "message": "no"}});
        client.say(&refusal.to_string()).await;
        assert_snapshot!(client.hear().await, @r#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}"#);
    });
}

#[test]
fn a_state_that_the_server_has_not_given_is_none() {
    run(async {
        let mut client = Client::of(&curious());
        let forged = [r#"{"step":1,"said":[]}"#, r#"{"step":7,"said":[]}"#, r#"{"step":-1}"#, "no"];
        for state in forged {
            let params = json!({"name": "x", "requestState": state,
                "inputResponses": {"asked": {"roots": []}}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
            }});
            let request =
                json!({"jsonrpc": "2.0", "id": state, "method": "tools/call", "params": params});
            client.say(&request.to_string()).await;
            let reply = crate::json::Value::parse(client.hear().await.as_bytes()).unwrap().value;
            let given = reply.at("/result/requestState").and_then(crate::json::Value::as_str);
            assert_eq!(given, Some(r#"{"said":[],"step":0}"#), "{state}");
        }
    });
}

#[test]
fn in_the_stateless_era_the_question_is_the_answer() {
    run(async {
        let mut client = Client::of(&curious());
        let mut params = json!({"name": "x", "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
        }});
        let mut results = Vec::new();
        for round in 1..=3 {
            let request =
                json!({"jsonrpc": "2.0", "id": round, "method": "tools/call", "params": params});
            client.say(&request.to_string()).await;
            let reply = crate::json::Value::parse(client.hear().await.as_bytes()).unwrap().value;
            let result = reply.get("result").unwrap().to_serde();
            params["inputResponses"] = json!({"asked": {"roots": [round]}});
            params["requestState"] = result["requestState"].clone();
            results.push(
                json!([result["inputRequests"], result["requestState"], result["content"]])
                    .to_string(),
            );
        }
        assert_snapshot!(results.join("\n"), @r#"
        [{"asked":{"method":"roots/list","params":{}}},"{\"said\":[],\"step\":0}",null]
        [{"asked":{"method":"roots/list","params":{"n":2}}},"{\"said\":[{\"roots\":[1]}],\"step\":1}",null]
        [null,null,[{"text":"{\"roots\":[1]} and {\"roots\":[2]}","type":"text"}]]
        "#);
    });
}

#[test]
fn several_clients_are_served_and_distinguished() {
    run(async {
        let gate = Gate::new();
        let server = with([
            given(method("tools/call")).respond_with(text("at once")),
            given(by_client("slow"))
                .and(method("tools/call"))
                .respond_with(steps().until(&gate).answer(text("at last"))),
        ]);
        let mut slow = Client::initialized(&server, "slow").await;
        let mut quick = Client::initialized(&server, "quick").await;
        slow.say(&call(1, "x")).await;
        slow.say(PING).await;
        // The ping passes the call.
        assert!(slow.hear().await.contains(r#""result":{}"#));
        quick.say(&call(2, "x")).await;
        assert!(quick.hear().await.contains("at once"));
        gate.open();
        assert!(slow.hear().await.contains("at last"));
        let clients: Vec<_> = server
            .received()
            .iter()
            .map(|message| {
                let name = message.client_name().unwrap_or_default();
                format!("{} {name} {}", message.client, message.method().unwrap_or_default())
            })
            .collect();
        assert_snapshot!(clients.join("\n"), @"
        0 slow initialize
        1 quick initialize
        0 slow tools/call
        0 slow ping
        1 quick tools/call
        ");
    });
}

#[test]
fn a_server_may_answer_what_was_cancelled() {
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let answers = |faults: Option<Fault>| {
        run(async {
            let gate = Gate::new();
            let server = server().faults(faults);
            server.mount(
                given(method("tools/call")).respond_with(steps().until(&gate).answer(text("late"))),
            );
            let mut client = Client::initialized(&server, "a").await;
            client.say(&call(1, "x")).await;
            client.say(&cancel.to_string()).await;
            client.say(PING).await;
            // The reply to the ping comes when the cancellation has been dealt with.
            client.hear().await;
            gate.open();
            client.say(&call(2, "x")).await;
            client.hear().await
        })
    };
    assert!(answers(None).contains(r#""id":2"#));
    let deaf = Fault::ignore("notifications/cancelled");
    assert!(answers(Some(deaf)).contains(r#""id":1"#));
}

#[test]
fn a_test_waits_for_a_message() {
    run(async {
        let server = server();
        let deadline = Deadline::after(Duration::from_secs(60));
        let mut waiting = Box::pin(server.until_received(method("ping"), deadline));
        assert!((&mut waiting).now_or_never().is_none());
        let mut client = Client::initialized(&server, "a").await;
        client.say(PING).await;
        let ping = waiting.await.unwrap();
        assert_eq!(ping.id(), Some(&1.into()));
        assert_eq!(ping.revision, Some(Revision::V2025_06_18));
        let passed = Deadline::after(Duration::ZERO);
        assert_eq!(server.until_received(method("tools/list"), passed).await, None);
    });
}

#[test]
fn what_the_protocol_refuses_reaches_no_rule() {
    let server = with([given(method("tools/list")).respond_with(json!({"tools": []})).expect(1)]);
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    assert!(say(&server, &[list]).contains("-32600"));
    assert_snapshot!(found(&server), @"
    the rule `tools/list` is not met
      expected a message `tools/list`, once
      got never; `tools/list` came before the rule was mounted, or the protocol refuses it
    ");
}
