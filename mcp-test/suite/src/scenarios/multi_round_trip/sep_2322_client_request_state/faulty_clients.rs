//! Clients that retry in different ways, for the proofs.

use mcp_test_core::client::{Client, RequestOptions};

use super::{KEY, STATE, UNRELATED, UNTYPED, WITH_STATE, WITHOUT_STATE};
use crate::scenarios::prelude::*;

async fn connect(task: &ClientTask) -> Result<Client, Finding> {
    let mut options = task.options();
    options.capabilities = Some(json!({ "elicitation": {} }).into());
    task.connect(options).await
}

/// A client that does the task with this change in the parameters of each call.
fn changing(change: fn(&str, &mut Value)) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = connect(&task).await?;
        client.request("tools/list", json!({})).await?.result()?;
        for tool in [WITH_STATE, WITHOUT_STATE, UNRELATED, UNTYPED] {
            let mut params = Value::from(json!({ "name": tool, "arguments": {} }));
            loop {
                change(tool, &mut params);
                let once = RequestOptions::new().once();
                let reply = client.request_with("tools/call", params.clone(), once).await?;
                let result = reply.result()?;
                if result.get("inputRequests").is_none() {
                    break;
                }
                let accepted = json!({ "action": "accept", "content": { "confirmed": true } });
                params.set("/inputResponses", json!({ KEY: accepted }).into());
                if let Some(state) = result.get("requestState") {
                    params.set("/requestState", state.clone());
                }
            }
        }
        client.end().await;
        Ok(())
    })
}

/// Parses the state and writes it again.
pub(super) fn rewriting_the_state() -> ScriptedClient {
    changing(|_, params| {
        if let Some(state) = params.at_mut("/requestState") {
            *state = "{\"nonce\":\"é-3.0\",\"step\":1}".into();
        }
    })
}

pub(super) fn inventing_a_state() -> ScriptedClient {
    changing(|tool, params| {
        if tool == WITHOUT_STATE && params.get("inputResponses").is_some() {
            params.set("/requestState", STATE.into());
        }
    })
}

pub(super) fn sending_the_state_elsewhere() -> ScriptedClient {
    changing(|tool, params| {
        if tool == UNRELATED {
            params.set("/requestState", STATE.into());
        }
    })
}

pub(super) fn answering_final_results() -> ScriptedClient {
    changing(|tool, params| {
        if tool == UNTYPED {
            params.set("/inputResponses", json!({}).into());
        }
    })
}

pub(super) fn answering_another_question() -> ScriptedClient {
    changing(|_, params| {
        if let Some(responses) = params.at_mut("/inputResponses") {
            *responses = json!({ "name": { "action": "cancel" } }).into();
        }
    })
}

pub(super) fn changing_the_arguments() -> ScriptedClient {
    changing(|_, params| {
        if params.get("inputResponses").is_some() {
            params.set("/arguments", json!({ "confirmed": true }).into());
        }
    })
}

/// A client that does its task, and then something else on another connection.
fn and_then<Fut>(more: fn(Client) -> Fut) -> ScriptedClient
where
    Fut: Future<Output = mcp_test_core::Result> + 'static,
{
    ScriptedClient::new(move |task: ClientTask| async move {
        good_client().run(task.endpoint().clone()).await?;
        more(connect(&task).await?).await
    })
}

/// Also retries with the state alone.
pub(super) fn also_without_input() -> ScriptedClient {
    and_then(|mut client| async move {
        let params = json!({ "name": WITH_STATE, "arguments": {}, "requestState": STATE });
        let once = RequestOptions::new().once();
        client.request_with("tools/call", params, once).await?.result()?;
        client.end().await;
        Ok(())
    })
}

/// Also calls a tool with the id of an earlier call.
pub(super) fn also_with_the_same_id() -> ScriptedClient {
    and_then(|mut client| async move {
        let params = json!({ "name": WITH_STATE, "arguments": {} });
        let once = RequestOptions::new().once().id(70);
        client.request_with("tools/call", params, once.clone()).await?.result()?;
        let responses = json!({ KEY: { "action": "accept", "content": { "confirmed": true } } });
        let params = json!({ "name": WITH_STATE, "arguments": {}, "inputResponses": responses, "requestState": STATE });
        client.request_with("tools/call", params, once).await?.result()?;
        client.end().await;
        Ok(())
    })
}

/// Also lists the tools with a state.
pub(super) fn also_listing_with_the_state() -> ScriptedClient {
    and_then(|mut client| async move {
        client.request("tools/list", json!({ "requestState": STATE })).await?.result()?;
        client.end().await;
        Ok(())
    })
}
