//! The proofs of the checks that every scenario gets: `wire-well-formed`, `wire-schema-valid`, `wire-schema-harness-error`.
//!
//! Each row is damage on the reference peer, and what exactly the judge finds then: the status of the check and all
//! requirements that it cites.

use serde_json::json;

use super::{block_on, outcome, plan, statuses, unfounded};
use crate::check::{
    Blame, Check, Finding, Origin, SCHEMA_HARNESS_ERROR, SCHEMA_VALID, Status, WELL_FORMED,
};
use crate::json::Value;
use crate::run::play::{Known, play};
use crate::run::{Cell, Outcome, Verdict};
use crate::scenario::{Leg, Profile};
use crate::scenarios;
use crate::server::reference::everything;
use crate::spec::Revision::{
    self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use crate::transport::CarrierKind::{self, Duplex};
use crate::transport::Fault;

/// One row of a table: where, what damage, what is found.
struct Row {
    scenario: &'static str,
    revision: Revision,
    carrier: CarrierKind,
    faults: Vec<Fault>,
    status: Status,
    requirements: &'static [&'static str],
}

impl Row {
    fn new(
        (scenario, revision, carrier): (&'static str, Revision, CarrierKind),
        faults: impl IntoIterator<Item = Fault>,
        status: Status,
        requirements: &'static [&'static str],
    ) -> Self {
        let faults = faults.into_iter().collect();
        Self { scenario, revision, carrier, faults, status, requirements }
    }

    fn cell(&self) -> Cell {
        let scenario = scenarios::find(Leg::Server, self.scenario).expect("a built-in scenario");
        Cell { scenario, revision: self.revision, carrier: self.carrier }
    }

    fn play(&self, faults: Vec<Fault>, profile: Profile) -> Outcome {
        block_on(outcome(&everything().faults(faults).into(), self.cell(), profile))
    }

    fn name(&self) -> String {
        let faults: Vec<String> = self.faults.iter().map(Fault::name).collect();
        format!("{} damaged by {}", self.cell(), faults.join(" "))
    }

    /// What differs from the row, if anything does.
    fn prove(&self) -> Option<String> {
        let good = self.play(Vec::new(), Profile::Adaptive);
        let good = statuses(&good).get(WELL_FORMED).copied();
        let bad = self.play(self.faults.clone(), Profile::Adaptive);
        let check = bad.checks.iter().find(|check| check.id == WELL_FORMED).expect("the check");
        let unfounded = unfounded(&bad);
        let as_said = good == Some(Status::Success)
            && check.status == self.status
            && check.requirements == self.requirements
            && unfounded.is_empty();
        (!as_said).then(|| {
            format!(
                "{}\n  without {good:?}\n  {:?} {:?} {unfounded:?}\n  {}",
                self.name(),
                check.status,
                check.requirements,
                check.message.as_deref().unwrap_or_default()
            )
        })
    }
}

const PING: (&str, Revision, CarrierKind) = ("ping", V2025_11_25, Duplex);
const LIST: (&str, Revision, CarrierKind) = ("tools-list", V2026_07_28, Duplex);

/// A message that comes before the reply to `ping`.
fn stray(message: serde_json::Value) -> [Fault; 1] {
    [Fault::stray("ping", message)]
}

/// The error of a reply to `ping`, whatever it is.
fn error(error: serde_json::Value) -> [Fault; 2] {
    [Fault::remove("ping", "/result"), Fault::set("ping", "/error", error)]
}

