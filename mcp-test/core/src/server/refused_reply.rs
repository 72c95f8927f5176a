//! Requests of the server whose replies it refuses over HTTP, each in a way with which a client has to cope.

use super::call::{Call, CallError};
use crate::json::Value;
use crate::spec::error_code;
use crate::transport::actor::OutboundMessage;
use crate::transport::fault::FollowUp;
use crate::wire::{ErrorReply, RpcError};

/// How the POST of a reply is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedReply {
    /// With HTTP 400 and no body.
    Empty,
    /// With HTTP 400 and plain text.
    Text,
    /// With HTTP 400 and a JSON-RPC error that has no id.
    ErrorWithoutId,
    /// With HTTP 202, whose response breaks off.
    BrokenOff,
}

impl RefusedReply {
    fn to_message(self) -> OutboundMessage {
        const WHY: &str = "the reply is refused";
        let value = match self {
            Self::Empty | Self::BrokenOff => Value::Null,
            Self::Text => WHY.into(),
            Self::ErrorWithoutId => {
                let error = RpcError::new(error_code::INVALID_REQUEST, WHY);
                ErrorReply { id: None, error }.to_value()
            }
        };
        let (status, then) = match self {
            Self::BrokenOff => (202, FollowUp::CloseConnection),
            _ => (400, FollowUp::Continue),
        };
        OutboundMessage { status: Some(status), then, ..OutboundMessage::unsolicited(value) }
    }
}

impl Call {
    /// [`Call::request`], whose reply is used, but refused over HTTP.
    ///
    /// # Errors
    ///
    /// As [`Call::request`].
    #[doc(hidden)]
    pub async fn request_refusing(
        &self,
        method: &str,
        params: impl Into<Value>,
        how: RefusedReply,
    ) -> Result<Value, CallError> {
        self.request_answering(method, params.into(), Some(how.to_message())).await
    }
}
