//! `versioning-extensions`.

use super::has_extension_form;
use crate::scenarios::prelude::*;

scenario! {
    /// The identifiers of extensions have the form of `_meta` keys with a prefix.
    ///
    /// The prefix is a domain in reverse order, so that two vendors cannot use one identifier for different extensions.
    Server "versioning-extensions": "Extensions have identifiers with a prefix",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("extension-id-format", "The identifier of each extension is a prefix of labels, a slash and a name",
            [VERSIONING_EXTENSION_ID_FORMAT]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.discover().await?;
    let extensions = reply
        .outcome()
        .ok()
        .and_then(|result| result.at("/capabilities/extensions").and_then(Value::as_object));
    let Some(extensions) = extensions else {
        ctx.check("extension-id-format").info("the server declares no extensions");
        return Ok(());
    };
    for (id, _) in extensions.iter() {
        let outcome =
            has_extension_form(id).map_err(|finding| finding.evidence_all(reply.evidence()));
        ctx.check("extension-id-format").judge(outcome);
    }
    Ok(())
}

proofs! {
    passes on everything();
    catches "extension-id-format" by set("server/discover", "/capabilities/extensions", json!({"my-extension": {}}));
    catches "extension-id-format" by set("server/discover", "/capabilities/extensions", json!({"com..example/x": {}}));
}
