//! `client-authorization-url-scheme`.

use super::opened_urls::{browser, judge_scheme, serve_with_endpoint};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization endpoint in the metadata is a URL with the scheme `javascript`. The client must not open it; that it fails is
    /// right.
    ///
    /// A browser, or a window of the client, would execute what is in such a URL. Only what the client starts to open URLs is seen, so that
    /// a client passes that shows the URL to its user instead.
    Client "client-authorization-url-scheme": "The client opens no `javascript` URL",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REJECTS, "The client does not open an authorization URL whose scheme is dangerous",
            [AUTH_URL_DANGEROUS_SCHEMES, AUTH_URL_SCHEMES]),
    ],
}

const REJECTS: &str = "client-rejects-dangerous-scheme";
const SCHEME: &str = "javascript:";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    browser(test)?;
    // What does nothing, should something execute it.
    serve_with_endpoint(test, format!("{SCHEME}void(0)"))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_scheme(judging, REJECTS, SCHEME)
}

proofs! {
    passes on signing_in_client();
    catches "client-rejects-dangerous-scheme" by misbehavior(Misbehavior::OpensAnyUrl);
}
