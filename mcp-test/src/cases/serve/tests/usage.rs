//! Used and unused cases, and cases that are reloaded while they are served.

use insta::assert_snapshot;
use serde_json::json;

use super::{TestClient, block_on, call, cases, events, mock};

#[test]
fn unused_cases_are_reported_with_the_nearest_message() {
    let text = call("Sum", "add", r#"{"a": 1}"#, "1")
        + &call("Echo", "echo", "{}", "x")
        + "---\ncase: Not yet\n_skip: later\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n";
    let mock = mock(&text);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        client.call("add", json!({"a": 2})).await;
        client.call("echo", json!({})).await;
    });
    let unused: Vec<_> = mock.unused().iter().map(|(_, case)| case.title()).collect();
    assert_eq!(unused, ["Sum"]);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| mock.assert_all_used()))
        .unwrap_err();
    assert_snapshot!(panic.downcast_ref::<String>().unwrap(), @r#"
    the case "Sum" (contract.yaml:2) was not used; the nearest was tools/call add: /params/arguments/a: expected 1, got 2
    a request of the client is in no case: tools/call add: no case has this `tools/call`; the nearest is "Sum" (contract.yaml:3): /params/arguments/a: expected 1, got 2
    "#);
    let (_, case) =
        mock.cases().iter().next().map(|(file, case)| (file.clone(), case.clone())).unwrap();
    assert_eq!(mock.times(&case, &case.messages[0]), 0);
}

#[test]
fn nothing_is_reported_when_every_case_was_used() {
    let mock = mock(&call("Sum", "add", "{}", "1"));
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        client.call("add", json!({})).await;
    });
    mock.assert_all_used();
}

#[test]
fn only_the_named_cases_have_to_be_used() {
    let mock = mock(&(call("Sum", "add", r#"{"a": 1}"#, "1") + &call("Echo", "echo", "{}", "x")));
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        client.call("echo", json!({})).await;
    });
    mock.assert_used(["Echo"]);
    mock.assert_used([&mock.cases().iter().nth(1).unwrap().1.id]);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        mock.assert_used(["Sum", "Echo", "Eco"]);
    }));
    assert_snapshot!(panic.unwrap_err().downcast_ref::<String>().unwrap(), @r#"
    the case "Sum" (contract.yaml:2) was not used
    no case has the id or the name `Eco`; did you mean `Echo`?
    used: `contract::echo`
    not used: `contract::sum`
    "#);
}

#[test]
fn a_name_of_two_cases_does_not_select_one() {
    let text = call("Sum", "add", r#"{"a": 1}"#, "1") + &call("Sum", "add", r#"{"a": 2}"#, "2");
    let mock = mock(&text);
    let panic =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| mock.assert_used(["Sum"])));
    let panic = panic.unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.starts_with("several cases have the name `Sum`; name one by its id: `"), "{text}");
}

#[test]
fn connected_clients_are_served_the_reloaded_cases() {
    let mock = mock(&call("Sum", "add", "{}", "old"));
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        assert_eq!(client.call("add", json!({})).await, "old");
        mock.reload(cases(&(call("Sum", "add", "{}", "new") + &call("New", "more", "{}", "x"))));
        assert_eq!(client.call("add", json!({})).await, "new");
        let mut later = TestClient::initialized(&mock).await;
        assert_eq!(later.call("add", json!({})).await, "new");
    });
    assert_snapshot!(events(&mock).lines().nth(2).unwrap(), @"reloaded: 2 cases");
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
    contract.yaml:2: `_before`, `_after` and `_given` are ignored here: they are for servers under test
    ");
}
