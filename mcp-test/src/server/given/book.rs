//! The book of a server: the rules in force, how often each was called, and what clients have sent.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use super::{ClientMessage, Condition, Rule};
use crate::{
    clock::{self, Deadline},
    server::handler::Handler,
};

/// How many messages are kept; one more drops the oldest.
const KEPT: usize = 4096;
/// How many bytes of JSON they may have in all.
const KEPT_BYTES: usize = 16 * 1024 * 1024;

/// The book; copies are the same book.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Book(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    pages: Mutex<Pages>,
    /// How many messages there have been.
    news: watch::Sender<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) rules: Vec<Mounted>,
    pub(super) entries: VecDeque<Entry>,
    bytes: usize,
    clients: u64,
}

/// A rule in force.
#[derive(Debug, Clone)]
pub(super) struct Mounted {
    pub(super) rule: Rule,
    pub(super) calls: u64,
    /// Whether it was taken out of force.
    pub(super) is_over: bool,
}

/// A message that came.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) message: ClientMessage,
    bytes: usize,
    /// The rules that were called by it.
    pub(super) called: Vec<usize>,
}

impl Book {
    /// A new book with the same rules, of which none was called yet.
    pub(in crate::server) fn anew(&self) -> Self {
        let book = Self::default();
        self.read(|pages| {
            let in_force = pages.rules.iter().filter(|mounted| !mounted.is_over);
            for mounted in in_force {
                book.mount(mounted.rule.clone());
            }
        });
        book
    }

    /// Puts a rule into force, and returns its number.
    pub(in crate::server) fn mount(&self, rule: Rule) -> usize {
        self.write(|pages| {
            pages.rules.push(Mounted { rule, calls: 0, is_over: false });
            pages.rules.len() - 1
        })
    }

    /// Takes a rule out of force; what it was called by is not verified any more.
    pub(super) fn unmount(&self, number: usize) {
        self.write(|pages| {
            if let Some(mounted) = pages.rules.get_mut(number) {
                mounted.is_over = true;
            }
        });
    }

    pub(super) fn calls(&self, number: usize) -> u64 {
        self.read(|pages| pages.rules.get(number).map_or(0, |mounted| mounted.calls))
    }

    /// The number of a client that has just come.
    pub(in crate::server) fn welcome(&self) -> u64 {
        self.write(|pages| {
            pages.clients += 1;
            pages.clients - 1
        })
    }

    /// Notes a message, counts it for the rules that it calls, and returns what the one of them that answers responds with.
    pub(in crate::server) fn note(
        &self,
        message: ClientMessage,
        reaches_rules: bool,
    ) -> Option<Handler> {
        let response = self.write(|pages| {
            let (called, response) =
                if reaches_rules { pages.call(&message) } else { (Vec::new(), None) };
            pages.keep(message, called);
            response
        });
        self.0.news.send_modify(|news| *news += 1);
        response
    }

    /// What was received and is still kept, in order.
    pub(in crate::server) fn received(&self) -> Vec<ClientMessage> {
        self.read(|pages| pages.entries.iter().map(|entry| entry.message.clone()).collect())
    }

    /// Waits for a message that fits, be it there already.
    pub(in crate::server) async fn until(
        &self,
        wanted: &dyn Condition,
        deadline: Deadline,
    ) -> Option<ClientMessage> {
        let mut news = self.0.news.subscribe();
        let come = async {
            loop {
                news.mark_unchanged();
                let found = self.read(|pages| {
                    let mut messages = pages.entries.iter().map(|entry| &entry.message);
                    messages.find(|message| wanted.check(message).is_ok()).cloned()
                });
                if found.is_some() {
                    return found;
                }
                news.changed().await.ok()?;
            }
        };
        clock::within(deadline, come).await.ok().flatten()
    }

    pub(super) fn read<T>(&self, look: impl FnOnce(&Pages) -> T) -> T {
        look(&self.0.pages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, act: impl FnOnce(&mut Pages) -> T) -> T {
        act(&mut self.0.pages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Pages {
    /// Calls the rules that a message fits, the last one first, down to the one that answers.
    fn call(&mut self, message: &ClientMessage) -> (Vec<usize>, Option<Handler>) {
        let mut called = Vec::new();
        for (number, mounted) in self.rules.iter_mut().enumerate().rev() {
            if mounted.is_spent() || !mounted.rule.fits(message) {
                continue;
            }
            mounted.calls += 1;
            called.push(number);
            if mounted.rule.response.is_some() {
                return (called, mounted.rule.response.clone());
            }
        }
        (called, None)
    }

    fn keep(&mut self, message: ClientMessage, called: Vec<usize>) {
        let bytes = message.message.to_value().to_string().len();
        self.bytes += bytes;
        self.entries.push_back(Entry { message, bytes, called });
        while (self.entries.len() > KEPT || self.bytes > KEPT_BYTES)
            && let Some(entry) = self.entries.pop_front()
        {
            self.bytes -= entry.bytes;
        }
    }
}

impl Mounted {
    fn is_spent(&self) -> bool {
        self.is_over || self.rule.most.is_some_and(|most| self.calls >= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Message, Notification};

    fn message(method: &str, text: &str) -> ClientMessage {
        let notification = Notification::new(method, Some(serde_json::json!({ "t": text }).into()));
        let message = Message::Notification(notification);
        ClientMessage { client: 0, client_info: None, revision: None, message }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let book = Book::default();
        for number in 0..=KEPT {
            book.note(message("x", &number.to_string()), true);
        }
        assert_eq!(book.received().len(), KEPT);
        assert_eq!(book.received()[0].param("/t"), Some(&"1".into()));
        let large = "x".repeat(KEPT_BYTES / 2);
        for _ in 0..3 {
            book.note(message("large", &large), true);
        }
        assert_eq!(book.received().len(), 1);
    }
}
