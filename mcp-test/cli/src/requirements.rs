//! `mcp-test requirements [WORD…]`: the requirements of the specification, as text or JSON.

mod coverage;

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::CitingCheck;
use mcp_test_core::spec::Revision;
use mcp_test_core::spec::requirement::{self, Requirement, Source};
use mcp_test_suite::scenarios::citing_checks;

use super::args::RequirementsArgs;
use super::common_args::Format;
use super::error::CliError;

/// The version of `schemas/requirements.schema.json`.
const SCHEMA_VERSION: u64 = 1;

/// The output of the command.
pub(super) fn text(args: &RequirementsArgs) -> Result<String, CliError> {
    let filter = args.filter.join(" ");
    let found = requirement::search(&filter);
    match args.format {
        Format::Json => {
            let mut document = Object::new();
            document.push("schemaVersion", SCHEMA_VERSION);
            document.push("requirements", found.iter().map(|it| json(it)).collect::<Value>());
            Ok(Value::Object(document).pretty() + "\n")
        }
        // For a program, nothing found is an answer; a person has probably misspelled a word.
        Format::Human if found.is_empty() => Err(CliError::NoRequirement(filter)),
        Format::Human if args.coverage => Ok(coverage::text(&found)),
        Format::Human => Ok(table(&found)),
    }
}

/// One row per requirement, with its text below.
fn table(requirements: &[&Requirement]) -> String {
    let columns =
        |it: &&Requirement| [it.id.len(), it.level.as_str().len(), it.binds.as_str().len()];
    let wider = |a: [usize; 3], b: [usize; 3]| std::array::from_fn(|i| a[i].max(b[i]));
    let [id, level, who] = requirements.iter().map(columns).fold([0; 3], wider);
    let mut text = String::new();
    for requirement in requirements {
        text.push_str(&format!(
            "{:id$}  {:level$}  {:who$}  {}{}\n  {}\n",
            requirement.id,
            requirement.level,
            requirement.binds,
            requirement.revisions,
            if requirement.reason().is_some() { "  (of mcp-test)" } else { "" },
            requirement.text
        ));
    }
    let count = words::count(requirements.len(), "requirement");
    text.push_str(&format!("\n{count}; `mcp-test explain ID` shows the details\n"));
    text
}

fn json(requirement: &Requirement) -> Value {
    let mut object = Object::new();
    object.push("id", requirement.id);
    object.push("aliases", requirement.aliases.to_vec());
    object.push("level", requirement.level.as_str());
    object.push("who", requirement.binds.as_str());
    object.push("revisions", requirement.revisions.iter().map(Revision::as_str).collect::<Value>());
    object.push("testable", requirement.testable.as_str());
    match requirement.source {
        Source::McpTest { reason } => object.push("reason", reason),
        Source::Specification { page } => {
            object.push("page", page);
            let newest = requirement.revisions.newest().unwrap_or(Revision::NEWEST);
            object.push("url", requirement.link(newest).unwrap_or_default());
        }
    }
    object.push("says", requirement.text);
    object.push("probe", requirement.probe);
    object.push("violation", requirement.violation);
    object.push("unchecked", requirement.unchecked);
    object.push("uncheckedOfClients", requirement.unchecked_of_clients);
    object.push("checks", citing_checks(requirement).iter().filter_map(check).collect::<Value>());
    Value::Object(object)
}

/// A check that stands for the requirement; `None` if it may be any.
fn check(check: &CitingCheck) -> Option<Value> {
    let mut object = Object::new();
    match check {
        CitingCheck::Declared(scenario, check) => {
            object.push("scenario", &*scenario.id);
            object.push("check", &*check.id);
        }
        CitingCheck::Common(id) => object.push("check", *id),
        CitingCheck::Any => return None,
    }
    if let Some(proofs) = check.proofs() {
        object.push("proofs", u64::try_from(proofs).unwrap_or(u64::MAX));
    }
    Some(Value::Object(object))
}
