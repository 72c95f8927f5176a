//! `client-authorization-url-scheme`.

use super::flow::judge_flow;
use super::opened_urls::{browser, opened_urls, serve_with_endpoint, shown};
use super::signing_in_client;
use crate::check::Finding;
use crate::scenario::{CheckSpec, ClientTest, Judging};
use crate::server::Server;
use crate::spec::{Revision, Revisions};
use crate::transport::Misbehavior;
use crate::{proofs, scenario};

scenario! {
    /// The authorization endpoint in the metadata is a URL with the scheme `javascript`. The client must not open it; that it fails is
    /// right.
    ///
    /// A browser, or a window of the client, would execute what is in such a URL. Only what the client starts to open URLs is seen, so that
    /// a client passes that shows the URL to its user instead.
    Client "client-authorization-url-scheme": "The client opens no `javascript` URL",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    client_may_fail: true,
    checks: [
        CheckSpec::own(
            REJECTS,
            "ClientRejectsDangerousScheme",
            "The client does not open an authorization URL whose scheme is dangerous",
        )
        .requires(&["auth.url.dangerous-schemes", "auth.url.schemes"]),
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
    let flow = judge_flow(judging)?;
    let opened = opened_urls(judging, &flow);
    let row = judging.check(REJECTS);
    let urls = match opened {
        Ok(urls) => urls,
        Err(reason) => {
            row.skip(reason);
            return Ok(());
        }
    };
    let wrong = urls.iter().find(|url| url.to_ascii_lowercase().starts_with(SCHEME));
    row.judge(wrong.map_or(Ok(()), |url| {
        Err(Finding::peer("the client opens an authorization URL that is not of the web")
            .expected("no URL opened: only those with `https`, or `http` on this machine, may be")
            .got(format!("`{}`", shown(url)))
            .evidence_all(flow.found_server_metadata().map(|found| found.seq)))
    }));
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-rejects-dangerous-scheme" by misbehavior(Misbehavior::OpensAnyUrl);
}
