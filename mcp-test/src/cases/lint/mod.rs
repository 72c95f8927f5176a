//! What can be wrong with a file of cases: every complaint by its name, and what a reviewer would ask about.
//!
//! | file | what it looks at |
//! |---|---|
//! | `names` | the names of all complaints |
//! | `chain` | which cases are one conversation |
//! | `whole` | cases as a whole: their names, what they expect |
//! | `exchange` | requests and replies: ids |
//! | `protocol` | methods, shapes, revisions |
//! | `values` | matchers, captures, inputs |
//! | `exposed` | secrets, and values that will be others |

mod chain;
mod exchange;
mod exposed;
mod names;
mod protocol;
#[cfg(test)]
mod tests;
mod values;
mod whole;

use self::chain::{Chain, chains};
pub(super) use self::names::*;
pub use self::names::{LINTS, Lint};
use super::{CaseFile, Cases, Complaint};
use crate::expect::words;

/// What a reviewer of the files would ask about, in the order of the files and of the places in them.
///
/// What keeps a file from being read is found when it is [read](Cases::read).
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
/// let names: Vec<&str> = lint(&cases).iter().map(|complaint| complaint.name).collect();
/// assert_eq!(names, ["unanswered", "unknown-method", "reply-without-request"]);
/// # Ok::<(), mcp_test::cases::ReadError>(())
/// ```
#[must_use]
pub fn lint(cases: &Cases) -> Vec<Complaint> {
    cases.files.iter().flat_map(|file| of_file(file)).collect()
}

/// How much is told of one file.
const MOST: usize = 1000;

fn of_file(file: &CaseFile) -> Vec<Complaint> {
    let mut found = whole::of_file(file);
    for chain in chains(file) {
        for rule in [exchange::of_chain, protocol::of_chain, values::of_chain, exposed::of_chain] {
            found.extend(rule(&chain));
        }
    }
    found.sort_by_key(|complaint| complaint.span.start);
    let left_out = found.len().saturating_sub(MOST);
    if let Some(last) = found.get(MOST).filter(|_| left_out > 0) {
        let text = format!("{} of this file: not told", words::count(left_out, "more complaint"));
        let more = Complaint::new(&MORE, (&file.path, &file.text), last.span, text);
        found.truncate(MOST);
        found.push(more);
    }
    found
}
