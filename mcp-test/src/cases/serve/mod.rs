//! Serves a contract: each `in` of a client is answered with the `out`s of a matching case.
//!
//! | file | what |
//! |---|---|
//! | `mock` `responder` | the public type, and the handler of all methods |
//! | `message_ref` `turn` | the messages of cases, and turns: what the client sends, and what the server does then |
//! | `conversation` `compiled_contract` `turn_index` | a contract compiled, and indexed by what the client sends |
//! | `incoming` | whether a message of the client is the one in a case |
//! | `client_session` | the state of a client, and the choice of its next turn |
//! | `turn_player` `resume_point` `labels` `era` | doing what the turn says, with the ids of the client and in its era |
//! | `branch` | another case with the client's answer |
//! | `identity` `inferred_lists` | what the cases imply together: capabilities, lists |
//! | `unmatched` | messages that no case has: the nearest case, and the difference |
//! | `event` `log` | what happened |
//!
//! # Which case answers
//!
//! 1. An open conversation of the client continues: the next `in` of a case, or of those that continue it.
//! 2. A case with exactly this message takes precedence over one that allows it by `_match`.
//! 3. A case whose client declares the same capabilities in `initialize` takes precedence over others.
//! 4. Of several, the first that this client has not used yet; once all were used, the last again. So cases with the same
//!    `in` are consecutive answers.
//! 5. An `in` from the middle of a case is answered even if the client has not sent what precedes it.
//!
//! Each client has a conversation. Where each request is a conversation of its own (2026-07-28 over HTTP), clients are told
//! apart by their `clientInfo`, and start again with `server/discover`.
//!
//! # What the server sends
//!
//! - Ids, progress tokens and subscription ids are replaced by the real ones, and the `protocolVersion` in the result of
//!   `initialize` by the agreed one. Progress notifications are omitted if the client did not ask for them.
//! - A contract of one era is served to clients of both. A request of the server becomes a result that asks for input where
//!   servers do not send requests, and the other way round.
//! - The client's answer to a request of the server is compared with the case. If it differs, a case that is the same up to
//!   there and has this answer takes over; if there is none, the difference is reported, and the case goes on.
//! - `${name}` is replaced. A name without a value gets the one that the client sends in its place.
//! - Where no case has `initialize` or `server/discover`, the server's identity is inferred from the other cases; where no
//!   case has a list, it is inferred from the calls, and marked as such. `ping` is always answered; `logging/setLevel` and
//!   subscriptions to resources are answered if they are declared. A method that does not exist at the client's revision is
//!   refused, even if a case has it.
//! - Cases with `_skip` are not served; `_before`, `_after`, `_given`, `_only`, `_tags`, `_timeout` and `_transport` have no
//!   effect here. A case applies to clients of its `_revision`.

mod branch;
mod client_session;
mod compiled_contract;
mod conversation;
mod era;
mod event;
pub(super) mod identity;
pub(super) mod incoming;
mod inferred_lists;
mod labels;
mod log;
mod message_ref;
mod mock;
mod responder;
mod resume_point;
#[cfg(test)]
mod tests;
mod turn;
mod turn_index;
mod turn_player;
mod unmatched;

pub use event::{MatchedMessage, MockEvent};
pub use mock::Mock;
pub use unmatched::{NearestCase, UnmatchedMessage};
