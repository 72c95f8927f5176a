//! The proofs of the checks that every scenario for clients gets: that the client took part and left well, that what it
//! said is well-formed, and that it called tools as their schemas want it.

use serde_json::json;

use super::{Peer, block_on, outcome, statuses, unfounded};
use crate::check::{Status, WELL_FORMED};
use crate::client::reference::good_client;
use crate::client::{Errand, Visitor};
use crate::run::Cell;
use crate::scenario::{LEFT_WELL, Leg, Profile, Scenario, TOOK_PART};
use crate::scenarios;
use crate::spec::Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use crate::transport::{CarrierKind, Fault};

fn of_clients() -> impl Iterator<Item = &'static Scenario> {
    scenarios::all().filter(|scenario| scenario.leg == Leg::Client)
}

fn at(scenario: &'static Scenario, revision: Revision) -> Cell {
    Cell { scenario, revision, carrier: CarrierKind::Http }
}

/// A client that never comes.
fn absent() -> Visitor {
    Visitor::new(|_: Errand| async { Ok(()) })
}

/// A client that does all that it should, and then says that it went wrong.
fn discontent() -> Visitor {
    Visitor::new(|errand: Errand| async move {
        good_client().visit(errand.endpoint().clone()).await?;
        Err("out of paper".into())
    })
}

#[test]
fn that_a_client_took_part_and_left_well_is_proven_on_all_cells() {
    for scenario in of_clients() {
        for revision in scenario.revisions.iter() {
            for profile in Profile::ALL {
                let cell = at(scenario, revision);
                let statuses = |client: Visitor| {
                    let outcome = block_on(outcome(&client.into(), cell, profile));
                    let status = |id| {
                        let failing = outcome.failing().any(|check| check.id == id);
                        (statuses(&outcome).get(id).copied(), failing)
                    };
                    [TOOK_PART, LEFT_WELL].map(status)
                };
                let fails = (Some(Status::Failure), true);
                let passes = (Some(Status::Success), false);
                assert_eq!(statuses(absent()), [fails, passes], "{cell} under {profile}");
                assert_eq!(statuses(discontent()), [passes, fails], "{cell} under {profile}");
            }
        }
    }
}

/// One row of the table: at which revision, what damage, and the requirements that are found broken.
type Row = (Revision, Vec<Fault>, Status, &'static [&'static str]);

fn rows() -> Vec<Row> {
    use Status::Failure;
    let list = "tools/list";
    let set = |pointer: &str, value: serde_json::Value| vec![Fault::set(list, pointer, value)];
    let stray = |message: serde_json::Value| vec![Fault::stray(list, message)];
    let log = || json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
    let one = |fault: Fault| vec![fault];
    vec![
        // Bodies.
        (
            V2025_03_26,
            one(Fault::truncate(list)),
            Failure,
            &["transport.http.body-single-or-batch"],
        ),
        (V2025_11_25, one(Fault::truncate(list)), Failure, &["transport.http.body-single-message"]),
        (
            V2026_07_28,
            one(Fault::truncate(list)),
            Failure,
            &["transport.http.body-request-or-notification"],
        ),
        (
            V2025_11_25,
            one(Fault::empty_body(list)),
            Failure,
            &["transport.http.body-single-message"],
        ),
        // Envelopes and ids.
        (V2025_11_25, one(Fault::remove(list, "/jsonrpc")), Failure, &["jsonrpc.version-member"]),
        (V2025_11_25, set("/id", json!(1.5)), Failure, &["jsonrpc.request-id-type"]),
        (V2025_11_25, one(Fault::null_id(list)), Failure, &["jsonrpc.request-id-not-null"]),
        (V2025_11_25, set("/method", json!(5)), Failure, &["jsonrpc.request-method-string"]),
        (V2025_11_25, set("/params", json!([])), Failure, &["jsonrpc.params-object"]),
        // What a revision has, and who says it.
        (
            V2025_06_18,
            stray(json!([log()])),
            Failure,
            &["schema.message-direction", "jsonrpc.batch-not-sent"],
        ),
        (V2025_11_25, stray(log()), Failure, &["schema.message-direction"]),
        (
            V2025_11_25,
            stray(json!({"jsonrpc": "2.0", "id": "s1", "result": {}})),
            Failure,
            &["jsonrpc.result-id-echo"],
        ),
    ]
}

#[test]
fn the_judge_finds_what_a_fault_does_to_a_client() {
    let scenario = scenarios::find(Leg::Client, "tools_call").expect("a built-in scenario");
    let mut broken = Vec::new();
    for (revision, faults, status, requirements) in rows() {
        let play = |client: Visitor| {
            block_on(outcome(&Peer::from(client), at(scenario, revision), Profile::Adaptive))
        };
        let good = play(good_client());
        let bad = play(good_client().faults(faults.clone()));
        let check = bad.checks.iter().find(|check| check.id == WELL_FORMED).expect("the check");
        let as_said = statuses(&good).get(WELL_FORMED) == Some(&Status::Success)
            && check.status == status
            && check.requirements == requirements
            && unfounded(&bad).is_empty();
        if !as_said {
            let names: Vec<String> = faults.iter().map(Fault::name).collect();
            broken.push(format!(
                "{revision} {}: {} {:?} {:?}\n{}",
                names.join(" "),
                check.status,
                check.requirements,
                unfounded(&bad),
                check.message.as_deref().unwrap_or_default()
            ));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

#[cfg(feature = "schema")]
#[test]
fn a_client_that_does_not_keep_to_the_schema_of_a_tool_is_warned() {
    use crate::check::TOOL_SCHEMAS;
    use Status::{Success, Warning};
    let call = "tools/call";
    let set = |value| vec![Fault::set(call, "/arguments/a", value)];
    let rows = [
        (vec![], Some(Success)),
        (set(json!(7)), Some(Success)),
        (set(json!("7")), Some(Warning)),
        (vec![Fault::remove(call, "/arguments/b")], Some(Warning)),
        (vec![Fault::set(call, "/arguments", json!({}))], Some(Warning)),
        // There is nothing to judge by.
        (vec![Fault::set(call, "/name", json!("unheard_of"))], None),
    ];
    let scenario = scenarios::find(Leg::Client, "tools_call").expect("a built-in scenario");
    for revision in scenario.revisions.iter() {
        for (faults, status) in &rows {
            let client = good_client().faults(faults.clone());
            let played =
                block_on(outcome(&client.into(), at(scenario, revision), Profile::Adaptive));
            let named: Vec<String> = faults.iter().map(Fault::name).collect();
            let check = played.checks.iter().find(|check| check.id == TOOL_SCHEMAS);
            assert_eq!(check.map(|it| it.status), *status, "{revision} {named:?}");
            let headline = |text: &str| text.starts_with("tool `add_numbers` was called with");
            let is_told = check.and_then(|it| it.message.as_deref()).is_some_and(headline);
            assert_eq!(is_told, *status == Some(Warning), "{revision} {named:?}");
        }
    }
}
