//! The scriptable client.
