//! One recorder for several conversations on the same connection: each begins with the same events.

use std::mem;
use std::time::Duration;

use super::{EventLog, Recorder, is_stderr};
use crate::trace::{Event, EventKind, Party, Seq, Trace};
use crate::wire::{Frame, Id, Message};

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
        let hidden = mem::take(&mut log.hidden);
        *log = EventLog { hidden, ..beginning.0.clone() };
        log.skip_idle_time(self.shared.started.elapsed());
        returned
    }

    /// Continues the time from the last event, so that the trace does not show how long its connection was idle.
    pub(crate) fn continue_time(&self) {
        self.lock().skip_idle_time(self.shared.started.elapsed());
    }

    /// Hides a request and everything that answers it, now and later: it is not part of the conversation.
    pub(crate) fn hide(&self, request: Seq, reply: Seq) {
        let mut log = self.lock();
        log.remove(request);
        let Some(event) = log.remove(reply) else { return };
        let Some(id) = id_of_reply(&event.kind) else { return };
        log.hidden.push((event.connection, id.clone()));
        let again = log.events.iter().filter(|it| it.seq > reply && log.is_hidden(it));
        let again: Vec<Seq> = again.map(|event| event.seq).collect();
        again.into_iter().for_each(|seq| drop(log.remove(seq)));
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

/// The id of a reply, unless it is one of several.
fn id_of_reply(kind: &EventKind) -> Option<&Id> {
    let EventKind::Message { parsed, .. } = kind else { return None };
    match parsed.frame() {
        Some(Ok(Frame::One(message))) if message.is_reply() => message.id(),
        _ => None,
    }
}

impl EventLog {
    /// Whether an event answers a request that is hidden.
    pub(super) fn is_hidden(&self, event: &Event) -> bool {
        let is_of = |id: &Id| {
            self.hidden.iter().any(|(connection, hidden)| {
                (*connection, hidden) == (event.connection, id) && event.party == Party::Server
            })
        };
        id_of_reply(&event.kind).is_some_and(is_of)
    }

    fn remove(&mut self, seq: Seq) -> Option<Event> {
        let index = self.events.binary_search_by_key(&seq, |event| event.seq).ok()?;
        let event = self.events.remove(index)?;
        self.weight -= event.kind.weight();
        self.stderr -= usize::from(is_stderr(&event.kind));
        // An index, which shifts with every event removed before it.
        self.thinned -= usize::from(index < self.thinned);
        Some(event)
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

    #[test]
    fn what_is_hidden_is_not_in_the_trace_however_often_it_is_answered() {
        let recorder = Recorder::new();
        let [connection, other] = ["stdio"; 2].map(|transport| recorder.open(transport));
        let message = |id: u32, rest: &str| {
            EventKind::message(format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#).into())
        };
        let answer = |connection, id| {
            recorder.record(connection, Party::Server, message(id, r#""result":{}"#))
        };
        note(&recorder, "before");
        let ping = recorder.record(connection, Party::Client, message(7, r#""method":"ping""#));
        let reply = answer(connection, 7);
        // In the same read as the first.
        answer(connection, 7);
        recorder.hide(ping, reply);
        recorder.hide(ping, reply);
        let beginning = recorder.beginning();
        recorder.continue_time();
        note(&recorder, "after");
        answer(connection, 7);
        let trace = recorder.trace();
        assert_eq!(
            (trace.events.len(), notes(&recorder)),
            (4, vec!["before".into(), "after".into()])
        );
        assert!(trace.events.is_sorted_by(|a, b| a.seq < b.seq && a.at <= b.at));
        assert!(matches!(recorder.return_to(&beginning, recorder.last()), Returned::Quiet));
        // In the next conversation too, and nothing else.
        answer(connection, 7);
        assert_eq!(recorder.trace().events.len(), 3);
        answer(connection, 8);
        answer(other, 7);
        recorder.record(connection, Party::Server, message(7, r#""method":"ping""#));
        assert_eq!(recorder.trace().events.len(), 6);
    }
}
