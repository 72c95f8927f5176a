//! Somebody who is asked before another host is contacted, and who consents in a browser.

use futures_util::future::BoxFuture;

use super::SignInError;
use crate::oauth::parameters::Parameters;

/// Somebody who is asked, and who consents in a browser.
pub trait Person: Send + Sync {
    /// Whether the client may do this.
    fn allows<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, bool>;

    /// The redirect URI, where the answer of an authorization server is received from now on.
    fn redirect_uri(&self) -> BoxFuture<'_, Result<String, SignInError>>;

    /// Has the URL of an authorization request opened in a browser, and returns the parameters of the response.
    fn consent<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Parameters, SignInError>>;

    /// Learns a text that nothing may show.
    fn learn(&self, secret: &str);
}

/// What a client asks its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question<'a> {
    /// May it sign in at this authorization server, which the MCP server at a URL names?
    SignIn { server: &'a str, issuer: &'a str },
    /// May it contact another host, since something is there?
    Contact { what: &'static str, origin: &'a str },
    /// May it ask for further scopes, which the server demands?
    MoreScopes { scopes: &'a str },
}
