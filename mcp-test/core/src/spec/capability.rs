//! The capabilities that peers declare: their JSON pointers, their revisions, and which side declares them.

use std::fmt;

use super::{Revision, Revisions, Sides};
use crate::json::Value;

macro_rules! capabilities {
    ($($(#[doc = $doc:literal])+ $variant:ident, $name:literal, $pointer:literal, $sides:ident, $revisions:expr, $page:literal;)+) => {
        /// A capability that a client or a server declares.
        ///
        /// ```
        /// # extern crate mcp_test_core as mcp_test;
        /// use mcp_test::spec::Capability;
        ///
        /// assert_eq!(Capability::ToolsListChanged.name(), "tools.listChanged");
        /// assert_eq!(Capability::ToolsListChanged.pointer(), "/tools/listChanged");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Capability {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Capability {
            /// Every capability.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The dotted name, such as `tools.listChanged`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The JSON Pointer to it within a `capabilities` object.
            pub const fn pointer(self) -> &'static str {
                match self { $(Self::$variant => $pointer,)+ }
            }

            /// The side or sides that declare it.
            pub const fn sides(self) -> Sides {
                match self { $(Self::$variant => Sides::$sides,)+ }
            }

            /// The revisions that define it.
            pub const fn revisions(self) -> Revisions {
                match self { $(Self::$variant => $revisions,)+ }
            }

            /// The page that describes it, for [`url`](super::url).
            pub const fn page(self) -> &'static str {
                match self { $(Self::$variant => $page,)+ }
            }
        }
    };
}

const ALL: Revisions = Revisions::all();
const HANDSHAKE: Revisions = Revisions::until(Revision::V2025_11_25);
const STATELESS: Revisions = Revisions::from(Revision::V2026_07_28);
const CORE_TASKS: Revisions = Revisions::only(Revision::V2025_11_25);
const FROM_2025_03_26: Revisions = Revisions::from(Revision::V2025_03_26);
const FROM_2025_06_18: Revisions = Revisions::from(Revision::V2025_06_18);
const FROM_2025_11_25: Revisions = Revisions::from(Revision::V2025_11_25);

capabilities! {
    /// The server offers tools.
    Tools, "tools", "/tools", Server, ALL, "server/tools#capabilities";
    /// The server notifies the client when its list of tools changes.
    ToolsListChanged, "tools.listChanged", "/tools/listChanged", Server, ALL, "server/tools#capabilities";
    /// The server offers resources.
    Resources, "resources", "/resources", Server, ALL, "server/resources#capabilities";
    /// The server notifies the client when its list of resources changes.
    ResourcesListChanged, "resources.listChanged", "/resources/listChanged", Server, ALL, "server/resources#capabilities";
    /// The server notifies subscribers when a resource changes.
    ResourcesSubscribe, "resources.subscribe", "/resources/subscribe", Server, ALL, "server/resources#capabilities";
    /// The server offers prompts.
    Prompts, "prompts", "/prompts", Server, ALL, "server/prompts#capabilities";
    /// The server notifies the client when its list of prompts changes.
    PromptsListChanged, "prompts.listChanged", "/prompts/listChanged", Server, ALL, "server/prompts#capabilities";
    /// The server sends log messages.
    Logging, "logging", "/logging", Server, ALL, "server/utilities/logging#capabilities";
    // 2024-11-05 has completion, but no way to declare it.
    /// The server completes arguments.
    Completions, "completions", "/completions", Server, FROM_2025_03_26, "server/utilities/completion#capabilities";
    /// The client lists its roots.
    Roots, "roots", "/roots", Client, ALL, "client/roots#capabilities";
    // 2026-07-28 removed the notification.
    /// The client notifies the server when its list of roots changes.
    RootsListChanged, "roots.listChanged", "/roots/listChanged", Client, HANDSHAKE, "client/roots#capabilities";
    /// The client samples from a model.
    Sampling, "sampling", "/sampling", Client, ALL, "client/sampling#capabilities";
    /// The client includes context from servers in sampling requests.
    SamplingContext, "sampling.context", "/sampling/context", Client, FROM_2025_11_25, "client/sampling#capabilities";
    /// The client lets the model use tools while sampling.
    SamplingTools, "sampling.tools", "/sampling/tools", Client, FROM_2025_11_25, "client/sampling#capabilities";
    /// The client asks the user for input.
    Elicitation, "elicitation", "/elicitation", Client, FROM_2025_06_18, "client/elicitation#capabilities";
    /// The client asks the user with a form; an empty `elicitation` object declares this too.
    ElicitationForm, "elicitation.form", "/elicitation/form", Client, FROM_2025_11_25, "client/elicitation#capabilities";
    /// The client sends the user to a URL.
    ElicitationUrl, "elicitation.url", "/elicitation/url", Client, FROM_2025_11_25, "client/elicitation#capabilities";
    // 2026-07-28 moved tasks into an extension, below.
    /// The peer runs requests as tasks.
    Tasks, "tasks", "/tasks", Both, CORE_TASKS, "basic/utilities/tasks#capabilities";
    /// The peer lists its tasks.
    TasksList, "tasks.list", "/tasks/list", Both, CORE_TASKS, "basic/utilities/tasks#capabilities";
    /// The peer accepts `tasks/cancel`.
    TasksCancel, "tasks.cancel", "/tasks/cancel", Both, CORE_TASKS, "basic/utilities/tasks#capabilities";
    /// The server runs `tools/call` as a task.
    TasksToolsCall, "tasks.requests.tools.call", "/tasks/requests/tools/call", Server, CORE_TASKS, "basic/utilities/tasks#server-capabilities";
    /// The client runs `sampling/createMessage` as a task.
    TasksSampling, "tasks.requests.sampling.createMessage", "/tasks/requests/sampling/createMessage", Client, CORE_TASKS, "basic/utilities/tasks#client-capabilities";
    /// The client runs `elicitation/create` as a task.
    TasksElicitation, "tasks.requests.elicitation.create", "/tasks/requests/elicitation/create", Client, CORE_TASKS, "basic/utilities/tasks#client-capabilities";
    /// Non-standard features.
    Experimental, "experimental", "/experimental", Both, ALL, "schema#servercapabilities";
    /// Extensions, by identifier.
    Extensions, "extensions", "/extensions", Both, STATELESS, "basic/versioning#extension-negotiation";
    /// The official extension for tasks.
    TasksExtension, "extensions.io.modelcontextprotocol/tasks", "/extensions/io.modelcontextprotocol~1tasks", Both, STATELESS, "seps/2663#capability-negotiation";
}

