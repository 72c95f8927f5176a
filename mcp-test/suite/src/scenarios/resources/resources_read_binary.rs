//! `resources-read-binary`.

use crate::scenarios::content::{first_contents, png};
use crate::scenarios::prelude::*;
use crate::scenarios::references::RESOURCES_READ;

scenario! {
    /// The server returns the content of `test://static-binary`, an image, in Base64.
    ///
    /// The official check expects the members to exist; our own check compares the URI and decodes the blob.
    Server "resources-read-binary": "The server reads a binary resource",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Resources), Need::Resource("test://static-binary")],
    shares_connection: Revisions::all(),
    checks: [
        check!("resources-read-binary", "The first item of `contents` has a URI, a MIME type and a blob",
            [RESOURCES_READ_LISTED_READABLE, RESOURCES_CONTENTS_TEXT_OR_BLOB]).official(&[RESOURCES_READ]),
        check!("resources-read-binary-exact",
            "The first item of `contents` has the requested URI, and its blob is a PNG file in Base64",
            [RESOURCES_READ_LISTED_READABLE, RESOURCES_CONTENTS_BLOB_BASE64]),
    ],
}

const URI: &str = "test://static-binary";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("resources/read", json!({"uri": URI})).await?;
    reply.result()?;
    ctx.check("resources-read-binary")
        .requires(Requirement::RESOURCES_CONTENTS_TEXT_OR_BLOB)
        .expect(&reply, first_contents(object().member("uri", truthy())))
        .by_fixture()
        .expect(&reply, first_contents(object().member("blob", truthy())))
        .officially(
            &reply,
            first_contents(object().member("mimeType", truthy())),
            "the MIME type is optional",
        );
    let uri = ctx.fixtures().name(URI).to_owned();
    ctx.check("resources-read-binary-exact")
        .requires(Requirement::RESOURCES_CONTENTS_BLOB_BASE64)
        .expect(&reply, first_contents(object().member("blob", png())))
        .by_any_fixture()
        .expect(&reply, first_contents(object().member("uri", equals(uri))));
    Ok(())
}

proofs! {
    passes on everything();
    catches "resources-read-binary" by reply_error("resources/read", -32602);
    catches "resources-read-binary" by remove("resources/read", "/contents/0/blob");
    catches "resources-read-binary" by set("resources/read", "/contents", json!([]));
    catches "resources-read-binary" by remove("resources/read", "/contents/0/mimeType"), under Official;
    catches "resources-read-binary-exact" by set("resources/read", "/contents/0/uri", json!("test://other"));
    catches "resources-read-binary-exact" by set("resources/read", "/contents/0/blob", json!("AAAA"));
}
