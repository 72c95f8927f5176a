//! From a plan to an exit code.
//!
//! [`Plan::build`] says what will be run, [`run()`] brings the target up, plays the cells and tells what happens as
//! [`RunEvent`]s, and the [`Summary`] at the end holds the verdict and the [`ExitCode`]. Painting is left to
//! [`report`](crate::report), talking to what is under test to [`scenario`](crate::scenario).

mod baseline;
mod cell;
mod error;
mod event;
mod exit_code;
mod outcome;
mod plan;
mod play;
mod preflight;
#[cfg(test)]
mod prove;
mod results;
mod runner;
#[cfg(feature = "schema")]
mod schema_source;
mod schema_valid;
mod tested;
#[cfg(test)]
mod tests;

pub use baseline::{Baseline, COMMON, Comparison, Entry};
pub use cell::Cell;
pub use error::{BaselineError, UsageError};
pub use event::{Counts, Line, Preflight, RunEvent, Summary};
pub use exit_code::ExitCode;
pub use outcome::{Outcome, Verdict};
pub use plan::{Inapplicable, Plan, Selection};
pub use results::Results;
pub use runner::run;
#[cfg(feature = "schema")]
pub use schema_source::{SchemaPlace, SchemaSource, SchemaSourceError};
pub use tested::Tested;
