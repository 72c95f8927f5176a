//! Authorization (feature `auth`): protected servers, clients that sign in, and authorization servers.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>

pub mod authorization_server;
pub mod client;
pub mod protected_server;
