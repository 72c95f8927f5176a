//! Runs of the official scenarios on servers that have the fixtures under other names.

use mcp_test_core::client::Fixtures;
use mcp_test_core::run::ExitCode;
use mcp_test_core::server::{Answer, Call};
use mcp_test_suite::scenarios::fixtures;

use super::*;

/// The checks of these scenarios at one revision, with their messages, after the tools that the run may call.
fn checks(target: Target, own: Fixtures, profile: Profile, ids: &[&str]) -> String {
    let selection = Selection { revisions: vec![Revision::V2025_11_25], ..selection(ids) };
    let plan =
        Plan::build(scenarios::all(), target, profile, &selection).expect("a plan").fixtures(own);
    let (events, _) = run_plan(&plan);
    let outcomes = events.iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(outcome),
        _ => None,
    });
    let own_checks = outcomes.flat_map(|outcome| {
        let declared = |id: &str| outcome.scenario_run.scenario.check(id).is_some();
        outcome.checks.iter().filter(move |check| declared(&check.id))
    });
    let row = |check: &mcp_test_core::check::Check| {
        let message = check.message.as_deref().unwrap_or_default();
        format!("{} {} {message}\n", check.status, check.id).replace(" \n", "\n")
    };
    let called = events.iter().find_map(|event| match event {
        RunEvent::PreflightDone(done) => done.called.as_ref().map(|it| it.called.join(" ")),
        _ => None,
    });
    format!("calls [{}]\n", called.unwrap_or_default()) + &own_checks.map(row).collect::<String>()
}

/// A server of a user: one tool, one prompt and one template, which do what the fixtures do in their own way.
fn own_server() -> Target {
    let server = bare()
        .capabilities(json!({ "tools": {}, "prompts": {}, "resources": {} }))
        .on("tools/list", |_: Call| async {
            json!({ "tools": [{ "name": "hello", "inputSchema": { "type": "object" } }] })
        })
        .on("tools/call", |call: Call| async move {
            let is_known = call.param("name").is_some_and(|name| *name == "hello");
            let to = call.params().at("/arguments/to").and_then(|to| to.as_str());
            match to.filter(|_| is_known) {
                Some(to) => json!({ "content": [{ "type": "text", "text": to }] }).into(),
                None => Answer::error(-32602, "no such tool, or nobody to greet"),
            }
        })
        .on("prompts/list", |_: Call| async { json!({ "prompts": [{ "name": "greet" }] }) })
        .on("prompts/get", |call: Call| async move {
            let who = call.params().at("/arguments/who").cloned().unwrap_or_default();
            let text = format!("Greet {}", who.as_str().unwrap_or("nobody"));
            let content = json!({ "type": "text", "text": text });
            json!({ "messages": [{ "role": "user", "content": content }] })
        })
        .on("resources/list", |_: Call| async { json!({ "resources": [] }) })
        .on("resources/templates/list", |_: Call| async {
            json!({ "resourceTemplates": [{ "name": "items", "uriTemplate": "db://items/{key}" }] })
        })
        .on("resources/read", |call: Call| async move {
            let uri = call.param("uri").cloned().unwrap_or_default().to_serde();
            let text = format!("the item at {uri}");
            json!({ "contents": [{ "uri": uri, "text": text }] })
        });
    target(&server)
}

const IDS: [&str; 3] =
    ["tools-call-simple-text", "prompts-get-with-args", "resources-templates-read"];

fn own(tool: &str) -> Fixtures {
    let mut own = Fixtures::new();
    for (fixture, name, arguments) in [
        ("test_simple_text", tool, Some(json!({ "to": "you" }))),
        ("test_prompt_with_arguments", "greet", Some(json!({ "who": "Ada" }))),
        ("test://template/{id}/data", "db://items/{key}", None),
    ] {
        let arguments = arguments.map(Into::into);
        fixtures::replace(&mut own, fixture, name, arguments).expect("a fixture");
    }
    own
}

