//! Guides, page by page: how to test servers and clients, on the command line and in Rust.

#[cfg(any(not(doctest), all(feature = "golden", feature = "harness", feature = "schema")))]
#[doc = include_str!("testing_servers.md")]
pub mod testing_servers {}

#[doc = include_str!("cookbook.md")]
pub mod cookbook {}

#[doc = include_str!("assertions.md")]
pub mod assertions {}

#[doc = include_str!("handlers.md")]
pub mod handlers {}

// The code of a page compiles with the features that the page names.
#[cfg(any(not(doctest), all(feature = "harness", feature = "http")))]
#[doc = include_str!("testing_clients.md")]
pub mod testing_clients {}

#[doc = include_str!("command_line.md")]
pub mod command_line {}

#[doc = include_str!("continuous_integration.md")]
pub mod continuous_integration {}

#[doc = include_str!("migrating.md")]
pub mod migrating {}

#[cfg(any(not(doctest), all(feature = "cases", feature = "http")))]
#[doc = include_str!("contracts.md")]
pub mod contracts {}

#[cfg(any(not(doctest), all(feature = "schema", feature = "http")))]
#[doc = include_str!("guarding_servers.md")]
pub mod guarding_servers {}
