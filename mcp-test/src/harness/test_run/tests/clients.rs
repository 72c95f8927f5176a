//! Tests of clients: what fails them, and whose fault it is.

use mcp_test_core::client::{Client, ClientTask, Options, ScriptedClient};
use mcp_test_core::clock::Stopwatch;
use mcp_test_core::scenario::{ClientFunction, Maker, ServerCtx};
use mcp_test_core::server::{Answer, calls};
use mcp_test_core::spec::Requirement;
use mcp_test_core::transport::ClientTarget;

use super::*;

/// A run of a test of a client.
fn run_with(client: fn() -> ClientTarget, run: ClientFunction) -> TestRun {
    let body = UserBody::Client { client: Maker::Alone(client), run, teardown: None };
    TestRun {
        scenario: Box::leak(Box::new(UserScenario { body, ..scenario() })),
        source: Source::Client(Maker::Alone(client)),
        ..run_of(lists_tools)
    }
}

fn within(timeout: Duration, run: TestRun) -> TestRun {
    TestRun { timeout, ..run }
}

fn at(revision: RevisionRequest, run: TestRun) -> TestRun {
    TestRun { scenario_run: DeclaredRun { revision, ..run.scenario_run }, ..run }
}

/// A client of 2025-11-25 that does something after the handshake.
fn client<Fut>(act: impl Fn(Client) -> Fut + Send + Sync + 'static) -> ClientTarget
where
    Fut: Future<Output = mcp_test_core::Result<Client>> + 'static,
{
    let act = Arc::new(act);
    let client = ScriptedClient::new(move |task: ClientTask| {
        let act = Arc::clone(&act);
        async move {
            let client = task.connect(Options::speaking(Revision::V2025_11_25)).await?;
            act(client).await?.end().await;
            Ok(())
        }
    });
    client.target()
}

async fn adds(mut client: Client) -> mcp_test_core::Result<Client> {
    let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    client.request("tools/call", call).await?.result()?;
    Ok(client)
}

/// Calls `add`.
fn adding() -> ClientTarget {
    client(adds)
}

/// Exits without an error, and never connects.
fn idle() -> ClientTarget {
    ClientTarget::future(|_| async { Ok(()) })
}

fn script(server: &mut ServerCtx) {
    let sum = json!({"content": [{"type": "text", "text": "3"}]});
    server.given(calls("add")).respond_with(sum);
}

/// Scripts the sum, and runs the client.
fn runs(server: &mut ServerCtx) -> ScenarioFuture<'_> {
    Box::pin(async move {
        script(server);
        server.run_client().await?;
        Ok(())
    })
}

/// Runs the client with nothing scripted.
fn runs_unscripted(server: &mut ServerCtx) -> ScenarioFuture<'_> {
    Box::pin(async move {
        server.run_client().await?;
        Ok(())
    })
}

fn expects_failure(server: &mut ServerCtx) -> ScenarioFuture<'_> {
    Box::pin(async move {
        script(server);
        server.run_client_to_failure().await?.assert_error_contains("it is broken");
        Ok(())
    })
}

