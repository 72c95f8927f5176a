//! Clients that fail at a result, for proofs. They are correct up to there.

use serde_json::{Value, json};

use crate::client::{ClientTask, RequestOptions, ScriptedClient};
use crate::spec::Era;

/// A client that sends these requests one after the other, and fails at the result of the last one.
pub(super) fn fails_after(
    requests: impl IntoIterator<Item = (&'static str, Value)>,
) -> ScriptedClient {
    let requests: Vec<_> = requests.into_iter().collect();
    ScriptedClient::new(move |task: ClientTask| {
        let requests = requests.clone();
        async move {
            let mut client = task.connect(task.options()).await?;
            if task.revision().era() == Era::Stateless {
                client.discover().await?.result()?;
            }
            for (method, params) in requests {
                let once = RequestOptions::new().once();
                client.request_with(method, params, once).await?.result()?;
            }
            client.end().await;
            Err("the result cannot be read".into())
        }
    })
}

/// A client that fails at its first result: the one of `initialize` or of `server/discover`.
pub(super) fn fails_at_the_first_result() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        let (first, params) = match task.revision().era() {
            Era::Stateless => ("server/discover", json!({})),
            Era::Handshake => (
                "initialize",
                json!({
                    "protocolVersion": task.revision().as_str(),
                    "capabilities": {},
                    "clientInfo": { "name": "mcp-test-client", "version": "1.0.0" },
                }),
            ),
        };
        client.request(first, params).await?.result()?;
        client.end().await;
        Err("the result cannot be read".into())
    })
}
