//! What the pre-flight says about a server that refuses every request, over a real socket.

use mcp_test_core::run::ExitCode;
use mcp_test_core::server::reference::everything;
use mcp_test_core::transport::Fault;

use super::*;

/// Why nothing can be run against the reference server with these faults, if each request has this `Origin`.
async fn not_run(faults: &[Fault], origin: Option<&str>) -> String {
    let server = everything().faults(faults.to_vec());
    let listening = server.listen(("127.0.0.1", 0)).await.expect("a free port");
    let mut target = Target::url(listening.url());
    if let Some(origin) = origin {
        target = target.header("Origin", origin);
    }
    let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &selection(&["ping"]))
        .expect("a plan");
    let summary = run(&plan.timeout(Duration::from_secs(20)), &mut |_| {}).await;
    listening.end().await;
    assert_eq!(summary.exit, ExitCode::NotRun);
    summary.not_run.expect("a reason").to_string()
}

#[tokio::test]
async fn a_redirect_is_reported_with_its_target() {
    let moved = Fault::redirect("*", "https://elsewhere.example/mcp");
    insta::assert_snapshot!(not_run(&[moved], None).await, @"
    `initialize` was refused with HTTP 307
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 307 to https://elsewhere.example/mcp, an empty body
      hint: mcp-test follows no redirects: is `https://elsewhere.example/mcp` the right URL?
    ");
}

#[tokio::test]
async fn a_refused_origin_is_not_reported_as_missing_credentials() {
    insta::assert_snapshot!(not_run(&[], Some("http://evil.example")).await, @r#"
    `initialize` was refused with HTTP 403
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 403, a body of type text/plain: "this origin is not allowed" (HTTP 403 with a body of type text/plain, not application/json or text/event-stream)
      hint: does the server accept the host of this URL, and the `Origin`, if a header sets one? Many refuse those that they do not know. Or does it demand credentials (`--token`, `--header`, `Target::header`)?
    "#);
    let refused = |status| [Fault::status("*", status), Fault::empty_body("*")];
    insta::assert_snapshot!(not_run(&refused(421), None).await, @"
    `initialize` was refused with HTTP 421
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 421, an empty body
      hint: does the server accept the host of this URL, and the `Origin`, if a header sets one? Many refuse those that they do not know.
    ");
    insta::assert_snapshot!(not_run(&refused(401), None).await, @"
    `initialize` was refused with HTTP 401
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that ended with HTTP 401, an empty body
      hint: the server demands authorization: `--sign-in` gets a token, `--token` or `--header` sends one that you have; in Rust `Target::bearer_token` or `Target::header`
    ");
}
