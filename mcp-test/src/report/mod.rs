//! What a run looks like to those who read about it: one consumer of run events per file.
//!
//! | for | by |
//! |---|---|
//! | people | [`Console`], and [`Progress`] while they wait (feature `cli`) |
//! | programs that read the output | [`Json`] |
//! | programs that read the files of the official suite | [`ResultFiles`]: `checks.json`, and our `summary.json` |
//!
//! Nothing here decides anything: verdicts, counts and exit codes come with the events. How a failing check is told is
//! in [`failure`], for whoever has to tell it.

mod checks_json;
#[cfg(feature = "cli")]
mod console;
mod error;
pub mod failure;
mod json;
mod naming;
#[cfg(feature = "cli")]
mod progress;
#[cfg(test)]
mod sample;
mod secrets;
mod summary;

pub use checks_json::{ResultFiles, rows};
#[cfg(feature = "cli")]
pub use console::{Console, View};
pub use error::ReportError;
pub use failure::Rerun;
pub use json::Json;
pub use naming::Naming;
#[cfg(feature = "cli")]
pub use progress::Progress;
pub use secrets::Secrets;
pub use summary::{About, SummaryJson};
