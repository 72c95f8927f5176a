//! One recorder for several conversations on the same connection: each begins with the same events.

use std::time::Duration;

use super::{EventLog, Recorder, is_stderr};
use crate::trace::{Event, EventKind, Party, Seq, Trace};
use crate::wire::{Frame, Id, Message};

/// How many bytes of payload a hidden event may have to be kept.
const LARGEST_HIDDEN: usize = 64 * 1024;

/// The beginning of a trace, to which its recorder can return.
#[derive(Debug, Clone)]
pub(crate) struct Beginning(EventLog);

impl Beginning {
    /// The place of its last event.
    pub(crate) fn last(&self) -> Seq {
        Seq(self.0.next)
    }
}

impl Recorder {
    /// What was recorded so far, as the beginning of later traces.
    pub(crate) fn beginning(&self) -> Beginning {
        Beginning(self.lock().clone())
    }

    /// The place of the last event; that before the first one, if nothing was recorded.
    #[doc(hidden)]
    pub fn last(&self) -> Seq {
        Seq(self.lock().next)
    }

    /// Returns to a beginning, unless anything but notifications and lines of stderr was recorded after `last`.
    ///
    /// The time continues from the beginning, so that the next conversation does not show how long the connection was idle.
    pub(crate) fn return_to(&self, beginning: &Beginning, last: Seq) -> Returned {
        // Under one lock, so that nothing can be recorded in between and lost.
        let mut log = self.lock();
        let later =
            || log.events.iter().filter(|event| event.seq > last && !is_stderr(&event.kind));
        if !later().all(|event| is_notification(&event.kind)) {
            return Returned::Not;
        }
        let returned = match later().next() {
            None => Returned::Quiet,
            Some(_) => Returned::Notified(log.trace()),
        };
        *log = beginning.0.clone();
        log.skip_idle_time(self.shared.started.elapsed());
        returned
    }

    /// Continues the time from the last event, so that the trace does not show how long its connection was idle.
    pub(crate) fn continue_time(&self) {
        self.lock().skip_idle_time(self.shared.started.elapsed());
    }

    /// Hides a request and its reply, which are not part of the conversation, unless another reply to it is recorded later.
    pub(crate) fn hide(&self, request: Seq, reply: Seq) {
        let mut log = self.lock();
        let pair: Vec<Event> =
            [request, reply].into_iter().filter_map(|it| log.remove(it)).collect();
        if pair.iter().all(|event| event.kind.weight() <= LARGEST_HIDDEN) {
            log.hidden.extend(pair);
        }
    }
}

/// Whether a recorder has returned to a beginning.
#[derive(Debug)]
pub(crate) enum Returned {
    /// Nothing had been recorded in the meantime.
    Quiet,
    /// Only notifications, which a server may send at any time: the whole trace of the conversation before.
    Notified(Trace),
    /// It has not: something else was recorded.
    Not,
}

fn is_notification(kind: &EventKind) -> bool {
    let EventKind::Message { parsed, .. } = kind else { return false };
    matches!(parsed.frame(), Some(Ok(Frame::One(Message::Notification(_)))))
}

/// The id of a message, unless it is one of several.
fn id(kind: &EventKind) -> Option<&Id> {
    let EventKind::Message { parsed, .. } = kind else { return None };
    match parsed.frame() {
        Some(Ok(Frame::One(message))) => message.id(),
        _ => None,
    }
}

impl EventLog {
    fn remove(&mut self, seq: Seq) -> Option<Event> {
        let index = self.events.binary_search_by_key(&seq, |event| event.seq).ok()?;
        let event = self.events.remove(index)?;
        self.weight -= event.kind.weight();
        self.stderr -= usize::from(is_stderr(&event.kind));
        // An index, which shifts with every event removed before it.
        self.thinned -= usize::from(index < self.thinned);
        Some(event)
    }

    /// Shows the hidden events again that have the id of this one, which would otherwise have no request.
    pub(super) fn show_hidden(&mut self, event: &Event) {
        let Some(id_of_event) = id(&event.kind).filter(|_| event.party == Party::Server) else {
            return;
        };
        let has_id = |hidden: &mut Event| id(&hidden.kind) == Some(id_of_event);
        for hidden in self.hidden.extract_if(.., has_id) {
            let index = self.events.partition_point(|event| event.seq < hidden.seq);
            self.weight += hidden.kind.weight();
            self.thinned += usize::from(index < self.thinned);
            self.events.insert(index, hidden);
        }
    }

