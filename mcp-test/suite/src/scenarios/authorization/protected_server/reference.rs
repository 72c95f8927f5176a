//! The reference server behind tokens, good and bad: the peers of the proofs.

use mcp_test_core::jose::{KeySet, SigningKey};
use mcp_test_core::oauth::alteration::Alteration;
use mcp_test_core::oauth::answer::Answer;
use mcp_test_core::oauth::issuer_tokens::IssuerTokens;
use mcp_test_core::oauth::resource_server::ResourceServer;
use mcp_test_core::oauth::trusted_keys::TrustedKeys;

use crate::scenarios::prelude::*;

/// The issuer that the reference server trusts. Nothing is asked there, since its key is known.
pub(super) const ISSUER: &str = "https://issuer.invalid";
/// The scope that the reference server demands.
pub(super) const SCOPE: &str = "mcp:use";

/// The reference server, protected by tokens for one scope.
pub(super) fn protected() -> Server {
    behind(everything(), |resource| resource, false)
}

/// The reference server, protected by tokens that are bound to a key.
pub(super) fn protected_with_dpop() -> Server {
    behind(everything(), ResourceServer::demanding_proofs, true)
}

/// The protected reference server, with another way to refuse requests, or other metadata.
pub(super) fn altered(alter: impl Fn(&mut Answer) + Send + Sync + 'static) -> Server {
    behind(everything(), |resource| resource.alter(Alteration::new(move |_, it| alter(it))), false)
}

/// The protected reference server, with a member of its metadata changed or, by `None`, removed.
pub(super) fn with_member(name: &'static str, value: Option<Value>) -> Server {
    altered(move |answer| {
        if let Some(Value::Object(document)) = &mut answer.body {
            match &value {
                Some(value) => drop(document.insert(name, value.clone())),
                None => drop(document.remove(name)),
            }
        }
    })
}

/// A server behind a protected resource that demands one scope.
pub(super) fn behind(
    server: Server,
    change: impl FnOnce(ResourceServer) -> ResourceServer,
    is_bound: bool,
) -> Server {
    let (resource, tokens) = resource_and_tokens(is_bound);
    server.access(Arc::new(change(resource))).test_tokens(Arc::new(tokens))
}

/// A protected resource that demands one scope, and the tokens for it.
pub(super) fn resource_and_tokens(is_bound: bool) -> (ResourceServer, IssuerTokens) {
    let key = Arc::new(SigningKey::es256().expect("the operating system has random numbers"));
    let keys = TrustedKeys::Known(KeySet::from_iter([key.public().clone()]));
    let resource = ResourceServer::new(ISSUER, keys).scopes([SCOPE]);
    let tokens = IssuerTokens::new(ISSUER, key).expect("the operating system has random numbers");
    (resource, tokens.demanding([SCOPE], is_bound))
}
