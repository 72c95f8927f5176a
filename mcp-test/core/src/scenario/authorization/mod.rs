//! Tests of authorization servers: the target, the context of a scenario, and the peer of its proofs.

mod authorization_ctx;
mod callback_listener;
mod document_host;
mod peer;
mod response;
mod target;

#[cfg(feature = "suite")]
#[doc(hidden)]
pub use authorization_ctx::is_secure;
pub use authorization_ctx::{AuthorizationCtx, AuthorizationSetup};
pub use callback_listener::{Callback, CallbackListener};
pub use document_host::{DocumentHost, HostedDocument};
pub use peer::AuthorizationPeer;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use peer::asks_for_openid;
pub use response::AuthorizationResponse;
pub use target::{AuthorizationTarget, ConsentRequest, RegisteredAs};
