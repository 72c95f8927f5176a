//! Tools that leak the arguments of an earlier call, and tools that only seem to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_test_core::json::Value;
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Call, Server};
use serde_json::json;

use super::*;

/// What a search leaks in addition to its own result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leak {
    Nothing,
    /// The query of the previous search.
    LastQuery,
    /// Nothing; another tool lists the queries of the connection.
    History,
    /// Nothing; another tool lists the queries of all tools and connections.
    StoredHistory,
    /// The query of the previous search, from a tool that declares `readOnlyHint: false`.
    StoredQuery,
    /// The query of the last search on another connection.
    OtherConnection,
}

/// The query of the last search, and the number of its connection.
type Last = Arc<Mutex<(String, usize)>>;

fn searching(leak: Leak, last: &Last, connection: usize) -> Server {
    let last = Arc::clone(last);
    let server = everything().on("tools/list", move |_: Call| async move {
        let query = json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
        let annotations = json!({"readOnlyHint": leak != Leak::StoredQuery});
        let search = json!({"name": "search", "inputSchema": query, "annotations": annotations});
        let history = json!({"name": "history", "inputSchema": {"type": "object"}, "annotations": annotations});
        let find = json!({"name": "find", "inputSchema": query, "annotations": annotations});
        let tools = match leak {
            Leak::History => vec![search, history],
            Leak::StoredHistory => vec![search, find, history],
            _ => vec![search],
        };
        json!({"tools": tools, "ttlMs": 0, "cacheScope": "public"})
    });
    server.on("tools/call", move |call: Call| {
        let query = call.param("arguments").and_then(|it| it.get("query"));
        let query = query.and_then(Value::as_str).map(str::to_owned);
        let mut last = last.lock().expect("no panic");
        if call.param("name") == Some(&"history".into()) {
            let result = json!({"content": [{"type": "text", "text": last.0.clone()}]});
            return futures_util::future::ready(result);
        }
        let text = match (&query, leak) {
            (None, _) => "query: expected a string".to_owned(),
            (Some(_), Leak::Nothing | Leak::History | Leak::StoredHistory) => {
                "nothing found".to_owned()
            }
            (Some(_), Leak::OtherConnection) if last.1 == connection => "nothing found".to_owned(),
            (Some(_), _) => format!("nothing found; the last search was for {}", last.0),
        };
        let is_error = query.is_none();
        match leak {
            Leak::StoredHistory => last.0.extend(query),
            _ => *last = (query.unwrap_or_default(), connection),
        }
        let result = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
        futures_util::future::ready(result)
    })
}

fn found(leak: Leak) -> Vec<String> {
    let (last, connections) = (Last::default(), AtomicUsize::new(0));
    let target = Target::duplex(move |io| {
        let server = searching(leak, &last, connections.fetch_add(1, Ordering::Relaxed));
        async move { Ok(server.serve(io).await?) }
    });
    let exploration = explore(target, options());
    exploration.operations.iter().flat_map(|it| &it.failures).map(Reduced::headline).collect()
}

#[test]
fn data_of_another_call_is_found_unless_the_tool_stores_it() {
    let headline = "the answer to `search` has data of a call of `search`";
    assert_eq!(found(Leak::LastQuery), [headline]);
    assert_eq!(found(Leak::OtherConnection), [headline]);
    assert_eq!(found(Leak::Nothing), [""; 0]);
    assert_eq!(found(Leak::History), [""; 0]);
    assert_eq!(found(Leak::StoredHistory), [""; 0]);
    assert_eq!(found(Leak::StoredQuery), [""; 0]);
}

/// A server with a tool whose result changes with the number of connections and calls, to simulate one that depends on the time.
fn server_with_time(connection: usize) -> Server {
    let calls = AtomicUsize::new(0);
    let server = everything().on("tools/list", |_: Call| async {
        let text = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        let tools = [json!({"name": "greet", "inputSchema": text})];
        json!({"tools": tools, "ttlMs": 0, "cacheScope": "public"})
    });
    server.on("tools/call", move |_: Call| {
        let hour = connection + usize::from(calls.fetch_add(1, Ordering::Relaxed) >= 4);
        let text = format!("it is {hour} o'clock");
        async move { json!({"content": [{"type": "text", "text": text}]}) }
    })
}

#[test]
fn a_result_that_depends_on_the_time_is_not_that_of_another_call() {
    let connections = AtomicUsize::new(0);
    let target = Target::duplex(move |io| {
        let connection = connections.fetch_add(1, Ordering::Relaxed);
        async move { Ok(server_with_time(connection).serve(io).await?) }
    });
    let exploration = explore(target, options());
    let mut failures = exploration.operations.iter().flat_map(|it| &it.failures);
    assert!(failures.all(|it| it.failure.kind != FailureKind::Mixed));
}
