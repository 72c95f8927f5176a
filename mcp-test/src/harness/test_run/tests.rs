//! Runs with unusual targets and scenarios.

#[cfg(feature = "http")]
mod clients;
mod setups;

use mcp_test_core::process::Command;
use mcp_test_core::run::single::RevisionRequest;
use mcp_test_core::scenario::{Ctx, Maker, ScenarioFuture, UserFunction};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{given, method};
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::{Fault, Target, TransportKind};
use serde_json::json;

use super::*;
use crate::harness::scenario_runs::tests::scenario;

fn run_of(run: UserFunction) -> TestRun {
    TestRun {
        scenario: Box::leak(Box::new(UserScenario { body: body(run, None), ..scenario() })),
        source: Source::Function(Maker::Alone(|| everything().target())),
        scenario_run: DeclaredRun { revision: RevisionRequest::Newest, transport: None },
        timeout: TIMEOUT,
        snapshot_suffix: None,
        shows_differences: false,
        captures_panics: false,
        unanswered: Unanswered::default(),
        secrets: Arc::default(),
        recorded: None,
        known: Arc::default(),
    }
}

fn body(run: UserFunction, teardown: Option<UserFunction>) -> UserBody {
    UserBody::Server { target: None, run, teardown }
}

/// The run of a scenario that takes a second at most, with a teardown.
fn run_with_teardown(run: UserFunction, teardown: UserFunction) -> TestRun {
    let scenario = UserScenario { body: body(run, Some(teardown)), ..scenario() };
    let timeout = Duration::from_secs(1);
    TestRun { scenario: Box::leak(Box::new(scenario)), timeout, ..run_of(run) }
}

fn lists_tools(ctx: &mut Ctx) -> ScenarioFuture<'_> {
    Box::pin(async move {
        ctx.list_tools().await?.assert_ok();
        Ok(())
    })
}

fn failure(run: &TestRun) -> String {
    match run.execute().result {
        TestResult::Failed(text) => text,
        other => panic!("expected a failure: {other:?}"),
    }
}

#[test]
fn spawn_blocking_does_not_delay_the_end_of_a_test() {
    static SENDER: Mutex<Option<std::sync::mpsc::Sender<()>>> = Mutex::new(None);
    let run = run_of(|ctx| {
        Box::pin(async move {
            ctx.list_tools().await?.assert_ok();
            let (sender, receiver) = std::sync::mpsc::channel();
            *SENDER.lock().expect("no panic") = Some(sender);
            tokio::task::spawn_blocking(move || receiver.recv());
            Ok(())
        })
    });
    let result = run.execute().result;
    assert!(SENDER.lock().expect("no panic").take().is_some());
    assert_eq!(result, TestResult::Passed);
}

fn with_wrong_tools() -> Target {
    let faults = [
        Fault::set("tools/list", "/tools/0/description", json!(7)),
        Fault::remove("tools/list", "/tools/1/inputSchema"),
    ];
    everything().faults(faults).target()
}

#[test]
fn an_invalid_message_fails_a_test_that_did_not_examine_it() {
    let run = run_of(|ctx| {
        Box::pin(async move {
            ctx.list_tools().await?.assert_ok();
            Ok(())
        })
    });
    let text =
        failure(&TestRun { source: Source::Function(Maker::Alone(with_wrong_tools)), ..run });
    assert!(text.contains("`/result/tools/0/description` is a string"), "{text}");
    assert!(text.contains("`/result/tools/1/inputSchema` is an object"), "{text}");
    assert!(text.contains("shape Tool of "), "{text}");
}

#[test]
fn a_schema_failure_has_each_block_once() {
    let run = run_of(|ctx| {
        Box::pin(async move {
            let _ = ctx.list_tools().await?;
            ctx.assert_schema_valid();
            Ok(())
        })
    });
    let text =
        failure(&TestRun { source: Source::Function(Maker::Alone(with_one_wrong_tool)), ..run });
    for block in ["scenario `works` failed", "assertion failed at", "the exchange:", "\nshape "] {
        assert_eq!(text.matches(block).count(), 1, "{block}\n{text}");
    }
}