/// The text without the ids of sessions, which differ from run to run.
fn stable(text: &str) -> String {
    let is_id = |line: &&str| {
        let line = line.trim();
        line.len() == 32 && line.chars().all(|c| c.is_ascii_hexdigit())
    };
    text.lines().filter(|line| !is_id(line)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_a_client_sent_can_be_asserted() {
    let run = run_with(adding, |server| {
        Box::pin(async move {
            script(server);
            server.run_client().await?;
            assert_eq!(server.revision(), Revision::V2025_11_25);
            server
                .received()
                .assert_order(["initialize", "notifications/initialized", "tools/call"])
                .assert_sent("initialize")
                .assert_param("/protocolVersion", "2025-11-25")
                .and()
                .assert_call("add")
                .assert_argument("a", 1)
                .assert_arguments(json!({"a": 1, "b": 2}))
                .assert_header("mcp-protocol-version", "2025-11-25")
                .assert_times(1)
                .and()
                .assert_no_other_calls()
                .assert_no_call("sub")
                .assert_not_sent("tools/list")
                .assert_header_everywhere("content-type", "application/json");
            let refused = server.received().assert_call("add").try_argument("a", 2);
            let finding = refused.expect_err("it is 1");
            insta::assert_snapshot!(finding, @"
            the parameters of the call of `add` are not as expected
              expected `/arguments/a` is 2
              got 1
            ");
            Ok(())
        })
    });
    let finished = run.execute();
    assert_eq!(finished.result, TestResult::Passed);
    assert_eq!(finished.place, "2025-11-25 over http");
}

#[test]
fn a_failed_assertion_shows_what_the_client_sent() {
    let run = run_with(adding, |server| {
        Box::pin(async move {
            script(server);
            server.run_client().await?;
            server.received().assert_call("subtract");
            Ok(())
        })
    });
    let text = failure(&run);
    let place = text.find("assertion failed at ").expect("the place of the assertion");
    let end = place + text[place..].find('\n').expect("a line");
    let text = format!("{}{}", &text[..place], &text[end..]);
    insta::assert_snapshot!(stable(&text), @r#"
    scenario `works` failed at 2025-11-25 over http of in-process client, tests/calculator.rs:12:10


    the client did not call `subtract`
      expected a call of the tool `subtract`
      got calls of `add`

    the exchange:
          … 3 messages not shown
      4  client → server  tools/call {"arguments":{"a":1,"b":2},"name":"add"}
          POST /mcp  content-type: application/json  mcp-protocol-version: 2025-11-25  mcp-session-id:
      5  client ← server  result {"content":[{"text":"3","type":"text"}]}
          HTTP 200  content-type: application/json
    "#);
}

#[test]
fn a_request_that_the_test_forgot_fails_it() {
    let text = failure(&run_with(
        || {
            client(|mut client| async move {
                let _ = client.request("resources/list", json!({})).await?.outcome();
                adds(client).await
            })
        },
        runs,
    ));
    insta::assert_snapshot!(stable(&text), @r#"
    scenario `works` failed at 2025-11-25 over http of in-process client, tests/calculator.rs:12:10

    the test has scripted no answer to `resources/list`
      expected a rule or a handler for each request of the client
      got a request that the server answered with an error
      hint: script it with `server.given(…).respond_with(…)`, or assert it with `server.received().assert_unscripted("resources/list")`

    the exchange:
          … 3 messages not shown
      4  client → server  resources/list {}
          POST /mcp  content-type: application/json  mcp-protocol-version: 2025-11-25  mcp-session-id:
      5  client ← server  error -32601 "method not found: resources/list"
          HTTP 200  content-type: application/json
    "#);
    // It is the cause of what the client does next.
    let text = failure(&run_with(adding, runs_unscripted));
    insta::assert_snapshot!(stable(&text), @r#"
    scenario `works` failed at 2025-11-25 over http of in-process client, tests/calculator.rs:12:10

    the test has scripted no answer to `tools/call` of `add`
      expected a rule or a handler for each request of the client
      got a request that the server answered with an error
      hint: script it with `server.given(…).respond_with(…)`, or assert it with `server.received().assert_unscripted("tools/call")`

    the exchange:
          … 3 messages not shown
      4  client → server  tools/call {"arguments":{"a":1,"b":2},"name":"add"}
          POST /mcp  content-type: application/json  mcp-protocol-version: 2025-11-25  mcp-session-id:
      5  client ← server  error -32601 "method not found: tools/call"
          HTTP 200  content-type: application/json

    the client exited with an error
      expected an end without an error
      got a client that failed: `tools/call` was refused
          expected a result
          got error -32601: method not found: tools/call; the last message that it sent was `tools/call`, and the last that it received was the error -32601

    the exchange: the same as above

    requirement mcp-test.client-exits-well (MUST) A client under test exits on its own, without an error, when its task is done.
      required by mcp-test: A client that fails or hangs did not finish its task, whatever it sent before.
    "#);
}

#[test]
fn a_request_without_an_answer_may_be_asserted() {
    let passing = run_with(adding, |server| {
        Box::pin(async move {
            // A call is for a server that declares tools.
            server.given(method("tools/list")).respond_with(json!({"tools": []}));
            server.run_client_to_failure().await?;
            server.received().assert_unscripted("tools/call").assert_argument("b", 2);
            Ok(())
        })
    });
    assert_eq!(passing.execute().result, TestResult::Passed);
    let text = failure(&run_with(adding, |server| {
        Box::pin(async move {
            script(server);
            server.run_client().await?;
            server.received().assert_unscripted("tools/call");
            Ok(())
        })
    }));
    assert!(text.contains("the client sent no unscripted `tools/call`"), "{text}");
}

#[test]
fn a_test_without_an_exchange_does_not_pass() {
    let text = failure(&run_with(adding, |_| Box::pin(async { Ok(()) })));
    insta::assert_snapshot!(text, @"
    scenario `works` failed at 2026-07-28 over http of in-process client, tests/calculator.rs:12:10

    the test has run no client
      expected `server.run_client().await?`, or `server.run_client_to_failure().await?`
      got neither of them
      hint: a test that tests nothing does not pass

    no message was exchanged
    ");
    // Also if the test ignores what is wrong with its client.
    let ignoring: ClientFunction = |server| {
        Box::pin(async move {
            drop(server.run_client().await);
            Ok(())
        })
    };
    let text = failure(&run_with(idle, ignoring));
    insta::assert_snapshot!(text, @"
    scenario `works` failed at 2026-07-28 over http of in-process client, tests/calculator.rs:12:10

    the client never connected
      expected at least one JSON-RPC message in a POST to the URL of the server
      got a client that exited on its own without an error
      hint: URL and scenario `works` are members of its `Endpoint`

    requirement mcp-test.client-takes-part (MUST) A client under test connects to the server of the scenario, and sends a message.
      required by mcp-test: Nothing that a scenario checks means anything for a client that sent nothing.

    no message was exchanged
    ");
}

fn failing() -> ClientTarget {
    client(|client| async move {
        drop(adds(client).await?);
        Err("it is broken".into())
    })
}

#[test]
fn a_client_that_fails_fails_the_test_unless_it_is_expected() {
    let text = failure(&run_with(failing, runs));
    insta::assert_snapshot!(stable(&text), @r#"
    scenario `works` failed at 2025-11-25 over http of in-process client, tests/calculator.rs:12:10

    the client exited with an error
      expected an end without an error
      got a client that failed: it is broken; the last message that it sent was `tools/call`, and the last that it received was a result

    the exchange:
          … 3 messages not shown
      4  client → server  tools/call {"arguments":{"a":1,"b":2},"name":"add"}
          POST /mcp  content-type: application/json  mcp-protocol-version: 2025-11-25  mcp-session-id:
      5  client ← server  result {"content":[{"text":"3","type":"text"}]}
          HTTP 200  content-type: application/json

    requirement mcp-test.client-exits-well (MUST) A client under test exits on its own, without an error, when its task is done.
      required by mcp-test: A client that fails or hangs did not finish its task, whatever it sent before.
    "#);
    assert_eq!(run_with(failing, expects_failure).execute().result, TestResult::Passed);
    let text = failure(&run_with(adding, expects_failure));
    assert!(text.contains("the client did not fail\n"), "{text}");
    let other = || {
        client(|client| async move {
            drop(adds(client).await?);
            Err("out of order".into())
        })
    };
    let text = failure(&run_with(other, expects_failure));
    assert!(text.contains("got out of order"), "{text}");
}

#[test]
fn a_client_that_panics_fails_the_test() {
    let panicking = || {
        client(|client| async move {
            assert!(client.revision() > Revision::V2026_07_28, "too old");
            Ok(client)
        })
    };
    let text = failure(&run_with(panicking, runs_unscripted));
    assert!(text.contains("got a client that failed: it panicked: too old"), "{text}");
}

#[test]
fn a_client_that_hangs_fails_the_test_in_time() {
    let hanging = || {
        client(|client| async move {
            adds(client).await?;
            std::future::pending().await
        })
    };
    let stopwatch = Stopwatch::start();
    let text = failure(&within(Duration::from_secs(1), run_with(hanging, runs)));
    assert!(stopwatch.elapsed() < Duration::from_secs(3), "{:?}", stopwatch.elapsed());
    for part in [
        "the client did not exit in time, and was ended\n",
        "; the last message that it sent was `tools/call`, and the last that it received was a result\n",
        "  hint: `#[mcp_scenario(timeout",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_client_that_blocks_the_thread_fails_the_test_in_time() {
    let blocking = || {
        client(|client| async move {
            let (sender, receiver) = std::sync::mpsc::channel::<()>();
            // Never dropped, so that the thread waits until the process ends.
            std::mem::forget(sender);
            receiver.recv()?;
            Ok(client)
        })
    };
    let stopwatch = Stopwatch::start();
    let text = failure(&within(Duration::from_secs(1), run_with(blocking, runs)));
    assert!(stopwatch.elapsed() < Duration::from_secs(4), "{:?}", stopwatch.elapsed());
    assert!(text.contains("the thread of the test is blocked"), "{text}");
}

#[test]
fn an_invalid_message_of_the_client_counts_against_it() {
    let wrong = || {
        let client = ScriptedClient::new(|task: ClientTask| async move {
            let client = task.connect(Options::speaking(Revision::V2025_11_25)).await?;
            adds(client).await?.end().await;
            Ok(())
        });
        client.faults([Fault::set("tools/call", "/arguments", json!(7))]).target()
    };
    let run = run_with(wrong, |server| {
        Box::pin(async move {
            server.given(method("tools/call")).respond_with(json!({"content": []}));
            server.run_client().await?;
            Ok(())
        })
    });
    let text = failure(&run);
    assert!(text.contains("`/params/arguments` is an object"), "{text}");
}

/// Calls `add` twice over HTTP, under these ids.
async fn adds_as(ids: [i64; 2], mut client: Client) -> mcp_test_core::Result<Client> {
    for id in ids {
        let params = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let pending = client.start_raw(id, "tools/call", call.to_string()).await;
        client.wait(pending).await?.result()?;
    }
    Ok(client)
}

#[test]
fn a_client_with_one_id_for_every_request_fails_the_test() {
    let unique = || client(|client| adds_as([101, 102], client));
    assert_eq!(run_with(unique, runs).execute().result, TestResult::Passed);
    let same = || client(|client| adds_as([101, 101], client));
    let text = failure(&run_with(same, runs));
    assert!(text.contains(Requirement::JSONRPC_REQUEST_ID_UNIQUE_SESSION.id), "{text}");
}

#[test]
fn a_rule_that_is_not_met_fails_the_test() {
    let text = failure(&run_with(adding, |server| {
        Box::pin(async move {
            script(server);
            server.given(method("prompts/list")).watched().expect(1).named("asks for prompts");
            server.run_client().await?;
            Ok(())
        })
    }));
    assert!(text.contains("the rule `asks for prompts` is not met"), "{text}");
}

#[test]
fn a_rule_may_be_limited_after_it_is_mounted() {
    let retrying = || {
        client(|mut client| async move {
            let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
            let _ = client.request("tools/call", call).await?.outcome();
            adds(client).await
        })
    };
    let run = run_with(retrying, |server| {
        Box::pin(async move {
            script(server);
            let busy = Answer::error(-32603, "try again");
            let busy = server.given(calls("add")).respond_with(busy).up_to_n_times(1);
            server.run_client().await?;
            assert_eq!(busy.calls(), 1);
            server.received().assert_call("add").assert_times(2);
            Ok(())
        })
    });
    assert_eq!(run.execute().result, TestResult::Passed);
}

#[test]
fn the_server_declares_what_it_answers() {
    let listing = || {
        client(|client| async move {
            let declared = &client.server().capabilities;
            let expected = json!({"tools": {}, "resources": {"subscribe": true}});
            assert_eq!(declared.to_serde(), expected);
            adds(client).await
        })
    };
    let run = run_with(listing, |server| {
        Box::pin(async move {
            script(server);
            server.given(method("resources/subscribe")).respond_with(json!({}));
            server.run_client().await?;
            Ok(())
        })
    });
    assert_eq!(run.execute().result, TestResult::Passed);
}

#[test]
fn a_named_revision_is_demanded_and_one_of_a_range_is_not() {
    let older = || {
        let client = ScriptedClient::new(|task: ClientTask| async move {
            let mut client = task.uninitialized(Options::speaking(Revision::V2025_06_18)).await?;
            let initialize = json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "older", "version": "1"},
            });
            let reply = client.request("initialize", initialize).await?;
            let selected = reply.result()?.at("/protocolVersion").cloned();
            if selected != Some("2025-06-18".into()) {
                client.end().await;
                return Err("the server is too new".into());
            }
            client.notify("notifications/initialized", json!({})).await;
            adds(client).await?.end().await;
            Ok(())
        });
        client.target()
    };
    let wanted = Revision::V2025_11_25;
    let text = failure(&at(RevisionRequest::Named(wanted), run_with(older, runs)));
    insta::assert_snapshot!(text.lines().take(5).collect::<Vec<_>>().join("\n"), @"
    scenario `works` failed at 2025-11-25 over http of in-process client, tests/calculator.rs:12:10

    the client does not speak 2025-11-25
      expected a client that speaks 2025-11-25, which the test names
      got the client speaks up to 2025-06-18; it did not speak 2025-11-25
    ");
    let ranged = at(RevisionRequest::Ranged(wanted), run_with(older, runs)).execute();
    assert!(ranged.is_unsupported);
    let spoken = at(RevisionRequest::Named(Revision::V2025_06_18), run_with(older, runs)).execute();
    assert_eq!(
        (spoken.result, spoken.place.as_str()),
        (TestResult::Passed, "2025-06-18 over http")
    );
}

#[test]
fn a_client_that_begins_with_a_handshake_gets_the_revisions_that_have_one() {
    let newest = Revision::V2026_07_28;
    let text = failure(&at(RevisionRequest::Named(newest), run_with(adding, runs)));
    insta::assert_snapshot!(text.lines().take(8).collect::<Vec<_>>().join("\n"), @r#"
    scenario `works` failed at 2026-07-28 over http of in-process client, tests/calculator.rs:12:10

    the client does not speak 2026-07-28
      expected a client that speaks 2026-07-28, which the test names
      got the client speaks up to 2025-11-25; it did not speak 2026-07-28
      hint: a client sends `initialize` up to 2025-11-25, and this run is at 2026-07-28
        to test at a revision that has it: `#[mcp_scenario(revisions = "..2025-11-25")]`
        rmcp's client sends it unless its `ClientLifecycleMode` is `Discover`
    "#);
}

#[test]
fn a_client_runs_at_every_revision_that_it_is_asked_for() {
    let any = || {
        let client = ScriptedClient::new(|task: ClientTask| async move {
            adds(task.connect(task.options()).await?).await?.end().await;
            Ok(())
        });
        client.target()
    };
    for revision in Revision::ALL {
        let run = at(RevisionRequest::Named(revision), run_with(any, runs)).execute();
        assert_eq!(run.result, TestResult::Passed, "{revision}");
        assert_eq!(run.place, format!("{revision} over http"));
    }
}

#[test]
fn a_client_is_tested_over_each_of_its_transports() {
    let over = |transport, run| {
        let run = run_with(|| adding().over([TransportKind::Duplex, TransportKind::Http]), run);
        let run = TestRun { scenario_run: DeclaredRun { transport, ..run.scenario_run }, ..run };
        let finished = run.execute();
        (finished.result, finished.place)
    };
    let (duplex, http) = (Some(TransportKind::Duplex), Some(TransportKind::Http));
    for (transport, place) in [
        (None, "2025-11-25 over duplex"),
        (duplex, "2025-11-25 over duplex"),
        (http, "2025-11-25 over http"),
    ] {
        assert_eq!(over(transport, runs), (TestResult::Passed, place.to_owned()));
    }
    // What fails a test over HTTP fails it over a pipe.
    let (result, _) = over(duplex, runs_unscripted);
    assert!(matches!(result, TestResult::Failed(_)), "{result:?}");
}

#[test]
fn a_client_without_a_program_is_not_tested_over_stdio() {
    let run = run_with(adding, runs);
    let scenario_run = DeclaredRun { transport: Some(TransportKind::Stdio), ..run.scenario_run };
    let text = failure(&TestRun { scenario_run, ..run });
    assert!(
        text.contains("the program that the client starts as its server is not known"),
        "{text}"
    );
}

#[test]
fn a_test_of_a_client_can_skip_itself() {
    let run = run_with(adding, |server| Box::pin(async move { Err(server.skip("not today")) }));
    assert_eq!(run.execute().result, TestResult::Skipped("not today".to_owned()));
}

#[test]
fn the_server_can_be_configured_only_before_it_is_scripted() {
    let run = run_with(adding, |server| {
        Box::pin(async move {
            server.configure(|server| server.instructions("add"));
            script(server);
            server.configure(|server| server.instructions("subtract"));
            Ok(())
        })
    });
    let text = failure(&run);
    assert!(text.contains("the server cannot be configured any more"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_program_is_started_and_leaves_nothing_behind() {
    let leaving = || ClientTarget::command("sh -c 'echo oops >&2; sleep 600 & exit 3' client");
    let text = failure(&run_with(leaving, runs));
    assert!(text.contains("got a client that exited with exit code 3"), "{text}");
    assert!(text.contains("the client left a process behind"), "{text}");
    assert!(text.contains("the last lines on the client's stderr:\n  | oops"), "{text}");
    let missing = failure(&run_with(|| ClientTarget::command("no-such-client"), runs));
    assert!(missing.contains("the client could not be started"), "{missing}");
}

#[cfg(unix)]
#[test]
fn a_program_that_hangs_is_ended_in_time() {
    let hanging = || ClientTarget::command("sh -c 'trap \"\" TERM; sleep 600; sleep 600' client");
    let stopwatch = Stopwatch::start();
    let text = failure(&within(Duration::from_secs(1), run_with(hanging, runs)));
    assert!(stopwatch.elapsed() < Duration::from_secs(3), "{:?}", stopwatch.elapsed());
    assert!(text.contains("the client did not exit in time, and was ended"), "{text}");
}
