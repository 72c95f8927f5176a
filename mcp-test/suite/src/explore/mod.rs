//! Calling tools with arguments that are generated from their schemas.
//!
//! [`Explorer`] calls the tools that the run may call, judges each reply, and reduces what fails to the fewest calls with the
//! smallest arguments that still fail. What it finds is an [`Exploration`]: data, of which scenarios make checks.
//!
//! It does not decide which tools may be called ([`ToolCalls`](mcp_test_core::scenario::ToolCalls)), makes no values itself
//! ([`generate`](crate::generate)), and judges no envelopes, which are judged in every conversation.

mod answer;
mod at_once;
mod chain;
mod coverage_table;
mod explorable;
mod explore_tool;
mod explored;
mod explorer;
mod failure;
mod leak;
mod operation;
mod options;
mod plan;
mod refusal;
mod regressions;
mod replay;
mod report;
mod saved_cases;
mod saved_tests;
mod scenario;
mod shrink;

#[cfg(test)]
mod tests;

pub use answer::Answer;
pub use chain::{Chain, Link, Step};
pub use coverage_table::coverage_table;
pub use explore_tool::{ExploreExt, ExploreTool};
pub use explored::{Exploration, Explored};
pub use explorer::Explorer;
pub use failure::{Failure, FailureKind};
pub use operation::Operation;
pub use options::ExploreOptions;
pub use report::explained;
pub use saved_cases::saved_cases;
pub use saved_tests::saved_tests;
pub use scenario::{ID, scenario};
pub use shrink::Reduced;
