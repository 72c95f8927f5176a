//! SARIF 2.1.0: the problems of a run, for code scanning.

use std::collections::BTreeMap;

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::{Level, Problem, ScenarioRun, Summary};
use mcp_test_core::scenario::Kind;
use mcp_test_core::spec::{Requirement, Revision};

use super::run_problems::{RunProblem, run_problems};
use super::scenario_run_reports::{Conclusion, ScenarioRunReports, block, line};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// How many scenario runs of a problem are listed.
const LOCATIONS: usize = 100;

/// The longest message, in characters.
const MESSAGE: usize = 10_000;

/// The document.
///
/// A `result` is a problem: a cause, not each check that shows it. Its rule is the requirement that is broken, otherwise the
/// check. `level` is `error` for what makes the run fail, `warning` and `note` for what has no effect. What the baseline expects
/// is suppressed. What concerns the whole run is a notification of the invocation.
pub(super) fn text(reports: &ScenarioRunReports, summary: &Summary) -> String {
    let mut rules = Rules::default();
    let mut seen = BTreeMap::new();
    let problems = summary.problems.sorted();
    let results = problems.iter().map(|problem| {
        let identity = problem.identity();
        let number = seen.entry(identity.clone()).or_insert(0_usize);
        *number += 1;
        let rule = rules.of(problem);
        let fingerprint = format!("{identity}:{number}");
        result(problem, rule, &fingerprint, reports, summary)
    });
    let results: Value = results.map(Value::Object).collect();
    let mut driver = Object::new();
    driver.push("name", "mcp-test");
    driver.push("semanticVersion", env!("CARGO_PKG_VERSION"));
    driver.push("informationUri", env!("CARGO_PKG_REPOSITORY"));
    driver.push("rules", rules.list.into_iter().map(Value::Object).collect::<Value>());
    let mut run = Object::new();
    run.push("tool", Object::from_iter([("driver", driver)]));
    run.push("invocations", vec![Value::Object(invocation(reports, summary))]);
    run.push("results", results);
    // Positions in a text are not used, but the format has to say how they would be counted.
    run.push("columnKind", "unicodeCodePoints");
    run.push("properties", properties(reports, summary));
    let mut document = Object::new();
    document.push("$schema", SCHEMA);
    document.push("version", "2.1.0");
    document.push("runs", vec![Value::Object(run)]);
    Value::Object(document).pretty() + "\n"
}

/// What was run, and whether all of it.
fn invocation(reports: &ScenarioRunReports, summary: &Summary) -> Object {
    let of_run = run_problems(reports, summary);
    let mut object = Object::new();
    object.push("executionSuccessful", !of_run.iter().any(|problem| problem.is_error));
    object.push("exitCode", u64::from(summary.interrupted.unwrap_or(summary.exit.number())));
    let notification = |problem: &RunProblem| {
        let mut object = Object::new();
        object.push("descriptor", Object::from_iter([("id", problem.title)]));
        object.push("level", "error");
        object.push("message", message(&problem.text));
        Value::Object(object)
    };
    let notifications: Value = of_run.iter().map(notification).collect();
    object.push("toolExecutionNotifications", notifications);
    object
}

/// What was tested, and how the scenario runs ended.
fn properties(reports: &ScenarioRunReports, summary: &Summary) -> Object {
    let mut object = Object::new();
    object.push("command", reports.info.command);
    object.push("target", line(&reports.info.target));
    object.push("server", reports.server.as_deref().map(line));
    object.push("profile", reports.info.profile.as_str());
    let count = |it| reports.count(it, summary.baseline.as_ref());
    let counts = [
        ("passed", Conclusion::Passed),
        ("failed", Conclusion::Failed),
        ("failedAsExpected", Conclusion::ExpectedFailure),
        ("skipped", Conclusion::Skipped),
        ("notRun", Conclusion::NotRun),
        ("flaky", Conclusion::Flaky),
    ];
    object.push("scenarioRuns", Object::from_iter(counts.map(|(name, it)| (name, count(it)))));
    object
}

fn result(
    problem: &Problem,
    rule: usize,
    fingerprint: &str,
    reports: &ScenarioRunReports,
    summary: &Summary,
) -> Object {
    let baseline = summary.baseline.as_ref();
    let level = problem.unexpected_level(baseline);
    let example = &problem.example;
    let mut object = Object::new();
    object.push("ruleId", rule_id(problem));
    object.push("ruleIndex", rule);
    object.push("level", level_name(level.unwrap_or(problem.level())));
    let text = example.check.message.as_deref().unwrap_or("no reason was given");
    object.push("message", message(text));
    object.push("locations", vec![location(&example.scenario_run, reports)]);
    let scenario_runs = problem.scenario_runs();
    let others = scenario_runs
        .iter()
        .filter(|scenario_run| ***scenario_run != example.scenario_run)
        .take(LOCATIONS);
    let others: Vec<Value> = others.map(|scenario_run| location(scenario_run, reports)).collect();
    if !others.is_empty() {
        object.push("relatedLocations", others);
    }
    let fingerprints = [
        ("mcpTestProblem/v1", words::name(fingerprint)),
        // The one by which GitHub knows a result again; it computes it only for files of the repository.
        ("primaryLocationLineHash", format!("{:016x}:1", hash(fingerprint))),
    ];
    object.push("partialFingerprints", Object::from_iter(fingerprints));
    if level.is_none() {
        let mut suppression = Object::new();
        suppression.push("kind", "external");
        suppression.push("status", "accepted");
        suppression.push("justification", "the baseline expects this failure");
        object.push("suppressions", vec![Value::Object(suppression)]);
    }
    let mut properties = Object::new();
    properties.push("checks", texts(problem.checks()));
    let further = problem.further_requirements();
    let cited = problem.requirements().iter().copied().chain(further);
    properties.push("requirements", texts(cited.map(|requirement| requirement.id)));
    properties.push("scenarioRuns", scenario_runs.len());
    object.push("properties", properties);
    object
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value {
    texts.into_iter().take(LOCATIONS).map(line).collect()
}

const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Failing | Level::NotRun => "error",
        Level::Warning => "warning",
        Level::Advisory => "note",
    }
}

