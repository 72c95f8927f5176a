//! The shapes of MCP's messages at every revision: their members and types.
//!
//! The shapes are text files in this folder, one for each family of messages. They contain all revisions: a line can be
//! limited to some of them. A shape is an unindented header and a body, each level indented by two spaces:
//!
//! ```text
//! # Comments say why something was added or removed.
//! ListToolsRequest -> ListToolsResult <server/tools#listing-tools>
//!   with PaginatedRequest
//!   method "tools/list"
//!
//! Tool <server/tools#tool>
//!   with BaseMetadata @2025-06-18..
//!   name string @..2025-03-26
//!   description? string
//!   inputSchema object
//!     type "object"
//!     properties? {object} @..2025-11-25
//!   annotations? ToolAnnotations @2025-03-26..
//!
//! Role = "user" | "assistant"
//! ```
//!
//! | line | meaning |
//! |---|---|
//! | `Name [-> Result] [= TYPE] [<page>] [@REVISIONS]` | a shape; with `=` alone, a union of the `\| TYPE` lines below. Without a page it is described on the schema page. A name may have several headers for different revisions. Shapes with lowercase names can only be included by `with` |
//! | `name TYPE [@REVISIONS]`, `name? TYPE` | a member, `?` if it may be absent |
//! | `* TYPE` | the type of all other members; without this line, any |
//! | `with Name` | includes all members of that object, except those declared here |
//! | `without name` | excludes a member from those included |
//! | `-> Name`, `= TYPE`, `\| TYPE` | as in the header, for parts that differ by revision |
//! | `~ LINE : id` | the line of the official schema where it disagrees with the text: see [`DISAGREEMENTS`] |
//!
//! Types are `string integer number boolean null any object`, the strings `uri uri-template base64`, `"literal"`, `-32020`,
//! `Name`, `[T]`, `{T}` for an object whose members are all `T`, and `A | B`. Bounds are in parentheses: `number(0..1)`,
//! `[string](..100)`. Deeper lines describe the one `object` in a type. Revisions are written as
//! [`Revisions`](super::Revisions) parses them.
//!
//! [`Schemas`] validates whole messages, and a [`Definition`] validates any value. A value that our shapes refuse is also
//! validated against the JSON Schema exported from them; if both refuse it, the shapes describe the violations.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::spec::Revision;
//! use mcp_test::spec::schema::{Authority, Schemas};
//! use mcp_test::wire::Request;
//!
//! let call = Request::new(1, "tools/call", Some(serde_json::json!({"name": 7}).into())).into();
//! let found = Schemas::ours().validate(&call, None, Revision::V2025_06_18, Authority::Text);
//! assert_eq!(found[0].to_string(), "expected `/params/name` is a string, got 7, which is a number");
//! assert_eq!(found[0].shape, "CallToolRequestParams");
//! ```

mod authority;
#[cfg(feature = "schema")]
mod compiled;
mod definition;
mod definition_set;
mod disagreement;
mod explain;
mod export;
mod files;
mod fits;
mod format;
#[cfg(feature = "schema")]
mod load;
mod message;
mod model;
mod parse;
mod parts;
mod phrase;
mod resolve;
mod schemas;
mod syntax;
mod type_parser;
mod types;
mod violation;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use authority::Authority;
#[doc(hidden)]
pub use definition::Definition;
#[doc(hidden)]
pub use disagreement::{DISAGREEMENTS, Disagreement};
pub(crate) use format::is_uri;
#[cfg(feature = "schema")]
pub use load::SchemaError;
pub use schemas::Schemas;
#[doc(hidden)]
pub use schemas::json_schema;
#[doc(hidden)]
pub use violation::Violation;
