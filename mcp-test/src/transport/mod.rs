//! Carriers and targets.
