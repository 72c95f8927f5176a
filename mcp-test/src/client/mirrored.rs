//! `Mcp-Param-*`: arguments of a tool that its listed schema wants mirrored into headers.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#client-behavior>

use std::collections::BTreeMap;

use super::{Client, Reply};
use crate::json::Value;
use crate::spec::{ParamHeader, error_code, param_headers};

/// What is known of the tools that were listed. A tool whose annotations are not valid has no headers.
pub(super) type Mirrored = BTreeMap<String, Vec<ParamHeader>>;

impl Client {
    /// The `Mcp-Param-*` headers that a request has, as far as its tool has been listed.
    pub(super) fn param_headers(&self, method: &str, params: &Value) -> Vec<(String, String)> {
        if method != "tools/call" || !self.mirrors_params() {
            return Vec::new();
        }
        let tool = params.get("name").and_then(Value::as_str);
        let (Some(wanted), Some(arguments)) =
            (tool.and_then(|tool| self.mirrored.get(tool)), params.get("arguments"))
        else {
            return Vec::new();
        };
        let header = |wanted: &ParamHeader| Some((wanted.header(), wanted.value(arguments)?));
        wanted.iter().filter_map(header).collect()
    }

    /// Takes note of what a page of `tools/list` wants mirrored.
    pub(super) fn learn_tools(&mut self, reply: &Reply) {
        if reply.method() != "tools/list" || !self.mirrors_params() {
            return;
        }
        let tools = reply.peek().and_then(|result| result.get("tools")?.as_array());
        for tool in tools.unwrap_or_default() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let wanted = tool.get("inputSchema").map(param_headers);
            self.mirrored.insert(name.to_owned(), wanted.and_then(Result::ok).unwrap_or_default());
        }
    }

    /// Whether a refusal may be mended by looking at the tools anew: headers that the client did not know of.
    ///
    /// Lists the tools for that, and says whether the headers of the request have changed.
    pub(super) async fn mend_headers(&mut self, params: &Value, refusal: &Reply) -> bool {
        let mismatch = refusal.peek_error();
        if refusal.method() != "tools/call"
            || !self.mirrors_params()
            || mismatch.is_none_or(|error| error.code != error_code::HEADER_MISMATCH)
        {
            return false;
        }
        let before = self.param_headers("tools/call", params);
        let listed = Box::pin(self.pages("tools/list")).await;
        listed.is_ok() && self.param_headers("tools/call", params) != before
    }

    fn mirrors_params(&self) -> bool {
        self.facts.revision.mirrors_headers() && self.link.kind().is_http()
    }
}
