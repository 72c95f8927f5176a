//! What several of the integration tests need: folders, runs of programs, and the hostile server.

pub mod folder;
pub mod hostile;
pub mod program;
