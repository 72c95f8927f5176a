//! The requests and notifications of MCP: which side sends them, at which revisions, and their properties.

use std::fmt;

use super::schema::{Authority, Definition, Schemas};
use super::{Capability, MethodKind, Revision, Revisions, Side};

/// The request that opens a subscription; it has no reply until the subscription ends.
#[doc(hidden)]
pub const LISTEN: &str = "subscriptions/listen";

/// A method of MCP.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::{self, Capability, Revision};
///
/// let call = spec::method("tools/call").ok_or("no such method")?;
/// assert_eq!(call.capability(Revision::NEWEST), Some(Capability::Tools));
/// assert_eq!(call.name_param, Some("name"));
/// # Ok::<(), &str>(())
/// ```
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Method {
    /// The name on the wire, such as `tools/call`.
    pub name: &'static str,
    /// Whether it is a request or a notification.
    pub kind: MethodKind,
    /// The revisions at which the client sends it.
    pub from_client: Revisions,
    /// The revisions at which the server sends it.
    pub from_server: Revisions,
    /// The revisions at which the server embeds it in a result as an input request, instead of sending it.
    pub embedded: Revisions,
    /// The revisions at which it belongs to an official extension rather than to the core.
    pub extension: Revisions,
    /// The capabilities it needs; see [`capability`](Self::capability).
    pub capabilities: &'static [Capability],
    /// The member of `params` that the header `Mcp-Name` mirrors.
    pub name_param: Option<&'static str>,
    /// The member of the result that is paginated.
    pub paged: Option<&'static str>,
    /// Whether the result has cache hints, at revisions with [`Revision::has_cacheable_results`].
    pub cacheable: bool,
    /// Whether the server may answer with input requests, at revisions with [`Revision::has_input_requests`].
    pub may_need_input: bool,
    /// Whether it runs what the author of the server has written for a single item, which may take its time.
    pub runs_author_code: bool,
    /// The page that describes it, for [`url`](super::url).
    pub page: &'static str,
}

impl Method {
    /// The revisions that have the method in any form.
    pub const fn revisions(&self) -> Revisions {
        self.from_client.union(self.from_server).union(self.embedded)
    }

    /// Whether `side` may send it at `revision`.
    pub const fn sent_by(&self, side: Side, revision: Revision) -> bool {
        match side {
            Side::Client => self.from_client.contains(revision),
            Side::Server => self.from_server.contains(revision),
        }
    }

    /// The capability that must be declared before it is sent at `revision`.
    ///
    /// A request needs a capability of its receiver, a notification one of its sender. The exceptions are notifications that
    /// an elicitation is complete, which need the client's, and those that a task has changed, which need either's.
    pub fn capability(&self, revision: Revision) -> Option<Capability> {
        self.capabilities
            .iter()
            .copied()
            // No revision has more than one of them.
            .find(|capability| capability.revisions().contains(revision))
    }

    /// The definition of the message at `revision`, such as `CallToolRequest`; `None` where it does not exist.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::spec::{self, Revision};
    ///
    /// let call = spec::method("tools/call").ok_or("no such method")?;
    /// let result = call.result(Revision::V2025_06_18).ok_or("no shape")?;
    /// assert_eq!(result.name(), "CallToolResult");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn message(&self, revision: Revision) -> Option<Definition> {
        Schemas::ours().method_definition(self.name, revision, Authority::Text)
    }

    /// The definition of its params at `revision`.
    pub fn params(&self, revision: Revision) -> Option<Definition> {
        self.message(revision)?.params()
    }

    /// The definition of its result at `revision`, if it is a request.
    pub fn result(&self, revision: Revision) -> Option<Definition> {
        self.message(revision)?.result()
    }

    /// The URL of its description at `revision`, or at the newest revision that has the method.
    pub fn link(&self, revision: Revision) -> String {
        super::page::url_within(self.page, self.revisions(), revision)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// Finds a method of any revision by its name.
pub fn method(name: &str) -> Option<&'static Method> {
    // Not a binary search: requests and notifications are sorted separately.
    METHODS.iter().find(|method| method.name == name)
}

const ALL: Revisions = Revisions::all();
const NONE: Revisions = Revisions::none();
const HANDSHAKE: Revisions = Revisions::until(Revision::V2025_11_25);
const STATELESS: Revisions = Revisions::from(Revision::V2026_07_28);
const CORE_TASKS: Revisions = Revisions::only(Revision::V2025_11_25);
const TASKS: Revisions = Revisions::from(Revision::V2025_11_25);

const fn entry(name: &'static str, kind: MethodKind, page: &'static str) -> Method {
    Method {
        name,
        kind,
        from_client: NONE,
        from_server: NONE,
        embedded: NONE,
        extension: NONE,
        capabilities: &[],
        name_param: None,
        paged: None,
        cacheable: false,
        may_need_input: false,
        runs_author_code: false,
        page,
    }
}

