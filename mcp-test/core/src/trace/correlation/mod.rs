//! Which reply belongs to which request, and what earlier messages imply for a message.
//!
//! | file | what |
//! |---|---|
//! | `correlator` | every message of a trace, connection by connection |
//! | `messages` | the messages of one connection, or of anything else that is a sequence of messages |
//! | `relation` | how a message is related to earlier ones |
//! | `sent_requests` | the requests of one side, and what a reply answers |
//! | `known_ids` | the ids of requests that are not remembered any more |
//! | `requests` | a table of open requests |
//! | `cancelled` | requests that were cancelled, and whether the other side has read the cancellation |
//! | `revisions` | the revisions that a connection has named |
//!
//! Events are followed one at a time and not kept: of a request its id and its method are remembered, and its position.

mod cancelled;
mod correlator;
mod known_ids;
mod messages;
mod non_request;
mod relation;
mod requests;
mod revisions;
mod sent_requests;

#[doc(hidden)]
pub use correlator::{Correlator, Position, claims_to_be_json_rpc};
pub(crate) use known_ids::KnownIds;
#[doc(hidden)]
pub use messages::Correlation;
pub(crate) use non_request::LatestNonRequest;
#[doc(hidden)]
pub use relation::{Correlated, Fit, Relation, Reply, Request};
#[doc(hidden)]
pub use requests::{Limits, OpenRequests, is_rememberable};
#[doc(hidden)]
pub use revisions::Revisions;
