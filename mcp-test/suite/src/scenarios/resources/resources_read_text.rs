//! `resources-read-text`.

use crate::scenarios::content::first_contents;
use crate::scenarios::prelude::*;
use crate::scenarios::references::RESOURCES_READ;

scenario! {
    /// The server returns the content of `test://static-text` as text.
    ///
    /// The official check expects the members to exist; our own check compares their values.
    Server "resources-read-text": "The server reads a text resource",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Resources), Need::Resource("test://static-text")],
    shares_connection: Revisions::all(),
    checks: [
        check!("resources-read-text", "The first item of `contents` has a URI, a MIME type and a text",
            [RESOURCES_READ_LISTED_READABLE, RESOURCES_CONTENTS_TEXT_OR_BLOB]).official(&[RESOURCES_READ]),
        check!("resources-read-text-exact",
            "The first item of `contents` has the URI and the text of the requested resource",
            [RESOURCES_CONTENTS_TEXT_OR_BLOB, RESOURCES_READ_LISTED_READABLE]),
    ],
}

const URI: &str = "test://static-text";
const TEXT: &str = "This is the content of the static text resource.";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("resources/read", json!({"uri": URI})).await?;
    reply.result()?;
    ctx.check("resources-read-text")
        .requires(Requirement::RESOURCES_CONTENTS_TEXT_OR_BLOB)
        .expect(&reply, first_contents(object().member("uri", truthy()).member("text", truthy())))
        .officially(
            &reply,
            first_contents(object().member("mimeType", truthy())),
            "the MIME type is optional",
        );
    let uri = ctx.fixtures().name(URI).to_owned();
    ctx.check("resources-read-text-exact")
        .by_any_fixture()
        .expect(&reply, first_contents(object().member("uri", equals(uri))))
        .by_fixture()
        .expect(&reply, first_contents(object().member("text", equals(TEXT))));
    Ok(())
}

proofs! {
    passes on everything();
    catches "resources-read-text" by reply_error("resources/read", -32602);
    catches "resources-read-text" by remove("resources/read", "/contents/0/text");
    catches "resources-read-text" by set("resources/read", "/contents", json!([]));
    catches "resources-read-text" by remove("resources/read", "/contents/0/mimeType"), under Official;
    catches "resources-read-text-exact" by set("resources/read", "/contents/0/uri", json!("test://other"));
    catches "resources-read-text-exact" by set("resources/read", "/contents/0/text", json!("other"));
}
