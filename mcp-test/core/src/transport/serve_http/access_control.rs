//! What stands before an MCP endpoint: who may send it requests, and what else is served beside it.
//!
//! Only the interface: tokens and metadata are not known here.

use std::fmt::{self, Debug};

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::request::Parts;

use crate::json::Value;
use crate::transport::Misbehavior;

/// Decides about requests to an MCP endpoint before the endpoint does, and answers at other paths.
pub trait AccessControl: Debug + Send + Sync {
    /// The refusal of a request to the endpoint; `None` if the endpoint may handle it.
    fn refuse<'a>(&'a self, request: GuardedRequest<'a>) -> BoxFuture<'a, Option<Response>>;

    /// The response to a request to another path; `None` if there is nothing.
    fn answer<'a>(&'a self, head: &'a Parts, body: Body) -> BoxFuture<'a, Option<Response>>;

    /// Learns that a request that was admitted has opened a session.
    fn opened(&self, _head: &Parts, _session: &str) {}
}

/// A request to an MCP endpoint.
#[derive(Clone, Copy)]
pub struct GuardedRequest<'a> {
    /// Its method, path and headers.
    pub(crate) head: &'a Parts,
    /// The body of a POST, if that is JSON.
    pub(crate) message: Option<&'a Value>,
    /// Whether a fault makes the server misbehave in a way.
    pub(crate) misbehaves: &'a (dyn Fn(Misbehavior) -> bool + Send + Sync),
}

impl Debug for GuardedRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedRequest").field("head", self.head).finish_non_exhaustive()
    }
}
