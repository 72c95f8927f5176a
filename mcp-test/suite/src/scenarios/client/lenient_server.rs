//! The server of scenarios about 2026-07-28 that are not about mirrored headers.

use crate::scenarios::prelude::*;

/// A server with tools that speaks the revision of the test.
///
/// It does not validate mirrored headers, so that a missing one does not hide what the scenario is about.
pub(super) fn lenient_server(test: &ClientTest) -> Server {
    let name = format!("{}-server", test.scenario.id);
    Server::new(json!({ "name": name, "version": "1.0.0" }))
        .revisions(Revisions::only(test.revision))
        .capabilities(json!({ "tools": {} }))
        .faults([Fault::misbehavior(Misbehavior::SkipsMirrors)])
}
