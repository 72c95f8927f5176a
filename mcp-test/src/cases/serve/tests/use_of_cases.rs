//! What was used, what was not, and cases that change while they are served.

use insta::assert_snapshot;
use serde_json::json;

use super::{Talk, block_on, call, cases, mock, told};

#[test]
fn unused_cases_are_told_with_what_came_nearest() {
    let text = call("Sum", "add", r#"{"a": 1}"#, "1")
        + &call("Echo", "echo", "{}", "x")
        + "---\ncase: Not yet\n_skip: later\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n";
    let mock = mock(&text);
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        talk.call("add", json!({"a": 2})).await;
        talk.call("echo", json!({})).await;
    });
    let unused: Vec<_> = mock.unused().iter().map(|(_, case)| case.title()).collect();
    assert_eq!(unused, ["Sum"]);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| mock.assert_all_used()))
        .unwrap_err();
    assert_snapshot!(panic.downcast_ref::<String>().unwrap(), @r#"
    the case "Sum" (contract.yaml:2) was not used; nearest came tools/call add: /params/arguments/a: expected 1, got 2
    no case has what a client said: tools/call add: no case has this `tools/call`; nearest is "Sum" (contract.yaml:3): /params/arguments/a: expected 1, got 2
    "#);
    let (_, case) =
        mock.cases().iter().next().map(|(file, case)| (file.clone(), case.clone())).unwrap();
    assert_eq!(mock.times(&case, &case.messages[0]), 0);
}

#[test]
fn a_mock_that_was_used_whole_is_fine() {
    let mock = mock(&call("Sum", "add", "{}", "1"));
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        talk.call("add", json!({})).await;
    });
    mock.assert_all_used();
}

#[test]
fn those_who_are_here_are_served_other_cases_too() {
    let mock = mock(&call("Sum", "add", "{}", "old"));
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        assert_eq!(talk.call("add", json!({})).await, "old");
        mock.reload(cases(&(call("Sum", "add", "{}", "new") + &call("New", "more", "{}", "x"))));
        assert_eq!(talk.call("add", json!({})).await, "new");
        let mut later = Talk::begin(&mock).await;
        assert_eq!(later.call("add", json!({})).await, "new");
    });
    assert_snapshot!(told(&mock).lines().nth(2).unwrap(), @"read again: 2 cases");
    assert_eq!(mock.unused().len(), 1);
}

#[test]
fn stray_messages_and_hooks_are_noted() {
    let mock = mock(
        r#"
case: Strange
_before: ./start.sh
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
out_stray: {"jsonrpc": "2.0", "id": 2, "result": {}}
"#,
    );
    assert_snapshot!(mock.notes().join("\n"), @"
    contract.yaml:6: `out_stray` is not served: it answers no request of the client
    contract.yaml:2: `_before`, `_after` and `_given` are for servers under test; nothing of it is run here
    ");
}
