//! What a scenario is.
