//! Clients that list something: what is said of those under test, and those of proofs.

use mcp_test_core::client::reference::patient::{self, Reaction, Received};
use mcp_test_core::client::{Client, Handlers, Options, RequestOptions};
use mcp_test_core::process::Exit;
use mcp_test_core::transport::ClientEnd;
use serde_json::Value;

use crate::scenarios::prelude::*;

/// The finding that the client, which may do anything else, never listed the tools.
pub(super) fn never_listed(judging: &Judging) -> Finding {
    judging
        .task_not_done("the client never listed the tools")
        .expected("`tools/list`, since the server declares tools")
        .got("no `tools/list` in the whole conversation")
}

/// How the client ended, if it crashed or never ended.
pub(super) fn crashed_or_hung(judging: &Judging) -> Option<String> {
    match judging.client_end() {
        (ClientEnd::TimedOut, _) => Some("a client that still ran when its time was up".to_owned()),
        (_, Some(exit @ (Exit::Signal(_) | Exit::Code(129..)))) => {
            Some(format!("a client that ended with {exit}"))
        }
        _ => None,
    }
}

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

/// A client that lists the tools, and does this about whatever comes before the list.
pub(super) fn reacting(
    react: impl Fn(&Client, Received<'_>) -> Reaction + Copy + Send + Sync + 'static,
) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        patient::list_tools_with(&mut client, react).await?;
        client.end().await;
        Ok(())
    })
}

/// A client that lists the tools, and leaves when this arrives before the list.
pub(super) fn leaving(is_it: fn(Received<'_>) -> bool) -> ScriptedClient {
    reacting(move |client, received| match is_it(received) {
        true => Reaction::Leave,
        false => patient::correct(client, received),
    })
}
