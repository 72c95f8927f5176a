//! The imports of a test file: `use mcp_test::prelude::*;`.

pub use serde_json::json;

pub use crate::check::Finding;
pub use crate::client::{
    ElicitationResponse, Handlers, RequestOptions, SamplingResponse, SubscriptionFilter,
};
pub use crate::process::Command;
pub use crate::scenario::{Ctx, GoldenOptions, ServerCtx};
pub use crate::spec::Revision;
pub use crate::transport::{ClientTarget, Target, TransportKind};
pub use crate::{Error, Result, expect, mcp_scenario};