fn without_completions() -> Target {
    let undeclared = |method| Fault::remove(method, "/capabilities/completions");
    everything().faults(["initialize", "server/discover"].map(undeclared)).target()
}

#[test]
fn a_test_that_uses_what_the_server_does_not_declare_fails_at_every_revision() {
    let completes = run_of(|ctx| {
        Box::pin(async move {
            let prompt = json!({"type": "ref/prompt", "name": "test_prompt_with_arguments"});
            let argument = json!({"name": "arg1", "value": "par"});
            let params = json!({"ref": prompt, "argument": argument});
            ctx.request("completion/complete", params).await?.assert_ok();
            // The test decides what is said: nothing is asked on its connection.
            let asked = ctx
                .trace()
                .messages()
                .any(|(_, message)| message.method() == Some("server/discover"));
            (!asked).then_some(()).ok_or_else(|| "`server/discover` was sent".into())
        })
    });
    let requests = [
        RevisionRequest::Newest,
        RevisionRequest::Named(Revision::NEWEST),
        RevisionRequest::Ranged(Revision::NEWEST),
        RevisionRequest::Named(Revision::NEWEST_HANDSHAKE),
    ];
    for revision in requests {
        let scenario_run = DeclaredRun { revision, transport: None };
        let run = TestRun { scenario_run, ..completes.clone() };
        assert_eq!(run.execute().result, TestResult::Passed, "{revision:?}");
        let text = failure(&TestRun {
            source: Source::Function(Maker::Alone(without_completions)),
            ..run
        });
        let headline = "the server serves `completion/complete` without the capability for it";
        assert!(text.contains(headline), "{revision:?}\n{text}");
        assert!(!text.contains("was sent"), "{revision:?}\n{text}");
    }
}

fn with_one_wrong_tool() -> Target {
    everything().faults([Fault::set("tools/list", "/tools/0/description", json!(7))]).target()
}

#[test]
fn an_invalid_request_of_a_test_does_not_fail_it() {
    let passes = run_of(|ctx| {
        Box::pin(async move {
            let reply = ctx.request("tools/call", json!({"name": 7})).await?;
            reply.error().ok_or("the server accepted a number as a name")?;
            Ok(())
        })
    });
    assert_eq!(passes.execute().result, TestResult::Passed);
    let text = failure(&run_of(|ctx| {
        Box::pin(async move {
            let _ = ctx.request("tools/call", json!({"name": 7})).await?.result()?;
            Ok(())
        })
    }));
    let also = "also: the test itself sent something invalid, perhaps on purpose:\nthe request `tools/call`";
    assert!(text.contains(also), "{text}");
}

