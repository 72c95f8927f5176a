//! Checks and findings.
