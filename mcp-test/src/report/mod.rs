//! Consumers of run events.
