//! `mcp-test list`: the scenarios, in the layout of the official suite, the faults, or the fixtures; as text or JSON.

use std::collections::BTreeSet;

use mcp_test_core::check::Origin;
use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::scenario::{Reason, RequirementSet, Scenario, TestedSide};
use mcp_test_core::spec::{ItemKind, Revision, Revisions, Side};
use mcp_test_core::transport::TransportKind;
use mcp_test_core::transport::fault::{FAULT_KINDS, FaultKind, Reach};
use mcp_test_suite::scenarios;
use mcp_test_suite::scenarios::fixtures::{self, Fixture};

use super::args::ListArgs;
use super::common_args::Format;
use super::error::CliError;
use super::{patterns, proof_page};

/// The version of `schemas/list.schema.json`.
const SCHEMA_VERSION: u64 = 1;

/// The headings of the official suite.
const SERVER: &str = "Server scenarios (test against a server):";
const CLIENT: &str = "Client scenarios (test against a client):";
const AUTHORIZATION: &str =
    "Authorization server scenarios (test against an authorization server):";

/// The output of the command.
pub(super) fn text(args: &ListArgs) -> Result<String, CliError> {
    if !args.requirements.is_empty() {
        let sets = args.requirements.iter().copied();
        return Ok(match args.format {
            Format::Human => sets.map(set_text).collect::<Vec<_>>().join("\n"),
            Format::Json => document("requirements", sets.map(set_json).collect()),
        });
    }
    if args.proofs {
        let scenarios: Vec<_> =
            shown(args)?.into_iter().flat_map(|(_, scenarios)| scenarios).collect();
        return Ok(proof_page::page(&scenarios));
    }
    if args.fixtures {
        return Ok(match args.format {
            Format::Human => fixtures_text(),
            Format::Json => {
                document("fixtures", fixtures::all().iter().map(fixture_json).collect())
            }
        });
    }
    Ok(match (args.format, args.faults) {
        (Format::Human, true) => faults(),
        (Format::Human, false) => sections(args)?,
        (Format::Json, true) => document("faults", FAULT_KINDS.iter().map(fault_json).collect()),
        (Format::Json, false) => {
            let sections = shown(args)?.into_iter().flat_map(|(_, scenarios)| scenarios);
            document("scenarios", sections.map(scenario_json).collect())
        }
    })
}

fn sections(args: &ListArgs) -> Result<String, CliError> {
    let texts: Vec<String> =
        shown(args)?.iter().map(|(heading, scenarios)| section(heading, scenarios)).collect();
    Ok(texts.join("\n"))
}

/// A heading, and the scenarios below it.
type Section = (&'static str, Vec<&'static Scenario>);

/// The selected scenarios, below the headings of the official suite, whose output scripts may parse.
fn shown(args: &ListArgs) -> Result<Vec<Section>, CliError> {
    // Without an option everything is listed, except sections without scenarios; a selected one is shown even if it is empty.
    let all = !(args.server || args.client || args.authorization);
    let window = args.revisions.iter().copied().reduce(Revisions::union);
    let window = window.unwrap_or(Revisions::all());
    let ids: Vec<&str> = scenarios::all().map(|scenario| &*scenario.id).collect();
    let selected =
        patterns::expand(&args.scenarios, &ids).map_err(|error| error.of("--scenario"))?;
    if let Some(id) = selected.iter().find(|id| !ids.contains(&id.as_str())) {
        let suggestion = words::closest(id, ids).map(str::to_owned);
        return Err(CliError::Unknown { id: id.clone(), suggestion });
    }
    let is_selected = |scenario: &Scenario| {
        selected.is_empty() || selected.iter().any(|id| scenario.id == id.as_str())
    };
    let of = |tested_side| {
        scenarios::all()
            .filter(|it| it.tested_side == tested_side && is_selected(it))
            .collect::<Vec<_>>()
    };
    let sections = [
        (args.server, SERVER, of(TestedSide::Server)),
        (args.client, CLIENT, of(TestedSide::Client)),
        (args.authorization, AUTHORIZATION, of(TestedSide::Authorization)),
    ];
    let shown = sections.into_iter();
    let shown = shown.filter(|(selected, _, found)| *selected || (all && !found.is_empty()));
    let within = |scenario: &&Scenario| match is_extension(scenario) {
        true => args.revisions.is_empty(),
        false => scenario.revisions.iter().any(|revision| window.contains(revision)),
    };
    Ok(shown
        .map(|(_, heading, found)| (heading, found.into_iter().filter(within).collect()))
        .collect())
}

