//! The record of a conversation, in order.
//!
//! A [`Recorder`] is shared by everything that takes part in one scenario. [`Recorder::trace`] returns what was recorded
//! so far as a [`Trace`], which [`render`] writes as text, for golden snapshots and failures, and [`mod@file`] as a file.
//! A [`Redactor`] takes secrets out of either, and on demand what differs from run to run.
//!
//! Nothing here judges what it records: that is for `check`.

mod correlation;
mod event;
#[doc(hidden)]
pub mod file;
mod parsed_text;
mod parts;
mod received_message;
mod recorder;
#[doc(hidden)]
pub mod redact;
#[doc(hidden)]
pub mod render;
mod transcript;

#[doc(hidden)]
pub use correlation::Correlation;
#[doc(hidden)]
pub use correlation::{
    Correlated, Correlator, Fit, Position, Relation, Reply, Request, claims_to_be_json_rpc,
};
pub(crate) use correlation::{KnownIds, LatestNonRequest};
#[doc(hidden)]
pub use correlation::{Limits, OpenRequests, Revisions, is_rememberable};
#[doc(hidden)]
pub use event::{ConnectionId, EndSignal, ExitWait, Leftover, UnparsableKind};
pub use event::{Event, EventKind, Party, Seq};
#[doc(hidden)]
pub use parsed_text::ParsedText;
#[doc(hidden)]
pub use received_message::ReceivedMessage;
pub(crate) use received_message::{Exchange, exchange};
pub use recorder::Recorder;
pub(crate) use recorder::{Beginning, Returned};
pub use redact::Redactor;
#[doc(hidden)]
pub use redact::secrets_in_command;
#[doc(hidden)]
pub use redact::{SecretTexts, is_secret_variable, secrets_in_environment, secrets_in_url};
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use redact::{is_secret_parameter, percent_decoded};
pub(crate) use render::excerpt_at;
pub use render::render;
#[doc(hidden)]
pub use render::{Headers, Style, excerpt};
pub use transcript::Trace;
