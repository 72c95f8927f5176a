//! `mcp-test requirements [WORD…]`: what the specification demands, for people and for programs.

use super::args::{Format, RequirementsArgs};
use super::error::CliError;
use crate::json::{Object, Value};
use crate::spec::requirement::{self, Requirement};
use crate::spec::{Revision, Revisions};

/// What the command prints.
pub(super) fn text(args: &RequirementsArgs) -> Result<String, CliError> {
    let filter = args.filter.join(" ");
    let found = requirement::search(&filter);
    match args.format {
        Format::Json => {
            Ok(found.iter().map(|found| json(found)).collect::<Value>().pretty() + "\n")
        }
        Format::Human if found.is_empty() => Err(CliError::NoRequirement(filter)),
        Format::Human => Ok(table(&found)),
    }
}

/// A row for each requirement, and its text below it.
fn table(requirements: &[&Requirement]) -> String {
    let width = |cell: fn(&Requirement) -> String| {
        requirements
            .iter()
            .map(|requirement| cell(requirement).chars().count())
            .max()
            .unwrap_or_default()
    };
    let cells: [fn(&Requirement) -> String; 3] = [
        |requirement| requirement.id.to_owned(),
        |requirement| requirement.level.to_string(),
        |requirement| requirement.who.to_string(),
    ];
    let [id, level, who] = cells.map(width);
    let mut text = String::new();
    for requirement in requirements {
        text.push_str(&format!(
            "{:id$}  {:level$}  {:who$}  {}\n  {}\n",
            requirement.id,
            requirement.level,
            requirement.who,
            requirement.revisions,
            requirement.says
        ));
    }
    let count = match requirements.len() {
        1 => "1 requirement".to_owned(),
        many => format!("{many} requirements"),
    };
    text.push_str(&format!("\n{count}; `mcp-test explain ID` tells all about one\n"));
    text
}

fn json(requirement: &Requirement) -> Value {
    let mut object = Object::new();
    object.push("id", requirement.id);
    object.push("aliases", requirement.aliases.clone());
    object.push("level", requirement.level.as_str());
    object.push("who", requirement.who.as_str());
    object.push("revisions", names(requirement.revisions));
    object.push("testable", requirement.testable.as_str());
    object.push("page", requirement.page);
    let newest = requirement.revisions.newest().unwrap_or(Revision::NEWEST);
    object.push("url", requirement.link(newest));
    object.push("says", requirement.says);
    object.push("probe", requirement.probe);
    object.push("violation", requirement.violation);
    Value::Object(object)
}

fn names(revisions: Revisions) -> Value {
    revisions.iter().map(Revision::as_str).collect()
}
