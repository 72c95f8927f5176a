//! Servers over lines that end at one kind of invalid message: the other kinds are tried all the same.

use mcp_test_core::server::reference::everything;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy, split};

use super::*;

/// Whether a server ends at a line.
type IsFatal = fn(&Value) -> bool;

/// A server that closes the connection when it receives such a line.
fn ending_at(is_fatal: IsFatal) -> Target {
    let server = everything();
    Target::duplex(move |io| {
        let server = server.clone();
        async move {
            let (near, far) = tokio::io::duplex(64 * 1024);
            let (from_client, mut to_client) = split(io);
            let (mut from_server, mut to_server) = split(near);
            let requests = async {
                let mut lines = BufReader::new(from_client).lines();
                while let Some(line) = lines.next_line().await? {
                    // What is not JSON reads as `null` here.
                    if is_fatal(&serde_json::from_str(&line).unwrap_or_default()) {
                        break;
                    }
                    to_server.write_all(format!("{line}\n").as_bytes()).await?;
                }
                Ok::<_, std::io::Error>(())
            };
            tokio::select! {
                ended = requests => ended?,
                ended = copy(&mut from_server, &mut to_client) => drop(ended?),
                ended = server.serve(far) => ended?,
            }
            Ok(())
        }
    })
}

/// The checks of a scenario at 2025-11-25, without the common ones.
fn checks(is_fatal: IsFatal, scenario: &str) -> Vec<String> {
    let target = ending_at(is_fatal);
    let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &selection(&[scenario]));
    let (events, _) = run_plan(&plan.expect("a plan").timeout(Duration::from_secs(20)));
    let prefix = format!("{scenario} 2025-11-25 ");
    let rows = rows(&events).into_iter();
    let own = rows.filter_map(|row| row.strip_prefix(&prefix).map(str::to_owned));
    let mut own: Vec<String> = own.filter(|row| !row.contains(" wire-")).collect();
    own.sort();
    own.dedup();
    own
}

#[test]
fn after_an_invalid_message_that_ends_the_server_the_others_are_tried() {
    let kinds: [(IsFatal, &str); 3] = [
        (Value::is_null, "parse-error"),
        (|it| it["method"].is_number(), "invalid-request-error"),
        (|it| it["method"].is_string() && it.get("jsonrpc").is_none(), "request-without-version"),
    ];
    for (is_fatal, ending) in kinds {
        let mut expected: Vec<String> = kinds
            .iter()
            .map(|(_, kind)| {
                format!("{} {kind}", if *kind == ending { "SKIPPED" } else { "SUCCESS" })
            })
            .collect();
        expected.push("WARNING usable-after-invalid-messages".to_owned());
        expected.sort();
        let mut found = checks(is_fatal, "base-invalid-messages");
        // After the last one that has not ended it, the server is usable.
        found.retain(|row| row != "SUCCESS usable-after-invalid-messages");
        assert_eq!(found, expected, "{ending}");
    }
}
