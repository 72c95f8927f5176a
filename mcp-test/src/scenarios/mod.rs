//! The built-in scenarios.
