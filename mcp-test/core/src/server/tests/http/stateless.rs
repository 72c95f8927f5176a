//! Requests of the stateless era, and servers of one era.

use http::StatusCode;
use insta::assert_snapshot;

use super::{Endpoint, INITIALIZE, META, run};
use crate::server::reference::everything;
use crate::spec::{Revision, Revisions};

/// A request of the stateless era.
fn request(method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{comma}{META}}}}}"#)
}

#[test]
fn stateless_requests_stand_by_themselves() {
    run(async {
        let endpoint = Endpoint::new(&everything());
        let call = request("tools/call", r#""name":"test_simple_text""#);
        let served =
            endpoint.stateless("tools/call").with("mcp-name", "test_simple_text").post(&call).await;
        assert_snapshot!(served.shown(), @r#"
        200 application/json
        {"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"This is a simple text response for testing.","type":"text"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-test-everything","version":"0.1.0"}}}}
        "#);
        assert!(served.headers.get("mcp-session-id").is_none());
        let accepted =
            endpoint.stateless("x").post(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#).await;
        assert_eq!((accepted.status, accepted.body.as_deref()), (StatusCode::ACCEPTED, Ok("")));
        for method in ["GET", "DELETE"] {
            let refused = endpoint.stateless("x").call(method, "").await;
            assert_eq!(
                (refused.status, refused.header("allow")),
                (StatusCode::METHOD_NOT_ALLOWED, "POST")
            );
        }
    });
}

