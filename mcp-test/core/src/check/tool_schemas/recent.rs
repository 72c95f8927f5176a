//! The tools that were listed last in this process, with their compiled schemas.
//!
//! Each scenario run has a conversation of its own, and a server lists the same tools in each. To compile their schemas again
//! would take most of the time of a run.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Listing, Tool};
use crate::spec::Revision;

/// How many are kept; a server with more of them only costs more time.
const TOOLS: usize = 128;

/// The length of a tool that is kept, its name and its schemas as JSON text, in bytes; compiled it takes some ten times as much.
const BYTES: usize = 8 * 1024;

static RECENT: Mutex<RecentTools> = Mutex::new(RecentTools(BTreeMap::new()));

/// The tool of this listing: the one that was listed in the same way before, or a new one.
pub(super) fn tool(listing: &Listing<'_>, revision: Revision) -> Arc<Tool> {
    RECENT.lock().unwrap_or_else(PoisonError::into_inner).tool(listing, revision)
}

/// The tools that were listed last, by revision and name.
struct RecentTools(BTreeMap<(Revision, String), Arc<Tool>>);

impl RecentTools {
    fn tool(&mut self, listing: &Listing<'_>, revision: Revision) -> Arc<Tool> {
        if !is_small(listing) {
            return Arc::new(listing.to_tool());
        }
        let key = (revision, listing.name.to_owned());
        if let Some(tool) = self.0.get(&key).filter(|tool| tool.is_same(listing)) {
            return Arc::clone(tool);
        }
        if self.0.len() >= TOOLS {
            self.0.clear();
        }
        let tool = Arc::new(listing.to_tool());
        self.0.insert(key, Arc::clone(&tool));
        tool
    }
}

/// Whether the name and the schemas are short enough; does not write what is too long.
fn is_small(listing: &Listing<'_>) -> bool {
    let mut left = Left(BYTES);
    let is_named = left.write_str(listing.name).is_ok();
    is_named && listing.each_schema().all(|schema| write!(left, "{schema}").is_ok())
}

/// How much more text may be written; none of it is kept.
struct Left(usize);

impl Write for Left {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::Value;

    fn listed(recent: &mut RecentTools, name: &str, text: &str, revision: Revision) -> Arc<Tool> {
        let schema = json!({"type": "object", "description": text});
        let listed: Value = json!({"name": name, "inputSchema": schema}).into();
        recent.tool(&Listing::read(&listed).expect("a tool"), revision)
    }

    #[test]
    fn a_tool_is_kept_unless_it_is_listed_in_another_way() {
        let mut recent = RecentTools(BTreeMap::new());
        let mut tool = |text, revision| listed(&mut recent, "add", text, revision);
        let first = tool("a", Revision::V2025_11_25);
        assert!(Arc::ptr_eq(&first, &tool("a", Revision::V2025_11_25)));
        assert!(!Arc::ptr_eq(&first, &tool("a", Revision::V2025_06_18)));
        assert!(!Arc::ptr_eq(&first, &tool("b", Revision::V2025_11_25)));
    }

    #[test]
    fn neither_large_tools_nor_too_many_are_kept() {
        let mut recent = RecentTools(BTreeMap::new());
        let large = "a".repeat(BYTES);
        listed(&mut recent, "add", &large, Revision::V2025_11_25);
        listed(&mut recent, &large, "a", Revision::V2025_11_25);
        assert!(recent.0.is_empty());
        for number in 0..=TOOLS {
            listed(&mut recent, &number.to_string(), "a", Revision::V2025_11_25);
        }
        assert_eq!(recent.0.len(), 1);
    }
}
