//! What a test file imports: `use mcp_test::prelude::*;`.

pub use serde_json::json;

pub use crate::check::Finding;
pub use crate::client::{Elicited, Handlers, Sampled};
pub use crate::process::Command;
pub use crate::scenario::Ctx;
pub use crate::spec::Revision;
pub use crate::transport::{CarrierKind, ClientTarget, Target};
pub use crate::{Error, Result, expect, mcp_scenario};