    fn skip_idle_time(&mut self, now: Duration) {
        let last = self.events.back().map(|event| event.at).unwrap_or_default();
        self.skipped = now.saturating_sub(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Party;

    fn note(recorder: &Recorder, text: &str) -> Seq {
        let connection = crate::trace::ConnectionId(1);
        recorder.record(connection, Party::Harness, EventKind::Note(text.to_owned()))
    }

    fn notes(recorder: &Recorder) -> Vec<String> {
        let notes = recorder.trace().events.into_iter().filter_map(|event| match event.kind {
            EventKind::Note(text) | EventKind::Stderr(text) => Some(text),
            _ => None,
        });
        notes.collect()
    }

    #[test]
    fn each_conversation_has_the_same_beginning_and_nothing_of_another() {
        let recorder = Recorder::new();
        note(&recorder, "handshake");
        let beginning = recorder.beginning();
        for text in ["first", "second"] {
            assert_eq!(recorder.last(), Seq(1));
            note(&recorder, text);
            assert_eq!(notes(&recorder), ["handshake", text]);
            assert!(matches!(recorder.return_to(&beginning, recorder.last()), Returned::Quiet));
        }
        assert_eq!(notes(&recorder), ["handshake"]);
    }

    #[test]
    fn what_arrived_late_is_not_lost() {
        let recorder = Recorder::new();
        let connection = recorder.open("duplex");
        let beginning = recorder.beginning();
        let receive = |kind| recorder.record(connection, Party::Server, kind);
        let last = note(&recorder, "a reply");
        receive(EventKind::Stderr("busy".to_owned()));
        assert!(matches!(recorder.return_to(&beginning, last), Returned::Quiet));
        let last = note(&recorder, "a reply");
        let news = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        receive(EventKind::message(news.into()));
        let Returned::Notified(trace) = recorder.return_to(&beginning, last) else {
            panic!("expected a notification");
        };
        assert_eq!((trace.events.len(), recorder.trace().events.len()), (3, 1));
        let last = note(&recorder, "a reply");
        receive(EventKind::message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.into()));
        assert!(matches!(recorder.return_to(&beginning, last), Returned::Not));
        assert_eq!(recorder.trace().events.len(), 3);
    }

    /// Records a `ping` and its reply, and hides them; returns how to record the reply again.
    fn hidden_ping(recorder: &Recorder, padding: usize) -> impl Fn() -> Seq + '_ {
        let connection = crate::trace::ConnectionId(1);
        let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        let request = recorder.record(connection, Party::Client, EventKind::message(ping.into()));
        let text = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{}}{}}}"#, " ".repeat(padding));
        let receive = move || {
            recorder.record(connection, Party::Server, EventKind::message(text.clone().into()))
        };
        recorder.hide(request, receive());
        receive
    }

    #[test]
    fn what_is_hidden_is_not_in_the_trace_and_times_still_rise() {
        let recorder = Recorder::new();
        note(&recorder, "shown");
        let _ = hidden_ping(&recorder, 0);
        recorder.continue_time();
        note(&recorder, "also shown");
        assert_eq!(notes(&recorder), ["shown", "also shown"]);
        let trace = recorder.trace();
        assert_eq!(trace.events.len(), 2);
        assert!(trace.events.is_sorted_by(|a, b| a.seq < b.seq && a.at <= b.at));
    }

    #[test]
    fn what_is_hidden_is_shown_when_another_reply_comes() {
        // What is large is not kept for that.
        for (padding, shown) in [(0, 5), (LARGEST_HIDDEN, 3)] {
            let recorder = Recorder::new();
            note(&recorder, "before");
            let receive_again = hidden_ping(&recorder, padding);
            let beginning = recorder.beginning();
            note(&recorder, "after");
            receive_again();
            let trace = recorder.trace();
            assert_eq!(trace.events.len(), shown, "{trace:?}");
            assert!(trace.events.is_sorted_by(|a, b| a.seq < b.seq && a.at <= b.at));
            assert!(matches!(recorder.return_to(&beginning, recorder.last()), Returned::Quiet));
            assert_eq!(recorder.trace().events.len(), 1);
        }
    }
}
