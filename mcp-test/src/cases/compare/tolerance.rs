//! Members that a message may have although the case does not.

use mcp_test_core::json::{Object, Pointer, Value};
use mcp_test_core::spec::Revision;

/// Members that belong to the protocol revision rather than to the content of a message, so that the same case applies to
/// both eras.
///
/// ```
/// use mcp_test::cases::{Rule, compare::{Tolerance, matches}};
/// use mcp_test::{json::Value, spec::Revision};
///
/// let case = Value::parse(br#"{"id": 1, "result": {"tools": []}}"#)?.value;
/// let got = Value::parse(br#"{"id": 1, "result": {"tools": [], "resultType": "complete"}}"#)?.value;
/// assert!(matches(&case, &got, &Rule::default(), &Tolerance::of(Revision::V2026_07_28)));
/// assert!(!matches(&case, &got, &Rule::default(), &Tolerance::none()));
/// # Ok::<(), mcp_test::json::ParseError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tolerance {
    added: Vec<Added>,
    without_params: bool,
    ignored: Vec<Pointer>,
}

/// A member that may be added.
#[derive(Debug, Clone)]
struct Added {
    parent: &'static str,
    name: &'static str,
    /// The only tolerated value; `None` for any.
    value: Option<Value>,
}

/// The prefix of names in `_meta` that belong to the protocol.
// MCP 2026-07-28 puts version, identity and capabilities of the client there, in every request.
const RESERVED: &str = "io.modelcontextprotocol/";

impl Tolerance {
    /// Tolerates nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Tolerates what a revision adds: `_meta` everywhere, and in the stateless era `resultType: "complete"`, `ttlMs` and
    /// `cacheScope` of results. Empty `params` are the same as none.
    #[must_use]
    pub fn of(revision: Revision) -> Self {
        let added = |parent, name, value| Added { parent, name, value };
        let mut this = Self { without_params: true, ..Self::default() };
        this.added.extend([added("/params", "_meta", None), added("/result", "_meta", None)]);
        if revision.has_result_type() {
            // Any other type means that the request is not complete, which the case has to expect.
            this.added.push(added("/result", "resultType", Some("complete".into())));
        }
        if revision.has_cacheable_results() {
            let members = ["ttlMs", "cacheScope"];
            this.added.extend(members.map(|name| added("/result", name, None)));
        }
        this
    }

    /// Ignores a location, such as the `clientInfo` of a client.
    #[must_use]
    pub fn ignoring(mut self, place: Pointer) -> Self {
        self.ignored.push(place);
        self
    }

    // A closure, because this is asked for every value, and usually nothing is ignored.
    pub(super) fn ignores(&self, place: impl FnOnce() -> Pointer) -> bool {
        !self.ignored.is_empty() && self.ignored.contains(&place())
    }

    /// Whether a message may have a member that the case does not have.
    pub(super) fn allows_extra(&self, parent: &Pointer, name: &str, value: &Value) -> bool {
        let is_added = |added: &Added| {
            added.parent == parent.as_str()
                && added.name == name
                && added.value.as_ref().is_none_or(|only| only == value)
        };
        // Reserved members of `_meta` belong to the protocol even if the case has its own `_meta`.
        let is_reserved = || {
            name.starts_with(RESERVED)
                && matches!(parent.as_str(), "/params/_meta" | "/result/_meta")
                && self.added.iter().any(|added| added.name == "_meta")
        };
        self.added.iter().any(is_added) || is_reserved() || self.allows_params(parent, name, value)
    }

    /// Whether a message may lack a member that the case has.
    pub(super) fn allows_missing(&self, parent: &Pointer, name: &str, expected: &Value) -> bool {
        let is_empty = expected.as_object().is_some_and(Object::is_empty);
        self.without_params && parent.is_root() && name == "params" && is_empty
    }

    /// Whether these are `params` with only tolerated members.
    fn allows_params(&self, parent: &Pointer, name: &str, value: &Value) -> bool {
        let params = Pointer::root().member("params");
        let is_tolerated = |object: &Object| {
            object.effective().all(|(name, value)| self.allows_extra(&params, name, value))
        };
        self.without_params
            && parent.is_root()
            && name == "params"
            && value.as_object().is_some_and(is_tolerated)
    }
}
