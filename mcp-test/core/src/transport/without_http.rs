//! The HTTP targets while the feature `http` is disabled: calling one is a compile error that names the feature.
//!
//! The compiler reports by itself that a module or a function is behind a feature, but not that a method is.

use super::Target;

/// What no type implements, so that a method with this bound cannot be called.
#[diagnostic::on_unimplemented(
    message = "this needs the feature `http` of `mcp-test`",
    label = "needs the feature `http`",
    note = "to enable it: cargo add --dev mcp-test --features http"
)]
pub trait NeedsHttp {}

/// Takes the place of the type that would have to implement [`NeedsHttp`].
#[derive(Debug)]
pub struct Disabled;

/// Declares methods that cannot be called.
///
/// A bound without a lifetime parameter would be an error here, where the method is declared, instead of where it is called.
macro_rules! need_http {
    ($($function:ident($($this:ident)?))*) => {
        impl Target {$(
            #[doc(hidden)]
            #[must_use]
            pub fn $function<T>($($this,)? _: T) -> Self
            where
                for<'a> &'a Disabled: NeedsHttp,
            {
                unreachable!("`NeedsHttp` is never implemented")
            }
        )*}
    };
}

need_http! { url() and_url(self) sse() and_sse(self) router() and_router(self) service() and_service(self) }
