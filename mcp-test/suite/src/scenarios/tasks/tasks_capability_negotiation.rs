//! `tasks-capability-negotiation`.

use super::quick_server::{computing_at_once, quick, quick_but};
use super::task_client::{TASKS, call, refused_undeclared, send_undeclared, task_id};
use super::task_states::{is_task, member};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_2575_PAGE, SEP_2663};

scenario! {
    /// The server advertises the tasks extension, and each request decides by its own declaration whether there are tasks.
    ///
    /// The official suite expects `slow_compute` to serve clients without the extension, where the specification also allows a
    /// refusal. It does not try whether a declaration is remembered, or taken from another member; `tasks-extension-calls` does.
    Server "tasks-capability-negotiation": "Tasks are for clients that declare the extension",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [Need::Capability(Capability::TasksExtension), Need::Tool("slow_compute")],
    checks: [
        check!("tasks-extension-advertised",
            "The server advertises the extension, and not the capability of 2025-11-25",
            [EXT_TASKS_SERVER_ADVERTISES, EXT_TASKS_MIGRATE_CAPABILITY, EXT_TASKS_NO_LEGACY_ADVERTISED])
            .official(&[SEP_2663]),
        check!("sep-2663-tasks-methods-non-declaring",
            "`tasks/get`, `tasks/update` and `tasks/cancel` are refused with -32021 without the declaration",
            [EXT_TASKS_METHODS_MISSING_CAPABILITY])
            .official(&[SEP_2575_PAGE, SEP_2663]).named("TasksMethodsGatedWithoutExtension"),
        check!("sep-2663-server-rejects-undeclared-client",
            "A call without the declaration returns its result, and no task",
            [EXT_TASKS_NO_TASK_FOR_UNDECLARED]).official(&[SEP_2663]).named("TasksToolsCallWithoutExtensionSync"),
        check!("tasks-per-request-meta-opt-in", "A call with the declaration returns a task",
            [EXT_TASKS_RESULT_TYPE_TASK]).official(&[SEP_2575_PAGE, SEP_2663]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let discovered = ctx.discover().await?;
    discovered.result()?;
    let capabilities = |matcher| object().member("capabilities", matcher);
    let advertised = object().member("extensions", object().member(TASKS, anything()));
    ctx.check("tasks-extension-advertised")
        .requires(Requirement::EXT_TASKS_SERVER_ADVERTISES)
        .expect(&discovered, capabilities(advertised))
        .requires(Requirement::EXT_TASKS_NO_LEGACY_ADVERTISED)
        .expect(&discovered, capabilities(object().without("tasks")));

    let mut refusals = Vec::new();
    for (method, params) in [
        ("tasks/get", json!({ "taskId": "gate-test" })),
        ("tasks/update", json!({ "taskId": "gate-test", "inputResponses": {} })),
        ("tasks/cancel", json!({ "taskId": "gate-test" })),
    ] {
        refusals.push(refused_undeclared(&send_undeclared(ctx, method, params).await?));
    }
    let check = ctx.check("sep-2663-tasks-methods-non-declaring");
    refusals.into_iter().fold(check, CheckBuilder::judge);

    let arguments = json!({ "seconds": 0, "label": "capability-no-ext" });
    let params = json!({ "name": "slow_compute", "arguments": arguments });
    let plain = send_undeclared(ctx, "tools/call", params).await?;
    ctx.check("sep-2663-server-rejects-undeclared-client")
        .judge(is_no_task(&plain))
        .officially(
            &plain,
            object().member("content", truthy()),
            "a server may refuse a call that it can only serve as a task",
        )
        .officially(
            &plain,
            object().without("task").without("taskId"),
            "a result may have other members",
        );

    let arguments = json!({ "seconds": 1, "label": "capability-meta-opt" });
    let handle = call(ctx, "slow_compute", arguments).await?;
    let check = ctx.check("tasks-per-request-meta-opt-in");
    let check = match member(&handle, "/taskId") {
        Some(_) => check.expect(&handle, object().member("resultType", equals("task"))),
        // Whether there is a task is up to the server, but this is what the fixture is for.
        None => check.by_fixture().judge(task_id(&handle).map(drop)),
    };
    check.officially(&handle, object().without("task"), "a result may have other members");
    Ok(())
}

fn is_no_task(reply: &Reply) -> Result<(), Finding> {
    ensure(!is_task(reply), || {
        Finding::peer("a call becomes a task although its request does not declare the extension")
            .expected("the result of the tool, or error -32021")
            .evidence_all(reply.evidence())
    })
}

proofs! {
    passes on quick();
    catches "tasks-extension-advertised" by remove("server/discover", "/capabilities/extensions");
    catches "tasks-extension-advertised" by set("server/discover", "/capabilities/tasks", json!({}));
    catches "sep-2663-tasks-methods-non-declaring" by set("tasks/update", "/error/code", json!(-32601));
    // Acknowledges the cancellation of any task, whoever asks.
    catches "sep-2663-tasks-methods-non-declaring"
        on quick_but([given(method("tasks/cancel")).respond_with(json!({}))]);
    catches "sep-2663-server-rejects-undeclared-client" by set("tools/call", "/resultType", json!("task"));
    catches "sep-2663-server-rejects-undeclared-client"
        by reply_error("tools/call", error_code::MISSING_REQUIRED_CLIENT_CAPABILITY), under Official;
    catches "tasks-per-request-meta-opt-in" on computing_at_once();
    catches "tasks-per-request-meta-opt-in" by set("tools/call", "/resultType", json!("complete"));
}
