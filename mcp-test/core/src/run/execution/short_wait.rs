//! Requests that were sent so late in a scenario that their replies had no time to come.

use std::collections::HashMap;
use std::time::Duration;

use crate::check::Finding;
use crate::clock;
use crate::trace::{ConnectionId, Event, EventKind, Party, Trace};
use crate::wire::{Id, Message};

/// How many times as long as an earlier reply took a request waits before the time counts as enough.
const ENOUGH: u32 = 4;

/// Why a request without a reply shows nothing: the scenario ended before it had waited as long as replies may take, by what others
/// have taken in the same conversation. `None` if it waited for half of the `whole` time that a request has.
pub(super) fn short_wait(trace: &Trace, finding: &Finding, whole: Duration) -> Option<String> {
    if !finding.in_cut_time {
        return None;
    }
    let evidence = || trace.events.iter().filter(|event| finding.evidence.contains(&event.seq));
    let sent = evidence().find(|event| event.party == Party::Client)?;
    let is_fired = |event: &&Event| matches!(event.kind, EventKind::DeadlineFired { .. });
    let of_exchange = || {
        let events = trace.events.iter().filter(|it| it.seq > sent.seq && it.exchange.is_some());
        events.filter(|it| it.exchange == sent.exchange)
    };
    let fired = evidence().find(is_fired).or_else(|| of_exchange().find(is_fired))?;
    let waited = fired.at.saturating_sub(sent.at);
    let slowest = replies(trace)?.slowest;
    if waited >= whole / 2 || waited >= slowest.saturating_mul(ENOUGH) {
        return None;
    }
    Some(format!(
        "there was no reply in the {} that was left, and others took up to {}: `--timeout` allows more",
        clock::format_duration(waited),
        clock::format_duration(slowest)
    ))
}

/// Why a scenario that did not end in its `time` shows nothing: it was answered to the end, but slowly. `None` if it then waited for
/// half of the time for something else.
pub(super) fn slow_replies(trace: &Trace, time: Duration) -> Option<String> {
    let Replies { slowest, last } = replies(trace)?;
    let waited = time.saturating_sub(last);
    if waited >= time / 2 || waited >= slowest.saturating_mul(ENOUGH) {
        return None;
    }
    Some(format!(
        "it did not end in {}, in which replies took up to {}: `--timeout` allows more",
        clock::format_duration(time),
        clock::format_duration(slowest)
    ))
}

/// When requests of the client were answered.
struct Replies {
    /// The longest time that one took.
    slowest: Duration,
    /// When the last one came.
    last: Duration,
}

fn replies(trace: &Trace) -> Option<Replies> {
    let mut open: HashMap<(ConnectionId, &Id), Duration> = HashMap::new();
    let mut replies: Option<Replies> = None;
    for (event, message) in trace.messages() {
        match message {
            Message::Request(request) if event.party == Party::Client => {
                open.insert((event.connection, &request.id), event.at);
            }
            Message::Response(_) | Message::Error(_) if event.party == Party::Server => {
                let sent = message.id().and_then(|id| open.remove(&(event.connection, id)));
                let Some(took) = sent.map(|sent| event.at.saturating_sub(sent)) else { continue };
                let slowest = replies.map_or(took, |before| before.slowest.max(took));
                replies = Some(Replies { slowest, last: event.at });
            }
            _ => {}
        }
    }
    replies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Recorder;

    const WHOLE: Duration = Duration::from_secs(27);

    /// A trace with a reply that took so many seconds, and a request that then waited so many, and the finding about that.
    fn with_slow_reply(earlier: u64, waited: u64) -> (Trace, Finding) {
        let recorder = Recorder::new();
        let on = recorder.open("stdio");
        let request = |id: u32| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"prompts/get"}}"#);
            recorder.record(on, Party::Client, EventKind::message(text.into()))
        };
        request(1);
        let reply = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned();
        recorder.record(on, Party::Server, EventKind::message(reply.into()));
        let sent = request(2);
        let awaited = "a response with id 2".to_owned();
        let fired = recorder.record(on, Party::Harness, EventKind::DeadlineFired { awaited });
        let mut trace = recorder.trace();
        let times = [0, 0, earlier, earlier, earlier + waited];
        for (event, at) in trace.events.iter_mut().zip(times) {
            event.at = Duration::from_secs(at);
        }
        let finding =
            Finding::peer("`prompts/get` was not answered").evidence(sent).evidence(fired);
        (trace, finding)
    }

    fn reason(earlier: u64, waited: u64) -> Option<String> {
        let (trace, finding) = with_slow_reply(earlier, waited);
        assert_eq!(short_wait(&trace, &finding, WHOLE), None, "its own time has passed");
        let finding = Finding { in_cut_time: true, ..finding };
        short_wait(&trace, &finding, WHOLE)
    }

    #[test]
    fn a_request_that_waited_less_than_replies_take_shows_nothing() {
        let short = reason(6, 1);
        let expected = "there was no reply in the 1 s that was left, and others took up to 6 s: `--timeout` allows more";
        assert_eq!(short.as_deref(), Some(expected));
        assert!(reason(6, 13).is_some());
    }

    #[test]
    fn a_request_that_waited_long_was_not_answered() {
        assert_eq!(reason(0, 1), None);
        assert_eq!(reason(2, 8), None);
        assert_eq!(reason(9, 14), None);
    }

    #[test]
    fn a_scenario_that_was_answered_slowly_to_its_end_shows_nothing() {
        let reason = |took: u64| slow_replies(&with_slow_reply(took, 0).0, Duration::from_secs(30));
        assert_eq!(
            reason(25).as_deref(),
            Some(
                "it did not end in 30 s, in which replies took up to 25 s: `--timeout` allows more"
            )
        );
        assert_eq!(reason(14), None);
        assert_eq!(slow_replies(&Trace::default(), WHOLE), None);
    }
}
