//! The reference client: the good client that scenarios for clients are proven against.
//!
//! It knows by the id of a scenario what it is to do there, as every client under the official suite does, and is right
//! in every revision; where something has to be wrong, put a [`Fault`](crate::transport::Fault) on it.

use serde_json::json;

use super::{Client, Errand, Visitor};

/// The good client. In a scenario that it does not know it connects, lists what the server offers, and leaves.
///
/// ```
/// let client = mcp_test::client::reference::good_client();
/// # drop(client);
/// ```
#[must_use]
pub fn good_client() -> Visitor {
    Visitor::new(|errand: Errand| async move {
        let mut client = errand.connect(errand.options()).await?;
        match errand.scenario() {
            "tools_call" => add_numbers(&mut client).await?,
            _ => list_tools(&mut client).await?,
        }
        client.end().await;
        Ok(())
    })
}

async fn list_tools(client: &mut Client) -> crate::Result {
    client.request("tools/list", json!({})).await?.result()?;
    Ok(())
}

async fn add_numbers(client: &mut Client) -> crate::Result {
    list_tools(client).await?;
    let call = json!({ "name": "add_numbers", "arguments": { "a": 5, "b": 3 } });
    client.request("tools/call", call).await?.result()?;
    Ok(())
}
