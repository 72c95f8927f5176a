//! Finds likely mistakes in cases that can be read.
//!
//! | file | what it checks |
//! |---|---|
//! | `case_chain` | nothing: cases linked by `_continues`, on which the checks work |
//! | `structure` | names and messages of cases |
//! | `capabilities` | that the handshake declares what is used |
//! | `exchange` | that requests and replies belong together |
//! | `protocol` | methods, shapes, revisions |
//! | `values` | matchers, captures, inputs |
//! | `secrets` | secrets, and values that change with each run |

mod capabilities;
mod case_chain;
mod exchange;
mod protocol;
mod secrets;
mod structure;
#[cfg(test)]
mod tests;
mod values;

use mcp_test_core::expect::words;

use self::case_chain::{CaseChain, chains};
use crate::cases::format::lints::MORE;
use crate::cases::{CaseFile, Cases, Diagnostic};

/// Finds likely mistakes in cases, in the order of files and positions.
///
/// Errors that keep a file from being read are found when it is [read](Cases::read).
///
/// ```
/// use mcp_test::cases::{Cases, ReadOptions, lint};
///
/// let text = r#"
/// case: Lists tools
/// in: {"jsonrpc": "2.0", "id": 1, "method": "tools/lst"}
/// out: {"jsonrpc": "2.0", "id": 2, "result": {"tools": []}}
/// "#;
/// let (cases, _) = Cases::parse("a.yaml", text, &ReadOptions::default())?;
/// let names: Vec<&str> = lint(&cases).iter().map(|diagnostic| diagnostic.name).collect();
/// assert_eq!(names, ["unanswered", "unknown-method", "reply-without-request"]);
/// # Ok::<(), mcp_test::cases::ReadError>(())
/// ```
#[must_use]
pub fn lint(cases: &Cases) -> Vec<Diagnostic> {
    cases.files.iter().flat_map(|file| lint_file(file)).collect()
}

/// The largest number of diagnostics for one file.
const MOST: usize = 1000;

fn lint_file(file: &CaseFile) -> Vec<Diagnostic> {
    let mut found = structure::check(file);
    let chains: Vec<CaseChain<'_>> = chains(file).collect();
    found.extend(capabilities::check(file, &chains));
    for chain in &chains {
        for rule in [exchange::check, protocol::check, values::check, secrets::check] {
            found.extend(rule(chain));
        }
    }
    // Stable, so that several at one place keep the order of the rules.
    found.sort_by_key(|diagnostic| diagnostic.span.start);
    let left_out = found.len().saturating_sub(MOST);
    if let Some(last) = found.get(MOST) {
        let text = format!("{} for this file not shown", words::count(left_out, "more diagnostic"));
        let more = Diagnostic::new(&MORE, (&file.path, &file.text), last.span, text);
        found.truncate(MOST);
        found.push(more);
    }
    found
}
