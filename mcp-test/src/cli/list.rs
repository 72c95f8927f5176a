//! `mcp-test list`: the scenarios, in the layout of the official suite, or the faults.

use super::args::ListArgs;
use super::error::CliError;
use super::patterns;
use crate::expect::words;
use crate::scenario::{Leg, Scenario};
use crate::scenarios;
use crate::spec::{Revision, Revisions, Side};
use crate::transport::fault::{self, Reach};

/// The output of the command.
pub(super) fn text(args: &ListArgs) -> Result<String, CliError> {
    if args.faults {
        return Ok(faults());
    }
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
    let of =
        |leg| scenarios::all().filter(|it| it.leg == leg && is_selected(it)).collect::<Vec<_>>();
    // The headings are those of the official suite, whose output scripts may parse.
    let sections: [(bool, &str, Vec<&Scenario>); 3] = [
        (args.server, "Server scenarios (test against a server):", of(Leg::Server)),
        (args.client, "Client scenarios (test against a client):", of(Leg::Client)),
        (
            args.authorization,
            "Authorization server scenarios (test against an authorization server):",
            Vec::new(),
        ),
    ];
    let shown =
        sections.iter().filter(|(selected, _, found)| *selected || (all && !found.is_empty()));
    let texts: Vec<String> =
        shown.map(|(_, heading, found)| section(heading, found, window)).collect();
    Ok(texts.join("\n"))
}

fn section(heading: &str, scenarios: &[&Scenario], window: Revisions) -> String {
    let mut text = format!("{heading}\n");
    for scenario in scenarios {
        if scenario.revisions.iter().any(|revision| window.contains(revision)) {
            let revisions: Vec<&str> = scenario.revisions.iter().map(Revision::as_str).collect();
            text.push_str(&format!("  - {} [{}]\n", scenario.id, revisions.join(",")));
        }
    }
    text
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
    let width = fault::FAULT_KINDS.iter().map(|word| word.form.len()).max().unwrap_or_default();
    let mut text = HEAD.to_owned();
    for (heading, reaches) in SECTIONS {
        text.push_str(&format!("\n{heading}:\n"));
        for word in fault::FAULT_KINDS.iter().filter(|word| reaches.contains(&word.reach)) {
            let star = if word.is_of(Side::Client) { '*' } else { ' ' };
            text.push_str(&format!("{star} {:width$}  {}\n", word.form, word.summary));
        }
    }
    text
}
