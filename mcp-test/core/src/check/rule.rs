//! The requirements that findings about a conversation cite, whatever its scenario.
//!
//! The judges and the client cite nothing else: a [`Rule`] can be made only here. `mcp-test explain` reads the same tables, to
//! name the checks that cite a requirement.

/// A requirement that a finding about a conversation cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule(&'static str);

impl Rule {
    /// The id of the requirement.
    pub const fn id(self) -> &'static str {
        self.0
    }
}

/// Declares groups of rules: a constant for each rule, and one for each group.
macro_rules! rules {
    ($($(#[$doc:meta])+ $group:ident { $($name:ident = $id:literal,)+ })+) => {
        impl Rule {
            $($(#[doc(hidden)] pub const $name: Self = Self($id);)+)+
        }

        $($(#[$doc])+ #[doc(hidden)] #[allow(unreachable_pub, reason = "some serve only here")] pub const $group: &[Rule] = &[$(Rule::$name),+];)+
    };
}

/// Those of envelopes that one message breaks by itself, whatever came before it.
#[doc(hidden)]
pub const OF_SINGLE_MESSAGES: &[Rule] = &[
    Rule::ANNOTATIONS_LAST_MODIFIED,
    Rule::EMBEDDED_NEEDS_RESOURCES,
    Rule::ERROR_CODE_APPLICATION_RANGE,
    Rule::ERROR_CODE_INTEGER,
    Rule::ERROR_CODE_LEGACY_RANGE,
    Rule::ERROR_CODE_NOT_ZERO,
    Rule::ERROR_CODE_RESERVED_RANGE,
    Rule::ERROR_CODE_RETIRED,
    Rule::ERROR_MESSAGE_CONCISE,
    Rule::ERROR_SHAPE,
    Rule::META_NAME_FORMAT,
    Rule::META_PREFIX_FORMAT,
    Rule::META_PREFIX_LABELS,
    Rule::META_PREFIX_RESERVED_ANY,
    Rule::META_PREFIX_RESERVED_SECOND,
    Rule::META_PREFIX_REVERSE_DNS,
    Rule::META_TRACE_FORMAT,
    Rule::MIME_TYPES,
    Rule::NO_INTERNAL_DETAILS,
    Rule::PROMPT_AUDIO_MIME,
    Rule::PROMPT_EMBEDDED_MIME,
    Rule::PROMPT_IMAGE_MIME,
    Rule::RESULT_OBJECT,
    Rule::RESULT_TYPE_KNOWN,
    Rule::RESULT_TYPE_PRESENT,
    Rule::STRUCTURED_TEXT_MIRROR,
    Rule::VERSION_MEMBER,
];

/// Those that bind both sides, but of which only servers are judged; the proofs compare them with the judges.
#[doc(hidden)]
pub const OF_SERVERS_ALONE: &[Rule] = &[
    Rule::LOG_RATE_LIMITED,
    Rule::NO_MODE_MEANS_FORM,
    Rule::PROGRESS_TASK_STOPS,
    Rule::PROGRESS_TASK_TOKEN,
    Rule::REQUEST_ANSWERED,
    Rule::RESULT_TYPE_KNOWN,
    Rule::SCHEMA_DIALECT,
    Rule::SCHEMA_SENT_VALID,
];

/// Those that bind both sides, but of which only clients are judged.
#[doc(hidden)]
pub const OF_CLIENTS_ALONE: &[Rule] =
    &[Rule::EXTENSION_FALLBACK, Rule::PING_REMOVED, Rule::PROMPTS_NEGOTIATED];

rules! {
    /// Those that `wire-well-formed` cites.
    OF_ENVELOPES {
        ANNOTATIONS_LAST_MODIFIED = "resources.annotations.last-modified-iso8601",
        BATCH_NOT_SENT = "jsonrpc.batch-not-sent",
        CANCELLATION_NO_RESPONSE = "cancellation.no-response",
        CANCELLATION_ONLY_CLIENT = "cancellation.only-client-inflight",
        CANCELLATION_ONLY_FOR_LISTEN = "cancellation.server-only-for-listen",
        CANCELLATION_ONLY_OWN = "cancellation.only-own-inflight",
        CANCELLATION_TASK = "cancellation.task-uses-tasks-cancel",
        CAPABILITIES_RESPECTED = "lifecycle.capabilities-respected",
        CAPABILITIES_RESPECTED_SHOULD = "lifecycle.capabilities-respected-should",
        CAPABILITIES_RESPECTED_STATELESS = "base.capabilities-respected",
        CAPABILITY_NOT_ASSUMED = "base.capability-undeclared-not-used",
        COMPLETE_CARRIES_ID = "elicitation.complete.carries-id",
        COMPLETE_REMOVED = "elicitation.complete.removed",
        COMPLETE_TO_INITIATOR = "elicitation.complete.only-to-initiator",
        COMPLETIONS_OFFER_DECLARED = "completion.capability.declare",
        CONTEXT_AVOIDED = "sampling.context.avoid-deprecated",
        CONTEXT_DECLARED = "sampling.context.requires-capability",
        ELICITATION_DECLARED = "elicitation.request.requires-capability",
        ELICITATION_VIA_INPUT = "elicitation.request.via-input-required",
        EMBEDDED_NEEDS_RESOURCES = "tools.content.embedded-needs-resources-capability",
        ERROR_CODE_APPLICATION_RANGE = "jsonrpc.error-code-application-range",
        ERROR_CODE_INTEGER = "jsonrpc.error-code-integer",
        ERROR_CODE_LEGACY_RANGE = "jsonrpc.error-code-legacy-range-unused",
        ERROR_CODE_NOT_ZERO = "mcp-test.error-code-not-zero",
        ERROR_CODE_RESERVED_RANGE = "jsonrpc.error-code-reserved-range",
        ERROR_CODE_RETIRED = "jsonrpc.error-code-retired",
        ERROR_ID_ECHO = "jsonrpc.error-id-echo",
        ERROR_MESSAGE_CONCISE = "jsonrpc.error-message-concise",
        ERROR_SHAPE = "jsonrpc.error-shape",
        EXTENSION_FALLBACK = "versioning.extension-fallback",
        FORM_CHOICES_BOUNDS = "elicitation.schema.multi-select-bounds",
        FORM_CHOICES_TITLED = "elicitation.schema.enum-multi-titled",
        FORM_CHOICES_UNTITLED = "elicitation.schema.enum-multi-untitled",
        FORM_CHOICE_TITLED = "elicitation.schema.enum-single-titled",
        FORM_CHOICE_UNTITLED = "elicitation.schema.enum-single-untitled",
        FORM_DEFAULTS = "elicitation.schema.defaults-typed",
        FORM_ENUM_NAMES = "elicitation.schema.enum-names",
        FORM_FLAT = "elicitation.schema.flat",
        FORM_LENGTH_BOUNDS = "elicitation.schema.string-length-bounds",
        FORM_NO_ADVANCED_KEYWORDS = "elicitation.schema.no-advanced-keywords",
        FORM_NUMBER_BOUNDS = "elicitation.schema.number-bounds",
        FORM_STRING_FORMATS = "elicitation.schema.string-formats",
        HTTP_ACCEPTED_202 = "transport.http.accepted-202",
        HTTP_BODY_REQUEST_OR_NOTIFICATION = "transport.http.body-request-or-notification",
        HTTP_BODY_SINGLE_MESSAGE = "transport.http.body-single-message",
        HTTP_BODY_SINGLE_OR_BATCH = "transport.http.body-single-or-batch",
        HTTP_CANCEL_NO_FURTHER_MESSAGES = "transport.http.cancel-no-further-messages",
        HTTP_CODING_FITS = "mcp-test.http-coding-fits",
        HTTP_EVENT_ID_UNIQUE = "transport.http.event-id-unique",
        HTTP_GET_MESSAGES_UNRELATED = "transport.http.get-messages-unrelated",
        HTTP_JSON_SINGLE_OBJECT = "transport.http.json-single-object",
        HTTP_ONE_LENGTH = "mcp-test.http-one-length",
        HTTP_REQUEST_CONTENT_TYPE = "transport.http.request-content-type",
        HTTP_SERVER_NO_REQUESTS = "transport.http.server-no-requests",
        HTTP_SSE_CLOSE_AFTER_RESPONSE = "transport.http.sse-close-after-response",
        HTTP_SSE_EVENT_DATA = "transport.http.sse-event-data",
        HTTP_SSE_MESSAGES_RELATED = "transport.http.sse-messages-related",
        HTTP_SSE_NOTIFICATIONS_RELATED = "transport.http.sse-notifications-related",
        ID_TYPE_PRESERVED = "jsonrpc.id-type-preserved",
        INITIALIZE_NOT_BATCHED = "lifecycle.initialize-not-batched",
        INITIALIZE_NOT_CANCELLED = "cancellation.initialize-not-cancelled",
        INPUT_NOT_CACHED = "caching.hints.none-on-input-required",
        INPUT_ONLY_IN_RESULTS = "mrtr.input-only-via-mrtr",
        INPUT_RESULT_TYPE = "mrtr.result-type",
        INPUT_UNDECLARED_KIND = "mrtr.undeclared-input-kind",
        LOGGING_DECLARED = "logging.capability.declare",
        LOG_BEFORE_RESPONSE = "logging.per-request.before-response",
        LOG_NO_INTERNAL_DETAILS = "logging.security.no-internal-details",
        LOG_OWN_STREAM = "logging.per-request.own-stream-only",
        LOG_RATE_LIMITED = "logging.impl.rate-limit",
        LOG_SILENT_WITHOUT_LEVEL = "logging.per-request.silent-without-level",
        LOG_THRESHOLD = "logging.set-level.threshold",
        LOG_THRESHOLD_OF_REQUEST = "logging.per-request.threshold",
        MESSAGE_DIRECTION = "schema.message-direction",
        META_NAME_FORMAT = "base.meta-name-format",
        META_PREFIX_FORMAT = "base.meta-prefix-format",
        META_PREFIX_LABELS = "base.meta-prefix-labels",
        META_PREFIX_RESERVED_ANY = "base.meta-prefix-reserved-any-label",
        META_PREFIX_RESERVED_SECOND = "base.meta-prefix-reserved-second-label",
        META_PREFIX_REVERSE_DNS = "base.meta-prefix-reverse-dns",
        META_TRACE_FORMAT = "base.meta-trace-format",
        MIME_TYPES = "mcp-test.mime-types",
        MODE_DECLARED = "elicitation.request.supported-modes-only",
        NEWLINE_DELIMITED = "transport.stdio.newline-delimited",
        NOTIFICATION_NO_ID = "jsonrpc.notification-no-id",
        NO_EMBEDDED_NEWLINES = "transport.stdio.no-embedded-newlines",
        NO_INTERNAL_DETAILS = "mcp-test.no-internal-details",
        NO_LINKS_IN_FORMS = "elicitation.safe-url.no-links-in-forms",
        NO_MODE_MEANS_FORM = "elicitation.capability.empty-means-form",
        PARAMS_OBJECT = "jsonrpc.params-object",
        PING_NOT_EXCESSIVE = "ping.not-excessive",
        PING_REMOVED = "ping.removed",
        PROGRESS_INCREASES = "progress.increases",
        PROGRESS_MESSAGE_MEANINGFUL = "progress.message-meaningful",
        PROGRESS_RATE_LIMITED = "progress.rate-limited",
        PROGRESS_STOPS = "progress.stops-after-completion",
        PROGRESS_TASK_STOPS = "progress.task-stops-terminal",
        PROGRESS_TASK_TOKEN = "progress.task-token-continues",
        PROGRESS_TOKEN_ECHOED = "progress.token-echoed",
        PROGRESS_TOKEN_KNOWN = "progress.token-known",
        PROGRESS_TOKEN_UNIQUE = "progress.token-unique",
        PROMPTS_LIST_CHANGED_ASKED = "prompts.list-changed.only-on-listen-stream",
        PROMPTS_LIST_CHANGED_DECLARED = "prompts.list-changed.requires-capability",
        PROMPTS_NEGOTIATED = "prompts.impl.respect-negotiation",
        PROMPTS_OFFER_DECLARED = "prompts.capability.declare",
        PROMPTS_OFFER_DISCOVERED = "prompts.capability.declare-in-discover",
        PROMPT_AUDIO_MIME = "prompts.content.audio-base64-mime",
        PROMPT_EMBEDDED_MIME = "prompts.content.embedded-mime",
        PROMPT_IMAGE_MIME = "prompts.content.image-base64-mime",
        REQUESTS_AFTER_RESPONSE = "lifecycle.client-requests-before-response",
        REQUEST_ID_NOT_NULL = "jsonrpc.request-id-not-null",
        REQUEST_ID_TYPE = "jsonrpc.request-id-type",
        REQUEST_ID_UNIQUE_INFLIGHT = "jsonrpc.request-id-unique-inflight",
        REQUEST_ID_UNIQUE_SESSION = "jsonrpc.request-id-unique-session",
        REQUEST_METHOD_STRING = "jsonrpc.request-method-string",
        RESOURCES_LIST_CHANGED_ASKED = "resources.list-changed.only-on-listen-stream",
        RESOURCES_LIST_CHANGED_DECLARED = "resources.list-changed.requires-capability",
        RESOURCES_OFFER_DECLARED = "resources.capability.declare",
        RESOURCES_SUBSCRIBE_DECLARED = "resources.updated.requires-subscribe-capability",
        RESOURCES_UPDATED_SUBSCRIBED = "resources.updated.only-subscribed",
        RESPONSE_NOT_BOTH = "jsonrpc.response-not-both",
        RESPONSE_RESULT_OR_ERROR = "jsonrpc.response-result-or-error",
        RESULT_ID_ECHO = "jsonrpc.result-id-echo",
        RESULT_OBJECT = "jsonrpc.result-object",
        RESULT_TYPE_KNOWN = "base.result-type-known-set",
        RESULT_TYPE_PRESENT = "base.result-type-present",
        ROOTS_DECLARED = "roots.list.requires-capability",
        ROOTS_LIST_CHANGED_DECLARED = "roots.list-changed.requires-capability",
        ROOTS_LIST_CHANGED_REMOVED = "roots.list-changed.removed",
        ROOTS_VIA_INPUT = "roots.list.via-input-required",
        SAMPLING_DECLARED = "sampling.request.requires-capability",
        SAMPLING_TOOLS_DECLARED = "sampling.tools.server-gate",
        SAMPLING_VIA_INPUT = "sampling.request.via-input-required",
        SECRETS_IN_URL_MODE = "elicitation.sensitive.url-mode-used",
        SECRETS_NOT_ELICITED = "elicitation.sensitive.not-elicited",
        SECRETS_NOT_IN_FORMS = "elicitation.sensitive.not-in-form-mode",
        SERVER_LEAVES_NO_PROCESS = "mcp-test.server-leaves-no-process",
        SERVER_SENDS_NO_REQUESTS = "mrtr.no-server-requests",
        SET_LEVEL_REMOVED = "logging.set-level.removed",
        SINGLE_RESPONSE = "jsonrpc.single-response",
        SSE_MESSAGE_EVENTS = "transport.sse.message-events",
        STDIN_ONLY_MESSAGES = "transport.stdio.stdin-only-messages",
        STDIO_CANCEL_NO_FURTHER_MESSAGES = "transport.stdio.cancel-no-further-messages",
        STDIO_CLOSES_STDIN = "transport.stdio.shutdown-close-stdin",
        STDIO_EXIT_ON_EOF = "transport.stdio.exit-on-eof",
        STDIO_EXIT_ON_EOF_IMPLIED = "transport.stdio.exit-on-eof-implied",
        STDIO_SERVER_MESSAGE_KINDS = "transport.stdio.server-message-kinds",
        STDIO_SERVER_NO_REQUESTS = "transport.stdio.server-no-requests",
        STDIO_SIGTERM_FIRST = "transport.stdio.shutdown-sigterm-sigkill",
        STDIO_WAITS_FOR_EXIT = "transport.stdio.shutdown-waits",
        STDOUT_ONLY_MESSAGES = "transport.stdio.stdout-only-messages",
        STRUCTURED_TEXT_MIRROR = "tools.structured.text-mirror",
        SUBSCRIBE_DECLARED = "resources.subscribe.requires-capability",
        SUBSCRIBE_REMOVED = "resources.subscribe.removed",
        SUBSCRIPTION_CANCEL_ENDS = "subscriptions.cancel-ends",
        SUBSCRIPTION_ID_VALUE = "subscriptions.id-value",
        SUBSCRIPTION_NO_REQUEST_SCOPED = "subscriptions.no-request-scoped",
        SUBSCRIPTION_ONLY_REQUESTED = "subscriptions.only-requested",
        SUBSCRIPTION_RESULT = "subscriptions.graceful-result-shape",
        SUBSCRIPTION_URIS_ONLY = "subscriptions.resource-uris-only",
        TASKS_CANCEL_DECLARED = "tasks.cancel-requires-capability",
        TASKS_LIST_DECLARED = "tasks.list-requires-capability",
        TASKS_TOOL_DECLARED = "tasks.tool-augment-requires-capability",
        TASKS_TOOL_FORBIDDEN = "tasks.tool-forbidden-not-augmented",
        TASKS_TOOL_REQUIRED = "tasks.tool-required-augmented",
        TASK_AUGMENTS_DECLARED = "tasks.augment-only-declared",
        TASK_NAME_HEADER = "ext.tasks.mcp-name-header",
        TASK_NOT_ATTEMPTED = "tasks.no-augment-without-capability",
        TASK_NOT_CANCELLED = "ext.tasks.no-cancelled-notification",
        TASK_NO_PROGRESS_ON_LISTEN = "ext.tasks.no-progress-on-listen",
        TASK_SUPPORT_DEFAULT = "tools.definition.task-support-default",
        TOOLS_DECLARED = "base.tools-require-capability",
        TOOLS_LIST_CHANGED_ASKED = "tools.list-changed.only-on-listen-stream",
        TOOLS_LIST_CHANGED_DECLARED = "tools.list-changed.requires-capability",
        TOOLS_OFFER_DECLARED = "tools.capability.declare",
        TOOL_RESULTS_ALONE = "sampling.message.tool-results-only",
        TOOL_RESULTS_BY_USER = "sampling.message.tool-result-user-role",
        TOOL_RESULT_IDS = "sampling.message.tool-result-id-match",
        TOOL_USE_BALANCE = "sampling.message.tool-use-balance",
        UNSUBSCRIBE_AFTER_SUBSCRIBE = "resources.unsubscribe.after-subscribe",
        URL_ERROR_CODE = "elicitation.url-required-error.code",
        URL_ERROR_LISTS = "elicitation.url-required-error.lists-elicitations",
        URL_ERROR_ONLY_WHEN_NEEDED = "elicitation.url-required-error.only-when-needed",
        URL_HTTPS = "elicitation.safe-url.https",
        URL_ID_UNIQUE = "elicitation.url.elicitation-id-unique",
        URL_NO_ELICITATION_ID = "elicitation.url.no-elicitation-id",
        URL_NO_SENSITIVE_DATA = "elicitation.safe-url.no-sensitive-data",
        UTF8 = "jsonrpc.utf8",
        VERSION_MEMBER = "jsonrpc.version-member",
        VERSION_PROPOSED = "lifecycle.version-client-supported",
        VERSION_RESPECTED = "lifecycle.version-respected",
        VERSION_RESPECTED_SHOULD = "lifecycle.version-respected-should",
    }
    /// Those that the client cites, beside those of envelopes, when it cannot go on: any check of a scenario may fail with them.
    OF_CLIENT {
        ACK_SENT = "subscriptions.ack-sent",
        HTTP_GET_SSE_OR_405 = "transport.http.get-sse-or-405",
        INITIALIZE_RESULT = "schema.initialize-result",
        INPUT_KEYS_UNIQUE = "mrtr.input-keys-unique",
        INPUT_KINDS = "mrtr.input-kinds",
        INPUT_REQUESTS_OR_STATE = "mrtr.requests-or-state",
        INPUT_REQUIRED_RESULT = "schema.input-required-result",
        INPUT_SUPPORTED_METHODS = "mrtr.supported-methods-only",
        NOTHING_BEFORE_ACK = "subscriptions.nothing-before-ack",
        REQUEST_ANSWERED = "jsonrpc.request-answered",
        SUBSCRIPTION_STAYS_OPEN = "subscriptions.stays-open",
        SUPPORTED_VERSIONS_TRUTHFUL = "discover.supported-versions-truthful",
    }
    /// That which `wire-schema-valid` cites of a shape without a requirement of its own.
    OF_SHAPES {
        MESSAGE_SHAPE = "mcp-test.message-shape",
    }
    /// Those that `wire-schema-valid` cites of what a server asks of its client, beside those of envelopes.
    OF_SERVER_REQUESTS {
        ELICITATION_MESSAGE = "elicitation.request.message-required",
        ELICITATION_MODES = "elicitation.request.mode-values",
        FORM_ARRAYS_ARE_CHOICES = "elicitation.schema.arrays-only-for-enums",
        FORM_BOOLEAN_DEFAULT = "elicitation.schema.boolean-default",
        FORM_MODE = "elicitation.form.mode-field",
        FORM_NO_ARRAYS = "elicitation.schema.no-arrays",
        FORM_OBJECT_ROOT = "elicitation.schema.object-root",
        FORM_PRIMITIVE_TYPES = "elicitation.schema.primitive-types",
        FORM_SCHEMA_REQUIRED = "elicitation.form.requested-schema-required",
        SAMPLING_BASE64 = "sampling.content.base64",
        SAMPLING_PRIORITIES = "sampling.preferences.priority-range",
        SAMPLING_TOOL_CHOICE = "sampling.tool-choice.mode-enum",
        SAMPLING_TYPES = "sampling.content.types-text-image",
        SAMPLING_TYPES_WITH_AUDIO = "sampling.content.types-with-audio",
        SAMPLING_TYPES_WITH_TOOLS = "sampling.content.types-with-tools",
        URL_ERROR_DATA = "schema.url-elicitation-required-error",
        URL_ERROR_ENTRIES = "elicitation.url-required-error.entries",
        URL_ID_REQUIRED = "elicitation.url.elicitation-id-required",
        URL_MODE_AND_MESSAGE = "elicitation.url.mode-and-message",
        URL_REQUIRED = "elicitation.url.url-required",
        URL_VALID = "elicitation.url.url-valid",
    }
    /// That which `client-took-part` cites.
    OF_TOOK_PART {
        CLIENT_TAKES_PART = "mcp-test.client-takes-part",
    }
    /// Those that `client-left-well` cites.
    OF_LEFT_WELL {
        CLIENT_EXITS_WELL = "mcp-test.client-exits-well",
        CLIENT_LEAVES_NO_PROCESS = "mcp-test.client-leaves-no-process",
    }
    /// That which the checks of a client cite when it did not do its task.
    OF_TASKS {
        CLIENT_DOES_TASK = "mcp-test.client-does-task",
    }
    /// That which `scenario-timeout` cites.
    OF_TIMEOUTS {
        SCENARIO_ENDS = "mcp-test.scenario-ends",
    }
    /// Those that `wire-tool-schemas` cites.
    OF_TOOLS {
        SCHEMA_DIALECT = "base.schema-prefer-2020-12",
        SCHEMA_SENT_VALID = "base.schema-valid",
        INPUT_SCHEMA_VALID = "tools.definition.input-schema-valid",
        OUTPUT_SCHEMA_VALID = "tools.definition.output-schema-valid",
        STRUCTURED_CONFORMS = "tools.structured.conforms-output-schema",
        STRUCTURED_PRESENT = "tools.structured.present-with-output-schema",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::spec::requirement;

    #[test]
    fn rules_are_requirements_by_their_own_ids_and_listed_once() {
        let mut seen = HashSet::new();
        let of_runs = [OF_TOOK_PART, OF_LEFT_WELL, OF_TASKS, OF_TIMEOUTS].concat();
        let of_shapes = [OF_SHAPES, OF_SERVER_REQUESTS].concat();
        let of_messages = [OF_ENVELOPES, OF_CLIENT, &of_shapes, OF_TOOLS].concat();
        for rule in of_messages.into_iter().chain(of_runs) {
            let id = rule.id();
            assert_eq!(requirement::find(id).map(|found| found.id), Some(id));
            assert!(seen.insert(id), "{id}");
        }
    }
}
