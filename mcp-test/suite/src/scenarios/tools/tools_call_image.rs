//! `tools-call-image`.

use mcp_test_core::expect::not;

use crate::scenarios::content::{content_with, png};
use crate::scenarios::prelude::*;
use crate::scenarios::references::TOOLS_CALL;

scenario! {
    /// The tool `test_image_content`, which takes no arguments, returns an image.
    ///
    /// The official check expects data of any kind; our own check decodes it.
    Server "tools-call-image": "A tool returns an image",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_image_content")],
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-call-image", "The result of the call contains an image with data and a MIME type",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[TOOLS_CALL]),
        check!("tools-call-image-exact",
            "The call succeeds, and the image is a PNG file in Base64, as its MIME type says",
            [SCHEMA_CALL_TOOL_RESULT, TOOLS_CONTENT_IMAGE_BASE64]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let call = json!({"name": "test_image_content", "arguments": {}});
    let reply = ctx.request("tools/call", call).await?;
    reply.result()?;
    let image = || object().member("type", equals("image"));
    ctx.check("tools-call-image").by_fixture().expect(
        &reply,
        content_with(image().member("data", truthy()).member("mimeType", truthy())),
    );
    ctx.check("tools-call-image-exact")
        .requires(Requirement::TOOLS_CONTENT_IMAGE_BASE64)
        .expect(&reply, content_with(image().member("data", png())))
        .by_fixture()
        .expect(&reply, object().optional("isError", not(equals(true))))
        .expect(&reply, content_with(image().member("mimeType", equals("image/png"))));
    Ok(())
}

proofs! {
    passes on everything();
    catches "tools-call-image" by reply_error("tools/call", -32602);
    catches "tools-call-image" by set("tools/call", "/content", json!([]));
    catches "tools-call-image" by remove("tools/call", "/content/0/data");
    catches "tools-call-image-exact" by set("tools/call", "/content/0/data", json!("AAAA"));
    catches "tools-call-image-exact" by set("tools/call", "/content/0/mimeType", json!("image/gif"));
    catches "tools-call-image-exact" by set("tools/call", "/isError", json!(true));
}
