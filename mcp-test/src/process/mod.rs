//! A child and all its descendants.
