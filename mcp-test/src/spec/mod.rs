//! What MCP says, as data: its revisions, methods, the shapes of its messages, capabilities, headers, error codes, log
//! levels, reserved keys, requirements.
//!
//! Nothing here speaks or waits, and nothing judges more than one message. The rooms above ask this one what holds at a
//! [`Revision`] instead of comparing revisions themselves:
//!
//! ```
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
mod fact;
pub mod header;
pub mod log_level;
pub mod meta;
mod method;
mod page;
mod param_header;
pub mod requirement;
mod revision;
mod revisions;
pub mod schema;
mod side;
pub(crate) mod spoken;

#[cfg(test)]
mod official;

pub use capability::Capability;
pub use error::SpecError;
pub use error_code::ErrorCode;
pub use fact::{FACTS, Fact};
pub use method::{METHODS, Method, MethodKind, method};
pub use page::url;
pub use param_header::{InvalidParamHeader, ParamHeader, param_headers};
pub use requirement::{Level, Requirement, Testable, Who};
pub use revision::{Era, Revision};
pub use revisions::Revisions;
pub use side::{Side, Sides};
