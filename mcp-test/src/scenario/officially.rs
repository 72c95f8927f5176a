//! How the official suite's client connects, for profile `official`: in what it accepts and in what it does not.
//!
//! It goes on in whatever revision of the handshake era the server settles on, reads ids generously, and refuses a result
//! of `initialize` whose members have other types than the schema gives them.

use super::{Connected, Ctx};
use crate::check::Finding;
use crate::client::Options;
use crate::expect::{Matcher, boolean, object, string};
use crate::spec::Era;

impl Ctx {
    pub(super) async fn connect_as_officially(&self) -> Result<Connected, Finding> {
        let options = Options { lenient_ids: true, ..self.options() };
        let mut client = self.silent(options).await?;
        if self.revision().era() == Era::Handshake {
            let reply = client.initialize().await?;
            reply
                .expect(&initialize_result())
                .map_err(|finding| finding.requires("schema.initialize-result"))?;
        }
        Ok(client)
    }
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
