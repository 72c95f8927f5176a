//! `tools_call`, for clients.

use mcp_test_core::expect::number;

use crate::scenarios::prelude::*;
use crate::scenarios::references::TOOLS;

scenario! {
    /// The client calls the tool `add_numbers` with two numbers.
    ///
    /// The official check looks at the arguments of the first call but not at the name of the tool; our own check does.
    Client "tools_call": "The client calls a tool",
    revisions: Revisions::from(Revision::V2025_03_26),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    checks: [
        check!("tool-add-numbers", "The client calls the tool with two numbers",
            [SCHEMA_CALL_TOOL_REQUEST]).official(&[TOOLS]),
        check!("tool-add-numbers-exact", "The called tool is the one that the server lists",
            [SCHEMA_CALL_TOOL_REQUEST]),
    ],
}

fn serve(test: &ClientTest) -> Server {
    Server::new(json!({ "name": "add-numbers-server", "version": "1.0.0" }))
        .revisions(Revisions::until(test.revision))
        .capabilities(json!({ "tools": {} }))
        .on("tools/list", |_: Call| async { json!({ "tools": [tool()] }) })
        .on("tools/call", |call: Call| async move { add(&call) })
}

fn tool() -> serde_json::Value {
    let number = |description: &str| json!({ "type": "number", "description": description });
    json!({
        "name": "add_numbers",
        "description": "Adds two numbers",
        "inputSchema": {
            "type": "object",
            "properties": { "a": number("The first number"), "b": number("The second number") },
            "required": ["a", "b"],
        },
    })
}

fn add(call: &Call) -> Answer {
    let number = |name: &str| call.params().get("arguments")?.get(name)?.as_f64();
    match (call.param("name").and_then(Value::as_str), number("a"), number("b")) {
        (Some("add_numbers"), Some(a), Some(b)) => {
            let text = format!("The sum of {a} and {b} is {}", a + b);
            json!({ "content": [{ "type": "text", "text": text }] }).into()
        }
        // The tool's schema does not allow this, so a client that ignores the schema gets an error.
        (Some("add_numbers"), ..) => {
            Answer::error(error_code::INVALID_PARAMS, "`a` and `b` must be numbers")
        }
        _ => Answer::error(error_code::INVALID_PARAMS, "no such tool"),
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let calls = judging.requests("tools/call");
    let Some(call) = calls.first() else {
        return Err(judging
            .task_not_done("the client never called a tool")
            .expected("`tools/call` of `add_numbers`, with two numbers as `a` and `b`")
            .got("no `tools/call` in the whole conversation"));
    };
    let arguments = object().member("a", number()).member("b", number());
    // No clause of the specification makes a client call this tool: only the task of the scenario does.
    judging
        .check("tool-add-numbers")
        .by_task()
        .expect(&call.part(), object().member("arguments", arguments));
    judging
        .check("tool-add-numbers-exact")
        .by_task()
        .expect(&call.part(), object().member("name", equals("add_numbers")));
    Ok(())
}

/// Lists the tools and calls none.
fn only_lists() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "tool-add-numbers" on only_lists(), under Strict;
    catches "tool-add-numbers" by retype("tools/call", "/arguments/a"), under Strict;
    catches "tool-add-numbers" by remove("tools/call", "/arguments"), under Strict;
    catches "tool-add-numbers-exact" by set("tools/call", "/name", json!("sub")), under Strict;
}
