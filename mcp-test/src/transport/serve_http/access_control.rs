//! What stands before an MCP endpoint: who may send it requests, and what else is served beside it.
//!
//! Only the interface: tokens and metadata are not known here.

use std::fmt::Debug;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::request::Parts;

use crate::json::Value;

/// Decides about requests to an MCP endpoint before the endpoint does, and answers at other paths.
pub(crate) trait AccessControl: Debug + Send + Sync {
    /// The refusal of a request to the endpoint; `None` if the endpoint may handle it. `message` is the body of a POST, if that
    /// is JSON.
    fn refuse(&self, head: &Parts, message: Option<&Value>) -> Option<Response>;

    /// The response to a request to another path; `None` if there is nothing.
    fn answer<'a>(&'a self, head: &'a Parts, body: Body) -> BoxFuture<'a, Option<Response>>;
}
