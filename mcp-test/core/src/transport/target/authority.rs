//! Host and port of a target that has a URL.

use super::Target;
use crate::transport::TransportKind;

impl Target {
    /// Host and port of the URL that a transport connects to, without credentials, which are not part of `Host`; `None` without a URL.
    #[doc(hidden)]
    #[must_use]
    pub fn authority(&self, kind: TransportKind) -> Option<String> {
        let url = self.http_url(kind)?;
        let authority = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
        Some(authority.rsplit('@').next()?.to_owned())
    }
}
