//! The MCP specification as data: revisions, methods, message shapes, capabilities, headers, error codes, log levels,
//! reserved keys and requirements.
//!
//! Nothing here does I/O or looks at more than one message. Other modules ask a [`Revision`] for its features instead of
//! comparing revisions themselves:
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::spec::{self, Revision, Side};
//!
//! let revision: Revision = "2025-06-18".parse()?;
//! assert!(revision.has_structured_content() && !revision.has_batches());
//!
//! let ping = spec::method("ping").ok_or("no such method")?;
//! assert!(ping.sent_by(Side::Server, revision));
//! assert!(!ping.revisions().contains(Revision::V2026_07_28));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod capability;
mod error;
pub mod error_code;
mod feature;
#[doc(hidden)]
pub mod header;
mod item_kind;
#[doc(hidden)]
pub mod log_level;
#[doc(hidden)]
pub mod meta;
mod method;
mod method_kind;
#[doc(hidden)]
pub mod named_revision;
mod page;
mod param_header;
#[doc(hidden)]
pub mod requirement;
mod revision;
mod revisions;
pub mod schema;
mod side;
#[cfg(any(test, feature = "suite"))]
#[doc(hidden)]
pub mod uri_template;

#[cfg(test)]
mod official;

pub use capability::Capability;
pub use error::SpecError;
#[doc(hidden)]
pub use error_code::ErrorCode;
#[doc(hidden)]
pub use feature::{FEATURES, Feature};
#[doc(hidden)]
pub use item_kind::ItemKind;
#[doc(hidden)]
pub use method::{LISTEN, METHODS, Method, method};
#[doc(hidden)]
pub use method_kind::MethodKind;
#[doc(hidden)]
pub use page::url;
#[doc(hidden)]
pub use param_header::{InvalidParamHeader, ParamHeader, param_headers};
#[doc(hidden)]
pub use requirement::{BoundParty, KnownViolations, Level, Testability, UnknownRequirement};
pub use requirement::{KnownViolation, Requirement};
pub use revision::{Era, Revision};
pub use revisions::Revisions;
pub use side::Side;
#[doc(hidden)]
pub use side::Sides;
