//! The sources that official reports name for their checks.

use crate::scenario::Reference;

macro_rules! references {
    ($($name:ident = $id:literal, $url:literal;)+) => {
        $(pub(super) const $name: Reference = Reference { id: $id, url: $url };)+
    };
}

references! {
    LIFECYCLE = "MCP-Lifecycle", "https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle";
    TOOLS = "MCP-Tools", "https://modelcontextprotocol.io/specification/2025-06-18/server/tools#calling-tools";
}
