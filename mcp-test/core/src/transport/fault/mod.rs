//! Faults: named ways in which a correct peer misbehaves on the wire.
//!
//! A fault is applied by the interceptor between actor and transport, so that the actor stays correct and the fault is the
//! only thing that changes. The same notation serves servers and clients: a fault names a method, and affects what the peer
//! sends for that method, whether a request, a notification or a reply. What faults prove is not known here.
//!
//! `kind` lists them, `constructors` makes them, `notation` parses and writes them. `delivery` applies them to messages,
//! `rewrite` to values, `text` to bytes, `http_faults` to HTTP exchanges, `parameters` to requests of OAuth; `intake` filters what
//! an actor receives.

mod arguments;
mod change;
mod constructors;
mod delivery;
mod delivery_part;
mod error;
mod http_faults;
mod intake;
mod kind;
mod notation;
mod parameters;
mod rewrite;
mod text;

use std::fmt;

use self::change::Change;
use super::TransportKind;
use crate::spec::Side;

pub use change::Misbehavior;
#[doc(hidden)]
pub use change::Reach;
pub(crate) use delivery::Delivery;
pub(super) use delivery::{banners, session_id};
pub(crate) use delivery_part::{DeliveryPart, FollowUp};
pub use error::FaultError;
pub(crate) use http_faults::HttpFaults;
pub(crate) use intake::intake;
#[doc(hidden)]
pub use kind::{FAULT_KINDS, FaultKind};
#[cfg_attr(not(feature = "auth"), allow(unused_imports, reason = "only OAuth has parameters"))]
pub(crate) use parameters::{change_parameters, gives_up_before};

/// One way in which a peer misbehaves.
///
/// The method is that of the request or notification that the peer sends, or of the request that it replies to; `*`
/// stands for every request that it sends or replies to. A pointer is relative to the result of a reply and to the
/// parameters of anything else, unless it starts with a member of the envelope: `/result`, `/error`, `/id`, `/jsonrpc`,
/// `/method`, `/params`. Faults of HTTP also take `GET` and `DELETE` as method, faults of
/// a client that signs in one of its steps: `discover`, `metadata`, `register`, `authorize` or `token`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
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
    /// Whether the fault has any effect on that transport.
    #[must_use]
    pub fn applies_to(&self, transport: TransportKind) -> bool {
        self.reach().covers(transport)
    }

    /// Whether a peer of this side can have the fault.
    #[must_use]
    pub fn is_of(&self, side: Side) -> bool {
        self.kind().is_none_or(|kind| kind.is_of(side))
    }

    /// Whether only a server that is protected by tokens can have the fault.
    #[must_use]
    pub fn is_of_protection(&self) -> bool {
        self.kind().is_some_and(|kind| kind.needs_protection)
    }

    /// The transports on which the fault has an effect.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.kind().map_or(Reach::Everywhere, |kind| kind.reach)
    }

    fn kind(&self) -> Option<&'static FaultKind> {
        FAULT_KINDS.iter().find(|known| known.word == self.change.word())
    }

    /// The method that it affects; `*` for all.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.on
    }

    /// The notation, which [`FromStr`](std::str::FromStr) parses.
    #[must_use]
    pub fn name(&self) -> String {
        self.to_string()
    }

    /// Whether it is this misbehavior.
    #[must_use]
    pub fn is(&self, misbehavior: Misbehavior) -> bool {
        self.change == Change::Misbehavior(misbehavior)
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
        notation::write(self, f)
    }
}

#[cfg(test)]
mod tests;
