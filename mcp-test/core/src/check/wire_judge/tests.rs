//! Judging event by event: what is returned when, and what is forgotten.

use super::*;
use crate::check::judge_trace;
use crate::check::recorded::recorded;
use crate::trace::Trace;

const REVISION: Revision = Revision::V2025_11_25;

fn judge(who: Party) -> WireJudge {
    WireJudge::new(who, (Schemas::ours(), Authority::Text))
}

/// A conversation in which both sides do several things wrong, one of them again and again.
fn conversation() -> Trace {
    let mut lines = vec![
        r#"> "id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#,
        r#"< "id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}}"#,
        r#"> "id":0,"method":"tools/list""#,
        r#"< "id":0,"result":{"tools":[{"name":"add"}]}"#,
        r#"< "id":7,"result":{}"#,
        r#"< "method":"notifications/progress","params":{"progressToken":1,"progress":1}"#,
        r#"> "method":"notifications/cancelled","params":{"requestId":9}"#,
        r#"< "id":1,"method":"sampling/createMessage","params":{}"#,
    ];
    lines.extend([r#"< "id":8,"result":{}"#; 20]);
    recorded(&lines)
}

#[test]
fn what_is_wrong_is_returned_with_the_event_that_shows_it() {
    let trace = conversation();
    for who in [Party::Client, Party::Server] {
        let mut judge = judge(who);
        let mut found = Vec::new();
        for event in &trace.events {
            let new = judge.event(event, REVISION);
            assert!(new.iter().all(|finding| finding.evidence.contains(&event.seq)), "{new:?}");
            found.extend(new);
        }
        let Judgement { envelopes, shapes, tools } = judge.finish();
        let all = [envelopes, shapes.findings, tools.findings].concat();
        assert!(all.len() > 1, "{all:?}");
        // A count of what was left out is known at the end only.
        let text = |finding: &Finding| (finding.headline.clone(), finding.got.clone());
        let mut found: Vec<_> = found.iter().map(text).collect();
        let mut all: Vec<_> = all.iter().map(text).collect();
        found.sort();
        all.sort();
        assert_eq!(found, all);
    }
}

#[test]
fn a_trace_is_judged_as_its_events_are() {
    let trace = conversation();
    for who in [Party::Client, Party::Server] {
        let mut by_event = judge(who);
        for event in &trace.events {
            let _ = by_event.event(event, REVISION);
        }
        assert_eq!(judge_trace(&trace, &|_| REVISION, judge(who)), by_event.finish());
    }
}

#[test]
fn nothing_is_blamed_that_may_answer_what_was_not_seen() {
    let trace = recorded(&[r#"< "id":7,"result":{}"#]);
    assert_eq!(judge_trace(&trace, &|_| REVISION, judge(Party::Server)).envelopes.len(), 1);
    let incomplete = judge(Party::Server).incomplete();
    assert_eq!(judge_trace(&trace, &|_| REVISION, incomplete).envelopes, []);
}

#[test]
fn a_connection_that_is_over_is_forgotten() {
    let trace = recorded(&[
        r#"> "id":1,"method":"ping""#,
        r#"< "id":1,"result":{}"#,
        r#"> "id":1,"method":"ping""#,
    ]);
    let [opened, asked, replied, again] = &trace.events[..] else { panic!("{trace:?}") };
    let mut judge = judge(Party::Client);
    for event in [opened, asked, replied] {
        assert_eq!(judge.event(event, REVISION), []);
    }
    judge.forget(opened.connection);
    assert_eq!(judge.event(again, REVISION), [], "the id is the first one of another connection");
    assert_eq!(judge.event(asked, REVISION).len(), 1);
}
