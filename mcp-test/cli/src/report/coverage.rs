//! Which requirements a run has tested, as JSON.

use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::{Coverage, NotTested, RowState, why_unchecked};
use mcp_test_core::scenario::{Scenario, TestedSide};
use mcp_test_suite::scenarios;

/// One object for each requirement.
pub(super) fn json(coverage: &Coverage, tested_side: TestedSide) -> Value {
    let scenarios: Vec<&Scenario> = scenarios::all().collect();
    let rows = coverage.rows(&scenarios, tested_side).map(|(row, state)| {
        let mut object = Object::new();
        object.push("id", row.id);
        object.push("page", row.area());
        object.push("level", row.level.as_str());
        object.push(
            "state",
            match state {
                RowState::Tested => "tested",
                RowState::Violated => "violated",
                RowState::NotTested(_) => "not-tested",
            },
        );
        if let RowState::NotTested(reason) = state {
            object.push("reason", reason.as_str());
            if let (NotTested::Unchecked, Some(why)) = (reason, why_unchecked(row, tested_side)) {
                object.push("why", why);
            }
        }
        Value::Object(object)
    });
    rows.collect()
}
