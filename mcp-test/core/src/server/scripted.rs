//! What the test of a client needs of its server: rules that are mounted at once, the capabilities that belong to them, and
//! the requests that no rule answered.

use serde_json::json;

use super::given::{GivenRule, RuleHandle};
use super::{ClientMessage, Condition, Rule, Server, given};
use crate::json::Value;
use crate::spec::{self, Revision};

impl Server {
    /// Starts a rule that is mounted when it gets its response.
    pub(crate) fn given(&self, condition: impl Condition) -> GivenRule {
        GivenRule::new(self.0.rules.clone(), given(condition))
    }

    /// [`Self::mount`], with a handle on the rule.
    pub(crate) fn mount_with_handle(&self, rule: Rule) -> RuleHandle {
        RuleHandle::mount(self.0.rules.clone(), rule)
    }

    /// Also declares the capabilities for what the rules answer.
    pub(crate) fn declaring_rules(self) -> Self {
        self.with(|script| script.declares_rules = true)
    }

    /// The first requests that were refused because nothing in the script answers them, in order of arrival.
    pub(crate) fn unscripted(&self) -> Vec<ClientMessage> {
        self.0.rules.unscripted()
    }

    /// Adds the capabilities for what the rules answer. Those that are declared stay as they are.
    pub(super) fn add_capabilities_of_rules(&self, revision: Revision, capabilities: &mut Value) {
        for method in self.rules().answered_methods() {
            let needed = spec::method(&method).and_then(|known| known.capability(revision));
            let Some(capability) = needed.filter(|it| !it.declared_in(capabilities)) else {
                continue;
            };
            let pointer = capability.pointer();
            // `/resources/subscribe` also needs the object around it.
            let parents = pointer.match_indices('/').skip(1).map(|(end, _)| &pointer[..end]);
            for parent in parents {
                if capabilities.at(parent).is_none() {
                    capabilities.set(parent, json!({}).into());
                }
            }
            let value = if capability.is_flag() { json!(true) } else { json!({}) };
            capabilities.set(pointer, value.into());
        }
    }
}
