//! What `client = …` of `#[mcp_scenario]` and `cases!` accepts.

use crate::transport::ClientTarget;

/// What `client = …` accepts: a [`ClientTarget`], or a function or closure that makes one.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a client",
    label = "expected a `ClientTarget`, or a function without arguments that returns one"
)]
pub trait IntoClientTarget {
    /// The client.
    fn into_client_target(self) -> ClientTarget;
}

#[diagnostic::do_not_recommend]
impl IntoClientTarget for ClientTarget {
    fn into_client_target(self) -> ClientTarget {
        self
    }
}

// Otherwise rustc would say that the type does not implement `FnOnce`, instead of the message above.
#[diagnostic::do_not_recommend]
impl<F: FnOnce() -> ClientTarget> IntoClientTarget for F {
    fn into_client_target(self) -> ClientTarget {
        self()
    }
}
