//! Tests of the rooms together.
