//! Calls that are given up because they take long.

use serde_json::{Value, json};

use super::{answering, patient};
use crate::client::RequestOptions;
use crate::clock::virtual_time;
use crate::trace::Recorder;

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