#[test]
fn stateless_headers_mirror_the_body() {
    run(async {
        let endpoint = Endpoint::new(&everything());
        let list = request("tools/list", "");
        let call = request("tools/call", r#""name":"test_simple_text""#);
        let good = endpoint.stateless("tools/list");
        let calling = endpoint.stateless("tools/call");
        let v999 = list.replace("2026-07-28", "v999");
        let mut replies = vec![
            ("no version", good.without("mcp-protocol-version").post(&list).await),
            ("other version", good.with("mcp-protocol-version", "2025-11-25").post(&list).await),
            ("unsupported version", good.with("mcp-protocol-version", "v999").post(&v999).await),
            ("no method", good.without("mcp-method").post(&list).await),
            ("other method", good.with("mcp-method", "TOOLS/LIST").post(&list).await),
            ("no name", calling.post(&call).await),
            ("other name", calling.with("mcp-name", "x").post(&call).await),
            ("garbled name", calling.with("mcp-name", "=?base64?!?=").post(&call).await),
            (
                "no _meta",
                good.post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#).await,
            ),
            ("a reply", good.post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await),
            ("a batch", good.post(&format!("[{list}]")).await),
            ("garbage", good.post("{").await),
        ];
        for method in
            ["initialize", "ping", "logging/setLevel", "resources/subscribe", "unknown/method"]
        {
            replies.push((method, endpoint.stateless(method).post(&request(method, "")).await));
        }
        let shown: Vec<_> = replies
            .iter()
            .map(|(what, reply)| format!("{what}: {}", reply.shown().replace('\n', " ")))
            .collect();
        assert_snapshot!(shown.join("\n"), @r#"
        no version: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `MCP-Protocol-Version` is missing"}}
        other version: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `MCP-Protocol-Version` is `2025-11-25`, but the body says `2026-07-28`"}}
        unsupported version: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version; this server speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05","data":{"requested":"v999","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}}
        no method: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Method` is missing"}}
        other method: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Method` is `TOOLS/LIST`, but the body says `tools/list`"}}
        no name: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Name` is missing"}}
        other name: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Name` is `x`, but the body says `test_simple_text`"}}
        garbled name: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Name` is not readable"}}
        no _meta: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`_meta` must hold a string as `io.modelcontextprotocol/protocolVersion`, got nothing"}}
        a reply: 400 text/plain; charset=utf-8 clients do not send replies in this revision
        a batch: 400 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"expected one message, got an array"}}
        garbage: 400 application/json {"jsonrpc":"2.0","error":{"code":-32700,"message":"line 1, column 2: expected a member name in double quotes, found the end of the text"}}
        initialize: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: initialize"}}
        ping: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: ping"}}
        logging/setLevel: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: logging/setLevel"}}
        resources/subscribe: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: resources/subscribe"}}
        unknown/method: 404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: unknown/method"}}
        "#);
        for name in
            ["test_simple_text", "=?base64?dGVzdF9zaW1wbGVfdGV4dA==?=", " test_simple_text "]
        {
            assert_eq!(
                calling.with("mcp-name", name).post(&call).await.status,
                StatusCode::OK,
                "{name}"
            );
        }
    });
}

#[test]
fn a_modern_server_has_no_sessions() {
    run(async {
        let endpoint =
            Endpoint::new(&everything().revisions(Revisions::only(Revision::V2026_07_28)));
        assert_snapshot!(endpoint.post(INITIALIZE).await.shown(), @r#"
        400 application/json
        {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version; this server speaks 2026-07-28","data":{"requested":"2025-11-25","supported":["2026-07-28"]}}}
        "#);
        assert_eq!(endpoint.call("GET", "").await.status, StatusCode::METHOD_NOT_ALLOWED);
    });
}

#[test]
fn an_old_server_knows_nothing_of_meta() {
    run(async {
        let old = everything().revisions(Revisions::until(Revision::V2025_11_25));
        let endpoint = Endpoint::new(&old);
        let refused = endpoint.stateless("tools/list").post(&request("tools/list", "")).await;
        assert_snapshot!(refused.shown(), @r#"
        400 application/json
        {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the version in `MCP-Protocol-Version` is not supported"}}
        "#);
    });
}

#[test]
fn arguments_are_mirrored_where_the_server_wants_it() {
    let server = everything()
        .mirrors("test_simple_text", "/place/region", "Region")
        .mirrors("test_simple_text", "/count", "Count")
        .mirrors("test_simple_text", "/dry", "Dry");
    run(async {
        let endpoint =
            Endpoint::new(&server).stateless("tools/call").with("mcp-name", "test_simple_text");
        let call = |arguments: &str| {
            let params = format!(r#""name":"test_simple_text","arguments":{arguments}"#);
            request("tools/call", &params)
        };
        let region = call(r#"{"place":{"region":"Köln"}}"#);
        let encoded = endpoint.with("mcp-param-region", "=?base64?S8O2bG4=?=");
        let count = call(r#"{"count":42}"#);
        let dry = call(r#"{"dry":true}"#);
        let nothing = call(r#"{"count":null}"#);
        let replies = [
            ("encoded", encoded.post(&region).await),
            ("missing", endpoint.post(&region).await),
            ("other", endpoint.with("mcp-param-region", "Koeln").post(&region).await),
            (
                "garbled",
                endpoint.with("mcp-param-region", "=?base64?S8O2bG4?=").post(&region).await,
            ),
            ("too much", encoded.post(&nothing).await),
            ("number", endpoint.with("mcp-param-count", "42.0").post(&count).await),
            ("other number", endpoint.with("mcp-param-count", "43").post(&count).await),
            ("no number", endpoint.with("mcp-param-count", "many").post(&count).await),
            ("true", endpoint.with("mcp-param-dry", "true").post(&dry).await),
            ("True", endpoint.with("mcp-param-dry", "True").post(&dry).await),
            ("nothing", endpoint.post(&nothing).await),
        ];
        let shown = replies.map(|(what, reply)| match reply.status {
            StatusCode::OK => format!("{what}: served"),
            _ => format!("{what}: {}", reply.shown().replace('\n', " ")),
        });
        assert_snapshot!(shown.join("\n"), @r#"
        encoded: served
        missing: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Param-Region` is missing"}}
        other: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Param-Region` is `Koeln`, but the body says `Köln`"}}
        garbled: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Param-Region` is not readable"}}
        too much: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Param-Region` is present, but the argument is missing"}}
        number: served
        other number: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Param-Count` is `43`, but the body says `42`"}}
        no number: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Param-Count` is not readable"}}
        true: served
        True: 400 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch: `Mcp-Param-Dry` is `True`, but the body says `true`"}}
        nothing: served
        "#);
    });
}
