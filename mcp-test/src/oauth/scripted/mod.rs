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
#[cfg(test)]
pub(crate) mod seen_secrets;
mod stray_request;

pub(crate) use assertion::{Assertion, AssertionFault, Expiry, VerifiedAssertions};
pub(crate) use behavior::{
    AnswersToken, Behavior, MetadataAt, SentIssuer, StatedEndpoints, TokenIssuer,
};
pub(crate) use canary::Canary;
pub(crate) use issued_tokens::{IssuedToken, IssuedTokens};
pub(crate) use protected_resource::{Access, ProtectedResource, ResourceName, Verdict};
pub(crate) use received_requests::{
    McpCredentials, McpRequest, PresentedCredentials, ReceivedRequests, RequestKind, TokenRequest,
};
pub(crate) use refresh_tokens::{PresentedRefreshToken, RefreshToken, RefreshTokens};
pub(crate) use scripted_server::{ScriptedServer, SharedFacts};
pub(crate) use stray_request::StrayRequest;
