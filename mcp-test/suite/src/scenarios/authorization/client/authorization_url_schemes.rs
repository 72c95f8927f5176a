//! The scenarios about the scheme of an authorization URL.

use super::opened_urls::{browser, judge_scheme, serve_with_endpoint};
use super::signing_in_client;
use crate::scenarios::prelude::*;

client_scenarios! {
    all: {
        revisions: Revisions::from(Revision::V2025_11_25),
        transports: StreamableHttp,
        tolerates_failed_exit: true,
    }
    client_authorization_url_scheme {
        /// The authorization endpoint in the metadata is a URL with the scheme `javascript`. The client must not open it; that it fails is
        /// right.
        ///
        /// A browser, or a window of the client, would execute what is in such a URL. Only what the client starts to open URLs is seen, so that
        /// a client passes that shows the URL to its user instead.
        "client-authorization-url-scheme": "The client opens no `javascript` URL",
        checks: [
            check!("client-rejects-dangerous-scheme",
                "The client does not open an authorization URL whose scheme is dangerous",
                [AUTH_URL_DANGEROUS_SCHEMES, AUTH_URL_SCHEMES]),
        ],
        // What does nothing, should something execute it.
        serve: |test| serve_endpoint(test, "javascript:void(0)"),
        judge: |judging| judge_scheme(judging, "client-rejects-dangerous-scheme", "javascript:"),
        proofs: {
            passes on signing_in_client();
            catches "client-rejects-dangerous-scheme" by misbehavior(Misbehavior::OpensAnyUrl);
        },
    }
    client_authorization_url_file {
        /// The authorization endpoint in the metadata is a URL with the scheme `file`, which no list of schemes that execute something has.
        /// The client must not open it; that it fails is right.
        ///
        /// What opens a file may execute it. Only what the client starts to open URLs is seen, so that a client passes that shows
        /// the URL to its user instead.
        "client-authorization-url-file": "The client opens no `file` URL",
        checks: [
            check!("client-rejects-file-scheme", "The client does not open an authorization URL that names a file",
                [AUTH_URL_DANGEROUS_SCHEMES, AUTH_URL_SCHEMES]),
        ],
        serve: |test| serve_endpoint(test, "file:///mcp-test-has-no-such-file"),
        judge: |judging| judge_scheme(judging, "client-rejects-file-scheme", "file:"),
        proofs: {
            passes on signing_in_client();
            catches "client-rejects-file-scheme" by misbehavior(Misbehavior::OpensAnyUrl);
        },
    }
}

fn serve_endpoint(test: &ClientTest, endpoint: &str) -> Result<Server, Finding> {
    browser(test)?;
    serve_with_endpoint(test, endpoint.to_owned())
}
