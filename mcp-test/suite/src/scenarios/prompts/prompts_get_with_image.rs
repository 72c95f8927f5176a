//! `prompts-get-with-image`.

use crate::scenarios::content::{message_with, png};
use crate::scenarios::prelude::*;
use crate::scenarios::references::PROMPTS_IMAGE;

scenario! {
    /// The prompt `test_prompt_with_image`, which takes no arguments, returns an image.
    ///
    /// The official check expects data of any kind; our own check decodes it, and compares the message that follows.
    Server "prompts-get-with-image": "The server returns a prompt with an image",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Prompts), Need::Prompt("test_prompt_with_image")],
    shares_connection: Revisions::all(),
    checks: [
        check!("prompts-get-with-image", "The content of a message is an image with data and a MIME type",
            [PROMPTS_GET_LISTED_AVAILABLE, SCHEMA_GET_PROMPT_RESULT]).official(&[PROMPTS_IMAGE]),
        check!("prompts-get-with-image-exact",
            "The image is a PNG file in Base64, as its MIME type says, and a message with a text follows",
            [PROMPTS_CONTENT_IMAGE_BASE64_MIME]),
    ],
}

const TEXT: &str = "Please analyze the image above.";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("prompts/get", json!({"name": "test_prompt_with_image"})).await?;
    reply.result()?;
    let image = || object().member("type", equals("image"));
    ctx.check("prompts-get-with-image").by_fixture().expect(
        &reply,
        message_with(image().member("data", truthy()).member("mimeType", truthy())),
    );
    ctx.check("prompts-get-with-image-exact")
        .requires(Requirement::PROMPTS_CONTENT_IMAGE_BASE64_MIME)
        .expect(&reply, message_with(image().member("data", png())))
        .by_fixture()
        .expect(&reply, message_with(image().member("mimeType", equals("image/png"))))
        .expect(&reply, message_with(object().member("text", equals(TEXT))));
    Ok(())
}

proofs! {
    passes on everything();
    catches "prompts-get-with-image" by reply_error("prompts/get", -32602);
    catches "prompts-get-with-image" by remove("prompts/get", "/messages/0");
    catches "prompts-get-with-image-exact" by set("prompts/get", "/messages/0/content/data", json!("AAAA"));
    catches "prompts-get-with-image-exact" by set("prompts/get", "/messages/0/content/mimeType", json!("image/gif"));
    catches "prompts-get-with-image-exact" by remove("prompts/get", "/messages/1");
}
