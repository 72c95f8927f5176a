//! The scriptable server.
