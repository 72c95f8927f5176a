//! How the official suite's client connects, for profile `official`: in what it accepts and in what it does not.
//!
//! It calls itself what the official client calls itself and declares what that declares, goes on in whatever revision of
//! the handshake era the server settles on, opens the stream on which the server may speak, reads ids generously, and
//! refuses a result of `initialize` whose members have other types than the schema gives them. It asks for the revision
//! of its cell, where the official client asks for the newest one that its SDK knows.

use std::time::Duration;

use serde_json::json;

use super::{Connected, Ctx};
use crate::check::Finding;
use crate::client::Options;
use crate::expect::{Matcher, boolean, object, string};
use crate::json::Value;
use crate::spec::Era;

/// How long the response to a GET may take until the scenario goes on without it.
const BEGINNING: Duration = Duration::from_secs(1);

impl Ctx {
    pub(super) async fn connect_as_officially(&self) -> Result<Connected, Finding> {
        let own = self.options();
        let served = own.handlers.capabilities(self.revision());
        let capabilities = Some(declared(self.revision().era(), served));
        let client_info = json!({"name": "conformance-test-client", "version": "1.0.0"}).into();
        let options = Options { lenient_ids: true, capabilities, client_info, ..own };
        let mut client = self.silent(options).await?;
        if self.revision().era() == Era::Handshake {
            let reply = client.initialize().await?;
            reply
                .expect(&initialize_result())
                .map_err(|finding| finding.requires("schema.initialize-result"))?;
            // The official client does not wait for the stream, nor mind what becomes of it.
            client.listen_within(BEGINNING).await.ok();
        }
        Ok(client)
    }
}

/// What the official client declares, and what the handlers of the scenario serve beyond that.
fn declared(era: Era, served: Value) -> Value {
    let mut capabilities = Value::from(match era {
        Era::Handshake => json!({"sampling": {}, "elicitation": {}}),
        Era::Stateless => {
            json!({"sampling": {}, "elicitation": {}, "roots": {"listChanged": true}})
        }
    });
    if let (Value::Object(all), Value::Object(served)) = (&mut capabilities, served) {
        for (name, value) in served.iter() {
            all.insert(name, value.clone());
        }
    }
    capabilities
}

fn initialize_result() -> impl Matcher {
    let changing = || object().optional("listChanged", boolean());
    let capabilities = object()
        .optional("experimental", object())
        .optional("logging", object())
        .optional("completions", object())
        .optional("prompts", changing())
        .optional("resources", changing().optional("subscribe", boolean()))
        .optional("tools", changing());
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
    fn members_of_other_types_are_refused_and_unknown_ones_are_not() {
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
