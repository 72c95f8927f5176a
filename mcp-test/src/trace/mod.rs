//! What was said, in order: the record of a conversation, made by those who took part, judged by others.
//!
//! A [`Recorder`] is shared by everything that takes part in one scenario. [`Recorder::trace`] gives what was recorded
//! so far as a [`Trace`], which [`render`] writes like a play, for golden snapshots and failures, and [`mod@file`] keeps.
//! A [`Redactor`] takes secrets out of either, and on demand what differs from run to run.
//!
//! Nothing here knows right from wrong: that is `check`'s business.

mod event;
pub mod file;
mod parts;
mod reading;
mod recorder;
mod redact;
mod render;
mod transcript;

pub use event::{Connection, Damage, Event, Outstaying, Party, Seq, What};
pub use reading::Reading;
pub use recorder::Recorder;
pub use redact::{Redactor, SecretTexts, is_secret_variable, secrets_in_url};
#[cfg(feature = "cases")]
pub(crate) use redact::{SECRET as REDACTED, is_volatile_member};
pub use render::{Headers, Style, excerpt, render};
#[cfg(feature = "cases")]
pub(crate) use render::{checksum, grouped};
pub use transcript::Trace;
