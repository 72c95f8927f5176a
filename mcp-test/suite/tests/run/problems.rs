//! One cause is one problem, however many checks, scenarios, revisions and transports show it.

use mcp_test_core::expect::words;
use mcp_test_core::run::{ExitCode, Problem};
use mcp_test_core::server::reference::everything;
use mcp_test_core::transport::Fault;
use mcp_test_core::transport::fault::Misbehavior;

use super::*;

const TIMEOUT: Duration = Duration::from_secs(20);

fn summary_of(target: Target, ids: &[&str]) -> Summary {
    let plan =
        Plan::build(scenarios::all(), target, Profile::Adaptive, &selection(ids)).expect("a plan");
    run_plan(&plan.timeout(TIMEOUT)).1
}

/// One line for each problem: level, headline, and in how much it shows, exactly only if that is little.
fn problems(faults: impl IntoIterator<Item = Fault>) -> String {
    shown(&summary_of(everything().faults(faults).target(), &[]))
}

fn shown(summary: &Summary) -> String {
    let problems = summary.problems.sorted();
    problems.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

fn line(problem: &Problem) -> String {
    let transports: Vec<&str> = problem.transports().iter().map(|it| it.as_str()).collect();
    format!(
        "{:?}: {} [{}] {} scenarios, {} runs, {} not reached, {} not run; {} over {}",
        problem.level(),
        problem.headline(),
        words::joined(problem.requirements(), " "),
        few(problem.scenarios().len()),
        few(problem.scenario_runs().len()),
        few(problem.not_reached),
        few(problem.not_run),
        problem.revisions(),
        transports.join(", "),
    )
}

/// A large number would change with each new scenario.
fn few(count: usize) -> String {
    if count < 10 { count.to_string() } else { "many".to_owned() }
}

#[test]
fn a_correct_server_has_no_problem() {
    assert_eq!(problems([]), "");
}

#[test]
fn a_banner_is_one() {
    insta::assert_snapshot!(problems([Fault::banner("hello")]), @"Failing: the server wrote something to its output that is not an MCP message [transport.stdio.stdout-only-messages] many scenarios, many runs, 0 not reached, 0 not run; 2024-11-05.. over duplex");
}

#[test]
fn a_wrong_id_is_one() {
    insta::assert_snapshot!(problems([Fault::wrong_id("tools/list")]), @"Failing: the reply to `tools/list` has the wrong id [jsonrpc.result-id-echo] many scenarios, many runs, many not reached, 0 not run; 2024-11-05.. over duplex, router");
}

#[test]
fn a_foreign_origin_that_is_accepted_is_one() {
    let any = Fault::misbehavior(Misbehavior::AllowsAnyOrigin);
    insta::assert_snapshot!(problems([any]), @"Failing: a foreign Host and Origin is not refused [transport.http.origin-validated] 1 scenarios, 4 runs, 0 not reached, 0 not run; 2025-03-26.. over router");
}

#[test]
fn an_unknown_method_is_one_by_whatever_name_and_others_if_its_names_differ() {
    let answering = |answers: [serde_json::Value; 2]| {
        let faults = ["mcp-test/no-such-method", "TOOLS/LIST"].into_iter().zip(answers);
        let faults = faults.flat_map(|(method, answer)| match answer.as_i64() {
            Some(code) => vec![Fault::reply_error(method, code)],
            None => vec![Fault::answer(method, answer)],
        });
        let target = everything().faults(faults).target();
        shown(&summary_of(target, &["base-unknown-method"]))
    };
    let (empty, tools) =
        (json!({"resultType": "complete"}), json!({"resultType": "complete", "tools": []}));
    insta::assert_snapshot!(answering([json!(-32602), json!(-32602)]), @"Failing: `mcp-test/no-such-method` was refused with another code [jsonrpc.unknown-method-error] 1 scenarios, 9 runs, 0 not reached, 0 not run; 2024-11-05.. over duplex, router");
    insta::assert_snapshot!(answering([empty.clone(), empty.clone()]), @"Failing: `mcp-test/no-such-method` was not refused [jsonrpc.unknown-method-error] 1 scenarios, 9 runs, 0 not reached, 0 not run; 2024-11-05.. over duplex, router");
    insta::assert_snapshot!(answering([json!(-32602), json!(-32603)]), @"
    Failing: `mcp-test/no-such-method` was refused with another code [jsonrpc.unknown-method-error] 1 scenarios, 9 runs, 0 not reached, 0 not run; 2024-11-05.. over duplex, router
    Failing: `TOOLS/LIST` was refused with another code [jsonrpc.unknown-method-error] 1 scenarios, 9 runs, 0 not reached, 0 not run; 2024-11-05.. over duplex, router
    ");
    insta::assert_snapshot!(answering([empty, tools]), @"
    Failing: `mcp-test/no-such-method` was not refused [jsonrpc.unknown-method-error] 1 scenarios, 9 runs, 0 not reached, 0 not run; 2024-11-05.. over duplex, router
    Failing: `TOOLS/LIST` was not refused [jsonrpc.unknown-method-error] 1 scenarios, 9 runs, 0 not reached, 0 not run; 2024-11-05.. over duplex, router
    ");
}

#[test]
fn a_refused_list_is_one() {
    insta::assert_snapshot!(problems([Fault::reply_error("tools/list", -32603)]), @"Failing: `tools/list` was refused [tools.list.respond] 4 scenarios, many runs, many not reached, 0 not run; 2024-11-05.. over duplex, router");
}

#[test]
fn a_feature_that_is_not_declared_is_one() {
    let of = |fault: Fault, ids: &[&str]| {
        let target = target(&everything().faults([fault]));
        let plan = Plan::build(
            scenarios::all(),
            target,
            Profile::Adaptive,
            &Selection { revisions: vec![Revision::V2025_11_25], ..selection(ids) },
        );
        shown(&run_plan(&plan.expect("a plan").timeout(TIMEOUT)).1)
    };
    let hidden = Fault::remove("initialize", "/capabilities/prompts");
    insta::assert_snapshot!(of(hidden, &["base-capabilities", "lists-undeclared"]), @"Failing: `prompts/list` has results, but `prompts` is not declared [base.server-features-advertised] 2 scenarios, 2 runs, 0 not reached, 0 not run; 2025-11-25 over duplex");
    let unknown = Fault::reply_error("resources/subscribe", -32601);
    insta::assert_snapshot!(of(unknown, &["base-capabilities", "resources-subscriptions"]), @"Failing: `resources/subscribe` is unknown, although `resources.subscribe` is declared [resources.subscribe.accept] 2 scenarios, 2 runs, 0 not reached, 0 not run; 2025-11-25 over duplex");
}

#[test]
fn a_silence_is_one() {
    let silent = everything().faults([Fault::never("ping")]).target();
    let plan = Plan::build(
        scenarios::all(),
        silent,
        Profile::Adaptive,
        &selection(&["ping", "tools-list"]),
    );
    let plan = plan.expect("a plan").timeout(Duration::from_millis(700));
    insta::assert_snapshot!(shown(&run_plan(&plan).1), @"Failing: `ping` was not answered [jsonrpc.request-answered] 1 scenarios, 7 runs, 0 not reached, 0 not run; 2024-11-05..2025-11-25 over duplex, router");
}

#[test]
fn two_tools_with_broken_schemas_are_two() {
    let broken = |tool: usize, schema: serde_json::Value| {
        Fault::set("tools/list", format!("/tools/{tool}/inputSchema"), schema)
    };
    let faults = [
        broken(0, json!({"type": "object", "properties": {"a": {"type": "strnig"}}})),
        broken(2, json!({"type": "object", "required": 7})),
    ];
    insta::assert_snapshot!(problems(faults), @"
    Failing: the `inputSchema` of tool `test_error_handling` is not a valid JSON Schema 2020-12 [tools.definition.input-schema-valid base.schema-valid] many scenarios, many runs, 0 not reached, 0 not run; 2024-11-05.. over duplex, router
    Failing: the `inputSchema` of tool `test_simple_text` is not a valid JSON Schema 2020-12 [tools.definition.input-schema-valid base.schema-valid] many scenarios, many runs, 0 not reached, 0 not run; 2024-11-05.. over duplex, router
    Failing: the result of `tools/list` does not have the shape that MCP 2024-11-05 gives it [schema.tool] many scenarios, many runs, 0 not reached, 0 not run; 2024-11-05..2025-11-25 over duplex, router
    ");
}

#[test]
fn demands_for_credentials_are_one() {
    let methods = ["ping", "tools/list", "prompts/list", "resources/list"];
    insta::assert_snapshot!(problems(methods.map(|method| Fault::status(method, 401))), @"Failing: the result of `tools/list` came with HTTP 401 [jsonrpc.request-answered] many scenarios, many runs, many not reached, 0 not run; 2025-03-26.. over router");
}

#[test]
fn a_body_where_there_must_be_none_is_one() {
    use axum::body::Body;
    use axum::http::{HeaderValue, StatusCode, header};
    use axum::middleware::map_response;
    use axum::response::Response;

    let null_as_body = |mut response: Response| async move {
        if response.status() == StatusCode::ACCEPTED {
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, json);
            response.headers_mut().remove(header::CONTENT_LENGTH);
            *response.body_mut() = Body::from("null");
        }
        response
    };
    let server = everything();
    let target = Target::router(move || server.router().layer(map_response(null_as_body)));
    insta::assert_snapshot!(shown(&summary_of(target, &[])), @"Failing: a message is not a JSON-RPC 2.0 message [transport.http.accepted-202] many scenarios, many runs, 0 not reached, 0 not run; 2025-03-26.. over router");
}

/// A server over HTTP that is gone with its listener and all connections when it receives its request number `last + 1`.
fn gone_after(last: usize) -> Target {
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::extract::Request;
    use axum::middleware::{Next, from_fn};
    use tokio::runtime::Builder;
    use tokio::sync::Notify;

    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a listener for tokio");
    let url = format!("http://{}/mcp", listener.local_addr().expect("its address"));
    std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (received, is_over) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let over = is_over.clone();
        let count = move |request: Request, next: Next| {
            let (received, over) = (received.clone(), over.clone());
            async move {
                if received.fetch_add(1, Ordering::SeqCst) >= last {
                    over.notify_one();
                    std::future::pending::<()>().await;
                }
                next.run(request).await
            }
        };
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            let router = everything().router().layer(from_fn(count));
            tokio::select! {
                served = async { axum::serve(listener, router).await } => served.expect("served"),
                () = is_over.notified() => {}
            }
        });
        runtime.shutdown_background();
    });
    Target::url(&url)
}

#[test]
fn a_server_that_is_gone_is_one() {
    for last in [12, 30, 60, 100] {
        let plan =
            Plan::build(scenarios::all(), gone_after(last), Profile::Adaptive, &selection(&[]));
        let (_, summary) = run_plan(&plan.expect("a plan").timeout(TIMEOUT));
        let problems = summary.problems.sorted();
        let [gone] = problems[..] else { panic!("{last}: {}", shown(&summary)) };
        assert_eq!(gone.headline(), "the server stopped answering HTTP requests", "{last}");
        assert!(gone.not_run > 0, "{last}: {}", line(gone));
        assert_eq!(summary.exit, ExitCode::Failed, "{last}");
    }
}
