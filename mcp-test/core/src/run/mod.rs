//! Planning and running scenarios, and the verdicts.
//!
//! [`Plan::build`] selects the scenario runs, [`run()`] prepares the target, runs the scenario runs and reports [`RunEvent`]s, and the
//! [`Summary`] at the end has the verdict and the [`ExitCode`]. The reports of the command format them.

mod baseline;
mod common_checks;
mod confirmed;
#[doc(hidden)]
pub mod connection_pool;
mod counts;
mod coverage;
mod error;
mod event;
#[doc(hidden)]
pub mod execution;
mod exit_code;
mod former_ids;
mod inventory;
mod known_results;
mod known_violations;
mod masked;
mod outcome;
#[doc(hidden)]
pub mod panics;
mod plan;
mod preflight;
mod problem;
mod problems;
mod results;
mod retries;
mod runner;
mod scenario_run;
mod scenario_run_queue;
#[cfg(feature = "schema")]
mod schema_source;
mod schema_valid;
mod selection;
mod shard;
mod sign_in_step;
mod silence;
#[doc(hidden)]
pub mod single;
mod slow_scenarios;
#[doc(hidden)]
pub mod spoken_revisions;
mod start_budget;
mod summary;
mod tested;

pub use baseline::{Baseline, Comparison, Entry};
pub use common_checks::{COMMON, requirements_of_common, requirements_of_interruptions};
pub use counts::Counts;
#[cfg(any(test, feature = "suite"))]
pub use coverage::{CitingCheck, citing_checks, citing_checks_of};
pub use coverage::{Coverage, NotTested, RowState, binds, why_unchecked};
pub use error::{BaselineError, UsageError};
pub use event::{CalledByRun, ClientSpeaks, Line, Preflight, RunEvent, Summary};
#[doc(hidden)]
pub use execution::Progress;
pub use exit_code::ExitCode;
#[doc(hidden)]
pub use known_results::KnownResults;
pub use known_violations::Shown;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use masked::{Mask, MaskedEvent};
pub use outcome::{Outcome, Verdict};
pub use plan::Plan;
pub use problem::{Example, Level, Occurrence, Problem};
pub use problems::{Problems, Untested};
pub use results::Results;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use results::needs_entry;
pub use runner::run;
pub use scenario_run::ScenarioRun;
#[cfg(feature = "schema")]
pub use schema_source::{SchemaPlace, SchemaSource, SchemaSourceError};
pub use selection::{Inapplicable, Selection};
pub use shard::{Shard, ShardError};
pub use sign_in_step::SignInStep;
pub use silence::Silence;
pub use tested::Tested;
