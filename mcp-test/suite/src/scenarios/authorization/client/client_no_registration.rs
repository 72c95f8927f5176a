//! `client-no-registration`.

use mcp_test_core::oauth::scripted::Behavior;
use reqwest::Url;

use super::flow::{Received, Step, judge_flow};
use super::older::protected_at;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server registers no clients: its metadata has no `registration_endpoint`. It reads metadata documents of clients,
    /// from 2025-11-25 on. A client without such a document and without an id of its own cannot sign in; that it fails is right.
    Client "client-no-registration": "The client does not register where the metadata names no endpoint for it",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(NOT_INVENTED, "The client does not register at a URL that no metadata names",
            [AUTH_REGISTRATION_TOLERATE_NO_DCR]).always_fails("no metadata allows the request"),
        check!(URL, "An id that is a URL is one of HTTPS, with a path",
            [AUTH_REGISTRATION_CIMD_URL_PATH]),
    ],
}

const NOT_INVENTED: &str = "client-invents-no-registration";
const URL: &str = "client-document-url";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let takes_metadata_documents = test.revision.has_client_id_metadata();
    let behavior = Behavior { registers: false, takes_metadata_documents, ..Behavior::default() };
    protected_at(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let posted = flow.unknown.iter().find(|received| {
        received.request.verb == "POST" && received.request.path.contains("regist")
    });
    let row = judging.check(NOT_INVENTED);
    match (posted, flow.found_server_metadata()) {
        (Some(Received { seq, request }), _) => row.fail(
            Finding::peer("the client registers at a URL that no metadata names")
                .expected("another source of its id, or an error for its user")
                .got(format!("`POST {}`", request.path))
                .evidence(*seq),
        ),
        (None, Some(_)) => row.pass(),
        (None, None) => row.missing(Step::ServerMetadata.not_taken(&flow)),
    };
    if !judging.declares(URL) {
        return Ok(());
    }
    let mut is_made = false;
    for Received { seq, request } in &flow.authorizations {
        let id = request.parameters.first("client_id").unwrap_or_default();
        let Some(is_right) = is_document_url(id) else { continue };
        is_made = true;
        let outcome = match is_right {
            true => Ok(()),
            false => Err(Finding::peer("the id of the client cannot be the URL of its metadata")
                .expected("`https`, a host and a path, such as `https://example.com/client.json`")
                .got(format!("`{id}`"))
                .evidence(*seq)),
        };
        judging.check(URL).judge(outcome);
    }
    if !is_made {
        judging.check(URL).skip("the client uses no URL as its id");
    }
    Ok(())
}

/// Whether a URL can be that of a metadata document; `None` for an id that is not a URL.
fn is_document_url(id: &str) -> Option<bool> {
    let url = Url::parse(id).ok().filter(Url::has_host)?;
    Some(url.scheme() == "https" && url.path() != "/")
}

proofs! {
    passes on signing_in_client();
    catches "client-invents-no-registration" by misbehavior(Misbehavior::InventsRegistration), at V2025_06_18;
    catches "client-document-url" by parameter("authorize", "client_id", "https://example.com");
    catches "client-document-url" by parameter("authorize", "client_id", "http://127.0.0.1/client.json");
}
