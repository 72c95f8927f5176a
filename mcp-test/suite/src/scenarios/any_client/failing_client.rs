//! Clients of proofs that list something and fail at a result, or leave something unanswered. They are correct up to there.

use mcp_test_core::client::{Client, Handlers, Options, RequestOptions};
use serde_json::Value;

use crate::scenarios::prelude::*;

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

/// A client that connects with these options, lists the tools and exits.
pub(super) fn listing(
    options: impl Fn(&ClientTask) -> Options + Send + Sync + 'static,
) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| {
        let options = options(&task);
        async move {
            let mut client = task.connect(options).await?;
            client.request("tools/list", json!({})).await?.result()?;
            client.end().await;
            Ok(())
        }
    })
}

/// A client that fails at its first result: the one of `initialize` or of `server/discover`.
pub(super) fn fails_at_the_first_result() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        let (first, params) = match task.revision().era() {
            Era::Stateless => ("server/discover", json!({})),
            Era::Handshake => ("initialize", client.initialize_params()),
        };
        client.request(first, params).await?.result()?;
        client.end().await;
        Err("the result cannot be read".into())
    })
}

/// Options of a client for [`list_answering`].
pub(super) fn leaving_pings(task: &ClientTask) -> Options {
    task.options().handlers(Handlers::new().leaving_unanswered("ping"))
}

/// Lists the first page of tools, and answers so many of the pings that come before it.
pub(super) async fn list_answering(client: &mut Client, answered: usize) -> Result<Reply, Finding> {
    let list = client.start("tools/list", json!({})).await;
    let mut seen = 0;
    while client.is_pending(&list) {
        client.step_for(&list).await;
        for ping in client.server_requests().get(seen..).unwrap_or_default().to_vec() {
            if seen < answered {
                client.answer(&ping, Ok(Object::new().into())).await;
            }
            seen += 1;
        }
    }
    client.wait(list).await
}
