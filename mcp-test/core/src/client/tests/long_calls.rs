//! Calls that are given up because they take long, and programs that do not answer.

use std::time::Duration;

use serde_json::{Value, json};

use super::{answering, patient};
use crate::client::{Client, Options, RequestOptions};
use crate::clock::virtual_time;
use crate::process::Command;
use crate::trace::Recorder;
use crate::transport::{Limits, Target, TransportKind};

/// Whether a call is given up as one on which the server works, and whether its tool is known to be slow then. The server answers
/// with these messages.
fn is_left(answer: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static) -> (bool, bool) {
    virtual_time::block_on(async {
        let target = answering(move |message| match message["method"] == "tools/call" {
            true => answer(&message["params"]["_meta"]["progressToken"]),
            false => Vec::new(),
        });
        let mut client = patient(&target, &Recorder::new()).await;
        let options = RequestOptions::new().give_up_if_working("call");
        let call = client.request_with("tools/call", json!({"name": "think"}), options).await;
        let is_left = call.is_err_and(|finding| finding.is_given_up());
        (is_left, client.options.history.slow_tools.names() == ["think"])
    })
}

#[test]
fn a_long_call_is_given_up_only_if_the_server_reports_progress_on_it() {
    let progress = |token: &Value| {
        let params = json!({"progressToken": token, "progress": 1});
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    };
    assert_eq!(is_left(move |token| vec![progress(token)]), (true, true));
    assert_eq!(is_left(move |_| vec![progress(&json!("another"))]), (false, true));
    assert_eq!(is_left(|_| Vec::new()), (false, true));
    let reply = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}});
    assert_eq!(is_left(move |token| vec![progress(token), reply.clone()]), (false, false));
}

/// Whether the finding about a program that does not answer, after so many answers, asks if it speaks MCP. A shell runs the script.
#[cfg(unix)]
async fn doubts_the_program(script: &str, answers: usize, options: &Options) -> bool {
    let program = Target::command(Command::new("sh").args(["-c", script]));
    let opened = program.open(TransportKind::Stdio, &Recorder::new(), Limits::default()).await;
    let mut client = Client::uninitialized(opened.expect("it is started"), options.clone());
    for _ in 0..answers {
        assert!(client.request("ping", json!({})).await.is_ok());
    }
    let briefly = RequestOptions::new().timeout(Duration::from_secs(1));
    let finding = client.request_with("ping", json!({}), briefly).await.expect_err("no answer");
    finding.to_string().contains("is this a program that speaks MCP")
}

#[cfg(unix)]
#[tokio::test]
async fn whether_a_program_speaks_mcp_is_asked_only_if_none_has_answered() {
    const SILENT: &str = "cat > /dev/null";
    const ANSWERING: &str =
        r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat > /dev/null"#;
    // A busy machine may take long to start a shell.
    let options = || Options::default().timeout(Duration::from_secs(60));
    assert!(doubts_the_program(SILENT, 0, &options()).await);
    assert!(!doubts_the_program(ANSWERING, 1, &options()).await);
    // A later connection knows of the answers of an earlier one.
    let shared = options();
    assert!(!doubts_the_program(ANSWERING, 1, &shared).await);
    assert!(!doubts_the_program(SILENT, 0, &shared).await);
}
