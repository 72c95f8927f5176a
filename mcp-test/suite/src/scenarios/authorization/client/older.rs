//! Protected servers, also of 2025-03-26.

use mcp_test_core::oauth::scripted::{Behavior, ProtectedResource};

use super::served::{facts, protected, server_behind};
use crate::scenarios::prelude::*;

/// A protected server with one authorization server; at 2025-03-26 that is at the same origin, and the server has no metadata.
pub(super) fn protected_at(
    test: &ClientTest,
    behavior: Behavior,
    protect: impl FnOnce(ProtectedResource) -> ProtectedResource,
) -> Result<Server, Finding> {
    match test.revision.has_resource_metadata() {
        false => {
            let resource = ProtectedResource::new(&facts(test), Vec::new());
            Ok(server_behind(test, protect(resource.with_own_server(behavior))))
        }
        true => protected(test, behavior, protect),
    }
}
