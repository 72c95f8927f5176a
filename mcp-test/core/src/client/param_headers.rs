//! `Mcp-Param-*` headers: tool arguments that the listed schema wants mirrored into headers.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#client-behavior>

use super::{Client, Reply};
use crate::json::Value;
use crate::spec::{ParamHeader, error_code, param_headers};

impl Client {
    /// The `Mcp-Param-*` headers of a request, provided that its tool has been listed.
    pub(super) fn headers_for(&self, method: &str, params: &Value) -> Vec<(String, String)> {
        if method != "tools/call" || !self.mirrors_params() {
            return Vec::new();
        }
        let tool = params.get("name").and_then(Value::as_str);
        let (Some(wanted), Some(arguments)) =
            (tool.and_then(|tool| self.param_headers.get(tool)), params.get("arguments"))
        else {
            return Vec::new();
        };
        let header = |wanted: &ParamHeader| Some((wanted.header(), wanted.value(arguments)?));
        // An argument that is missing has no header.
        wanted.iter().filter_map(header).collect()
    }

    /// Records which arguments a page of `tools/list` wants mirrored.
    pub(super) fn record_mirrored_arguments(&mut self, reply: &Reply) {
        if reply.method() != "tools/list" || !self.mirrors_params() {
            return;
        }
        let tools = reply.peek().and_then(|result| result.get("tools")?.as_array());
        for tool in tools.unwrap_or_default() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let wanted = tool.get("inputSchema").map(param_headers);
            self.param_headers
                .insert(name.to_owned(), wanted.and_then(Result::ok).unwrap_or_default());
        }
    }

    /// Lists the tools again after a refusal for wrong headers, and returns whether that changes the headers of the
    /// request.
    pub(super) async fn refresh_headers(&mut self, params: &Value, refusal: &Reply) -> bool {
        let error = refusal.peek_error();
        if refusal.method() != "tools/call"
            || !self.mirrors_params()
            || error.is_none_or(|error| error.code != error_code::HEADER_MISMATCH)
        {
            return false;
        }
        let before = self.headers_for("tools/call", params);
        // Boxed, because its requests are awaited by the function that calls this one.
        let listed = Box::pin(self.pages("tools/list")).await;
        // With the same headers the server would refuse the request again.
        listed.is_ok() && self.headers_for("tools/call", params) != before
    }

    fn mirrors_params(&self) -> bool {
        self.facts.revision.mirrors_headers() && self.connection.kind().is_http()
    }
}
