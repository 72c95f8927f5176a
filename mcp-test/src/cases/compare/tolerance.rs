//! What may be in a message although the case does not write it.

use crate::json::{Object, Pointer, Value};
use crate::spec::Revision;

/// What is in a message because of the revision that it is said in, not because of what it says.
///
/// A case is about what is said; the same case holds in both eras.
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

/// A member that may be there.
#[derive(Debug, Clone)]
struct Added {
    parent: &'static str,
    name: &'static str,
    /// The only value that is tolerated.
    value: Option<Value>,
}

/// The names in `_meta` that belong to the protocol begin with this.
const RESERVED: &str = "io.modelcontextprotocol/";

impl Tolerance {
    /// Tolerates nothing: a place that the case does not write must not be there.
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
            this.added.push(added("/result", "resultType", Some("complete".into())));
        }
        if revision.has_cacheable_results() {
            let members = ["ttlMs", "cacheScope"];
            this.added.extend(members.map(|name| added("/result", name, None)));
        }
        this
    }

    /// Compares nothing at this place, whatever the case has there, such as who a client says that it is.
    #[must_use]
    pub fn ignoring(mut self, place: Pointer) -> Self {
        self.ignored.push(place);
        self
    }

    pub(super) fn ignores(&self, place: impl FnOnce() -> Pointer) -> bool {
        !self.ignored.is_empty() && self.ignored.contains(&place())
    }

    /// Whether a member may be there that the case does not have.
    pub(super) fn allows(&self, parent: &Pointer, name: &str, value: &Value) -> bool {
        let is_added = |added: &Added| {
            added.parent == parent.as_str()
                && added.name == name
                && added.value.as_ref().is_none_or(|only| only == value)
        };
        // Where the case writes `_meta`, what the protocol itself keeps there is still no matter of the case.
        let is_reserved = || {
            name.starts_with(RESERVED)
                && matches!(parent.as_str(), "/params/_meta" | "/result/_meta")
                && self.added.iter().any(|added| added.name == "_meta")
        };
        self.added.iter().any(is_added) || is_reserved() || self.allows_params(parent, name, value)
    }

    /// Whether a member may be missing that the case has.
    pub(super) fn spares(&self, parent: &Pointer, name: &str, expected: &Value) -> bool {
        let is_empty = expected.as_object().is_some_and(Object::is_empty);
        self.without_params && parent.is_root() && name == "params" && is_empty
    }

    /// Whether these are `params` with nothing in them that is not tolerated by itself.
    fn allows_params(&self, parent: &Pointer, name: &str, value: &Value) -> bool {
        let params = Pointer::root().member("params");
        let is_idle = |object: &Object| {
            object.effective().all(|(name, value)| self.allows(&params, name, value))
        };
        self.without_params
            && parent.is_root()
            && name == "params"
            && value.as_object().is_some_and(is_idle)
    }
}
