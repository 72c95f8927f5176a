//! What can be wrong with a file of cases: every complaint by its name.

mod names;

pub(super) use names::*;
pub use names::{LINTS, Lint};
