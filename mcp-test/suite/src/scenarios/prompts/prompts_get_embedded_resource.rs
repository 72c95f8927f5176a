//! `prompts-get-embedded-resource`.

use mcp_test_core::expect::any_of;

use crate::scenarios::content::message_with;
use crate::scenarios::prelude::*;
use crate::scenarios::references::PROMPTS_EMBEDDED;

scenario! {
    /// The prompt `test_prompt_with_embedded_resource` returns the resource that its argument names.
    ///
    /// The official check expects any resource; our own check compares its URI and text, and the message that follows.
    Server "prompts-get-embedded-resource": "The server returns a prompt with a resource",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Prompts), Need::Prompt("test_prompt_with_embedded_resource")],
    shares_connection: Revisions::all(),
    checks: [
        check!("prompts-get-embedded-resource", "The content of a message is a resource",
            [PROMPTS_GET_LISTED_AVAILABLE, SCHEMA_GET_PROMPT_RESULT]).official(&[PROMPTS_EMBEDDED]),
        check!("prompts-get-embedded-resource-exact",
            "The resource has the requested URI and the text of the fixture, and a message with a text follows",
            [PROMPTS_CONTENT_EMBEDDED_URI, PROMPTS_CONTENT_EMBEDDED_TEXT_OR_BLOB]),
    ],
}

const URI: &str = "test://example-resource";
const RESOURCE: &str = "Embedded resource content for testing.";
const TEXT: &str = "Please process the embedded resource above.";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let arguments = json!({"resourceUri": URI});
    let prompt = json!({"name": "test_prompt_with_embedded_resource", "arguments": arguments});
    let reply = ctx.request("prompts/get", prompt).await?;
    reply.result()?;
    let is_resource = any_of(vec![
        Box::new(object().member("type", equals("resource"))),
        Box::new(object().member("resource", truthy())),
    ]);
    ctx.check("prompts-get-embedded-resource")
        .by_fixture()
        .expect(&reply, message_with(is_resource));
    let resource = object().member("uri", equals(URI)).member("text", equals(RESOURCE));
    let embedded = object().member("type", equals("resource")).member("resource", resource);
    ctx.check("prompts-get-embedded-resource-exact")
        .by_fixture()
        .expect(&reply, message_with(embedded))
        .expect(&reply, message_with(object().member("text", equals(TEXT))));
    Ok(())
}

proofs! {
    passes on everything();
    catches "prompts-get-embedded-resource" by reply_error("prompts/get", -32602);
    catches "prompts-get-embedded-resource" by remove("prompts/get", "/messages/0");
    catches "prompts-get-embedded-resource-exact"
        by set("prompts/get", "/messages/0/content/resource/uri", json!("test://other"));
    catches "prompts-get-embedded-resource-exact"
        by set("prompts/get", "/messages/0/content/resource/text", json!("other"));
    catches "prompts-get-embedded-resource-exact" by remove("prompts/get", "/messages/1");
}
