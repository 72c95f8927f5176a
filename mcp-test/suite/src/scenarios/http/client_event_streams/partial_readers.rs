//! Clients that read a part of what the server sends.

use crate::scenarios::listing_client::{leaving_pings, list_answering};
use crate::scenarios::prelude::*;

/// Answers so many pings, and lists so many pages, the next of which it cannot read.
fn reading(answered: usize, pages: usize) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(leaving_pings(&task)).await?;
        if task.revision().era() == Era::Stateless {
            client.discover().await?.result()?;
        }
        let mut page = list_answering(&mut client, answered).await?;
        for _ in 1..pages {
            let cursor = page.result()?.get("nextCursor").cloned();
            let Some(cursor) = cursor else { break };
            let mut params = Object::new();
            params.push("cursor", cursor);
            page = client.request("tools/list", params).await?;
        }
        let is_last = page.result()?.get("nextCursor").is_none();
        client.end().await;
        if is_last { Ok(()) } else { Err("cannot read the event".into()) }
    })
}

/// Lists the first page, decodes each byte of its cursor on its own, and asks for that page.
pub(super) fn breaks_characters() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        if task.revision().era() == Era::Stateless {
            client.discover().await?.result()?;
        }
        let page = client.request("tools/list", json!({})).await?;
        let cursor = page.result()?.get("nextCursor").and_then(Value::as_str).unwrap_or_default();
        let cursor: String = cursor.bytes().map(char::from).collect();
        client.request("tools/list", json!({ "cursor": cursor })).await?.result()?;
        client.end().await;
        Ok(())
    })
}

/// Fails at the stream of the first answer.
pub(super) fn reads_no_stream() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        let first = if task.revision().era() == Era::Stateless {
            client.discover().await
        } else {
            client.request("initialize", initialize(task.revision())).await
        };
        let _read = first?.outcome();
        drop(client);
        Err("cannot read an event stream".into())
    })
}

fn initialize(revision: Revision) -> serde_json::Value {
    json!({
        "protocolVersion": revision.as_str(),
        "capabilities": {},
        "clientInfo": { "name": "client", "version": "1" },
    })
}

const ALL: usize = usize::MAX;

pub(super) fn answers_no_ping() -> ScriptedClient {
    reading(0, ALL)
}

pub(super) fn reads_no_comments() -> ScriptedClient {
    reading(1, ALL)
}

pub(super) fn reads_no_other_fields() -> ScriptedClient {
    reading(2, ALL)
}

pub(super) fn reads_one_data_field() -> ScriptedClient {
    reading(3, ALL)
}

pub(super) fn reads_no_crlf() -> ScriptedClient {
    reading(4, ALL)
}

pub(super) fn reads_no_batch() -> ScriptedClient {
    reading(5, ALL)
}

pub(super) fn reads_no_cr() -> ScriptedClient {
    reading(6, ALL)
}

pub(super) fn stops_at_pieces() -> ScriptedClient {
    reading(ALL, 1)
}

pub(super) fn stops_at_a_mark() -> ScriptedClient {
    reading(ALL, 2)
}