const fn request(name: &'static str, page: &'static str) -> Method {
    entry(name, MethodKind::Request, page)
}

const fn notification(name: &'static str, page: &'static str) -> Method {
    entry(name, MethodKind::Notification, page)
}

/// The methods of all revisions and of the tasks extension: requests, then notifications, each sorted by name.
#[doc(hidden)]
#[rustfmt::skip]
pub const METHODS: &[Method] = &[
    Method {
        from_client: ALL,
        capabilities: &[Capability::Completions],
        runs_author_code: true,
        ..request("completion/complete", "server/utilities/completion#requesting-completions")
    },
    Method {
        from_server: Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25),
        embedded: STATELESS,
        capabilities: &[Capability::Elicitation],
        ..request("elicitation/create", "client/elicitation#elicitation-requests")
    },
    // Needs no capability: it declares them.
    Method {
        from_client: HANDSHAKE,
        ..request("initialize", "basic/lifecycle#initialization")
    },
    // 2026-07-28 has a level in the `_meta` of each request instead.
    Method {
        from_client: HANDSHAKE,
        capabilities: &[Capability::Logging],
        ..request("logging/setLevel", "server/utilities/logging#setting-log-level")
    },
    Method {
        from_client: HANDSHAKE,
        from_server: HANDSHAKE,
        ..request("ping", "basic/utilities/ping#message-format")
    },
    Method {
        from_client: ALL,
        capabilities: &[Capability::Prompts],
        name_param: Some("name"),
        may_need_input: true,
        runs_author_code: true,
        ..request("prompts/get", "server/prompts#getting-a-prompt")
    },
    Method {
        from_client: ALL,
        capabilities: &[Capability::Prompts],
        paged: Some("prompts"),
        cacheable: true,
        ..request("prompts/list", "server/prompts#listing-prompts")
    },
    Method {
        from_client: ALL,
        capabilities: &[Capability::Resources],
        paged: Some("resources"),
        cacheable: true,
        ..request("resources/list", "server/resources#listing-resources")
    },
    Method {
        from_client: ALL,
        capabilities: &[Capability::Resources],
        name_param: Some("uri"),
        cacheable: true,
        may_need_input: true,
        runs_author_code: true,
        ..request("resources/read", "server/resources#reading-resources")
    },
    // 2026-07-28 has one `subscriptions/listen` for resources and lists instead.
    Method {
        from_client: HANDSHAKE,
        capabilities: &[Capability::ResourcesSubscribe],
        ..request("resources/subscribe", "server/resources#subscriptions")
    },
    Method {
        from_client: ALL,
        capabilities: &[Capability::Resources],
        paged: Some("resourceTemplates"),
        cacheable: true,
        ..request("resources/templates/list", "server/resources#resource-templates")
    },
    Method {
        from_client: HANDSHAKE,
        capabilities: &[Capability::ResourcesSubscribe],
        ..request("resources/unsubscribe", "server/resources#subscriptions")
    },
    // Servers of 2026-07-28 send no requests: what they ask of the client is embedded in results.
    Method {
        from_server: HANDSHAKE,
        embedded: STATELESS,
        capabilities: &[Capability::Roots],
        ..request("roots/list", "client/roots#listing-roots")
    },
    Method {
        from_server: HANDSHAKE,
        embedded: STATELESS,
        capabilities: &[Capability::Sampling],
        ..request("sampling/createMessage", "client/sampling#creating-messages")
    },
    Method {
        from_client: STATELESS,
        cacheable: true,
        ..request("server/discover", "server/discover#request")
    },
    // Needs no capability itself: each change in its filter has one.
    Method {
        from_client: STATELESS,
        ..request(LISTEN, "basic/patterns/subscriptions#opening-a-stream")
    },
    Method {
        from_client: TASKS,
        from_server: CORE_TASKS,
        extension: STATELESS,
        capabilities: &[Capability::TasksCancel, Capability::TasksExtension],
        name_param: Some("taskId"),
        ..request("tasks/cancel", "basic/utilities/tasks#task-cancellation")
    },
    Method {
        from_client: TASKS,
        from_server: CORE_TASKS,
        extension: STATELESS,
        capabilities: &[Capability::Tasks, Capability::TasksExtension],
        name_param: Some("taskId"),
        ..request("tasks/get", "basic/utilities/tasks#getting-tasks")
    },
    // The extension has neither this request nor `tasks/result`.
    Method {
        from_client: CORE_TASKS,
        from_server: CORE_TASKS,
        capabilities: &[Capability::TasksList],
        paged: Some("tasks"),
        ..request("tasks/list", "basic/utilities/tasks#listing-tasks")
    },
    Method {
        from_client: CORE_TASKS,
        from_server: CORE_TASKS,
        capabilities: &[Capability::Tasks],
        ..request("tasks/result", "basic/utilities/tasks#retrieving-task-results")
    },
    Method {
        from_client: STATELESS,
        extension: STATELESS,
        capabilities: &[Capability::TasksExtension],
        name_param: Some("taskId"),
        ..request("tasks/update", "seps/2663#task-update-requests")
    },
    Method {
        from_client: ALL,
        capabilities: &[Capability::Tools],
        name_param: Some("name"),
        may_need_input: true,
        runs_author_code: true,
        ..request("tools/call", "server/tools#calling-tools")
    },
    Method {
        from_client: ALL,
        capabilities: &[Capability::Tools],
        paged: Some("tools"),
        cacheable: true,
        ..request("tools/list", "server/tools#listing-tools")
    },
    // Without requests of its own, a server of 2026-07-28 cancels only subscriptions.
    Method {
        from_client: ALL,
        from_server: ALL,
        ..notification("notifications/cancelled", "basic/patterns/cancellation#cancellation-flow")
    },
    // Introduced together with tasks, and removed by 2026-07-28.
    Method {
        from_server: CORE_TASKS,
        capabilities: &[Capability::ElicitationUrl],
        ..notification(
            "notifications/elicitation/complete",
            "client/elicitation#completion-notifications-for-url-mode-elicitation",
        )
    },
    Method {
        from_client: HANDSHAKE,
        ..notification("notifications/initialized", "basic/lifecycle#initialization")
    },
    Method {
        from_server: ALL,
        capabilities: &[Capability::Logging],
        ..notification("notifications/message", "server/utilities/logging#log-message-notifications")
    },
    // A client of 2026-07-28 serves no requests whose progress it could report.
    Method {
        from_client: HANDSHAKE,
        from_server: ALL,
        ..notification("notifications/progress", "basic/patterns/progress#progress-flow")
    },
    Method {
        from_server: ALL,
        capabilities: &[Capability::PromptsListChanged],
        ..notification("notifications/prompts/list_changed", "server/prompts#list-changed-notification")
    },
    Method {
        from_server: ALL,
        capabilities: &[Capability::ResourcesListChanged],
        ..notification("notifications/resources/list_changed", "server/resources#list-changed-notification")
    },
    Method {
        from_server: ALL,
        capabilities: &[Capability::ResourcesSubscribe],
        ..notification("notifications/resources/updated", "server/resources#subscriptions")
    },
    Method {
        from_client: HANDSHAKE,
        capabilities: &[Capability::RootsListChanged],
        ..notification("notifications/roots/list_changed", "client/roots#root-list-changes")
    },
    Method {
        from_server: STATELESS,
        ..notification("notifications/subscriptions/acknowledged", "basic/patterns/subscriptions#acknowledgment")
    },
    Method {
        from_server: STATELESS,
        extension: STATELESS,
        capabilities: &[Capability::TasksExtension],
        ..notification("notifications/tasks", "seps/2663#task-status-notifications")
    },
    Method {
        from_client: CORE_TASKS,
        from_server: CORE_TASKS,
        capabilities: &[Capability::Tasks],
        ..notification("notifications/tasks/status", "basic/utilities/tasks#task-status-notification")
    },
    Method {
        from_server: ALL,
        capabilities: &[Capability::ToolsListChanged],
        ..notification("notifications/tools/list_changed", "server/tools#list-changed-notification")
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_has_no_name_twice() {
        let sorted = METHODS.is_sorted_by(|a, b| (a.kind, a.name) < (b.kind, b.name));
        assert!(sorted);
    }

    #[test]
    fn each_method_is_sent_or_embedded_where_it_exists() {
        for method in METHODS {
            assert!(!method.revisions().is_empty(), "{method}");
            assert_eq!(
                method.kind == MethodKind::Notification,
                method.name.starts_with("notifications/"),
                "{method}"
            );
            let extension = method.extension;
            assert_eq!(extension.intersection(method.revisions()), extension, "{method}");
        }
    }

    #[test]
    fn a_capability_is_required_where_it_exists() {
        let complete = method("completion/complete").unwrap();
        assert_eq!(complete.capability(Revision::V2024_11_05), None);
        assert_eq!(complete.capability(Revision::V2025_03_26), Some(Capability::Completions));
        let cancel = method("tasks/cancel").unwrap();
        assert_eq!(cancel.capability(Revision::V2025_11_25), Some(Capability::TasksCancel));
        assert_eq!(cancel.capability(Revision::V2026_07_28), Some(Capability::TasksExtension));
        assert_eq!(method("tools/delete"), None);
    }
}