fn lines() -> Vec<Row> {
    use Status::{Failure, Warning};
    let stdout: &[&str] = &["transport.stdio.stdout-only-messages"];
    let twice = br#"{"jsonrpc":"2.0","method":"notifications/message","method":"notifications/x"}"#;
    let twice = Value::parse(twice).expect("JSON").value;
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
    let question = json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"});
    vec![
        Row::new(PING, [Fault::banner("Server started")], Failure, stdout),
        Row::new(PING, [Fault::blank_line("ping")], Failure, stdout),
        Row::new(PING, [Fault::truncate("ping")], Failure, stdout),
        Row::new(PING, [Fault::stray("ping", twice)], Warning, &[]),
        // Ids.
        Row::new(PING, [Fault::wrong_id("ping")], Failure, &["jsonrpc.result-id-echo"]),
        Row::new(PING, [Fault::retyped_id("ping")], Failure, &["jsonrpc.id-type-preserved"]),
        Row::new(PING, [Fault::twice("ping")], Failure, &["jsonrpc.single-response"]),
        Row::new(PING, [Fault::remove("ping", "/id")], Failure, &["jsonrpc.result-id-echo"]),
        Row::new(
            PING,
            [Fault::set("ping", "/id", Value::Null)],
            Failure,
            &["jsonrpc.result-id-echo"],
        ),
        Row::new(
            PING,
            [Fault::set("ping", "/id", json!({}))],
            Failure,
            &["jsonrpc.id-type-preserved"],
        ),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "error": {"code": 1, "message": "no"}})),
            Failure,
            &["jsonrpc.error-id-echo"],
        ),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "no"}})),
            Failure,
            &["jsonrpc.error-id-echo"],
        ),
        // Envelopes.
        Row::new(PING, [Fault::remove("ping", "/jsonrpc")], Failure, &["jsonrpc.version-member"]),
        Row::new(PING, stray(json!(7)), Failure, stdout),
        Row::new(
            PING,
            [Fault::remove("ping", "/result")],
            Failure,
            &["jsonrpc.response-result-or-error"],
        ),
        Row::new(
            PING,
            [Fault::set("ping", "/error", Value::Null)],
            Failure,
            &["jsonrpc.response-not-both"],
        ),
        Row::new(PING, [Fault::retype("ping", "/result")], Failure, &["jsonrpc.result-object"]),
        Row::new(PING, error(json!("boom")), Failure, &["jsonrpc.error-shape"]),
        Row::new(PING, error(json!({"code": 1})), Failure, &["jsonrpc.error-shape"]),
        Row::new(
            PING,
            error(json!({"code": "E", "message": "no"})),
            Failure,
            &["jsonrpc.error-code-integer"],
        ),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": 5})),
            Failure,
            &["jsonrpc.request-method-string"],
        ),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": {}, "method": "ping"})),
            Failure,
            &["jsonrpc.request-id-type"],
        ),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})),
            Failure,
            &["jsonrpc.request-id-type"],
        ),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": null, "method": "ping"})),
            Failure,
            &["jsonrpc.request-id-not-null"],
        ),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": []})),
            Failure,
            &["jsonrpc.params-object"],
        ),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": 7})),
            Failure,
            &["jsonrpc.params-object"],
        ),
        // What a revision has, and who says it.
        Row::new(PING, stray(json!([log])), Failure, &["jsonrpc.batch-not-sent"]),
        Row::new(
            ("ping", V2025_06_18, Duplex),
            stray(json!([log])),
            Failure,
            &["jsonrpc.batch-not-sent"],
        ),
        Row::new(
            ("ping", V2025_03_26, Duplex),
            stray(json!([log, {"id": 1}])),
            Failure,
            &["jsonrpc.version-member"],
        ),
        Row::new(("ping", V2024_11_05, Duplex), stray(json!([log])), Warning, &[]),
        Row::new(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
            Failure,
            &["schema.message-direction"],
        ),
        Row::new(
            LIST,
            [Fault::stray("tools/list", question)],
            Failure,
            &["transport.stdio.server-no-requests"],
        ),
        Row::new(
            LIST,
            [Fault::remove("tools/list", "/result/resultType")],
            Failure,
            &["base.result-type-present"],
        ),
        Row::new(
            LIST,
            [Fault::reply_error("tools/list", -32002)],
            Failure,
            &["jsonrpc.error-code-retired"],
        ),
        Row::new(
            LIST,
            [Fault::reply_error("tools/list", -32050)],
            Failure,
            &["jsonrpc.error-code-reserved-range"],
        ),
    ]
}

#[cfg(feature = "http")]
fn http() -> Vec<Row> {
    use CarrierKind::Router;
    use Status::{Failure, Warning};
    let at = |revision| ("tools-list", revision, Router);
    let question = json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"});
    let media: &[&str] = &["transport.http.request-content-type"];
    let plain = || [Fault::content_type("tools/list", "text/plain")];
    vec![
        Row::new(at(V2025_11_25), [Fault::html("tools/list")], Failure, media),
        Row::new(at(V2025_11_25), plain(), Failure, media),
        Row::new(at(V2024_11_05), plain(), Warning, &[]),
        Row::new(
            at(V2025_11_25),
            [Fault::truncate("tools/list")],
            Failure,
            &["transport.http.json-single-object"],
        ),
        Row::new(at(V2025_03_26), [Fault::truncate("tools/list")], Failure, media),
        Row::new(
            at(V2025_11_25),
            [Fault::content_type("tools/list", "text/event-stream")],
            Failure,
            &["transport.http.sse-event-data"],
        ),
        Row::new(
            at(V2026_07_28),
            [Fault::stray("tools/list", question)],
            Failure,
            &["transport.http.server-no-requests"],
        ),
    ]
}

#[cfg(not(feature = "http"))]
fn http() -> Vec<Row> {
    Vec::new()
}

#[test]
fn the_judge_finds_what_a_fault_does_to_a_conversation() {
    let rows: Vec<Row> = lines().into_iter().chain(http()).collect();
    let broken: Vec<String> = rows.iter().filter_map(Row::prove).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    for status in [Status::Failure, Status::Warning] {
        assert!(rows.iter().any(|row| row.status == status), "{status}");
    }
}

