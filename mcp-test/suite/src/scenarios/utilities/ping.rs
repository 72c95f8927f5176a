//! `ping`.

use mcp_test_core::clock::format_duration;
use mcp_test_core::expect::empty_object;
use mcp_test_core::scenario::empty_result;

use crate::scenarios::prelude::*;
use crate::scenarios::references::PING;

scenario! {
    /// The server answers `ping` with an empty result.
    ///
    /// Clients ping to find out whether a connection is alive; they take an error, or silence, for a dead one. A reply after
    /// more than five seconds is a WARNING, because the specification says "promptly" without a number. The official suite
    /// does not measure it.
    Server "ping": "The server answers a ping",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    shares_connection: Revisions::all(),
    checks: [
        check!("ping", "The result of `ping` is an empty object",
            [PING_RESPONDS_PROMPTLY, PING_RESULT_EMPTY]).official(&[PING])
            .fails_or_warns("a late reply only warns, since the specification names no time"),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.ping().await?;
    let late =
        late(&ctx.trace(), &reply, ctx.ping_limit()).filter(|_| ctx.profile() != Profile::Official);
    let check =
        ctx.check("ping").requires(Requirement::PING_RESULT_EMPTY).expect(&reply, empty_result());
    let why = "every result may have `_meta`";
    check.officially(&reply, empty_object(), why).judge(late.map_or(Ok(()), Err));
    Ok(())
}

/// The finding that the reply took longer than `prompt`, from the request to the reply on the wire.
fn late(trace: &Trace, reply: &Reply, prompt: Duration) -> Option<Finding> {
    let evidence = reply.evidence();
    let mut events = trace.events_at(&evidence);
    let (request, answer) = (events.next()?, events.next()?);
    let took = answer.at.saturating_sub(request.at);
    // While other messages arrive, it may be mcp-test that takes so long.
    let mut between = trace.since(request.seq).iter().take_while(|event| event.seq < answer.seq);
    let is_busy = between.any(|event| {
        matches!(event.kind, EventKind::Message { .. } | EventKind::Elided { .. })
            && event.party == Party::Server
    });
    (took > prompt && !is_busy).then(|| {
        // Whole milliseconds: what is beyond them is noise.
        let took = Duration::from_millis(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        Finding::peer("`ping` is answered late")
            .expected(format!("a reply within {}", format_duration(prompt)))
            .got(format!("one after {}", format_duration(took)))
            .requires(Requirement::PING_RESPONDS_PROMPTLY)
            .evidence_all(evidence.iter().copied())
            .should()
    })
}

proofs! {
    passes on everything();
    catches "ping" by reply_error("ping", -32601);
    catches "ping" by set("ping", "/pong", json!(true));
    catches "ping" by set("ping", "/_meta", json!({})), under Official;
    catches "ping" by wrong_id("ping");
    warns "ping" by late("ping", Duration::from_millis(60)), prompt 40;
}

#[cfg(test)]
mod tests {
    use mcp_test_core::check::{Check, Status};
    use mcp_test_core::scenario::Setup;
    use mcp_test_core::server::{Call, Server};
    use mcp_test_core::transport::{Fault, TransportKind};

    use super::*;

    /// The check on the reference server whose reply takes 60 ms, which is late.
    async fn check(profile: Profile) -> Check {
        check_of(&everything(), profile).await
    }

    async fn check_of(server: &Server, profile: Profile) -> Check {
        let late = Fault::late("ping", Duration::from_millis(60));
        let target = server.clone().faults([late]).target();
        let (revision, timeout) = (Revision::V2025_11_25, Duration::from_secs(20));
        let setup = Setup::new(target, TransportKind::Duplex, revision, profile, timeout);
        let setup = Setup { prompt: Duration::from_millis(40), ..setup };
        let mut ctx = Ctx::new(setup, Some(SCENARIO.declared()));
        run(&mut ctx).await.expect("a reply");
        ctx.end().await.checks.pop().expect("the check")
    }

    #[tokio::test]
    async fn a_late_reply_is_a_warning_with_its_time() {
        let check = check(Profile::Adaptive).await;
        assert_eq!(check.status, Status::Warning);
        let finding = check.finding.expect("a finding");
        assert_eq!(finding.requirements, [Requirement::PING_RESPONDS_PROMPTLY]);
        assert_eq!(finding.expected.as_deref(), Some("a reply within 40 ms"));
        let got = finding.got.expect("the time");
        let took: u64 = got
            .strip_prefix("one after ")
            .and_then(mcp_test_core::clock::parse_duration)
            .and_then(|time| u64::try_from(time.as_millis()).ok())
            .expect("a time");
        assert!(took >= 60, "{got}");
    }

    #[tokio::test]
    async fn a_reply_behind_other_messages_is_not_late() {
        let busy = everything().on("ping", |call: Call| async move {
            let progress = json!({"progressToken": "none", "progress": 1});
            call.notify("notifications/progress", progress).await.expect("it is sent");
            json!({})
        });
        let check = check_of(&busy, Profile::Adaptive).await;
        assert_eq!(check.status, Status::Success);
    }

    #[tokio::test]
    async fn the_official_profile_does_not_measure_it() {
        assert_eq!(check(Profile::Official).await.status, Status::Success);
    }
}
