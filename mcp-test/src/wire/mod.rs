//! JSON-RPC 2.0 messages and framing.
