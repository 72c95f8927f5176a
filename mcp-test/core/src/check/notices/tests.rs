//! Conversations about requests of a server, and which rules they break.

use super::*;
use crate::check::recorded::{NOTHING, recorded};
use crate::check::walk::walk;
use crate::spec::Requirement;
use crate::spec::Revision::{self, V2025_11_25, V2026_07_28};

/// The requirements that a conversation breaks; see [`recorded`].
fn broken(revision: Revision, lines: &[&str]) -> Vec<&'static Requirement> {
    let (trace, revisions) = (recorded(lines), |_| revision);
    let mut judge = NoticeJudge::default();
    walk(&trace, &revisions, &mut judge);
    judge.findings.into_findings().into_iter().flat_map(|finding| finding.requirements).collect()
}

const LISTENING: &str = r#"> "id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["a://b"]}}"#;

/// A notification of the subscription with the id 1.
fn of_subscription(method: &str, params: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":1}"#;
    format!(r#"< "method":"notifications/{method}","params":{{{meta}{params}}}"#)
}

#[test]
fn a_server_cancels_its_own_requests_only() {
    let cancel = r#"< "method":"notifications/cancelled","params":{"requestId":"s1"}"#;
    let ask = r#"< "id":"s1","method":"sampling/createMessage","params":{}"#;
    let task = r#"< "id":"s1","method":"sampling/createMessage","params":{"task":{}}"#;
    assert_eq!(broken(V2025_11_25, &[ask, cancel]), NOTHING);
    assert_eq!(broken(V2025_11_25, &[cancel]), [Requirement::CANCELLATION_ONLY_OWN_INFLIGHT]);
    assert_eq!(
        broken(V2025_11_25, &[task, cancel]),
        [Requirement::CANCELLATION_TASK_USES_TASKS_CANCEL]
    );
    // The request may have been on a stream that was closed.
    assert_eq!(broken(V2025_11_25, &[&format!("1{cancel}")]), NOTHING);
}

#[test]
fn from_2026_07_28_on_a_server_cancels_subscriptions_only() {
    let cancel =
        |id: u8| format!(r#"< "method":"notifications/cancelled","params":{{"requestId":{id}}}"#);
    let call = r#"> "id":2,"method":"tools/call","params":{}"#;
    let lines = [LISTENING, call, &cancel(1), &cancel(2), &cancel(3)];
    let rules = [
        Requirement::CANCELLATION_SERVER_ONLY_FOR_LISTEN,
        Requirement::CANCELLATION_ONLY_CLIENT_INFLIGHT,
    ];
    assert_eq!(broken(V2026_07_28, &lines), rules);
}

#[test]
fn requests_of_the_server_that_are_open_have_different_tokens() {
    let ask = |id: u8| {
        format!(r#"< "id":{id},"method":"x/y","params":{{"_meta":{{"progressToken":"t"}}}}"#)
    };
    let reply = r#"> "id":1,"result":{}"#;
    assert_eq!(broken(V2025_11_25, &[&ask(1), &ask(2)]), [Requirement::PROGRESS_TOKEN_UNIQUE]);
    assert_eq!(broken(V2025_11_25, &[&ask(1), reply, &ask(2)]), NOTHING);
}

#[test]
fn a_flood_of_pings_and_progress_is_noticed() {
    let ping = |id: usize| format!(r#"< "id":{id},"method":"ping""#);
    let pings: Vec<String> = (0..6).map(ping).collect();
    let pings: Vec<&str> = pings.iter().map(String::as_str).collect();
    assert_eq!(broken(V2025_11_25, &pings[..5]), NOTHING);
    assert_eq!(broken(V2025_11_25, &pings), [Requirement::PING_NOT_EXCESSIVE]);
    let progress =
        r#"< "method":"notifications/progress","params":{"progressToken":1,"progress":1}"#;
    let mut times = VecDeque::new();
    let second = Duration::from_secs(1);
    assert!(!(0..=5).any(|number| exceeds(&mut times, second * number, 5)));
    assert!((0..=5).any(|_| exceeds(&mut times, second * 9, 5)));
    let empty = progress.replace("1}", r#"1,"message":" "}"#);
    assert_eq!(
        broken(V2025_11_25, &[progress, &empty]),
        [Requirement::PROGRESS_MESSAGE_MEANINGFUL]
    );
}

#[test]
fn a_subscription_carries_what_it_is_for() {
    let updated = |uri: &str| of_subscription("resources/updated", &format!(r#","uri":"{uri}""#));
    let (asked, below, other) = (updated("a://b"), updated("a://b/c"), updated("a://d"));
    let log = of_subscription("message", r#","level":"info","data":1"#);
    let progress = of_subscription("progress", r#","progressToken":1,"progress":1"#);
    let lines = [LISTENING, &asked, &below, &other, &log, &progress];
    let rules = [
        Requirement::SUBSCRIPTIONS_RESOURCE_URIS_ONLY,
        Requirement::LOGGING_PER_REQUEST_OWN_STREAM_ONLY,
        Requirement::SUBSCRIPTIONS_NO_REQUEST_SCOPED,
    ];
    assert_eq!(broken(V2026_07_28, &lines), rules);
    // Over HTTP the stream tells which subscription it is.
    let (listening, progress) = (format!("1{LISTENING}"), format!("1{progress}"));
    let rules = [Requirement::SUBSCRIPTIONS_NO_REQUEST_SCOPED];
    assert_eq!(broken(V2026_07_28, &[&listening, &progress]), rules);
    let of_tasks = listening.replace("resourceSubscriptions", "taskIds");
    let rules = [
        Requirement::EXT_TASKS_NO_PROGRESS_ON_LISTEN,
        Requirement::SUBSCRIPTIONS_NO_REQUEST_SCOPED,
    ];
    assert_eq!(broken(V2026_07_28, &[&of_tasks, &progress]), rules);
}

#[test]
fn a_change_belongs_to_the_subscription_that_asked_for_it() {
    let listen = |id: u8, kind: &str| {
        format!(
            r#"> "id":{id},"method":"subscriptions/listen","params":{{"notifications":{{"{kind}":true}}}}"#
        )
    };
    let (tools, prompts) = (listen(1, "toolsListChanged"), listen(2, "promptsListChanged"));
    let change = of_subscription("tools/list_changed", "");
    let other = of_subscription("prompts/list_changed", "");
    let invented = change.replace("Id\":1", "Id\":9");
    let lines = [tools.as_str(), &prompts, &change, &other, &invented];
    let rules = [Requirement::SUBSCRIPTIONS_ONLY_REQUESTED, Requirement::SUBSCRIPTIONS_ID_VALUE];
    assert_eq!(broken(V2026_07_28, &lines), rules);
    // Over HTTP the stream tells which subscription it is, and the notification must not name another one.
    let [tools, change] = [&tools, &invented].map(|line| format!("1{line}"));
    assert_eq!(broken(V2026_07_28, &[&tools, &change]), [Requirement::SUBSCRIPTIONS_ID_VALUE]);
}

#[test]
fn nothing_comes_from_a_subscription_whose_cancellation_was_read() {
    let cancel = r#"> "method":"notifications/cancelled","params":{"requestId":1}"#;
    let (request, reply) =
        (r#"> "id":2,"method":"x/y""#, r#"< "id":2,"result":{"resultType":"complete"}"#);
    let change = of_subscription("tools/list_changed", "");
    assert_eq!(
        broken(V2026_07_28, &[LISTENING, cancel, &change, request, &change, reply]),
        NOTHING
    );
    let late = [LISTENING, cancel, request, reply, &change];
    assert_eq!(broken(V2026_07_28, &late), [Requirement::SUBSCRIPTIONS_CANCEL_ENDS]);
}

#[test]
fn results_of_subscriptions_and_of_input_have_their_members() {
    let end =
        |meta: &str| format!(r#"< "id":1,"result":{{"resultType":"complete","_meta":{{{meta}}}}}"#);
    let named = end(r#""io.modelcontextprotocol/subscriptionId":1"#);
    let other = end(r#""io.modelcontextprotocol/subscriptionId":"1""#);
    assert_eq!(broken(V2026_07_28, &[LISTENING, &named]), NOTHING);
    assert_eq!(
        broken(V2026_07_28, &[LISTENING, &other]),
        [Requirement::SUBSCRIPTIONS_GRACEFUL_RESULT_SHAPE]
    );
}
