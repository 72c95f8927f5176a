//! The only door to time.
