//! From a plan to an exit code.
