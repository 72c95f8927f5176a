//! Built-in answers, and the members that a revision adds to results.

use serde_json::json;

use super::admission::method_not_found;
use super::request_context::RequestContext;
use super::{Server, request_context};
use crate::json::Value;
use crate::spec::{self, Capability, LISTEN, Revision, Side, meta};
use crate::wire::RpcError;

/// The methods that every server answers without a script.
pub(super) const BUILT_IN: [&str; 4] = ["initialize", "ping", "server/discover", LISTEN];

impl Server {
    /// Whether the server has the method at this revision.
    pub(super) fn serves(&self, method: &str, revision: Revision) -> bool {
        // A method of an extension exists as soon as the script handles it.
        let Some(known) = spec::method(method) else {
            return self.handler(method).is_some();
        };
        let declared =
            known.capability(revision).is_none_or(|capability| self.declares(capability));
        // A declared capability alone does not make a method exist: a script may not have its handler.
        let answered = self.handler(method).is_some() || BUILT_IN.contains(&method);
        known.sent_by(Side::Client, revision) && declared && answered
    }

    /// The answer to a method of [`BUILT_IN`].
    pub(super) fn built_in(
        &self,
        method: &str,
        context: &RequestContext,
    ) -> Result<Value, RpcError> {
        let script = &self.0;
        let mut result = Value::from(match method {
            "ping" => return Ok(json!({}).into()),
            "initialize" => json!({ "protocolVersion": context.revision.as_str() }),
            "server/discover" => {
                json!({ "supportedVersions": request_context::supported(self.served()) })
            }
            _ => return Err(method_not_found(method)),
        });
        // Shared by `initialize` and `server/discover`; the latter has `serverInfo` in `_meta`, where `shape` adds it.
        result.set("/capabilities", self.capabilities_at(context.revision));
        if method == "initialize" {
            result.set("/serverInfo", script.info.clone());
        }
        if let Some(instructions) = &script.instructions {
            result.set("/instructions", Value::from(instructions.as_str()));
        }
        Ok(result)
    }

    /// Adds the members that the revision requires in every result, unless the script has set them.
    pub(super) fn shape(&self, method: &str, mut result: Value, revision: Revision) -> Value {
        // A script may return anything, to see what a client makes of it.
        if !result.is_object() || !revision.has_result_type() {
            return result;
        }
        add(&mut result, "resultType", json!("complete"));
        let complete = result.get("resultType").and_then(Value::as_str) == Some("complete");
        // Caching hints are required in complete results only; a result that asks for input has none.
        if complete
            && revision.has_cacheable_results()
            && spec::method(method).is_some_and(|method| method.cacheable)
        {
            // The hints that allow the least: stale at once, and not shared.
            add(&mut result, "ttlMs", json!(0));
            add(&mut result, "cacheScope", json!("private"));
        }
        add(&mut result, "_meta", json!({}));
        if let Some(meta @ Value::Object(_)) = result.at_mut("/_meta") {
            add(meta, meta::SERVER_INFO, self.0.info.to_serde());
        }
        result
    }

    pub(super) fn declares(&self, capability: Capability) -> bool {
        capability.declared_in(&self.0.capabilities)
    }

    /// The declared capabilities that exist at the revision.
    fn capabilities_at(&self, revision: Revision) -> Value {
        // A script declares its capabilities once, for all revisions.
        let mut capabilities = self.0.capabilities.clone();
        if self.0.declares_rules {
            self.add_capabilities_of_rules(revision, &mut capabilities);
        }
        if self.0.declares_undefined {
            return capabilities;
        }
        for unknown in
            Capability::ALL.iter().filter(|capability| !capability.revisions().contains(revision))
        {
            capabilities.remove(unknown.pointer());
        }
        capabilities
    }
}

fn add(object: &mut Value, name: &str, value: serde_json::Value) {
    if let Some(object) = object.as_object_mut()
        && !object.contains(name)
    {
        object.insert(name, value);
    }
}
