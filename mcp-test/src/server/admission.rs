//! Admission: the era by whose rules a request is treated, and whether it is served at all.

use std::sync::PoisonError;

use super::{
    Refusal, Server,
    conversation::Talk,
    terms::{self, Terms},
};
use crate::{
    json::Value,
    spec::{self, Era, Revision, Side, error_code},
    wire::RpcError,
};

impl Server {
    /// Whether the method exists, as its own answers go.
    pub(super) fn exists(&self, method: &str, revision: Revision) -> Result<(), Refusal> {
        if self.serves(method, revision) {
            return Ok(());
        }
        let status = revision.answers_unknown_method_with_404().then_some(404);
        let message = format!("method not found: {method}");
        Err(Refusal { error: RpcError::new(error_code::METHOD_NOT_FOUND, message), status })
    }
}

impl Talk {
    /// The terms under which a request is served, if it is.
    pub(super) fn admit(&self, method: &str, params: Option<&Value>) -> Result<Terms, Refusal> {
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
        if let Some(era) = self.0.era {
            return era == Era::Stateless;
        }
        let served = self.0.server.served();
        let has = |era| terms::of_era(served, era).next().is_some();
        let newer = spec::method(method).is_some_and(|method| {
            Revision::ALL.iter().all(|revision| {
                method.sent_by(Side::Client, *revision) == (revision.era() == Era::Stateless)
            })
        });
        !has(Era::Handshake) || has(Era::Stateless) && (terms::brings_terms(params) || newer)
    }

    fn stateless(&self, method: &str, params: Option<&Value>) -> Result<Terms, Refusal> {
        let served = self.0.server.served();
        if method == "initialize" && !terms::brings_terms(params) {
            let requested =
                params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
            let error = terms::unsupported(requested.unwrap_or_default(), served);
            return Err(Refusal { error, status: Some(400) });
        }
        Terms::of_request(params, &self.0.server)
    }

    fn handshake(&self, method: &str, params: Option<&Value>) -> Result<Terms, Refusal> {
        let mut agreed = self.0.agreed.lock().unwrap_or_else(PoisonError::into_inner);
        let invalid = |message| Refusal {
            error: RpcError::new(error_code::INVALID_REQUEST, message),
            status: Some(400),
        };
        match (method, &*agreed) {
            ("initialize", Some(_)) => Err(invalid("this conversation is initialized already")),
            ("initialize", None) => {
                let terms = Terms::negotiate(params.unwrap_or(&Value::Null), &self.0.server)?;
                *agreed = Some(terms.clone());
                Ok(terms)
            }
            (_, Some(terms)) => Ok(terms.clone()),
            ("ping", None) => Ok(Terms::unsettled(self.0.server.newest_handshake())),
            (_, None) => Err(invalid("the first request of a conversation is `initialize`")),
        }
    }
}
