//! Requests that were sent so late in a scenario that their replies had no time to come.

use std::collections::HashMap;
use std::time::Duration;

use crate::check::Finding;
use crate::clock;
use crate::trace::{ConnectionId, EventKind, Party, Trace};
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
    let fired = evidence().find(|event| matches!(event.kind, EventKind::DeadlineFired { .. }))?;
    let waited = fired.at.saturating_sub(sent.at);
    let slowest = slowest_reply(trace)?;
    if waited >= whole / 2 || waited >= slowest.saturating_mul(ENOUGH) {
        return None;
    }
    Some(format!(
        "there was no reply in the {} that was left, and others took up to {}: `--timeout` allows more",
        clock::format_duration(waited),
        clock::format_duration(slowest)
    ))
}

/// The longest time in which a request of the client was answered.
fn slowest_reply(trace: &Trace) -> Option<Duration> {
    let mut open: HashMap<(ConnectionId, &Id), Duration> = HashMap::new();
    let mut slowest = None;
    for (event, message) in trace.messages() {
        match message {
            Message::Request(request) if event.party == Party::Client => {
                open.insert((event.connection, &request.id), event.at);
            }
            Message::Response(_) | Message::Error(_) if event.party == Party::Server => {
                let sent = message.id().and_then(|id| open.remove(&(event.connection, id)));
                slowest = slowest.max(sent.map(|sent| event.at.saturating_sub(sent)));
            }
            _ => {}
        }
    }
    slowest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Recorder;

    const WHOLE: Duration = Duration::from_secs(27);

    /// The reason after a reply that took so many seconds, for a request that then waited so many.
    fn reason(earlier: u64, waited: u64) -> Option<String> {
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
}
