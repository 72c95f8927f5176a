//! Whether a method is a request or a notification.

/// Whether a method expects a reply.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MethodKind {
    /// Answered by a result or an error.
    Request,
    /// Never answered.
    Notification,
}
