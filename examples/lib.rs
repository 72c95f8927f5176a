//! Example tests of a real server; see each file.