/// A set, in the layout of the official suite.
fn set_text(set: &RequirementSet) -> String {
    let revision = set.revision;
    let all = set.scored(TestedSide::Server).len() + set.scored(TestedSide::Client).len();
    let mut text =
        format!("Required for {revision} ({all} scenarios, frozen; run at the {revision} wire):\n");
    for (tested_side, heading) in [(TestedSide::Server, SERVER), (TestedSide::Client, CLIENT)] {
        text.push_str(&format!("\n{heading}\n"));
        text.extend(set.scored(tested_side).iter().map(|id| format!("  - {id}\n")));
    }
    text.push_str("\nRun and reported, but never scored:\n");
    let unscored: Vec<(TestedSide, Reason, &str)> = set.unscored().collect();
    for group in unscored.chunk_by(|(_, one, _), (_, other, _)| one == other) {
        let Some((_, reason, _)) = group.first() else { continue };
        text.push_str(&format!("  {reason} ({}):\n", group.len()));
        text.extend(
            group.iter().map(|(tested_side, _, id)| format!("    - {id} [{tested_side}]\n")),
        );
    }
    text
}

fn set_json(set: &RequirementSet) -> Value {
    let mut object = Object::new();
    object.push("revision", set.revision.as_str());
    for tested_side in [TestedSide::Server, TestedSide::Client] {
        object
            .push(tested_side.as_str(), set.scored(tested_side).iter().copied().collect::<Value>());
    }
    let unscored = set.unscored().map(|(tested_side, reason, id)| {
        let members =
            [("scenario", id), ("leg", tested_side.as_str()), ("reason", reason.as_str())];
        Value::Object(members.into_iter().map(|(name, text)| (name, Value::from(text))).collect())
    });
    object.push("unscored", unscored.collect::<Value>());
    Value::Object(object)
}

/// Whether the official suite lists the scenario at no revision.
fn is_extension(scenario: &Scenario) -> bool {
    scenario.official.is_some_and(|official| official.is_extension())
}

fn section(heading: &str, scenarios: &[&Scenario]) -> String {
    let mut text = format!("{heading}\n");
    for scenario in scenarios {
        let revisions: Vec<&str> = match is_extension(scenario) {
            true => vec!["extension"],
            false => scenario.revisions.iter().map(Revision::as_str).collect(),
        };
        text.push_str(&format!("  - {} [{}]\n", scenario.id, revisions.join(",")));
    }
    text
}

fn document(name: &str, list: Value) -> String {
    let members = [("schemaVersion", Value::from(SCHEMA_VERSION)), (name, list)];
    Value::Object(members.into_iter().collect()).pretty() + "\n"
}

