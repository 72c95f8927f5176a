//! What the revision adds to results, and the answers that every server has.

use serde_json::json;

use super::{
    Server,
    subscriptions::LISTEN,
    terms::{self, Terms},
};
use crate::{
    json::Value,
    spec::{self, Capability, Revision, Side, error_code, meta},
    wire::RpcError,
};

/// The methods that a server answers without a script.
pub(super) const BUILT_IN: [&str; 4] = ["initialize", "ping", "server/discover", LISTEN];

impl Server {
    /// Whether the method exists at this revision, for a client of this server.
    pub(super) fn serves(&self, method: &str, revision: Revision) -> bool {
        let Some(known) = spec::method(method) else {
            return self.handler(method).is_some();
        };
        let declared =
            known.capability(revision).is_none_or(|capability| self.declares(capability));
        let answered = self.handler(method).is_some() || BUILT_IN.contains(&method);
        known.sent_by(Side::Client, revision) && declared && answered
    }

    /// The answer to a method of [`BUILT_IN`].
    pub(super) fn built_in(&self, method: &str, terms: &Terms) -> Result<Value, RpcError> {
        let script = &self.0;
        let capabilities = self.capabilities_at(terms.revision);
        let mut result = Value::from(match method {
            "ping" => json!({}),
            "initialize" => json!({ "protocolVersion": terms.revision.as_str() }),
            "server/discover" => json!({ "supportedVersions": terms::supported(self.served()) }),
            _ => {
                return Err(RpcError::new(
                    error_code::METHOD_NOT_FOUND,
                    format!("method not found: {method}"),
                ));
            }
        });
        if method == "ping" {
            return Ok(result);
        }
        result.set("/capabilities", capabilities);
        if method == "initialize" {
            result.set("/serverInfo", script.info.clone());
        }
        if let Some(instructions) = &script.instructions {
            result.set("/instructions", Value::from(instructions.as_str()));
        }
        Ok(result)
    }

    /// Adds to a result what its revision wants in all results, unless the script has put it there.
    pub(super) fn shape(&self, method: &str, mut result: Value, revision: Revision) -> Value {
        if !result.is_object() || !revision.has_result_type() {
            return result;
        }
        add(&mut result, "resultType", json!("complete"));
        let complete = result.get("resultType").and_then(Value::as_str) == Some("complete");
        if complete
            && revision.has_cacheable_results()
            && spec::method(method).is_some_and(|method| method.cacheable)
        {
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

    /// The declared capabilities, without those that the revision does not know.
    fn capabilities_at(&self, revision: Revision) -> Value {
        let mut capabilities = self.0.capabilities.clone();
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
