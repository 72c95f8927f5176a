//! `mcp-test list`: the scenarios, in the layout of the official suite, or the faults.

use super::args::ListArgs;
use super::error::CliError;
use crate::scenario::{Leg, Scenario};
use crate::scenarios;
use crate::spec::{Revision, Revisions, Side};
use crate::transport::fault::{self, Reach};

/// What the command prints.
pub(super) fn text(args: &ListArgs) -> Result<String, CliError> {
    if args.faults {
        return Ok(faults());
    }
    let all = !(args.server || args.client || args.authorization);
    let window = match args.revisions.as_slice() {
        [] => Revisions::all(),
        several => several.iter().fold(Revisions::none(), |all, some| all.union(*some)),
    };
    let of = |leg| scenarios::all().filter(|scenario| scenario.leg == leg).collect();
    let sections: [(bool, &str, Vec<&Scenario>); 3] = [
        (args.server, "Server scenarios (test against a server):", of(Leg::Server)),
        (args.client, "Client scenarios (test against a client):", of(Leg::Client)),
        (
            args.authorization,
            "Authorization server scenarios (test against an authorization server):",
            Vec::new(),
        ),
    ];
    let wanted = sections.iter().filter(|(asked, _, found)| *asked || (all && !found.is_empty()));
    let texts: Vec<String> =
        wanted.map(|(_, heading, found)| section(heading, found, window)).collect();
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
Faults of the reference peers: `mcp-test reference server --fault FAULT`, and those with a star also
`mcp-test reference client URL --fault FAULT`; --fault may be repeated

METHOD is that of a request or a notification that the peer sends, or of a request that it replies to; `*` is every
request; where HTTP is meant, GET and DELETE are methods, too. POINTER leads into the result or the parameters, or into
the message if it starts with a member of the envelope, such as `/id`. TIME has a unit: `500ms`, `2s`.
";
    const SECTIONS: [(&str, &[Reach]); 3] = [
        ("On every transport", &[Reach::Everywhere, Reach::Process]),
        ("Over stdio", &[Reach::Lines]),
        ("Over HTTP", &[Reach::Http, Reach::Network]),
    ];
    let width = fault::WORDS.iter().map(|word| word.form.len()).max().unwrap_or_default();
    let mut text = HEAD.to_owned();
    for (heading, reaches) in SECTIONS {
        text.push_str(&format!("\n{heading}:\n"));
        for word in fault::WORDS.iter().filter(|word| reaches.contains(&word.reach)) {
            let star = if word.is_of(Side::Client) { '*' } else { ' ' };
            text.push_str(&format!("{star} {:width$}  {}\n", word.form, word.summary));
        }
    }
    text
}