#[test]
fn a_message_of_a_wrong_shape_fails_by_all_rules() {
    let shapes = [
        ("tools-list", "set:tools/list:/tools/0/name:7", "schema.tool"),
        ("tools-list", "set:tools/list:/nextCursor:7", "pagination.cursor.string"),
        (
            "resources-list",
            r#"set:resources/list:/resources/0/uri:"noscheme""#,
            "resources.definition.uri-valid",
        ),
        ("prompts-list", "set:prompts/list:/prompts/0/description:7", "schema.prompt"),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/role:"system""#,
            "prompts.message.role-values",
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:"text""#,
            "prompts.message.single-content",
        ),
        ("ping", "remove:ping:/jsonrpc", "jsonrpc.version-member"),
        ("ping", "retype:ping:/result", "jsonrpc.result-object"),
    ];
    for (scenario, fault, requirement) in shapes {
        let cell = (scenario, V2025_11_25, Duplex);
        let row = Row::new(cell, [fault.parse::<Fault>().expect(fault)], Status::Failure, &[]);
        for profile in Profile::ALL {
            let good = row.play(Vec::new(), profile);
            assert_eq!(statuses(&good).get(SCHEMA_VALID), Some(&Status::Success), "{scenario}");
            let bad = row.play(row.faults.clone(), profile);
            let check = bad.failing().find(|check| check.id == SCHEMA_VALID);
            let check = check.unwrap_or_else(|| panic!("{fault}: {:?}", statuses(&bad)));
            assert_eq!(check.requirements, [requirement], "{fault}");
            assert_eq!(check.origin, Origin::Official);
            assert_eq!(bad.verdict, Verdict::Failed, "{fault}");
        }
    }
}

#[cfg(feature = "http")]
#[test]
fn where_the_official_suite_does_not_validate_the_check_is_ours() {
    let cell = ("server-session-lifecycle", V2025_11_25, CarrierKind::Router);
    let row = Row::new(cell, [], Status::Success, &[]);
    let good = row.play(Vec::new(), Profile::Official);
    let check = good.checks.iter().find(|check| check.id == SCHEMA_VALID).expect("a row");
    assert_eq!((check.status, check.origin), (Status::Success, Origin::Own));
}

/// A scenario that sends something wrong, at one revision on purpose.
mod clumsy {
    use serde_json::json;

    use crate::check::Finding;
    use crate::client::RequestOptions;
    use crate::scenario::{CheckSpec, Ctx};
    use crate::server::reference::everything;
    use crate::spec::{Revision, Revisions};
    use crate::{proofs, scenario};

    scenario! {
        /// Asks in a way in which nobody should.
        Server "clumsy": "A scenario that sends something wrong",
        revisions: Revisions::all(),
        checks: [CheckSpec::own("clumsy", "Clumsy", "made always")],
    }

    proofs! {
        passes on everything();
    }

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        ctx.check("clumsy").pass();
        let options = match ctx.revision() {
            Revision::V2025_06_18 => RequestOptions::new().deliberate(),
            _ => RequestOptions::new(),
        };
        let reply = ctx.request_with("tools/call", json!({"name": 7}), options).await?;
        let _refused = reply.error();
        Ok(())
    }
}

#[test]
fn a_wrong_message_of_ours_is_our_own_fault_unless_it_is_meant() {
    let played = |revision, profile| {
        let cell = Cell { scenario: &clumsy::SCENARIO, revision, carrier: Duplex };
        let ping = scenarios::find(Leg::Server, "ping").expect("a built-in scenario");
        let plan = plan(&everything().into(), ping, profile);
        block_on(play(&plan, cell, Known::default()))
    };
    for profile in Profile::ALL {
        let wrong = played(V2025_11_25, profile);
        let check = wrong.checks.iter().find(|check| check.id == SCHEMA_HARNESS_ERROR);
        let check = check.expect("a row");
        let blame = check.finding.as_ref().map(|finding| finding.blame);
        assert_eq!((check.status, blame), (Status::Failure, Some(Blame::Harness)));
        assert_eq!(statuses(&wrong).get(SCHEMA_VALID), Some(&Status::Success));
        if profile != Profile::Official {
            assert_eq!(wrong.verdict, Verdict::NotRun);
        }
        let meant = played(V2025_06_18, profile);
        assert_eq!(statuses(&meant).get(SCHEMA_HARNESS_ERROR), None);
        assert_eq!(meant.verdict, Verdict::Passed);
    }
}

#[test]
fn a_requirement_of_another_revision_is_unfounded() {
    let row = Row::new(("ping", V2025_03_26, Duplex), [], Status::Failure, &[]);
    let mut played = row.play(Vec::new(), Profile::Adaptive);
    assert_eq!(unfounded(&played), [""; 0]);
    let finding = Finding::peer("a batch").requires("jsonrpc.batch-not-sent");
    let remark = Finding::peer("odd JSON").should();
    played.checks.push(Check::from_finding(WELL_FORMED, Origin::Own, remark));
    played.checks.push(Check::from_finding("x", Origin::Own, finding));
    assert_eq!(
        unfounded(&played),
        ["x cites `jsonrpc.batch-not-sent`, which does not hold at 2025-03-26"]
    );
}
