//! What every test file imports of this crate; `mcp_test::prelude` adds the macros and the extension traits.

pub use serde_json::json;

pub use crate::check::Finding;
pub use crate::client::{
    ElicitationResponse, Handlers, RequestOptions, SamplingResponse, SubscriptionFilter,
};
pub use crate::process::Command;
pub use crate::scenario::{Ctx, GoldenOptions, ServerCtx};
pub use crate::spec::{Capability, Revision};
pub use crate::transport::{ClientTarget, Target, TransportKind};
pub use crate::{Error, Result, expect};
