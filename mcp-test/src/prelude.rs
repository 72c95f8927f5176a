//! What a test file imports.
