//! The connection of the official suite's client, for profile `official`: it accepts and refuses the same.
//!
//! It has the same name and capabilities as the official client, accepts any revision of the handshake era that the server
//! selects, opens the stream for messages of the server, accepts ids of another type, and refuses a result of `initialize`
//! whose members have types other than in the schema. Unlike the official client, which asks for the newest revision that
//! its SDK knows, it asks for the revision of the scenario run.

use std::time::Duration;

use serde_json::json;

use super::{Connected, Ctx};
use crate::check::Finding;
use crate::client::Options;
use crate::expect::{Matcher, boolean, object, string};
use crate::json::Value;
use crate::spec::{Era, Requirement};

/// How long the response to a GET may take before the scenario continues without it.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(1);

impl Ctx {
    pub(super) async fn connect_as_officially(&self) -> Result<Connected, Finding> {
        let own = self.options();
        let served = own.handlers.capabilities(self.revision());
        let capabilities = Some(capabilities(self.revision().era(), served));
        let client_info = json!({"name": "conformance-test-client", "version": "1.0.0"}).into();
        let options = Options { lenient_ids: true, capabilities, client_info, ..own };
        let mut client = self.connect_uninitialized(options).await?;
        if self.revision().era() == Era::Handshake {
            let reply = client.initialize().await?;
            reply
                .expect(&initialize_result())
                .map_err(|finding| finding.requires(Requirement::SCHEMA_INITIALIZE_RESULT))?;
            // The official client neither waits for the stream nor cares whether it opens.
            client.listen_within(LISTEN_TIMEOUT).await.ok();
        }
        Ok(client)
    }
}

/// The capabilities of the official client, and those that the handlers of the scenario add.
fn capabilities(era: Era, served: Value) -> Value {
    let mut capabilities = Value::from(match era {
        Era::Handshake => json!({"sampling": {}, "elicitation": {}}),
        // The official suite has a client of its own for this era, and only that one declares roots.
        Era::Stateless => {
            json!({"sampling": {}, "elicitation": {}, "roots": {"listChanged": true}})
        }
    });
    // Added to, not replaced: the official client declares its own whatever the scenario handles.
    if let (Value::Object(all), Value::Object(served)) = (&mut capabilities, served) {
        for (name, value) in served.iter() {
            all.insert(name, value.clone());
        }
    }
    capabilities
}

fn initialize_result() -> impl Matcher {
    // Unknown members are accepted, as by the SDK of the official client.
    let list_changed = || object().optional("listChanged", boolean());
    let capabilities = object()
        .optional("experimental", object())
        .optional("logging", object())
        .optional("completions", object())
        .optional("prompts", list_changed())
        .optional("resources", list_changed().optional("subscribe", boolean()))
        .optional("tools", list_changed());
    object()
        .member("protocolVersion", string())
        .member("capabilities", capabilities)
        .member("serverInfo", object().member("name", string()).member("version", string()))
        .optional("instructions", string())
}

#[cfg(test)]
mod tests {
    use super::initialize_result;
    use crate::expect::Matcher;
    use crate::json::Value;

    fn refuses(pointer: &str, value: serde_json::Value) -> bool {
        let mut result = Value::from(serde_json::json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": true}},
            "serverInfo": {"name": "s", "version": "1"},
            "instructions": "Ask.",
        }));
        assert!(initialize_result().check(&result).is_ok());
        result.set(pointer, value.into());
        initialize_result().check(&result).is_err()
    }

    #[test]
    fn invalid_members_are_refused_and_unknown_ones_accepted() {
        for pointer in [
            "/capabilities",
            "/capabilities/tools",
            "/capabilities/tools/listChanged",
            "/capabilities/resources/subscribe",
            "/serverInfo",
            "/serverInfo/version",
            "/instructions",
        ] {
            assert!(refuses(pointer, serde_json::json!(5)), "{pointer}");
        }
        assert!(!refuses("/capabilities/own", serde_json::json!(5)));
    }
}
