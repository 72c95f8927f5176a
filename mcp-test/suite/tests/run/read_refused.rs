//! A resource that cannot be read now is no finding of a scenario that reads it for another reason.

use mcp_test_core::server::reference::everything;
use mcp_test_core::transport::Fault;

use super::*;

#[test]
fn hints_are_not_missing_where_a_resource_cannot_be_read() {
    let server = everything().faults([Fault::reply_error("resources/read", -32603)]);
    let of = |profile| {
        let selection =
            Selection { revisions: vec![Revision::V2026_07_28], ..selection(&["caching"]) };
        let plan = Plan::build(scenarios::all(), target(&server), profile, &selection);
        let rows = rows(&run_plan(&plan.expect("a plan")).0);
        rows.into_iter().filter(|row| row.contains("resources-read")).collect::<Vec<_>>()
    };
    let id = "sep-2549-resources-read-caching-hints";
    assert_eq!(of(Profile::Adaptive), [format!("caching 2026-07-28 SKIPPED {id}")]);
    // As the official suite does.
    assert_eq!(of(Profile::Official), [format!("caching 2026-07-28 FAILURE {id}")]);
}
