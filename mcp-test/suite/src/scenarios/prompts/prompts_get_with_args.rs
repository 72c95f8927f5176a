//! `prompts-get-with-args`.

use mcp_test_core::expect::{first, non_empty_array};

use crate::scenarios::prelude::*;
use crate::scenarios::references::PROMPTS_GET;

scenario! {
    /// The prompt `test_prompt_with_arguments` returns the values of its two arguments.
    ///
    /// The official check looks for the values anywhere in the messages; our own check compares the text.
    Server "prompts-get-with-args": "The server returns a prompt with arguments",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Prompts), Need::Prompt(PROMPT)],
    shares_connection: Revisions::all(),
    checks: [
        check!("prompts-get-with-args", "There are messages, and they contain the values of both arguments",
            [PROMPTS_GET_LISTED_AVAILABLE, SCHEMA_GET_PROMPT_RESULT]).official(&[PROMPTS_GET]),
        check!("prompts-get-with-args-exact",
            "The first message is the text of the fixture, with each value in its place",
            [PROMPTS_GET_LISTED_AVAILABLE]),
    ],
}

const PROMPT: &str = "test_prompt_with_arguments";

/// The values of the arguments `arg1` and `arg2`.
const VALUES: [&str; 2] = ["testValue1", "testValue2"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let [first_value, second_value] = VALUES;
    let values: Vec<String> = match ctx.fixtures().arguments(PROMPT) {
        Some(stated) => stated.iter().filter_map(|(_, it)| Some(it.as_str()?.to_owned())).collect(),
        None => VALUES.map(str::to_owned).to_vec(),
    };
    let arguments = json!({"arg1": first_value, "arg2": second_value});
    let prompt = json!({"name": PROMPT, "arguments": arguments});
    let reply = ctx.request("prompts/get", prompt).await?;
    reply.result()?;
    let contain = |value: String| {
        satisfying(format!("messages that contain `{value}`"), move |messages: &Value| {
            messages.to_string().contains(&value)
        })
    };
    let mut check = ctx
        .check("prompts-get-with-args")
        .requires(Requirement::SCHEMA_GET_PROMPT_RESULT)
        .expect(&reply, object().member("messages", non_empty_array()))
        .by_fixture();
    for value in values {
        check = check.expect(&reply, object().member("messages", contain(value)));
    }
    drop(check);
    let text = format!("Prompt with arguments: arg1='{first_value}', arg2='{second_value}'");
    let content = object().member("type", equals("text")).member("text", equals(text));
    let message = object().member("role", equals("user")).member("content", content);
    ctx.check("prompts-get-with-args-exact")
        .by_fixture()
        .expect(&reply, object().member("messages", first(message)));
    Ok(())
}

proofs! {
    passes on everything();
    catches "prompts-get-with-args" by reply_error("prompts/get", -32602);
    catches "prompts-get-with-args" by set("prompts/get", "/messages", json!([]));
    catches "prompts-get-with-args" by set("prompts/get", "/messages/0/content/text", json!("arg1='testValue1'"));
    catches "prompts-get-with-args-exact"
        by set("prompts/get", "/messages/0/content/text", json!("testValue2, testValue1"));
}
