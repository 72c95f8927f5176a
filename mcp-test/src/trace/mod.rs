//! What was said, in order: the record of a conversation, made by those who took part, judged by others.
//!
//! A [`Recorder`] is shared by everything that takes part in one scenario. [`Recorder::trace`] gives what was recorded
//! so far as a [`Trace`].
//!
//! Nothing here knows right from wrong: that is `check`'s business.

mod event;
mod reading;
mod recorder;
mod transcript;

pub use event::{Connection, Event, Party, Seq, What};
pub use reading::Reading;
pub use recorder::Recorder;
pub use transcript::Trace;
