//! The four kinds of JSON-RPC message, and how each is written; `message_reader` reads them.

use std::fmt;

use super::{Id, RpcError};
use crate::json::{Object, Value};

/// A message that expects a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The id, which the reply repeats.
    pub id: Id,
    /// The method.
    pub method: String,
    /// The parameters.
    pub params: Option<Value>,
}

/// A message that expects no reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// The method.
    pub method: String,
    /// The parameters.
    pub params: Option<Value>,
}

/// The reply to a request that succeeded.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The id of the request.
    pub id: Id,
    /// The result.
    pub result: Value,
}

/// The reply to a request that failed, or to a text that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorReply {
    /// The id of the request; `None` if the member is absent.
    pub id: Option<Id>,
    /// The error.
    pub error: RpcError,
}

/// A JSON-RPC message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Expects a reply.
    Request(Request),
    /// Expects no reply.
    Notification(Notification),
    /// A reply with a result.
    Response(Response),
    /// A reply with an error.
    Error(ErrorReply),
}

impl Request {
    /// A request; `params` may be absent.
    pub fn new(id: impl Into<Id>, method: impl Into<String>, params: Option<Value>) -> Self {
        Self { id: id.into(), method: method.into(), params }
    }

    /// The request as a JSON object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut object = envelope();
        object.push("id", self.id.to_value());
        object.push("method", self.method.as_str());
        push_params(&mut object, self.params.as_ref());
        object.into()
    }
}

impl Notification {
    /// A notification; `params` may be absent.
    pub fn new(method: impl Into<String>, params: Option<Value>) -> Self {
        Self { method: method.into(), params }
    }

    /// The notification as a JSON object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut object = envelope();
        object.push("method", self.method.as_str());
        push_params(&mut object, self.params.as_ref());
        object.into()
    }
}

impl Response {
    /// The reply to request `id`.
    pub fn new(id: impl Into<Id>, result: impl Into<Value>) -> Self {
        Self { id: id.into(), result: result.into() }
    }

    /// The reply as a JSON object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut object = envelope();
        // `push` and not `insert`: the members are new, and their order is the one that people expect.
        object.push("id", self.id.to_value());
        object.push("result", self.result.clone());
        object.into()
    }
}

impl ErrorReply {
    /// The reply to request `id`.
    pub fn new(id: impl Into<Id>, error: RpcError) -> Self {
        Self { id: Some(id.into()), error }
    }

    /// The reply as a JSON object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut object = envelope();
        // Absent and null differ: since 2025-11-25 an error may leave the id out, before it had to be null.
        if let Some(id) = &self.id {
            object.push("id", id.to_value());
        }
        object.push("error", self.error.to_value());
        object.into()
    }
}

impl Message {
    /// The id, if the message has one.
    #[must_use]
    pub fn id(&self) -> Option<&Id> {
        match self {
            Self::Request(request) => Some(&request.id),
            Self::Notification(_) => None,
            Self::Response(response) => Some(&response.id),
            Self::Error(reply) => reply.id.as_ref(),
        }
    }

    /// The method, unless the message is a reply.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Request(request) => Some(&request.method),
            Self::Notification(notification) => Some(&notification.method),
            Self::Response(_) | Self::Error(_) => None,
        }
    }

    /// The parameters of a request or notification, if there are any.
    #[must_use]
    pub fn params(&self) -> Option<&Value> {
        match self {
            Self::Request(request) => request.params.as_ref(),
            Self::Notification(notification) => notification.params.as_ref(),
            Self::Response(_) | Self::Error(_) => None,
        }
    }

    /// The kind of message with its article, such as `a request`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Request(_) => "a request",
            Self::Notification(_) => "a notification",
            Self::Response(_) => "a response",
            Self::Error(_) => "an error reply",
        }
    }

    /// Whether this is a response or an error reply.
    #[must_use]
    pub fn is_reply(&self) -> bool {
        matches!(self, Self::Response(_) | Self::Error(_))
    }

    /// The message as a JSON object, its members in the usual order.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Request(request) => request.to_value(),
            Self::Notification(notification) => notification.to_value(),
            Self::Response(response) => response.to_value(),
            Self::Error(reply) => reply.to_value(),
        }
    }
}

fn envelope() -> Object {
    Object::from_iter([("jsonrpc", "2.0")])
}

fn push_params(object: &mut Object, params: Option<&Value>) {
    // Left out if absent: JSON-RPC 2.0 allows an object or an array here, but not null.
    if let Some(params) = params {
        object.push("params", params.clone());
    }
}

/// Compact JSON.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_value().fmt(f)
    }
}

impl From<Request> for Message {
    fn from(request: Request) -> Self {
        Self::Request(request)
    }
}

impl From<Notification> for Message {
    fn from(notification: Notification) -> Self {
        Self::Notification(notification)
    }
}

impl From<Response> for Message {
    fn from(response: Response) -> Self {
        Self::Response(response)
    }
}

impl From<ErrorReply> for Message {
    fn from(reply: ErrorReply) -> Self {
        Self::Error(reply)
    }
}