/// A plain text.
fn message(text: &str) -> Object {
    // `[text](address)` would be a link, which a peer must not place.
    let text = block(&words::cut(text, MESSAGE)).replace("](", "] (");
    Object::from_iter([("text", text)])
}

/// Server, scenario, revision and transport; the file is that of the case.
fn location(scenario_run: &ScenarioRun, reports: &ScenarioRunReports) -> Value {
    let ScenarioRun { scenario, revision, transport } = scenario_run;
    let tested = reports.server.as_ref().unwrap_or(&reports.info.target);
    let (tested, id) = (words::name(tested), line(&words::name(&scenario.id)));
    let mut logical = Object::new();
    logical.push("name", &*id);
    logical.push("fullyQualifiedName", format!("{tested}/{id}/{revision}/{transport}"));
    logical.push("kind", "scenario");
    // GitHub refuses a result without a line of a file. A built-in scenario has none in the repository of the peer.
    let uri = match scenario.kind {
        Kind::Case => uri(&scenario.file),
        _ => format!("mcp-test/{}/{}", scenario.tested_side, uri(&scenario.id)),
    };
    let mut artifact = Object::new();
    artifact.push("artifactLocation", Object::from_iter([("uri", uri)]));
    artifact.push("region", Object::from_iter([("startLine", 1), ("endLine", 1)]));
    let mut object = Object::new();
    object.push("physicalLocation", artifact);
    object.push("logicalLocations", vec![Value::Object(logical)]);
    Value::Object(object)
}

/// A path as a reference of RFC 3986.
fn uri(path: &str) -> String {
    let mut uri = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes().map(|byte| if byte == b'\\' { b'/' } else { byte }) {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// FNV-1a: the same in every release of Rust, which the hash of a `HashMap` is not.
fn hash(text: &str) -> u64 {
    let fold = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, fold)
}

/// The requirement that is broken, otherwise the check.
fn rule_id(problem: &Problem) -> String {
    match problem.requirements().first() {
        Some(requirement) => requirement.id.to_owned(),
        None => line(&words::name(&problem.example.check.id)),
    }
}

/// The rules of the results, each once.
#[derive(Default)]
struct Rules {
    index: BTreeMap<String, usize>,
    list: Vec<Object>,
}

impl Rules {
    /// The index of the rule of a problem.
    fn of(&mut self, problem: &Problem) -> usize {
        let id = rule_id(problem);
        if let Some(index) = self.index.get(&id) {
            return *index;
        }
        let rule = match problem.requirements().first() {
            Some(requirement) => {
                requirement_rule(requirement, problem.example.scenario_run.revision)
            }
            None => check_rule(&id, problem),
        };
        self.list.push(rule);
        self.index.insert(id, self.list.len() - 1);
        self.list.len() - 1
    }
}

fn requirement_rule(requirement: &Requirement, revision: Revision) -> Object {
    let mut object = Object::from_iter([("id", requirement.id)]);
    let text = |text: &str| Object::from_iter([("text", text)]);
    object.push("shortDescription", text(requirement.text));
    // GitHub requires both, and shows the second one where there is room.
    object.push("fullDescription", text(requirement.text));
    let link = requirement.link(revision);
    let reason = requirement.reason().map(|reason| format!(" Required by mcp-test: {reason}."));
    let source = link.as_ref().map(|link| format!(" {link}")).or(reason).unwrap_or_default();
    let help = format!("{} A violation: {}{source}", requirement.text, requirement.violation);
    object.push("help", text(&help));
    if let Some(link) = link {
        object.push("helpUri", link);
    }
    let mut properties = Object::new();
    properties.push("tags", vec!["mcp", requirement.level.as_str(), requirement.area()]);
    object.push("properties", properties);
    object
}

fn check_rule(id: &str, problem: &Problem) -> Object {
    let check = &problem.example.check;
    let mut object = Object::from_iter([("id", id)]);
    let is_built_in = problem.example.scenario_run.scenario.kind == Kind::BuiltIn;
    let description = match check.description.is_empty() {
        true => &check.id,
        false => &check.description,
    };
    let description = message(&words::name(description));
    object.push("shortDescription", description.clone());
    object.push("fullDescription", description);
    let help = match is_built_in {
        true => format!("`mcp-test explain {id}` says what it checks and why."),
        false => format!("The check `{id}` of a case or of a test."),
    };
    object.push("help", message(&help));
    let reference = check.spec_references.iter().find_map(|reference| reference.url.as_deref());
    // Only a page that a built-in scenario names: a case may name anything.
    if let Some(url) = reference.filter(|_| is_built_in) {
        object.push("helpUri", url);
    }
    object
}