fn scenario_json(scenario: &Scenario) -> Value {
    let revisions =
        |revisions: Revisions| revisions.iter().map(Revision::as_str).collect::<Value>();
    let mut object = Object::new();
    object.push("id", &*scenario.id);
    object.push("title", &*scenario.title);
    object.push("leg", scenario.tested_side.as_str());
    object.push("revisions", revisions(scenario.revisions));
    object.push(
        "official",
        scenario.official.map(|official| {
            let suites = official.suites.iter().map(|suite| suite.name(scenario.tested_side));
            let mut object = Object::new();
            object.push("suites", suites.collect::<Value>());
            object.push("revisions", revisions(official.revisions));
            Value::Object(object)
        }),
    );
    let transports = TransportKind::ALL.into_iter().filter(|it| scenario.transports.contains(*it));
    object.push("transports", transports.map(TransportKind::as_str).collect::<Value>());
    object.push("needs", scenario.needs.iter().map(ToString::to_string).collect::<Value>());
    let ids: BTreeSet<&str> =
        scenario.checks.iter().flat_map(|check| check.requirements).map(|it| it.id).collect();
    object.push("requirements", ids.into_iter().collect::<Value>());
    let checks = scenario.checks.iter().map(|check| {
        let mut object = Object::new();
        object.push("id", &*check.id);
        object.push("description", &*check.description);
        object.push("official", check.origin == Origin::Official);
        Value::Object(object)
    });
    object.push("checks", checks.collect::<Value>());
    Value::Object(object)
}

fn fault_json(fault: &FaultKind) -> Value {
    let sides = [Side::Server, Side::Client].into_iter().filter(|side| fault.is_of(*side));
    let transports = TransportKind::ALL.into_iter().filter(|it| fault.reach.covers(*it));
    let mut object = Object::new();
    object.push("form", fault.form);
    object.push("summary", fault.summary);
    object.push("peers", sides.map(Side::as_str).collect::<Value>());
    object.push("transports", transports.map(TransportKind::as_str).collect::<Value>());
    Value::Object(object)
}

fn faults() -> String {
    const HEAD: &str = "\
Faults of the reference peers: `mcp-test reference server --fault FAULT`, and with a star also
`mcp-test reference client URL --fault FAULT`; --fault may be repeated

METHOD is the method of a request or notification that the peer sends, or of a request that it replies to; `*` is every
request; for HTTP, GET and DELETE are methods, too. POINTER points into the result or the parameters, or into the
message if it starts with a member of the envelope, such as `/id`. TIME has a unit: `500ms`, `2s`.
";
    const SECTIONS: [(&str, &[Reach]); 3] = [
        ("On every transport", &[Reach::Everywhere, Reach::Process]),
        ("Over stdio", &[Reach::Lines]),
        ("Over HTTP", &[Reach::Http, Reach::Network]),
    ];
    let width = FAULT_KINDS.iter().map(|word| word.form.len()).max().unwrap_or_default();
    let mut text = HEAD.to_owned();
    for (heading, reaches) in SECTIONS {
        text.push_str(&format!("\n{heading}:\n"));
        for word in FAULT_KINDS.iter().filter(|word| reaches.contains(&word.reach)) {
            let star = if word.is_of(Side::Client) { '*' } else { ' ' };
            text.push_str(&format!("{star} {:width$}  {}\n", word.form, word.summary));
        }
    }
    text
}

fn fixtures_text() -> String {
    const HEAD: &str = "\
Fixtures of the official suite, and the scenarios that use them. `--fixture FIXTURE=NAME` of `server` and `check` uses
what a server has under another name.
";
    let all = fixtures::all();
    let width = all.iter().map(|fixture| fixture.name.len()).max().unwrap_or_default();
    let mut text = HEAD.to_owned();
    for (kind, heading) in [
        (ItemKind::Tool, "Tools"),
        (ItemKind::Prompt, "Prompts"),
        (ItemKind::Resource, "Resources"),
        (ItemKind::ResourceTemplate, "Resource templates"),
    ] {
        text.push_str(&format!("\n{heading}:\n"));
        for Fixture { name, scenarios, .. } in all.iter().filter(|it| it.kind == kind) {
            let ids: Vec<&str> = scenarios.iter().map(|scenario| &*scenario.id).collect();
            text.push_str(&format!("  {name:width$}  {}\n", ids.join(", ")));
        }
    }
    text
}

fn fixture_json(fixture: &Fixture) -> Value {
    let mut object = Object::new();
    object.push("kind", fixture.kind.noun());
    object.push("name", fixture.name);
    object.push("scenarios", fixture.scenarios.iter().map(|it| &*it.id).collect::<Value>());
    Value::Object(object)
}
