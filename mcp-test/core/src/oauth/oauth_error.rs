//! The errors of OAuth: a code that a standard defines, and a description for people.

use http::StatusCode;

use crate::json::{Object, Value};

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OAuthError {
    pub(super) code: ErrorCode,
    /// Ours alone, so that nothing of a request is repeated in a response.
    pub(super) description: &'static str,
}

/// An error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    InvalidClient,
    InvalidClientMetadata,
    InvalidGrant,
    InvalidRedirectUri,
    InvalidRequest,
    InvalidScope,
    /// RFC 8707.
    InvalidTarget,
    ServerError,
    UnauthorizedClient,
    UnsupportedGrantType,
    UnsupportedResponseType,
    /// RFC 9449.
    InvalidDpopProof,
    /// RFC 9449.
    UseDpopNonce,
}

impl ErrorCode {
    /// An error with this code.
    #[doc(hidden)]
    pub const fn because(self, description: &'static str) -> OAuthError {
        OAuthError { code: self, description }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidClient => "invalid_client",
            Self::InvalidClientMetadata => "invalid_client_metadata",
            Self::InvalidDpopProof => "invalid_dpop_proof",
            Self::InvalidGrant => "invalid_grant",
            Self::InvalidRedirectUri => "invalid_redirect_uri",
            Self::InvalidRequest => "invalid_request",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidTarget => "invalid_target",
            Self::ServerError => "server_error",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::UseDpopNonce => "use_dpop_nonce",
        }
    }
}

impl OAuthError {
    /// The status of a response with it (RFC 6749, section 5.2).
    pub(super) const fn status(self) -> StatusCode {
        match self.code {
            ErrorCode::InvalidClient => StatusCode::UNAUTHORIZED,
            ErrorCode::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        }
    }

    /// Its two parameters.
    pub(super) const fn parameters(self) -> [(&'static str, &'static str); 2] {
        [("error", self.code.as_str()), ("error_description", self.description)]
    }

    /// The body of a response with it.
    pub(super) fn to_value(self) -> Value {
        let members: Object = self.parameters().into_iter().collect();
        members.into()
    }
}
