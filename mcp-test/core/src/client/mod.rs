//! The scriptable client: it sends requests, answers the server's requests, and records everything.
//!
//! [`Client`] drives one [`Connection`](crate::transport::Connection) in either era. It judges nothing beyond what
//! ends a wait: a reply that can no longer arrive is a [`Finding`](crate::check::Finding) at once, not a time-out.
//! What a reply should contain is up to scenarios and assertions.

mod batch;
mod cancel;
#[expect(clippy::module_inception, reason = "it defines `Client`")]
mod client;
mod connect;
mod declared_server;
#[cfg(feature = "suite")]
mod ending_messages;
#[cfg(feature = "suite")]
mod failing_tools;
mod fixtures;
mod handlers;
mod input_rounds;
pub(crate) mod manual;
mod negotiate;
mod notification;
mod notification_wait;
mod open_error;
mod options;
mod overtaken;
mod overtaking;
mod param_headers;
mod peculiar_request;
mod ping_history;
mod probe;
mod received_instead;
#[doc(hidden)]
#[cfg(any(test, feature = "test-support", feature = "suite"))]
pub mod reference;
pub mod reply;
mod reply_history;
mod request;
mod request_options;
mod restart;
mod reuse;
mod scripted_client;
mod server_exit;
mod server_facts;
mod server_messages;
mod server_notification;
pub(crate) mod server_panics;
mod slow_tools;
mod state;
mod subscribe;
mod unanswered;
#[doc(hidden)]
pub mod wait;

#[cfg(test)]
mod tests;

use crate::spec::Requirement;

pub use cancel::CancelledRequest;
pub use client::Client;
#[doc(hidden)]
pub use client::MAX_PAGES;
pub use declared_server::DeclaredServer;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use ending_messages::EndingMessages;
pub use fixtures::Fixtures;
pub(crate) use handlers::take_panicked_handler;
pub use handlers::{
    Answer, Choice, ElicitationResponse, Field, FieldKind, FormElicitation, Handlers, Root,
    SamplingRequest, SamplingResponse, UrlElicitation,
};
#[doc(hidden)]
pub use input_rounds::MAX_ROUNDS;
pub use notification::{LogMessage, Progress, ReceivedNotification};
pub use options::Options;
#[doc(hidden)]
pub use probe::{ProbeResult, probe};
pub(crate) use probe::{greet, leave};
pub use reply::{
    CacheHints, Completion, HttpHeads, PromptList, PromptMessages, Reply, ResourceContents,
    ResourceList, ResourceTemplateList, ToolList, ToolResult,
};
pub(crate) use reply_history::ReplyHistory;
pub use request_options::RequestOptions;
pub(crate) use reuse::FirstRequest;
#[doc(hidden)]
pub use scripted_client::{ClientTask, ScriptedClient};
pub use server_exit::ServerExit;
pub use server_facts::ServerFacts;
pub use server_notification::ServerNotification;
pub use subscribe::{Subscription, SubscriptionEnd, SubscriptionFilter};
#[doc(hidden)]
pub use unanswered::Unanswered;
pub use wait::Pending;

/// The requirements that the client cites when it cannot go on, beside those of envelopes: any check of a scenario may fail with them.
pub(crate) const REQUIREMENTS_OF_CLIENT: &[&Requirement] = &[
    Requirement::SUBSCRIPTIONS_ACK_SENT,
    Requirement::TRANSPORT_HTTP_GET_SSE_OR_405,
    Requirement::SCHEMA_INITIALIZE_RESULT,
    Requirement::MRTR_INPUT_KEYS_UNIQUE,
    Requirement::MRTR_INPUT_KINDS,
    Requirement::MRTR_REQUESTS_OR_STATE,
    Requirement::SCHEMA_INPUT_REQUIRED_RESULT,
    Requirement::MRTR_SUPPORTED_METHODS_ONLY,
    Requirement::SUBSCRIPTIONS_NOTHING_BEFORE_ACK,
    Requirement::JSONRPC_REQUEST_ANSWERED,
    Requirement::SUBSCRIPTIONS_STAYS_OPEN,
    Requirement::DISCOVER_SUPPORTED_VERSIONS_TRUTHFUL,
];
