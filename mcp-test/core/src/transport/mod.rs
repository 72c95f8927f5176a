//! Transports: both ends of each, the targets that they reach, and the faults that can be injected.
//!
//! A [`Target`] lists the transports by which a server can be reached; opening one returns a [`Connection`], the client's
//! end. Every transport records at once what it sends and receives, and reports violations without judging them. The
//! server's ends are here too, with the interceptor that injects faults.

#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "HTTP uses the rest"))]
pub(crate) mod actor;
#[cfg_attr(not(feature = "auth"), allow(dead_code, reason = "only OAuth has one"))]
#[doc(hidden)]
pub mod authorizer;
mod client_command;
mod client_run;
#[cfg(all(unix, feature = "http"))]
#[doc(hidden)]
pub mod client_stdio;
#[doc(hidden)]
pub mod client_target;
mod client_transport;
mod connection;
mod duplex;
mod endpoint;
mod error;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP has events"))]
#[doc(hidden)]
pub mod event_form;
mod exchange_error;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "HTTP uses the rest"))]
#[doc(hidden)]
pub mod fault;
mod faulty_transport;
#[doc(hidden)]
pub mod generated_id;
#[cfg(feature = "http")]
mod headers;
#[cfg(feature = "http")]
mod http;
mod incoming;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "HTTP uses the rest"))]
pub(crate) mod interceptor;
#[cfg(feature = "http")]
mod legacy_sse;
mod limits;
mod line_client;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "HTTP uses the rest"))]
pub(crate) mod memory_budget;
mod observer;
mod outgoing;
mod prepared_target;
mod raw_http;
mod redacted;
#[cfg(feature = "http")]
pub(crate) mod request_body;
#[cfg(feature = "http")]
pub(crate) mod serve_http;
pub(crate) mod serve_lines;
mod started_servers;
#[cfg(any(test, feature = "suite"))]
#[doc(hidden)]
pub mod stderr_text;
mod stdio;
mod target;
mod target_transport;
#[cfg(feature = "auth")]
#[doc(hidden)]
pub mod test_tokens;
mod tokens_by_role;
mod transport_kind;
#[cfg(not(feature = "http"))]
mod without_http;

#[doc(hidden)]
pub use client_command::PlaceholderError;
#[doc(hidden)]
pub use client_run::{ClientEnd, ClientRun};
pub use client_target::ClientTarget;
pub use client_transport::ConnectionEnd;
pub use connection::Connection;
pub(crate) use endpoint::DuplexConnection;
pub use endpoint::{DuplexServer, Endpoint, EndpointError, ServerAddress};
pub use error::OpenError;
#[doc(hidden)]
pub use exchange_error::not_http;
#[doc(hidden)]
pub use fault::FaultError;
pub use fault::{Fault, Misbehavior};
#[cfg(all(feature = "http", feature = "schema"))]
pub(crate) use http::fetch;
#[cfg(feature = "auth")]
#[doc(hidden)]
pub use http::{FetchError, KeptConnections, PlainResponse, request_once};
pub use incoming::Origin;
#[doc(hidden)]
pub use incoming::{Incoming, ResponseAdvice};
pub use limits::Limits;
#[doc(hidden)]
pub use outgoing::Outgoing;
pub use outgoing::Sent;
#[doc(hidden)]
pub use prepared_target::PreparedTarget;
pub use raw_http::{HttpExchange, HttpFailure, HttpRequest, HttpResponse};
pub(crate) use redacted::redact_urls;
#[doc(hidden)]
pub use started_servers::StartedServers;
pub use target::Target;
pub use tokens_by_role::{TokenRole, TokensByRole, UnknownTokenRole};
pub use transport_kind::TransportKind;
#[doc(hidden)]
pub use transport_kind::UnknownTransport;
#[cfg(not(feature = "http"))]
pub(crate) use without_http::{Disabled, NeedsHttp};
