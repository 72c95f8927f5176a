//! What the everything server of the MCP project offers, so that one contract fits both: the same names and shapes, but
//! other texts. Names with dashes belong here, names with underscores to the official suite.
//!
//! Nothing takes time: the long-running operation reports its steps and returns at once.

mod prompts;
mod resources;
mod tools;

pub(super) use prompts::{completions, prompt, prompts};
pub(super) use resources::{read, resources, templates};
pub(super) use tools::{call, tools};
