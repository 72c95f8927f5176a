//! `logging-set-level`.

use mcp_test_core::expect::empty_object;
use mcp_test_core::scenario::empty_result;
use mcp_test_core::spec::log_level::LEVELS;

use super::send_everything_again;
use crate::scenarios::prelude::*;
use crate::scenarios::references::LOGGING;
use crate::scenarios::refusal::refused;

scenario! {
    /// The server lets its client set the minimum level of log messages.
    ///
    /// The official check sets one level; our own checks set all eight, and one that does not exist. A server that accepts
    /// any string as a level leaves its client wondering why nothing is logged.
    Server "logging-set-level": "The server accepts a log level",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Logging)],
    shares_connection: Revisions::all(),
    checks: [
        check!("logging-set-level", "The result of `logging/setLevel` is an empty object",
            [LOGGING_SET_LEVEL_ACCEPT, SCHEMA_SET_LEVEL_RESULT]).official(&[LOGGING]),
        check!("logging-set-level-each", "Each of the eight levels is accepted, with an empty result",
            [LOGGING_SET_LEVEL_ALL_LEVELS, LOGGING_SET_LEVEL_ACCEPT]),
        check!("logging-set-level-unknown", "A level that does not exist is refused with -32602",
            [LOGGING_SET_LEVEL_INVALID_32602]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.set_level("info").await?;
    reply.result()?;
    ctx.check("logging-set-level").expect(&reply, empty_result()).officially(
        &reply,
        empty_object(),
        "every result may have `_meta`",
    );

    let mut replies = Vec::new();
    // Before the check begins, because it borrows the context.
    for level in LEVELS {
        replies.push(ctx.set_level(level).await?);
    }
    let mut each = ctx.check("logging-set-level-each");
    for reply in &replies {
        each = each
            .requires(Requirement::LOGGING_SET_LEVEL_ALL_LEVELS)
            .judge(reply.result().map(|_| ()));
        if reply.error().is_none() {
            each =
                each.requires(Requirement::LOGGING_SET_LEVEL_ACCEPT).expect(reply, empty_result());
        }
    }
    drop(each);

    let unknown = json!({"level": "verbose"});
    // Marked, because an invalid level that is not intended counts as a mistake of mcp-test.
    let reply = ctx.request("logging/setLevel", unknown).deliberate().promptly().await?;
    ctx.check("logging-set-level-unknown").judge(refused(&reply, error_code::INVALID_PARAMS));
    send_everything_again(ctx).await
}

proofs! {
    passes on everything();
    catches "logging-set-level" by reply_error("logging/setLevel", -32601);
    catches "logging-set-level" by set("logging/setLevel", "/level", json!("info"));
    catches "logging-set-level" by set("logging/setLevel", "/_meta", json!({})), under Official;
    catches "logging-set-level-each" on without_alert();
    // Accepts any string as a level.
    warns "logging-set-level-unknown" on answering(|_| json!({}).into());
    warns "logging-set-level-unknown" on failing_on_unknown_level();
}

/// Answers `logging/setLevel` with this function.
fn answering(answer: fn(&str) -> Answer) -> Server {
    everything().on("logging/setLevel", move |call: Call| async move {
        answer(call.param("level").and_then(Value::as_str).unwrap_or_default())
    })
}

/// Supports only the levels that other logging libraries have.
fn without_alert() -> Server {
    answering(|level| match level {
        "debug" | "info" | "notice" | "warning" | "error" | "critical" => json!({}).into(),
        _ => Answer::error(error_code::INVALID_PARAMS, "unknown level"),
    })
}

/// Answers an unknown level with an internal error.
fn failing_on_unknown_level() -> Server {
    answering(|level| {
        if LEVELS.contains(&level) {
            json!({}).into()
        } else {
            Answer::error(error_code::INTERNAL_ERROR, "unknown level")
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_test_core::check::Sdk;
    use mcp_test_core::scenario::{Profile, Setup};
    use mcp_test_core::transport::TransportKind;

    use super::*;

    #[tokio::test]
    async fn a_level_that_the_sdk_refuses_names_the_sdk() {
        let server = answering(|_| {
            let issue =
                json!({"code": "invalid_value", "path": ["params", "level"], "message": "no"});
            Answer::error(error_code::INTERNAL_ERROR, json!([issue]).to_string())
        });
        let (transport, revision) = (TransportKind::Duplex, Revision::V2025_11_25);
        let (profile, timeout) = (Profile::Adaptive, Duration::from_secs(20));
        let setup = Setup::new(server.target(), transport, revision, profile, timeout);
        let mut ctx = Ctx::new(setup, None);
        let reply = ctx.set_level("verbose").await.expect("a reply");
        let finding = refused(&reply, error_code::INVALID_PARAMS).expect_err("another code");
        assert_eq!(finding.sdk, Some(Sdk::TypeScript));
    }
}
