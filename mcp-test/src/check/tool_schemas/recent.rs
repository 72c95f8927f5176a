//! The tools that were listed last in this process, with their compiled schemas.
//!
//! Each scenario run has a conversation of its own, and a server lists the same tools in each. To compile their schemas again
//! would take most of the time of a run.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Listing, Tool};
use crate::spec::Revision;

/// How many are kept; a server with more of them only costs more time.
const TOOLS: usize = 128;

/// The length of the schemas of a tool that is kept, as JSON text in bytes; compiled they take some ten times as much.
const BYTES: usize = 8 * 1024;

type Recent = BTreeMap<(Revision, String), Arc<Tool>>;

static RECENT: Mutex<Recent> = Mutex::new(Recent::new());

/// The tool of this listing: the one that was listed in the same way before, or a new one.
pub(super) fn tool(listing: &Listing<'_>, revision: Revision) -> Arc<Tool> {
    let key = (revision, listing.name.to_owned());
    if let Some(tool) = recent().get(&key).filter(|tool| tool.is_same(listing)) {
        return Arc::clone(tool);
    }
    let tool = Arc::new(listing.to_tool());
    if is_small(listing) {
        let mut recent = recent();
        if recent.len() >= TOOLS {
            recent.clear();
        }
        recent.insert(key, Arc::clone(&tool));
    }
    tool
}

/// Whether the schemas are short enough; does not write those that are not.
fn is_small(listing: &Listing<'_>) -> bool {
    let mut left = Left(BYTES);
    listing.each_schema().all(|schema| write!(left, "{schema}").is_ok())
}

/// How much more text may be written; none of it is kept.
struct Left(usize);

impl Write for Left {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

fn recent() -> MutexGuard<'static, Recent> {
    RECENT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::Value;

    #[test]
    fn a_tool_is_kept_unless_it_is_listed_in_another_way_or_is_large() {
        let tool = |text: &str, revision| {
            let schema = json!({"type": "object", "description": text});
            let listed: Value = json!({"name": "recent-test", "inputSchema": schema}).into();
            tool(&Listing::read(&listed).expect("a tool"), revision)
        };
        let first = tool("a", Revision::V2025_11_25);
        assert!(Arc::ptr_eq(&first, &tool("a", Revision::V2025_11_25)));
        assert!(!Arc::ptr_eq(&first, &tool("a", Revision::V2025_06_18)));
        assert!(!Arc::ptr_eq(&first, &tool("b", Revision::V2025_11_25)));
        let large = "a".repeat(BYTES);
        let first = tool(&large, Revision::V2025_11_25);
        assert!(!Arc::ptr_eq(&first, &tool(&large, Revision::V2025_11_25)));
        assert!(recent().len() <= TOOLS);
    }
}
