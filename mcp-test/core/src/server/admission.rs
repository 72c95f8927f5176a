//! Admission of requests: decides the era of a request and whether it is served at all.

use std::sync::PoisonError;

use super::conversation::ServerConversation;
use super::request_context::RequestContext;
use super::{Refusal, Server, request_context};
use crate::json::Value;
use crate::spec;
use crate::spec::log_level::LEVELS;
use crate::spec::{Capability, Era, Revision, Side, error_code, meta};
use crate::wire::RpcError;

impl Server {
    /// Refuses a method that the server does not have.
    pub(super) fn exists(&self, method: &str, revision: Revision) -> Result<(), Refusal> {
        if self.serves(method, revision) {
            return Ok(());
        }
        let status = revision.answers_unknown_method_with_404().then_some(404);
        Err(Refusal { error: method_not_found(method), status })
    }

    /// Refuses a request with an unknown log level in its `_meta`, if the server logs.
    pub(super) fn check_log_level(
        &self,
        params: Option<&Value>,
        context: &RequestContext,
    ) -> Result<(), Refusal> {
        let level = params.and_then(|params| params.get("_meta")?.get(meta::LOG_LEVEL));
        let is_known = level.and_then(Value::as_str).is_none_or(|level| LEVELS.contains(&level));
        if is_known
            || !context.revision.has_log_level_per_request()
            || !self.declares(Capability::Logging)
        {
            return Ok(());
        }
        Err(RpcError::new(error_code::INVALID_PARAMS, "unknown log level").into())
    }
}

pub(super) fn method_not_found(method: &str) -> RpcError {
    RpcError::new(error_code::METHOD_NOT_FOUND, format!("method not found: {method}"))
}

impl ServerConversation {
    /// The context of a request, if it is served.
    pub(super) fn admit(
        &self,
        method: &str,
        params: Option<&Value>,
    ) -> Result<RequestContext, Refusal> {
        if params.is_some_and(|params| !params.is_object()) {
            return Err(
                RpcError::new(error_code::INVALID_PARAMS, "`params` must be an object").into()
            );
        }
        if self.is_stateless(method, params) {
            self.stateless(method, params)
        } else {
            self.handshake(method, params)
        }
    }

    fn is_stateless(&self, method: &str, params: Option<&Value>) -> bool {
        // Over HTTP the transport has already decided the era.
        if let Some(era) = self.0.era {
            return era == Era::Stateless;
        }
        let served = self.0.server.served();
        let has = |era| request_context::revisions_in_era(served, era).next().is_some();
        // A method that only the stateless era has is refused for its missing `_meta`, not as an unknown method.
        let newer = spec::method(method).is_some_and(|method| {
            Revision::ALL.iter().all(|revision| {
                method.sent_by(Side::Client, *revision) == (revision.era() == Era::Stateless)
            })
        });
        !has(Era::Handshake)
            || has(Era::Stateless) && (request_context::has_own_context(params) || newer)
    }

    fn stateless(&self, method: &str, params: Option<&Value>) -> Result<RequestContext, Refusal> {
        let served = self.0.server.served();
        // A modern server should list its versions when it refuses `initialize`: an old client may show them.
        if method == "initialize" && !request_context::has_own_context(params) {
            let requested =
                params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
            let error = request_context::unsupported(requested.unwrap_or_default(), served);
            return Err(Refusal { error, status: Some(400) });
        }
        RequestContext::from_meta(params, &self.0.server)
    }

    fn handshake(&self, method: &str, params: Option<&Value>) -> Result<RequestContext, Refusal> {
        // Held over the decision, so that only one of two concurrent `initialize` requests succeeds.
        let mut agreed = self.0.agreed.lock().unwrap_or_else(PoisonError::into_inner);
        let invalid = |message| Refusal {
            error: RpcError::new(error_code::INVALID_REQUEST, message),
            status: Some(400),
        };
        match (method, &*agreed) {
            ("initialize", Some(_)) => Err(invalid("this conversation is initialized already")),
            ("initialize", None) => {
                let context =
                    RequestContext::negotiate(params.unwrap_or(&Value::Null), &self.0.server)?;
                *agreed = Some(context.clone());
                Ok(context)
            }
            (_, Some(context)) => Ok(context.clone()),
            // The only other request that a client may send before the reply to `initialize`.
            ("ping", None) => {
                Ok(RequestContext::before_negotiation(self.0.server.newest_handshake()))
            }
            (_, None) => Err(invalid("the first request of a conversation is `initialize`")),
        }
    }
}
