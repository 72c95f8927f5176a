//! The member that a finding is about, below a message that is too long to be shown in full.

use super::layout::short;
use crate::expect::words;
use crate::json::{Pointer, Value};
use crate::trace::Seq;

/// What a finding is about: a place in messages, from their root or from that of their payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Focus<'a> {
    pub(super) place: &'a Pointer,
    /// The events of the messages.
    pub(super) events: &'a [Seq],
}

impl Focus<'_> {
    /// The lines about the place in this payload, which is shown abbreviated; none if that shows all of it. What does not exist
    /// is represented by what surrounds it.
    pub(super) fn lines(self, event: Seq, payload: &Value, budget: usize) -> Vec<String> {
        let whole = payload.to_string();
        if !self.events.contains(&event) || short(payload, budget) == whole {
            return Vec::new();
        }
        let mut place = self.place.as_str();
        // From the root of the message.
        for root in ["/result", "/params"] {
            if let Some(rest) = place.strip_prefix(root).filter(|it| it.starts_with('/')) {
                place = rest;
            }
        }
        while let Some((parent, _)) = place.rsplit_once('/') {
            if let Some(member) = payload.at(place) {
                let mut lines =
                    vec![format!("at {}: {}", words::name(place), short(member, budget))];
                // The other members; other items have nothing to do with it.
                let around = payload.at(parent).filter(|it| it.is_object() && !parent.is_empty());
                let parent = words::name(parent);
                lines.extend(around.map(|it| format!("within {parent}: {}", short(it, budget))));
                return lines;
            }
            place = parent;
        }
        Vec::new()
    }
}