impl Capability {
    /// Finds a capability by its [`name`](Self::name).
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|capability| capability.name() == name)
    }

    /// Whether a peer that declares `capabilities` declares this one.
    ///
    /// A capability is declared by an object, a flag such as `listChanged` by `true`. A nested capability counts only where
    /// its parents are objects.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::json::Value;
    /// use mcp_test::spec::Capability;
    /// use serde_json::json;
    ///
    /// let declared = Value::from(json!({"tools": {"listChanged": false}, "elicitation": {}}));
    /// assert!(Capability::Tools.declared_in(&declared));
    /// assert!(!Capability::ToolsListChanged.declared_in(&declared));
    /// assert!(Capability::ElicitationForm.declared_in(&declared));
    /// ```
    pub fn declared_in(self, capabilities: &Value) -> bool {
        // The schema has objects for capabilities and booleans for flags, so `"tools": true` declares nothing.
        let declared = |pointer| match capabilities.at(pointer) {
            Some(Value::Bool(yes)) => *yes && self.is_flag(),
            Some(Value::Object(_)) => !self.is_flag(),
            _ => false,
        };
        // Since 2025-11-25 `elicitation: {}` is shorthand for `{"form": {}}`, for compatibility with 2025-06-18.
        declared(self.pointer())
            || (self == Self::ElicitationForm && names_no_elicitation_mode(capabilities))
    }

    // By variant, since `/tasks/list` looks like a flag and is an object.
    pub(crate) const fn is_flag(self) -> bool {
        matches!(
            self,
            Self::ToolsListChanged
                | Self::ResourcesListChanged
                | Self::ResourcesSubscribe
                | Self::PromptsListChanged
                | Self::RootsListChanged
        )
    }

    /// The URL of its description at `revision`, or at the newest revision that has the capability.
    pub fn link(self, revision: Revision) -> String {
        super::page::url_within(self.page(), self.revisions(), revision)
    }
}

/// Whether `elicitation` names no mode. A client must support one, so other members, such as the `applyDefaults` of some SDKs,
/// do not change what it declares.
fn names_no_elicitation_mode(capabilities: &Value) -> bool {
    let elicitation = capabilities.at("/elicitation");
    let has = |mode| elicitation.is_some_and(|modes| modes.get(mode).is_some());
    matches!(elicitation, Some(Value::Object(_))) && !has("form") && !has("url")
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn declared(capabilities: serde_json::Value) -> Vec<&'static str> {
        let capabilities = Value::from(capabilities);
        Capability::ALL
            .iter()
            .filter(|capability| capability.declared_in(&capabilities))
            .map(|capability| capability.name())
            .collect()
    }

    #[test]
    fn a_capability_is_an_object_and_a_flag_is_true() {
        let capabilities = json!({
            "tools": {"listChanged": true},
            "resources": {"subscribe": false, "listChanged": {}},
            "prompts": true,
            "logging": {},
            "completions": null,
        });
        assert_eq!(declared(capabilities), ["tools", "tools.listChanged", "resources", "logging"]);
    }

    #[test]
    fn empty_elicitation_means_forms() {
        let forms = ["elicitation", "elicitation.form"];
        assert_eq!(declared(json!({"elicitation": {}})), forms);
        assert_eq!(declared(json!({"elicitation": {"form": {}}})), forms);
        assert_eq!(declared(json!({"elicitation": {"applyDefaults": true}})), forms);
        assert_eq!(
            declared(json!({"elicitation": {"url": {}}})),
            ["elicitation", "elicitation.url"]
        );
    }

    #[test]
    fn the_extension_is_found_by_its_escaped_name() {
        let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        assert_eq!(
            declared(capabilities),
            ["extensions", "extensions.io.modelcontextprotocol/tasks"]
        );
        assert!(declared(json!([])).is_empty());
    }

    #[test]
    fn names_are_found_again_and_agree_with_pointers() {
        for capability in Capability::ALL {
            assert_eq!(Capability::named(capability.name()), Some(*capability));
            let pointer: String = capability.pointer().replace("~1", "%");
            let name = pointer.trim_start_matches('/').replace('/', ".").replace('%', "/");
            assert_eq!(capability.name(), name);
        }
        assert_eq!(Capability::named("tool"), None);
    }
}
