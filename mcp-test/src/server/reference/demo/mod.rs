//! What the everything server of the MCP project offers, as far as one contract can hold for both: the names and the shapes
//! are its, the prose is ours. Names with dashes belong here, names with underscores to the official suite.
//!
//! Nothing takes time: an operation that is said to run for seconds tells its steps and is done.

mod prompts;
mod resources;
mod tools;

pub(super) use prompts::{completions, prompt, prompts};
pub(super) use resources::{read, resources, templates};
pub(super) use tools::{call, tools};
