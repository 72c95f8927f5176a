//! Which reply belongs to which request, and what earlier messages imply for a message.
//!
//! | file | what |
//! |---|---|
//! | `correlator` | every message of a trace, connection by connection |
//! | `messages` | the messages of one connection, or of anything else that is a sequence of messages |
//! | `relation` | how a message is related to earlier ones |
//! | `requests` | the table of open requests; bounded where messages are seen one by one |
//! | `cancelled` | requests that were cancelled, and whether the other side has read the cancellation |
//! | `revisions` | the revisions that a connection has named |
//!
//! Nothing is copied: messages are borrowed, and named by their position.

mod cancelled;
mod correlator;
mod messages;
mod non_request;
mod relation;
mod requests;
mod revisions;

#[doc(hidden)]
pub use correlator::{Correlator, Position, claims_to_be_json_rpc};
#[doc(hidden)]
pub use messages::Correlation;
pub(crate) use non_request::LatestNonRequest;
#[doc(hidden)]
pub use relation::{Correlated, Fit, Relation, Reply, Request};
#[doc(hidden)]
pub use requests::{Limits, OpenRequests, is_rememberable};
#[doc(hidden)]
pub use revisions::Revisions;