#[test]
fn a_request_that_the_revision_does_not_have_comes_before_its_malformed_reply() {
    let run = run_of(|ctx| {
        Box::pin(async move {
            ctx.set_level("info").await?.assert_ok();
            Ok(())
        })
    });
    // As servers answer that know nothing of the revision.
    let target = || {
        let server = everything().faults([Fault::remove("logging/setLevel", "/resultType")]);
        server.mount(given(method("logging/setLevel")).respond_with(json!({})));
        server.target()
    };
    let text = failure(&TestRun { source: Source::Function(Maker::Alone(target)), ..run });
    insta::assert_snapshot!(text, @r#"
    scenario `works` failed at 2026-07-28 over duplex of in-process server, tests/calculator.rs:12:10

    the test sent `logging/setLevel`, which MCP 2026-07-28 does not have
      hint: a client sends `logging/setLevel` up to 2025-11-25, and this run is at 2026-07-28
        to test at a revision that has it: `#[mcp_scenario(revisions = "..2025-11-25")]`

    the exchange:
      1  client → server  logging/setLevel {"level":"info","_meta":{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
            "name":"mcp-test","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{}}}
      2  client ← server  result {"_meta":{"io.modelcontextprotocol/serverInfo":{"name":
            "mcp-test-everything","version":"0.1.0"}}}

    the result of `logging/setLevel` does not say its type
      expected `/result/resultType` is a string, such as "complete"
      got nothing

    the exchange: the same as above

    requirement base.result-type-present (MUST) Every result object names its kind in `resultType`.
      https://modelcontextprotocol.io/specification/2026-07-28/basic#result-responses
    "#);
}

#[test]
fn a_wrong_name_gets_the_one_that_the_server_lists() {
    let hints = |run: UserFunction| {
        let text = failure(&run_of(run));
        text.lines()
            .filter(|it| it.contains("hint:"))
            .map(|it| format!("{it}\n"))
            .collect::<String>()
    };
    let all = [
        hints(|ctx| {
            Box::pin(async move {
                ctx.call_tool("test_simple_txt", json!({})).await?.assert_ok();
                Ok(())
            })
        }),
        // A finding that the function returns, and a prompt.
        hints(|ctx| {
            Box::pin(async move {
                let _ = ctx.get_prompt("test_simple_promt", json!({})).await?.result()?;
                Ok(())
            })
        }),
        hints(|ctx| {
            Box::pin(async move {
                ctx.read_resource("test://static-tex").await?.assert_ok();
                Ok(())
            })
        }),
    ];
    insta::assert_snapshot!(all.concat(), @"
      hint: the server lists no tool `test_simple_txt`; did you mean `test_simple_text`?
      hint: the server lists no prompt `test_simple_promt`; did you mean `test_simple_prompt`?
      hint: the server lists no resource `test://static-tex`; did you mean `test://static-text`?
    ");
    // Nothing is like the name, the tool exists, or the assertion is about another request.
    let none = [
        hints(|ctx| {
            Box::pin(async move {
                ctx.call_tool("quite_another_name", json!({})).await?.assert_ok();
                Ok(())
            })
        }),
        hints(|ctx| {
            Box::pin(async move {
                ctx.call_tool("test_error_handling", json!({})).await?.assert_ok();
                Ok(())
            })
        }),
        hints(|ctx| {
            Box::pin(async move {
                ctx.call_tool("test_simple_txt", json!({})).await?.assert_error();
                ctx.list_tools().await?.assert_len(0);
                Ok(())
            })
        }),
    ];
    assert_eq!(none.concat(), "");
}

#[cfg(unix)]
#[test]
fn a_failure_names_what_was_to_run() {
    let target = || {
        let in_process = Target::duplex(|_| async { Ok(()) });
        in_process.and_command(Command::new("no-such-program").arg("--stdio"))
    };
    let report = |revision, transport| {
        let scenario_run = DeclaredRun { revision, transport };
        failure(&TestRun {
            source: Source::Function(Maker::Alone(target)),
            scenario_run,
            ..run_of(lists_tools)
        })
    };
    let heading = |revision, transport| {
        let report = report(revision, transport);
        report.lines().next().expect("a heading").to_owned()
    };
    let named = RevisionRequest::Named(Revision::V2025_11_25);
    let headings = [
        heading(RevisionRequest::Newest, None),
        heading(named, Some(TransportKind::Duplex)),
        heading(named, Some(TransportKind::Stdio)),
    ];
    insta::assert_snapshot!(headings.join("\n"), @"
    scenario `works` failed against the target `in-process server`, tests/calculator.rs:12:10
    scenario `works` failed at 2025-11-25 over duplex of in-process server, tests/calculator.rs:12:10
    scenario `works` failed at 2025-11-25 over stdio of no-such-program --stdio, tests/calculator.rs:12:10
    ");
    // It has no conversation.
    insta::assert_snapshot!(report(RevisionRequest::Newest, Some(TransportKind::Stdio)), @"
    scenario `works` failed over stdio against the target `no-such-program --stdio`, tests/calculator.rs:12:10

    cannot start `no-such-program`: not found in PATH; install it, or give its path
    ");
}

#[test]
fn a_panic_of_a_handler_names_its_method() {
    let run = run_of(|ctx| {
        Box::pin(async move {
            ctx.on_elicitation(|_| panic!("on purpose"));
            ctx.call_tool("test_elicitation", json!({"message": "?"})).await?.assert_ok();
            Ok(())
        })
    });
    let at = |revision| {
        let scenario_run =
            DeclaredRun { revision: RevisionRequest::Named(revision), transport: None };
        let text = failure(&TestRun { scenario_run, ..run.clone() });
        text.split("\n\n").nth(1).expect("a finding below the heading").to_owned()
    };
    let expected = "the handler of `elicitation/create` panicked; the message is above";
    // The two eras ask for input in different ways.
    assert_eq!(at(Revision::V2025_11_25), expected);
    assert_eq!(at(Revision::V2026_07_28), expected);
}

#[cfg(all(unix, feature = "http"))]
#[test]
fn the_exit_of_the_program_behind_a_url_is_reported() {
    let run = run_of(|_| Box::pin(async { Ok(()) }));
    let text =
        failure(&TestRun { source: Source::Function(Maker::Alone(listens_and_exits)), ..run });
    assert!(text.contains("exit code 3\n"), "{text}");
    assert!(text.contains("its stderr ends with\n    no config\n"), "{text}");
}

/// A program that seems to listen, and exits at the first request: this process listens for it.
#[cfg(all(unix, feature = "http"))]
fn listens_and_exits() -> Target {
    use std::fs::{self, File};
    use std::io::Read;
    use std::net::TcpListener;

    let place = tempfile::tempdir().expect("a directory");
    let pipe = |name| {
        let path = place.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo starts");
        assert!(made.success());
        path
    };
    let (life, exit) = (pipe("life"), pipe("exit"));
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let address = free.expect("a free port");
    let script = "exec 3> life; echo no config >&2; read line < exit; exit 3";
    let command = Command::new("sh").args(["-c", script]).cwd(place.path());
    std::thread::spawn(move || {
        // The pipe can be opened when the program has started, and ends when it has exited.
        let mut life = File::open(life).expect("the pipe exists");
        let listener = TcpListener::bind(address).expect("the port is still free");
        let connections = listener.incoming().map(|it| it.expect("a connection"));
        let read = connections.map(|mut it| it.read(&mut [0]).map(|count| (count, it)));
        let request = read.flatten().find(|(count, _)| *count > 0);
        fs::write(exit, "now\n").expect("the pipe exists");
        life.read_to_end(&mut Vec::new()).expect("it ends");
        drop((request, place));
    });
    Target::url_started_by(format!("http://{address}/mcp"), command)
}

#[test]
fn a_teardown_runs_however_the_scenario_ends() {
    let ends: [(&str, UserFunction); 6] = [
        ("passes", lists_tools),
        ("an assertion", |ctx| {
            Box::pin(async move {
                ctx.list_tools().await?.assert_tool("no_such_tool");
                Ok(())
            })
        }),
        ("an error", |_| Box::pin(async { Err("out of paper".into()) })),
        ("a panic", |_| Box::pin(async { panic!("on purpose") })),
        ("a time-out", |_| Box::pin(std::future::pending())),
        ("a skip", |ctx| Box::pin(async move { Err(ctx.skip("no paper")) })),
    ];
    for (how, body) in ends {
        // It still gets a reply, and what is wrong with it is reported beside what was wrong before.
        let text = failure(&run_with_teardown(body, |ctx| {
            Box::pin(async move {
                ctx.list_tools().await?.assert_ok();
                Err("the notes are still there".into())
            })
        }));
        assert!(
            text.contains("\nthe teardown failed: error: the notes are still there"),
            "{how}: {text}"
        );
        let first = match how {
            "an assertion" => "assertion failed at ",
            "an error" => "error: out of paper",
            "a panic" => "it panicked; the message is above",
            "a time-out" => "the scenario did not finish within 750 ms",
            _ => continue,
        };
        let place =
            |what| text.find(what).unwrap_or_else(|| panic!("{how}: {what} is not in {text}"));
        assert!(place(first) < place("the teardown failed"), "{text}");
    }
}

#[test]
fn what_a_teardown_leaves_undone_is_said_of_it() {
    let text = failure(&run_with_teardown(lists_tools, |ctx| {
        Box::pin(async move {
            let _unexamined = ctx.request("no/such/method", json!({})).await?;
            Ok(())
        })
    }));
    let headline = "in the teardown, the test never examined the error reply to `no/such/method`";
    assert!(text.contains(headline), "{text}");
}

#[test]
fn a_request_that_is_neither_awaited_nor_cancelled_fails_the_test() {
    let run = run_of(|ctx| {
        Box::pin(async move {
            let _refused = ctx.start("no/such/method", json!({})).await?;
            ctx.list_tools().await?.assert_ok();
            let awaited = ctx.start("tools/list", json!({})).await?;
            ctx.wait(awaited).await?.assert_ok();
            let cancelled = ctx.start("tools/list", json!({})).await?;
            ctx.cancel(cancelled).await?;
            // Which replies come before this end is not for the test to say.
            let mut other = ctx.connect(ctx.options()).await?;
            let _unanswered = other.start("tools/list", json!({})).await;
            other.end().await;
            Ok(())
        })
    });
    let text = failure(&run);
    let report = "the test never awaited the reply to `no/such/method`\n  \
                  expected the test to await each request that it starts, or to cancel it\n  \
                  got error -32601";
    assert!(text.contains(report), "{text}");
    assert_eq!(text.matches("never awaited").count(), 1, "{text}");
}

#[test]
fn a_teardown_changes_nothing_if_it_passes() {
    let teardown: UserFunction = lists_tools;
    let skipped =
        run_with_teardown(|ctx| Box::pin(async move { Err(ctx.skip("no paper")) }), teardown);
    assert_eq!(skipped.execute().result, TestResult::Skipped("no paper".to_owned()));
    let passed = run_with_teardown(teardown, teardown);
    assert_eq!(passed.execute().result, TestResult::Passed);
    // What only the teardown exchanges tests nothing.
    let text = failure(&run_with_teardown(|_| Box::pin(async { Ok(()) }), teardown));
    assert!(text.contains("the scenario exchanged nothing with its target"), "{text}");
}

#[test]
fn what_is_wrong_with_a_teardown_is_reported() {
    let of = |teardown: UserFunction| {
        let body: UserFunction = lists_tools;
        let text = failure(&run_with_teardown(body, teardown));
        let (_, text) = text.split_once("\n\n").expect("a heading");
        text.lines().next().unwrap_or_default().to_owned()
    };
    let shown = [
        of(|_| Box::pin(async { panic!("on purpose") })),
        of(|ctx| Box::pin(async move { Err(ctx.skip("no paper")) })),
        of(|_| Box::pin(std::future::pending())),
    ];
    assert!(shown[2].starts_with("the teardown did not finish within "), "{}", shown[2]);
    insta::assert_snapshot!(shown[..2].join("\n"), @"
    the teardown failed: it panicked; the message is above
    the teardown failed: it cannot skip the scenario, which has ended
    ");
    let assertion = of(|ctx| {
        Box::pin(async move {
            ctx.list_tools().await?.assert_tool("no_such_tool");
            Ok(())
        })
    });
    assert!(
        assertion.starts_with("the teardown failed at mcp-test/src/harness/test_run/tests.rs:"),
        "{assertion}"
    );
    assert!(assertion.contains("no_such_tool"), "{assertion}");
}
