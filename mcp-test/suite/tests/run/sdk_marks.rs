//! What official SDKs answer themselves is marked in the findings of scenarios, and what a server's own code answers is not.

use mcp_test_core::check::Sdk;
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call};
use mcp_test_core::wire::RpcError;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::*;

/// Reports of version 1 of the Python SDK that it cannot read a message.
const EXCEPTION: &str = r#"{"method":"notifications/message","params":{"level":"error","logger":"mcp.server.exception_handler","data":"Internal Server Error"},"jsonrpc":"2.0"}"#;

/// A server whose transport drops arrays; it writes the line `instead`, if there is one.
fn dropping_arrays(server: Server, instead: Option<&'static str>) -> Target {
    Target::duplex(move |io| {
        let server = server.clone();
        async move {
            let (near, far) = tokio::io::duplex(64 * 1024);
            let (from_client, mut to_client) = tokio::io::split(io);
            let (from_server, mut to_server) = tokio::io::split(near);
            let relay = async move {
                let mut requests = BufReader::new(from_client).lines();
                let mut replies = BufReader::new(from_server).lines();
                loop {
                    tokio::select! {
                        request = requests.next_line() => match request? {
                            None => return Ok::<_, std::io::Error>(()),
                            Some(line) if !line.starts_with('[') => {
                                to_server.write_all(format!("{line}\n").as_bytes()).await?;
                            }
                            Some(_) => if let Some(instead) = instead {
                                to_client.write_all(format!("{instead}\n").as_bytes()).await?;
                            }
                        },
                        Some(line) = async { replies.next_line().await.transpose() } => {
                            to_client.write_all(format!("{}\n", line?).as_bytes()).await?;
                        }
                    }
                }
            };
            let (relayed, served) = tokio::join!(relay, server.serve(far));
            relayed?;
            Ok(served?)
        }
    })
}

/// The SDK that the finding of a check names, at each revision where the check fails or warns.
fn marks(target: Target, scenario: &str, check: &str) -> Vec<Option<Sdk>> {
    let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &selection(&[scenario]));
    let (events, _) = run_plan(&plan.expect("a plan").timeout(Duration::from_secs(20)));
    let outcomes = events.iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(outcome),
        _ => None,
    });
    let checks = outcomes.flat_map(|outcome| outcome.checks.iter());
    let findings = checks.filter(|it| it.id == check).filter_map(|it| it.finding.as_ref());
    findings.map(|finding| finding.sdk).collect()
}

/// Answers each call of a tool with this text, as a failure.
fn failing_with(text: &'static str) -> Server {
    everything().on("tools/call", move |_: Call| async move {
        json!({"content": [{"type": "text", "text": text}], "isError": true})
    })
}

const OF_TYPESCRIPT: &str = "MCP error -32602: Tool no-such-tool-of-mcp-test not found";
const OF_PYTHON: &str = "Unknown tool: no-such-tool-of-mcp-test";

#[test]
fn results_for_unknown_tools_are_marked() {
    let marks = |server: Server| marks(target(&server), "tools-call-unknown", "unknown-tool-error");
    assert_eq!(marks(failing_with(OF_TYPESCRIPT)), [Some(Sdk::TypeScript); 5]);
    let python = failing_with(OF_PYTHON).capabilities(json!({"tools": {}, "experimental": {}}));
    assert_eq!(marks(python), [Some(Sdk::Python); 5]);
    assert_eq!(marks(failing_with(OF_PYTHON)), [None; 5]);
}

#[test]
fn errors_for_unknown_resources_are_marked() {
    let refusing = |message: &'static str| {
        everything().on("resources/read", move |call: Call| async move {
            let uri = call.param("uri").and_then(|uri| uri.as_str()).unwrap_or_default();
            let error = RpcError::new(-32602, message.replace("{uri}", uri));
            Answer::from(error.with_data(json!({"uri": uri})))
        })
    };
    let marks = |message| {
        marks(target(&refusing(message)), "resources-read-unknown", "unknown-resource-code")
    };
    assert_eq!(marks("Resource not found: {uri}"), [Some(Sdk::TypeScript); 4]);
    assert_eq!(marks("Unknown resource: {uri}"), [Some(Sdk::Python); 4]);
    assert_eq!(marks("no such resource: {uri}"), [None; 4]);
}

#[test]
fn unknown_methods_are_marked() {
    let error = RpcError::new(-32602, "Invalid request parameters").with_data(json!(""));
    let python = everything().on("mcp-test/no-such-method", move |_: Call| {
        let error = error.clone();
        async move { Answer::from(error) }
    });
    let marks = marks(target(&python), "base-unknown-method", "unknown-method-error");
    assert_eq!(marks, [Some(Sdk::Python); 5]);
}

#[test]
fn unanswered_arrays_are_marked() {
    let assert_marks = |server, instead, sdk| {
        let marks = marks(dropping_arrays(server, instead), "base-batch", "batch-answered");
        assert!(!marks.is_empty() && marks.iter().all(|mark| *mark == sdk), "{marks:?}");
    };
    assert_marks(everything(), Some(EXCEPTION), Some(Sdk::Python));
    assert_marks(failing_with(OF_TYPESCRIPT), None, Some(Sdk::TypeScript));
    assert_marks(everything(), None, None);
}
