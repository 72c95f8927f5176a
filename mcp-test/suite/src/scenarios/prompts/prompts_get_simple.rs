//! `prompts-get-simple`.

use mcp_test_core::expect::{array_of, first, non_empty_array, one_of};

use crate::scenarios::prelude::*;
use crate::scenarios::references::PROMPTS_GET;

scenario! {
    /// The prompt `test_simple_prompt`, which takes no arguments, returns its one message.
    ///
    /// The official check expects messages with a role and content; our own check compares their values.
    Server "prompts-get-simple": "The server returns a prompt without arguments",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Prompts), Need::Prompt("test_simple_prompt")],
    shares_connection: Revisions::all(),
    checks: [
        check!("prompts-get-simple", "There are messages, each with a role and content",
            [PROMPTS_GET_LISTED_AVAILABLE, PROMPTS_GET_ARGUMENTS_OPTIONAL, SCHEMA_GET_PROMPT_RESULT])
            .official(&[PROMPTS_GET]),
        check!("prompts-get-simple-exact", "The first message is the text of the fixture, with the role `user`",
            [PROMPTS_MESSAGE_ROLE_VALUES, PROMPTS_MESSAGE_SINGLE_CONTENT]),
    ],
}

const TEXT: &str = "This is a simple prompt for testing.";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("prompts/get", json!({"name": "test_simple_prompt"})).await?;
    reply.result()?;
    let message = object().member("role", truthy()).member("content", truthy());
    ctx.check("prompts-get-simple")
        .requires(Requirement::SCHEMA_GET_PROMPT_RESULT)
        .expect(&reply, object().member("messages", non_empty_array()))
        .expect(&reply, messages(message));
    let text = object().member("type", equals("text")).member("text", equals(TEXT));
    ctx.check("prompts-get-simple-exact")
        .requires(Requirement::PROMPTS_MESSAGE_ROLE_VALUES)
        .expect(&reply, messages(object().member("role", one_of(["user", "assistant"]))))
        // One object, unlike the array in the result of a tool (`server/prompts#promptmessage`).
        .requires(Requirement::PROMPTS_MESSAGE_SINGLE_CONTENT)
        .expect(&reply, messages(object().member("content", object())))
        .by_fixture()
        .expect(
            &reply,
            first_message(object().member("role", equals("user")).member("content", text)),
        );
    Ok(())
}

fn messages(message: impl Matcher + 'static) -> impl Matcher {
    object().member("messages", array_of(message))
}

fn first_message(message: impl Matcher + 'static) -> impl Matcher {
    object().member("messages", first(message))
}

proofs! {
    passes on everything();
    catches "prompts-get-simple" by reply_error("prompts/get", -32602);
    catches "prompts-get-simple" by set("prompts/get", "/messages", json!([]));
    catches "prompts-get-simple" by remove("prompts/get", "/messages/0/role");
    catches "prompts-get-simple-exact" by set("prompts/get", "/messages/0/role", json!("system"));
    catches "prompts-get-simple-exact" by set("prompts/get", "/messages/0/content", json!("a bare string"));
}
