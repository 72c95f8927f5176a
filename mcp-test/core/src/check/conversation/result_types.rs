//! The types of results: those of MCP, and those of the extensions that the server declares.

use super::ConversationJudge;
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::expect::words;
use crate::json::{Object, Value};

cites! {
    BASE_RESULT_TYPE_KNOWN_SET,
}

/// The types of results that MCP itself defines.
const RESULT_TYPES: [&str; 2] = ["complete", "input_required"];

/// The extensions of the MCP project, with the types of results that they define.
const EXTENSIONS: [(&str, &[&str]); 2] =
    [("io.modelcontextprotocol/skills", &[]), ("io.modelcontextprotocol/tasks", &["task"])];

impl ConversationJudge {
    /// A type of results that MCP does not define comes from an extension, which the server has to declare.
    pub(super) fn result_type(&mut self, event: JudgedEvent<'_>, method: &str, result: &Value) {
        let Some(kind) = result.get("resultType").and_then(Value::as_str) else { return };
        // Without it nobody knows what was declared.
        let Some(declared) = self.conversation(event).server.clone() else { return };
        let extensions = declared.get("extensions").and_then(Value::as_object);
        let mut extensions = extensions.into_iter().flat_map(Object::keys);
        if RESULT_TYPES.contains(&kind) || extensions.any(|id| may_define(id, kind)) {
            return;
        }
        let finding = Finding::peer(format!("the result of `{method}` has an unknown type"))
            .expected("\"complete\", \"input_required\", or a type of an extension that the server declares")
            .got(words::quoted(kind.as_bytes()));
        self.findings.add(event, finding, BASE_RESULT_TYPE_KNOWN_SET);
    }
}

/// Whether an extension defines a type of results, as far as is known.
fn may_define(extension: &str, kind: &str) -> bool {
    let known = EXTENSIONS.iter().find(|(id, _)| *id == extension);
    known.is_none_or(|(_, kinds)| kinds.contains(&kind))
}
