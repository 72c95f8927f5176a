//! The schemas of tools: that they are schemas, and that what is exchanged by them conforms.
//!
//! A server lists each tool with an `inputSchema`, and with an `outputSchema` if it promises something of its output.
//! [`ToolSchemas`] is what was listed; `judge` judges a trace by it. Whether a tool has the members of a tool
//! at all is a matter of its shape, which is not judged here.
//!
//! A schema that refers to another document does not count against the server: a WARNING says that it was not judged. What
//! exceeds a limit of mcp-test, or comes after the [`TimeBudget`] is spent, is not judged either, and blames nobody.

mod budget;
mod judge;
mod listed;
mod recent;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) use self::budget::TimeBudget;
pub(super) use self::judge::ToolSchemaJudge;
pub(crate) use self::listed::compile;
use self::listed::{Listing, Tool};
use super::{Cause, Finding};
use crate::json::{Pointer, Value};
use crate::spec::{Requirement, Revision};

/// The schemas with which a server has listed its tools.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::check::ToolSchemas;
/// use mcp_test::spec::{Requirement, Revision};
/// use serde_json::json;
///
/// let mut tools = ToolSchemas::new(Revision::V2025_11_25);
/// let add = json!({
///     "name": "add",
///     "inputSchema": {"type": "object", "required": ["a"]},
///     "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}},
/// });
/// assert!(tools.listed(&json!({"tools": [add]}).into()).is_empty());
///
/// let result = json!({"content": [], "structuredContent": {"sum": "3"}});
/// let findings = tools.returned("add", &result.into());
/// assert_eq!(findings[0].requirements, [Requirement::TOOLS_STRUCTURED_CONFORMS_OUTPUT_SCHEMA]);
/// assert_eq!(
///     findings[0].to_string(),
///     "tool `add` returned structured content that does not conform to its `outputSchema`\n  \
///      expected `/result/structuredContent/sum` is an integer\n  \
///      got \"3\", which is a string"
/// );
/// ```
#[doc(hidden)]
#[derive(Debug)]
pub struct ToolSchemas {
    revision: Revision,
    tools: Tools,
    /// The tools of the list before: one that is listed again unchanged is not compiled again.
    former: Tools,
}

/// By name; `None` where one name was listed for several tools.
type Tools = BTreeMap<String, Option<Arc<Tool>>>;

impl ToolSchemas {
    /// No tools yet, of a server that is spoken to in this revision.
    #[must_use]
    pub fn new(revision: Revision) -> Self {
        Self { revision, tools: Tools::new(), former: Tools::new() }
    }

    /// Forgets the tools: the next page is the first one of a new list.
    pub fn begin(&mut self) {
        self.begin_at(self.revision);
    }

    /// Begins a new list, in this revision.
    fn begin_at(&mut self, revision: Revision) {
        let tools = std::mem::take(&mut self.tools);
        if revision != self.revision {
            self.former.clear();
            self.revision = revision;
        // A list that is begun twice in a row must not replace the tools that can be reused with none.
        } else if !tools.is_empty() {
            self.former = tools;
        }
    }

    /// Adds a page of the list, the result of a `tools/list`, and returns what is wrong with the schemas in it.
    ///
    /// What takes longer than ten seconds in all is left out, and a WARNING says so.
    pub fn listed(&mut self, result: &Value) -> Vec<Finding> {
        within_budget(|budget| self.judge(result, budget))
    }

    fn judge(&mut self, result: &Value, budget: &mut TimeBudget) -> Vec<Finding> {
        let problems = |(place, listing): (Pointer, Listing<'_>)| {
            let tool = self.take(&listing);
            tool.problems(&place, self.revision, budget)
        };
        tools_in(result).flat_map(problems).collect()
    }

    /// Adds a tool without judging it.
    fn take(&mut self, listing: &Listing<'_>) -> Arc<Tool> {
        let known = |tools: &Tools| {
            let tool = tools.get(listing.name)?.as_ref();
            tool.filter(|tool| tool.is_same(listing)).cloned()
        };
        let same = known(&self.tools);
        let is_another = same.is_none() && self.tools.contains_key(listing.name);
        let tool = same.or_else(|| known(&self.former));
        let tool = tool.unwrap_or_else(|| recent::tool(listing, self.revision));
        // Two different tools of one name: no call of that name can be judged by either.
        let kept = (!is_another).then(|| Arc::clone(&tool));
        self.tools.insert(listing.name.to_owned(), kept);
        tool
    }

    /// Whether a tool was listed by this name, once.
    #[must_use]
    pub fn knows(&self, tool: &str) -> bool {
        self.tool(tool).is_some()
    }

    /// What is wrong with the arguments of a `tools/call`; nothing where the tool is not known.
    ///
    /// No requirement says that a client may not send them, so each finding is a WARNING.
    #[must_use]
    pub fn called(&self, tool: &str, arguments: Option<&Value>) -> Vec<Finding> {
        let Some(tool) = self.tool(tool) else { return Vec::new() };
        within_budget(|budget| tool.called(arguments, self.revision, budget))
    }

    /// What is wrong with the structured content of the result of a `tools/call`; nothing where the tool is not known.
    ///
    /// Nothing is promised of a result that is an error, or not yet complete.
    #[must_use]
    pub fn returned(&self, tool: &str, result: &Value) -> Vec<Finding> {
        let Some(tool) = self.tool(tool) else { return Vec::new() };
        within_budget(|budget| tool.returned(result, self.revision, budget))
    }

    fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)?.as_ref()
    }
}

/// Judges with a budget of its own, which adds a finding if it is exceeded.
fn within_budget(judge: impl FnOnce(&mut TimeBudget) -> Vec<Finding>) -> Vec<Finding> {
    let mut budget = TimeBudget::default();
    let mut findings = judge(&mut budget);
    findings.extend(budget.into_finding());
    findings
}

/// The tools of a page, and where they are in the message.
fn tools_in(result: &Value) -> impl Iterator<Item = (Pointer, Listing<'_>)> {
    let tools = result.get("tools").and_then(Value::as_array).unwrap_or_default();
    tools.iter().enumerate().filter_map(|(index, tool)| {
        let place = Pointer::root().member("result").member("tools").index(index);
        Some((place, Listing::read(tool)?))
    })
}

/// Cites the requirement if it is one at this revision; what breaks none there is a WARNING.
fn demanded(finding: Finding, rule: &'static Requirement, revision: Revision) -> Finding {
    // Also where it is only advised, it is the same problem.
    let cause = Cause::RequirementFor(rule, finding.headline.clone());
    finding.caused_by(cause).breaking_everywhere(rule, revision)
}
