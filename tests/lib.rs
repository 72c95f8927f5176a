//! Tests of the rooms together, and here what several of them need.

pub mod folder;
pub mod hostile;
pub mod program;
