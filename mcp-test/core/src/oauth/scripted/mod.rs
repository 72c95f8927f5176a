//! What a scenario serves to a client that signs in: scripted authorization servers, and the protected MCP server.
//!
//! They accept what a correct server refuses, and write it down, so that a scenario can judge everything that a client does
//! after its first mistake. The [`AuthorizationServer`](super::AuthorizationServer) is the correct one.

mod assertion;
mod behavior;
mod canary;
mod free_port;
mod issued_tokens;
mod metadata;
mod protected_resource;
mod received_requests;
mod refresh_tokens;
mod scripted_server;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub mod seen_secrets;
mod stray_request;

#[doc(hidden)]
pub use assertion::{Assertion, AssertionFault, Expiry, VerifiedAssertions};
#[doc(hidden)]
pub use behavior::{AnswersToken, Behavior, MetadataAt, SentIssuer, StatedEndpoints, TokenIssuer};
#[doc(hidden)]
pub use canary::Canary;
#[doc(hidden)]
pub use issued_tokens::{IssuedToken, IssuedTokens};
#[doc(hidden)]
pub use protected_resource::{Access, ProtectedResource, ResourceName, Verdict};
#[doc(hidden)]
pub use received_requests::{
    McpCredentials, McpRequest, PresentedCredentials, ReceivedRequests, RequestKind, TokenRequest,
};
#[doc(hidden)]
pub use refresh_tokens::{PresentedRefreshToken, RefreshToken, RefreshTokens};
#[doc(hidden)]
pub use scripted_server::{ScriptedServer, SharedFacts};
#[doc(hidden)]
pub use stray_request::StrayRequest;
