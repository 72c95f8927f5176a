//! `resources-read-invalid`.

use serde_json::json;

use crate::check::Finding;
use crate::expect::equals;
use crate::scenario::{CheckSpec, Ctx, Need};
use crate::scenarios::everything_but;
use crate::scenarios::refusal::is_error;
use crate::server::reference::everything;
use crate::server::{Server, given, method, param};
use crate::spec::{Capability, Revisions};
use crate::{proofs, scenario};

scenario! {
    /// What is not a URI is not read.
    ///
    /// A server validates URIs before it uses them; one that is empty, has no scheme or is not a string names no resource.
    Server "resources-read-invalid": "Reading an invalid URI is refused",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Resources)],
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "invalid-uri-refused",
            "InvalidUriRefused",
            "Reading an empty URI, one without a scheme, or a number is answered with a JSON-RPC error",
        )
        .requires(&["resources.security.validate-uris"]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut outcomes = Vec::new();
    for uri in [json!(""), json!("not a uri"), json!(7)] {
        let what = uri.to_string();
        let reply =
            ctx.request("resources/read", json!({ "uri": uri })).deliberate().promptly().await?;
        outcomes
            .push(is_error(&reply).map_err(|finding| finding.hint(format!("the URI was {what}"))));
    }
    ctx.check("invalid-uri-refused").judge(outcomes.into_iter().collect());
    Ok(())
}

proofs! {
    passes on everything();
    catches "invalid-uri-refused" on reading_the_first_for_an_empty_uri();
}

/// Takes an empty URI for that of its first resource.
fn reading_the_first_for_an_empty_uri() -> Server {
    let contents = json!([{ "uri": "test://static-text", "text": "a" }]);
    let empty = given(method("resources/read")).and(param("/uri", equals("")));
    everything_but([
        empty.respond_with(json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" }))
    ])
}
