//! The official check `wire-schema-valid`, as far as our own checks can make it.
//!
//! Officially each message of the peer is held against the JSON schema of the revision. Messages are not validated here;
//! what our own checks and the judge find wrong with the shape of a message is told under the official id, so that where
//! the official suite ends with a failure this run does as well. There is never a SUCCESS, which would say more than was
//! looked at.

use serde_json::json;

use crate::check::{Check, Finding, Origin, Severity, Status};
use crate::json::Value;
use crate::scenario::{Leg, Scenario};

/// The official id.
pub(super) const SCHEMA_VALID: &str = "wire-schema-valid";

/// Areas of requirements that are about nothing but shape.
const AREAS: [&str; 1] = ["schema."];

/// What is in these areas, and which no schema of a message can say.
const EXCEPT: [&str; 1] = ["schema.message-direction"];

/// The requirements of other areas that are about shape.
const SHAPES: [&str; 19] = [
    "base.result-type-present",
    "jsonrpc.batch-not-sent",
    "jsonrpc.error-code-integer",
    "jsonrpc.error-shape",
    "jsonrpc.params-object",
    "jsonrpc.request-id-not-null",
    "jsonrpc.request-id-type",
    "jsonrpc.request-method-string",
    "jsonrpc.response-not-both",
    "jsonrpc.response-result-or-error",
    "jsonrpc.result-object",
    "jsonrpc.version-member",
    "pagination.cursor.string",
    "prompts.message.role-values",
    "prompts.message.single-content",
    "resources.contents.text-or-blob",
    "resources.definition.uri-valid",
    "tools.content.text",
    "tools.definition.input-schema-object-root",
];

/// The scenarios whose messages the official suite does not validate.
const NOT_VALIDATED: [&str; 6] = [
    "dns-rebinding-protection",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-sse-polling",
    "server-stateless",
    "tasks-status-notifications",
];

/// The scenarios for clients whose messages the official suite validates.
const VALIDATED_OF_CLIENTS: [&str; 2] = ["json-schema-2020-12-preservation", "tools_call"];

fn is_validated(scenario: &Scenario) -> bool {
    match scenario.leg {
        Leg::Server => !NOT_VALIDATED.contains(&scenario.id),
        Leg::Client => VALIDATED_OF_CLIENTS.contains(&scenario.id),
    }
}

/// The check, as FAILURE, if a message of a scenario was found to have a wrong shape.
pub(super) fn schema_valid(
    scenario: &Scenario,
    checks: &[Check],
    judged: &[Finding],
) -> Option<Check> {
    if !is_validated(scenario) {
        return None;
    }
    let own = checks.iter().filter(|check| check.origin == Origin::Own);
    let violations: Vec<&Finding> = own
        .filter_map(|check| check.finding.as_ref())
        .chain(judged)
        .filter(is_about_shape)
        .collect();
    let first = Finding::clone(violations.first()?);
    let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    let mut row = Check::new(SCHEMA_VALID, Origin::Official, Status::Failure);
    row.name = "WireSchemaValid".to_owned();
    row.description =
        "Everything that the peer sent has the shape that the schema gives it".to_owned();
    row.message = Some(texts.join("\n\n"));
    row.requirements.clone_from(&first.requirements);
    row.finding = Some(first);
    let violations = violations.iter().map(|violation| {
        json!({ "errors": [violation.to_string()], "requirements": violation.requirements })
    });
    let violations: Vec<serde_json::Value> = violations.collect();
    row.details = Some(Value::from(json!({ "violations": violations })));
    Some(row)
}

fn is_about_shape(finding: &&Finding) -> bool {
    let is_shape = |id: &&str| {
        let in_area = AREAS.iter().any(|area| id.starts_with(area)) && !EXCEPT.contains(id);
        in_area || SHAPES.contains(id)
    };
    finding.severity == Severity::Must && finding.requirements.iter().any(is_shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios;
    use crate::spec::requirement;

    fn scenario(leg: Leg, id: &str) -> &'static Scenario {
        scenarios::find(leg, id).expect("a built-in scenario")
    }

    fn own(finding: Finding) -> Check {
        Check::from_finding("own", Origin::Own, finding)
    }

    #[test]
    fn the_lists_name_requirements_that_exist() {
        for id in SHAPES.iter().chain(&EXCEPT) {
            assert_eq!(requirement::find(id).map(|found| found.id), Some(*id));
        }
        assert!(SHAPES.is_sorted());
    }

    #[test]
    fn only_what_is_about_shape_and_must_be_is_told() {
        let shape = || Finding::peer("a tool has no name").requires("schema.tool");
        let other = Finding::peer("two tools have one name").requires("tools.name.unique");
        let direction = Finding::peer("the wrong way").requires("schema.message-direction");
        let official = Check::from_finding("a", Origin::Official, shape());
        let silent = [own(other), own(direction), own(shape().should()), official];
        assert_eq!(schema_valid(scenario(Leg::Server, "tools-list"), &silent, &[]), None);
        let initialize = scenario(Leg::Client, "initialize");
        assert_eq!(schema_valid(initialize, &[own(shape())], &[]), None);

        let judged = Finding::peer("no version").requires("jsonrpc.version-member");
        let row = schema_valid(scenario(Leg::Server, "tools-list"), &[own(shape())], &[judged])
            .expect("a row");
        assert_eq!((row.status, row.origin), (Status::Failure, Origin::Official));
        assert_eq!(row.message.as_deref(), Some("a tool has no name\n\nno version"));
        let details = row.details.expect("details");
        let violations = details.get("violations").and_then(Value::as_array);
        assert_eq!(violations.map(<[Value]>::len), Some(2));
    }
}
