//! `client-authorization-url-file`.

use super::opened_urls::{browser, judge_scheme, serve_with_endpoint};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization endpoint in the metadata is a URL with the scheme `file`, which no list of schemes that execute something has.
    /// The client must not open it; that it fails is right.
    ///
    /// What opens a file may execute it. Only what the client starts to open URLs is seen, so that a client passes that shows
    /// the URL to its user instead.
    Client "client-authorization-url-file": "The client opens no `file` URL",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REJECTS, "The client does not open an authorization URL that names a file",
            [AUTH_URL_DANGEROUS_SCHEMES, AUTH_URL_SCHEMES]),
    ],
}

const REJECTS: &str = "client-rejects-file-scheme";
const SCHEME: &str = "file:";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    browser(test)?;
    serve_with_endpoint(test, format!("{SCHEME}///mcp-test-has-no-such-file"))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_scheme(judging, REJECTS, SCHEME)
}

proofs! {
    passes on signing_in_client();
    catches "client-rejects-file-scheme" by misbehavior(Misbehavior::OpensAnyUrl);
}
