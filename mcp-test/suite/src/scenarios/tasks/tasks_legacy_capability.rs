//! `tasks-legacy-capability`.

use crate::scenarios::prelude::*;

scenario! {
    /// From 2026-07-28 on, tasks are declared as an extension, and no longer as the capability `tasks`.
    ///
    /// A client that finds the old capability sends requests that the revision no longer has. One that looks for the extension
    /// does not learn that the server has tasks.
    Server "tasks-legacy-capability": "The old capability for tasks is not declared",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("legacy-tasks-capability", "The capabilities have no member `tasks`",
            [EXT_TASKS_NO_LEGACY_ADVERTISED, EXT_TASKS_MIGRATE_CAPABILITY]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.discover().await?;
    let Ok(result) = reply.outcome() else { return Ok(()) };
    let legacy = result.at("/capabilities/tasks").cloned();
    let has_extension =
        result.at("/capabilities/extensions/io.modelcontextprotocol~1tasks").is_some();
    let outcome = ensure(legacy.is_none(), || {
        let got = legacy.as_ref().map(|legacy| legacy.short(80)).unwrap_or_default();
        let finding = Finding::peer("the server declares the capability `tasks` of 2025-11-25")
            .expected("no member `tasks`; the extension `io.modelcontextprotocol/tasks` instead")
            .got(got)
            .evidence_all(reply.evidence())
            .requires(Requirement::EXT_TASKS_NO_LEGACY_ADVERTISED);
        if has_extension {
            finding
        } else {
            finding.requires(Requirement::EXT_TASKS_MIGRATE_CAPABILITY)
        }
    });
    ctx.check("legacy-tasks-capability").judge(outcome);
    Ok(())
}

proofs! {
    passes on everything();
    catches "legacy-tasks-capability" by set("server/discover", "/capabilities/tasks", json!({"list": {}}));
}