#[test]
fn what_takes_the_place_of_a_fixture_is_tested_with_its_own_arguments() {
    insta::assert_snapshot!(checks(own_server(), own("hello"), Profile::Official, &IDS), @r#"
    calls []
    SUCCESS tools-call-simple-text
    SKIPPED tools-call-simple-text-exact `hello` takes the place of the fixture `test_simple_text`, and differs from it: the result of `tools/call` is wrong; expected `/content` is a result whose first text item is "This is a simple text response for testing."; got "you"
    SUCCESS resources-templates-read
    SKIPPED resources-templates-read-exact `db://items/{key}` takes the place of the fixture `test://template/{id}/data`, and differs from it: the result of `resources/read` is wrong; expected `/contents/0/text` is the JSON text {"data":"Data for ID: 123","id":"123","templateTest":true}; got "the item at \"db://items/123\"", which is a string
    SUCCESS prompts-get-with-args
    SKIPPED prompts-get-with-args-exact `greet` takes the place of the fixture `test_prompt_with_arguments`, and differs from it: the result of `prompts/get` is wrong; expected `/messages/0/content/text` is "Prompt with arguments: arg1='testValue1', arg2='testValue2'"; got "Greet Ada"
    "#);
    // What is called is said beforehand, except in profile official, which asks nothing beforehand.
    let adaptively = checks(own_server(), own("hello"), Profile::Adaptive, &IDS[..1]);
    assert!(
        adaptively.starts_with("calls [hello]\nSUCCESS tools-call-simple-text\n"),
        "{adaptively}"
    );
    let without = checks(own_server(), Fixtures::new(), Profile::Adaptive, &IDS);
    insta::assert_snapshot!(without, @"
    calls []
    SKIPPED tools-call-simple-text the server does not offer the tool `test_simple_text`; it lists `hello`
    SKIPPED tools-call-simple-text-exact the server does not offer the tool `test_simple_text`; it lists `hello`
    SKIPPED resources-templates-read the server does not offer the resource template `test://template/{id}/data`; it lists `db://items/{key}`
    SKIPPED resources-templates-read-exact the server does not offer the resource template `test://template/{id}/data`; it lists `db://items/{key}`
    SKIPPED prompts-get-with-args the server does not offer the prompt `test_prompt_with_arguments`; it lists `greet`
    SKIPPED prompts-get-with-args-exact the server does not offer the prompt `test_prompt_with_arguments`; it lists `greet`
    ");
}

#[test]
fn a_misspelt_replacement_is_named_with_its_fixture() {
    let misspelt = |profile| checks(own_server(), own("helo"), profile, &IDS[..1]);
    insta::assert_snapshot!(misspelt(Profile::Adaptive), @"
    calls []
    SKIPPED tools-call-simple-text the server does not offer the tool `helo` (for the fixture `test_simple_text`); it lists `hello`
    SKIPPED tools-call-simple-text-exact the server does not offer the tool `helo` (for the fixture `test_simple_text`); it lists `hello`
    ");
    insta::assert_snapshot!(misspelt(Profile::Strict), @"
    calls []
    FAILURE tools-call-simple-text Not testable: the server does not offer the tool `helo` (for the fixture `test_simple_text`); it lists `hello`
    FAILURE tools-call-simple-text-exact Not testable: the server does not offer the tool `helo` (for the fixture `test_simple_text`); it lists `hello`
    ");
    insta::assert_snapshot!(misspelt(Profile::Official), @"
    calls []
    FAILURE tools-call-simple-text `tools/call` was refused
      expected a result
      got error -32602: no such tool, or nobody to greet
    SKIPPED tools-call-simple-text-exact not reached: `tools/call` was refused
    ");
}

/// The reference server behind a proxy that puts `my.` before the name of each fixture.
mod renamed {
    use std::io;
    use std::num::NonZeroUsize;

    use axum::body::{Body, Bytes, to_bytes};
    use axum::extract::Request;
    use axum::middleware::{self, Next};
    use axum::response::Response;
    use futures_util::TryStreamExt;
    use http::HeaderValue;
    use mcp_test_core::scenario::Suite;
    use mcp_test_core::server::reference::everything;
    use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

    use super::*;

    /// The names that clients and the reference server use, with the URI that the template stands for.
    fn names() -> Vec<&'static str> {
        let mut names: Vec<_> = fixtures::all().into_iter().map(|it| it.name).collect();
        names.push("test://template/123/data");
        names
    }

    fn to_server(mut text: String) -> String {
        for name in names() {
            // There is nothing with the official name.
            text = text.replace(&format!("\"{name}\""), &format!("\"no.{name}\""));
            text = text.replace(&format!("\"my.{name}\""), &format!("\"{name}\""));
        }
        text
    }

    fn to_client(mut text: String) -> String {
        for name in names() {
            text = text.replace(&format!("\"{name}\""), &format!("\"my.{name}\""));
        }
        text
    }

    async fn forward(
        from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        change: fn(String) -> String,
    ) -> io::Result<()> {
        let mut lines = BufReader::new(from).lines();
        while let Some(line) = lines.next_line().await? {
            to.write_all((change(line) + "\n").as_bytes()).await?;
        }
        to.shutdown().await
    }

    async fn change_http(mut request: Request, next: Next) -> Response {
        const NAME: &str = mcp_test_core::spec::header::MCP_NAME;
        if let Some(name) = request.headers().get(NAME) {
            let name =
                mcp_test_core::spec::header::decode_value(name.to_str().expect("ASCII").trim());
            let changed = to_server(format!("{:?}", name.expect("a name")));
            let changed = HeaderValue::from_str(changed.trim_matches('"')).expect("a header");
            request.headers_mut().insert(NAME, changed);
        }
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.expect("a body");
        let body = to_server(String::from_utf8(body.to_vec()).expect("text"));
        let mut request = Request::from_parts(parts, Body::from(body));
        request.headers_mut().remove(http::header::CONTENT_LENGTH);
        let (mut parts, body) = next.run(request).await.into_parts();
        parts.headers.remove(http::header::CONTENT_LENGTH);
        // An event is one chunk, so that no name is divided.
        let change =
            |chunk: Bytes| Bytes::from(to_client(String::from_utf8(chunk.to_vec()).expect("text")));
        Response::from_parts(parts, Body::from_stream(body.into_data_stream().map_ok(change)))
    }

    fn server() -> Target {
        let over_pipe = Target::duplex(|io| async move {
            let (near, far) = tokio::io::duplex(64 * 1024);
            let (from_client, to_the_client) = tokio::io::split(io);
            let (from_server, to_the_server) = tokio::io::split(near);
            let server = everything();
            let (served, there, back) = tokio::join!(
                server.serve(far),
                forward(from_client, to_the_server, to_server),
                forward(from_server, to_the_client, to_client),
            );
            there?;
            back?;
            Ok(served?)
        });
        over_pipe.and_router(|| everything().router().layer(middleware::from_fn(change_http)))
    }

    #[test]
    fn every_official_scenario_passes_whatever_the_names_are() {
        let mut own = Fixtures::new();
        for fixture in fixtures::all() {
            let name = format!("my.{}", fixture.name);
            fixtures::replace(&mut own, fixture.name, &name, None).expect("a fixture");
        }
        let selection = Selection { suite: Some(Suite::All), ..Selection::default() };
        let plan =
            Plan::build(scenarios::all(), server(), Profile::Official, &selection).expect("a plan");
        let plan = plan.timeout(Duration::from_secs(30)).jobs(NonZeroUsize::MIN.saturating_add(3));
        let (events, summary) = run_plan(&plan.fixtures(own));
        let is_wrong = |row: &String| [" FAILURE ", " WARNING "].iter().any(|it| row.contains(it));
        let wrong: Vec<_> = rows(&events).into_iter().filter(is_wrong).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(summary.exit, ExitCode::Passed);
        // The content of the reference server is that of the fixtures, so that the exact checks pass, too.
        let skipped = rows(&events).into_iter().filter(|row| row.contains(" SKIPPED "));
        let exact: Vec<_> = skipped.filter(|row| row.ends_with("-exact")).collect();
        assert!(exact.is_empty(), "{exact:#?}");
    }
}
