//! Faults: named ways in which a good peer goes wrong on the wire.
//!
//! A fault stands on the tap between actor and carrier, so that the actor stays good and the fault is the only thing
//! that changes. The same words serve a server and a client: a fault names a method, and concerns what the peer at whose
//! tap it stands says about that method, be it a request, a notification or a reply. What faults prove is not known here.
//!
//! `change` says what there is, `make` makes it, `words` names and reads it. `apply` damages messages, `rewrite` their
//! values, `text` their bytes, `http` the exchanges that carry them; `intake` keeps from an actor what it is not to hear.

mod apply;
mod change;
mod http;
mod intake;
mod make;
mod part;
mod reading;
mod rewrite;
mod text;
mod words;

use std::fmt;

use super::CarrierKind;
use crate::spec::Side;
use change::Change;

pub use apply::Delivery;
pub(super) use apply::{banners, session_id};
pub use change::{Lapse, Reach};
pub use http::HttpDamage;
pub use intake::intake;
pub use part::{Part, Then};
pub use words::{FaultError, FaultWord, WORDS};

/// One way in which a peer goes wrong.
///
/// A method is the one of the request or notification that the peer sends, or of the request that it replies to. `*`
/// stands for every request that it sends or replies to. A pointer leads into the result of a reply, into the parameters
/// of anything else, or into the whole message where it starts with a member of the envelope: `/result`, `/error`,
/// `/id`, `/jsonrpc`, `/method`, `/params`. Faults of HTTP also take `GET` and `DELETE` as method.
///
/// ```
/// use mcp_test::transport::Fault;
///
/// let fault = Fault::remove("tools/list", "/tools/0/inputSchema");
/// assert_eq!(fault.name(), "remove:tools/list:/tools/0/inputSchema");
/// assert_eq!("remove:tools/list:/tools/0/inputSchema".parse(), Ok(fault));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    on: String,
    change: Change,
}

impl Fault {
    /// Whether the fault has any effect on that carrier.
    #[must_use]
    pub fn applies_to(&self, carrier: CarrierKind) -> bool {
        self.reach().covers(carrier)
    }

    /// Whether a peer of this side can have the fault.
    #[must_use]
    pub fn is_of(&self, side: Side) -> bool {
        self.word().is_none_or(|word| word.is_of(side))
    }

    /// Where the fault shows.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.word().map_or(Reach::Everywhere, |word| word.reach)
    }

    /// How it is listed.
    fn word(&self) -> Option<&'static FaultWord> {
        WORDS.iter().find(|known| known.word == self.change.word())
    }

    /// The method that it concerns, `*` for all.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.on
    }

    /// The name by which [`FromStr`](std::str::FromStr) finds it again.
    #[must_use]
    pub fn name(&self) -> String {
        self.to_string()
    }

    /// Whether it is this lapse.
    #[must_use]
    pub fn is(&self, lapse: Lapse) -> bool {
        self.change == Change::Lapse(lapse)
    }

    fn names(&self, method: &str) -> bool {
        self.on == method
    }

    fn is_for_all(&self) -> bool {
        self.on == "*"
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        words::write(self, f)
    }
}

#[cfg(test)]
mod tests;
