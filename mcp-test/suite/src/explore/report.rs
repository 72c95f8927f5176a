//! A reduced failure in words, with the command that repeats it.

use mcp_test_core::check::Finding;
use mcp_test_core::expect::words::{excerpt, list};
use mcp_test_core::process::shell_quoted;

use super::chain::Step;
use super::explored::Explored;
use super::failure::FailureKind;
use super::operation::Operation;
use super::saved_cases::case;
use super::saved_tests::{function_name, test};
use super::shrink::Reduced;
use crate::generate::Class;

/// The longest arguments that are shown, in characters.
const SHOWN: usize = 400;

/// The longest test or case that is shown, in bytes.
const SNIPPET: usize = 1500;

/// How many violations are listed that a tool accepts.
const ACCEPTED: usize = 8;

/// The finding of a reduced failure, with the calls that show it.
#[must_use]
pub fn explained(reduced: &Reduced, explored: &Explored) -> Finding {
    let mut finding = reduced.failure.finding.clone();
    finding.headline = reduced.headline();
    if reduced.failure.kind.is_without_reply() {
        // Calls of other tools may end in the same way, for another reason.
        finding.cause = None;
    }
    let calls = &reduced.chain.steps;
    let mut lines = vec![match calls.len() {
        1 => "the call that shows it:".to_owned(),
        count => format!("the {count} calls that show it:"),
    }];
    lines.extend(calls.iter().map(|step| format!("  {}", call_text(step))));
    if let Class::Invalid { keyword, instance } = &reduced.class {
        lines.push(match instance.is_root() {
            true => format!("the arguments violate `{keyword}` of the schema"),
            false => format!("the arguments violate `{keyword}` of the schema, at `{instance}`"),
        });
    }
    if reduced.failure.kind == FailureKind::InvalidAccepted && explored.accepted.len() > 1 {
        let accepted = explored
            .accepted
            .iter()
            .take(ACCEPTED)
            .map(|(instance, keyword)| format!("`{keyword}` at `{}`", excerpt(instance)));
        let mut accepted: Vec<String> = accepted.collect();
        if explored.accepted.len() > ACCEPTED {
            accepted.push(format!("{} more", explored.accepted.len() - ACCEPTED));
        }
        lines.push(format!("violations that it does not refuse: {}", list(accepted, "and")));
    }
    lines.push(match reduced.is_certain() {
        true => "it fails every time".to_owned(),
        false => format!("flaky: it failed {} of {} times", reduced.failed, reduced.tried),
    });
    if let [Step { operation: Operation::Tool(tool), arguments, .. }] = &calls[..] {
        let call = shell_quoted(&format!("{tool}={arguments}"));
        lines.push(format!("to make only this call: --call none --call {call}"));
    }
    if reduced.failure.kind == FailureKind::NoReply {
        lines.push("if it takes that long, allow more time".to_owned());
    }
    finding.add_hint(&lines.join("\n"));
    let repeated = [
        test(&function_name(reduced), reduced).map(|it| format!("As a test:\n{it}")),
        case(reduced).map(|it| format!("As a case:\n{it}")),
    ];
    let short = repeated.into_iter().flatten().filter(|text| text.len() <= SNIPPET);
    let snippets: Vec<String> = short.collect();
    if !snippets.is_empty() {
        finding.excerpt = Some(snippets.join("\n").trim_end().to_owned());
    }
    finding
}

/// A call in words: `add {"a":1}`, with where its values come from.
fn call_text(step: &Step) -> String {
    let mut text = format!("{} {}", step.operation, step.arguments.short(SHOWN));
    for link in &step.links {
        let result = link.step + 1;
        text.push_str(&format!(", `{}` from the result of call {result}", link.argument));
    }
    text
}
