//! What is reported about a server before a run, in the profiles `adaptive` and `strict`.

use std::fmt::Write as _;

use mcp_test_core::client::MAX_PAGES;
use mcp_test_core::expect::words;
use mcp_test_core::run::{CalledByRun, Preflight};
use mcp_test_core::spec::ItemKind;

use crate::report::wrap::wrap;

/// Its name, its revisions, and what the run may do to it.
pub(super) fn text(preflight: &Preflight) -> String {
    let Preflight { speaks, complete, server, called, cut_lists } = preflight;
    let mut text = String::new();
    if let Some(server) = server {
        let _ = writeln!(text, "Server: {server}");
    }
    for (transport, revisions) in speaks {
        let revisions: Vec<&str> = revisions.iter().map(|revision| revision.as_str()).collect();
        let least = if *complete { "" } else { "at least " };
        let _ = writeln!(text, "Revisions over {transport}: {least}{}", revisions.join(", "));
    }
    text.extend(called.as_ref().map(called_tools));
    text.extend(cut_lists.iter().map(cut_list));
    text
}

/// Says before the run which tools it may call, and how to change that.
fn called_tools(tools: &CalledByRun) -> String {
    /// How many names are listed.
    const NAMED: usize = 8;
    let CalledByRun { called, others } = tools;
    let mut names: Vec<String> =
        called.iter().take(NAMED).map(|name| words::excerpt(name).into_owned()).collect();
    if called.len() > NAMED {
        names.push(format!("{} more", called.len() - NAMED));
    }
    let calls = if names.is_empty() { "no tools".to_owned() } else { words::list(names, "and") };
    let others = match others {
        0 => String::new(),
        others => format!("; {} only with --call", words::count(*others, "other")),
    };
    wrap(&words::inert(&format!("Calls {calls}{others}\n")), "", "  ")
}

/// Says that a list is too long to be read to its end.
fn cut_list(kind: &ItemKind) -> String {
    let list = kind.method();
    wrap(&format!("Reads {MAX_PAGES} pages of `{list}`, and there are more\n"), "", "  ")
}
