//! The reference client: the good client that scenarios for clients are proven against.
//!
//! It knows by the id of a scenario what it is to do there, as every client under the official suite does, and is right
//! in every revision; where something has to be wrong, put a [`Fault`](crate::transport::Fault) on it.

use serde_json::json;

use super::{Client, Errand, Handlers, Options, Visitor};
use crate::json::Value;
use crate::spec::{Era, error_code};

/// The good client. In a scenario that it does not know it connects, lists what the server offers, and leaves.
///
/// ```
/// let client = mcp_test::client::reference::good_client();
/// # drop(client);
/// ```
#[must_use]
pub fn good_client() -> Visitor {
    Visitor::new(|errand: Errand| async move {
        let mut client = errand.connect(options(&errand)).await?;
        match errand.scenario() {
            "tools_call" => add_numbers(&mut client).await?,
            "elicitation-sep1034-client-defaults" => {
                // A server may ask on the stream that belongs to no request.
                client.listen().await?;
                call(&mut client, "test_client_elicitation_defaults").await?;
            }
            "sse-retry" => call(&mut client, "test_reconnection").await?,
            "http-standard-headers" => everything(&mut client).await?,
            _ => {
                discover(&mut client).await?;
                list_tools(&mut client).await?;
            }
        }
        client.end().await;
        Ok(())
    })
}

/// Everything that a client can do for its server is declared. Its user changes nothing in a form.
fn options(errand: &Errand) -> Options {
    let user = Handlers::new().elicitation(|form| form.accept(json!({})));
    let mut options = errand.options().handlers(user);
    let capabilities = json!({ "roots": {}, "sampling": {}, "elicitation": {} });
    options.capabilities = Some(capabilities.into());
    options
}

/// In the stateless era asks what the server is; when it speaks another revision, asks again in one that it does.
async fn discover(client: &mut Client) -> crate::Result {
    if client.revision().era() == Era::Handshake {
        return Ok(());
    }
    let reply = client.discover().await?;
    let Err(error) = reply.outcome() else { return Ok(()) };
    let speaks = error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
    let ours = Value::from(client.revision().as_str());
    let retry = error.code == error_code::UNSUPPORTED_PROTOCOL_VERSION
        && speaks.is_some_and(|speaks| speaks.contains(&ours));
    let reply = if retry { client.discover().await? } else { reply };
    reply.result()?;
    Ok(())
}

async fn list_tools(client: &mut Client) -> crate::Result {
    client.request("tools/list", json!({})).await?.result()?;
    Ok(())
}

/// Calls a tool that takes nothing.
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

/// Uses everything that the server lists.
async fn everything(client: &mut Client) -> crate::Result {
    discover(client).await?;
    let uses = [
        ("tools/list", "tools", "name", "tools/call"),
        ("resources/list", "resources", "uri", "resources/read"),
        ("prompts/list", "prompts", "name", "prompts/get"),
    ];
    for (list, member, key, take) in uses {
        let page = client.request(list, json!({})).await?;
        let items = page.result()?.get(member).and_then(Value::as_array).unwrap_or_default();
        let names: Vec<String> =
            items.iter().filter_map(|item| Some(item.get(key)?.as_str()?.to_owned())).collect();
        for name in names {
            client.request(take, json!({ key: name })).await?.result()?;
        }
    }
    Ok(())
}
