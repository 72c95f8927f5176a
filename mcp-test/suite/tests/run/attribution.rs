//! What follows from one deviation of a server is not reported as another one.

use mcp_test_core::check::Status;
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call};
use mcp_test_core::spec::Requirement;
use mcp_test_core::transport::Fault;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

use super::*;

#[test]
fn hints_are_not_missing_where_a_resource_cannot_be_read() {
    let server = everything().faults([Fault::reply_error("resources/read", -32603)]);
    let of = |profile| {
        let selection =
            Selection { revisions: vec![Revision::V2026_07_28], ..selection(&["caching"]) };
        let plan = Plan::build(scenarios::all(), target(&server), profile, &selection);
        let rows = rows(&run_plan(&plan.expect("a plan")).0);
        rows.into_iter().filter(|row| row.contains("resources-read")).collect::<Vec<_>>()
    };
    let id = "sep-2549-resources-read-caching-hints";
    assert_eq!(of(Profile::Adaptive), [format!("caching 2026-07-28 SKIPPED {id}")]);
    // As the official suite does.
    assert_eq!(of(Profile::Official), [format!("caching 2026-07-28 FAILURE {id}")]);
}

/// Ends after it has refused an `initialize` whose version is not a text.
async fn serve_valid_handshakes(io: DuplexStream) -> mcp_test_core::Result {
    let (input, mut output) = tokio::io::split(io);
    let mut input = BufReader::new(input);
    let mut first = String::new();
    input.read_line(&mut first).await?;
    let request: serde_json::Value = serde_json::from_str(&first)?;
    if request["method"] == "initialize" && !request["params"]["protocolVersion"].is_string() {
        let error = json!({ "code": -32602, "message": "invalid params" });
        let reply = json!({ "jsonrpc": "2.0", "id": request["id"], "error": error });
        return Ok(output.write_all(format!("{reply}\n").as_bytes()).await?);
    }
    let input = std::io::Cursor::new(first).chain(input);
    Ok(everything().serve(tokio::io::join(input, output)).await?)
}

#[test]
fn an_unknown_version_is_proposed_again_if_the_connection_ends_after_an_earlier_refusal() {
    let target = Target::duplex(serve_valid_handshakes);
    let selection =
        Selection { revisions: vec![Revision::V2025_11_25], ..selection(&["lifecycle-versions"]) };
    let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &selection);
    let rows = rows(&run_plan(&plan.expect("a plan")).0);
    let of = |id| rows.iter().filter(|row| row.ends_with(id)).cloned().collect::<Vec<_>>();
    let passed = "lifecycle-versions 2025-11-25 SUCCESS unknown-version-alternative";
    assert_eq!(of("unknown-version-alternative"), [passed, passed], "{rows:?}");
}

/// The requirements that failing and warning checks of these scenarios cite at 2024-11-05, with their scenarios.
fn cited(server: &Server, ids: &[&str]) -> Vec<String> {
    let selection = Selection { revisions: vec![Revision::V2024_11_05], ..selection(ids) };
    let plan = Plan::build(scenarios::all(), target(server), Profile::Adaptive, &selection);
    let mut cited = Vec::new();
    for event in run_plan(&plan.expect("a plan")).0 {
        let RunEvent::Finished(outcome) = event else { continue };
        for check in outcome.checks.iter().filter(|check| check.status >= Status::Warning) {
            let requirements = check.finding.iter().flat_map(|finding| &finding.requirements);
            cited.extend(
                requirements.map(|id| format!("{} {id}", outcome.scenario_run.scenario.id)),
            );
        }
    }
    cited
}

#[test]
fn a_server_without_ping_breaks_no_other_requirement() {
    let server = everything().faults([Fault::reply_error("ping", -32601)]);
    let ids = ["base-invalid-params", "base-large-messages", "base-notifications", "ping"];
    let cited = cited(&server, &ids);
    assert!(cited.contains(&"ping ping.responds-promptly".to_owned()), "{cited:?}");
    assert!(!cited.iter().any(|it| it.starts_with("base-invalid-params")), "{cited:?}");
    assert!(cited.iter().all(|it| it.contains(" ping.")), "{cited:?}");
    // Nor is it our fault that nothing is left to be tested.
    let without_lists =
        everything().capabilities(json!({})).faults([Fault::reply_error("ping", -32601)]);
    assert_eq!(self::cited(&without_lists, &["base-invalid-params"]), Vec::<String>::new());
}

#[test]
fn a_requirement_is_cited_only_at_its_revisions() {
    let server = everything().on("notifications/progress", |call: Call| async move {
        let error = json!({ "code": -32601, "message": "method not found" });
        let reply = json!({ "jsonrpc": "2.0", "id": null, "error": error });
        call.send_raw(reply.into()).await.expect("the client reads");
        Answer::already_sent()
    });
    let cited = cited(&server, &["base-notifications"]);
    assert!(
        cited.iter().any(|it| it.ends_with(Requirement::JSONRPC_NOTIFICATION_NO_RESPONSE.id)),
        "{cited:?}"
    );
    assert!(!cited.iter().any(|it| it.contains("tasks.")), "{cited:?}");
}
