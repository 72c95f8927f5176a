//! Subscriptions.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>

scenarios![subscriptions_listen, client_subscriptions];
