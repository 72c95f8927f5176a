//! Protected servers, also of 2025-03-26.

use super::served::{facts, protected, server_behind};
use crate::check::Finding;
use crate::oauth::scripted::{Behavior, ProtectedResource};
use crate::scenario::ClientTest;
use crate::server::Server;
use crate::spec::Revision;

/// A protected server with one authorization server; at 2025-03-26 that is at the same origin, and the server has no metadata.
pub(super) fn protected_at(
    test: &ClientTest,
    behavior: Behavior,
    protect: impl FnOnce(ProtectedResource) -> ProtectedResource,
) -> Result<Server, Finding> {
    match test.revision {
        Revision::V2025_03_26 => {
            let resource = ProtectedResource::new(&facts(test), Vec::new());
            Ok(server_behind(test, protect(resource.with_own_server(behavior))))
        }
        _ => protected(test, behavior, protect),
    }
}
