//! The reference client: a correct client against which scenarios for clients are proven.
//!
//! The id of the scenario decides what it does, as for every client under the official suite. It is correct in every
//! revision; add a [`Fault`](crate::transport::Fault) to break it.

mod skills;

use serde_json::json;

use super::{Client, ClientTask, Handlers, Options, ScriptedClient};
use crate::json::Value;
use crate::spec::{Era, error_code};

/// The reference client. In a scenario that it does not know it connects, lists the tools and disconnects.
///
/// ```
/// let client = mcp_test::client::reference::good_client();
/// # drop(client);
/// ```
#[must_use]
pub fn good_client() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(options(&task)).await?;
        // The ids and the tools of the official suite; scenarios of mcp-test have the default.
        match task.scenario() {
            "tools_call" => add_numbers(&mut client).await?,
            "elicitation-sep1034-client-defaults" => {
                // A server may send its request on the stream that belongs to no request of the client.
                client.listen().await?;
                call(&mut client, "test_client_elicitation_defaults").await?;
            }
            "sse-retry" => call(&mut client, "test_reconnection").await?,
            "http-standard-headers" => everything(&mut client).await?,
            "sep-2640-client-no-prefetch" => drop(skills::list(&mut client).await?),
            "sep-2640-client-verify-digest"
            | "sep-2640-client-verify-size"
            | "sep-2640-client-verify-frontmatter" => skills::load_all(&mut client).await?,
            _ => {
                discover(&mut client).await?;
                list_tools(&mut client).await?;
            }
        }
        client.end().await;
        Ok(())
    })
}

/// Declares every client capability, and accepts each form unchanged.
fn options(task: &ClientTask) -> Options {
    let user = Handlers::new().elicitation(|form| form.accept(json!({})));
    let mut options = task.options().handlers(user);
    let capabilities = json!({ "roots": {}, "sampling": {}, "elicitation": {} });
    options.capabilities = Some(capabilities.into());
    options
}

/// Sends `server/discover` in the stateless era, and again if the refusal lists the same revision as supported.
async fn discover(client: &mut Client) -> crate::Result {
    if client.revision().era() == Era::Handshake {
        return Ok(());
    }
    let reply = client.discover().await?;
    let Err(error) = reply.outcome() else { return Ok(()) };
    let supported = error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
    let ours = Value::from(client.revision().as_str());
    let retry = error.code == error_code::UNSUPPORTED_PROTOCOL_VERSION
        && supported.is_some_and(|supported| supported.contains(&ours));
    let reply = if retry { client.discover().await? } else { reply };
    reply.result()?;
    Ok(())
}

async fn list_tools(client: &mut Client) -> crate::Result {
    client.request("tools/list", json!({})).await?.result()?;
    Ok(())
}

/// Lists the tools and calls one without arguments.
async fn call(client: &mut Client, tool: &str) -> crate::Result {
    list_tools(client).await?;
    client.request("tools/call", json!({ "name": tool, "arguments": {} })).await?.result()?;
    Ok(())
}

async fn add_numbers(client: &mut Client) -> crate::Result {
    discover(client).await?;
    list_tools(client).await?;
    let call = json!({ "name": "add_numbers", "arguments": { "a": 5, "b": 3 } });
    client.request("tools/call", call).await?.result()?;
    Ok(())
}

/// Calls, reads and gets everything that the server lists.
async fn everything(client: &mut Client) -> crate::Result {
    discover(client).await?;
    let uses = [
        ("tools/list", "tools", "name", "tools/call"),
        ("resources/list", "resources", "uri", "resources/read"),
        ("prompts/list", "prompts", "name", "prompts/get"),
    ];
    for (list, member, key, method) in uses {
        let page = client.request(list, json!({})).await?;
        let items = page.result()?.get(member).and_then(Value::as_array).unwrap_or_default();
        let names: Vec<String> =
            items.iter().filter_map(|item| Some(item.get(key)?.as_str()?.to_owned())).collect();
        for name in names {
            client.request(method, json!({ key: name })).await?.result()?;
        }
    }
    Ok(())
}
