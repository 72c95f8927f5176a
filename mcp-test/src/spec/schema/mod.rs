//! The shapes of MCP's messages, at every revision: what must be in them, of which type.
//!
//! The shapes are text files beside this one, one for each family of messages, with the protocol's history in it: a line
//! says at which revisions it holds. A shape is a header at the beginning of a line and what it consists of below, two
//! spaces deeper:
//!
//! ```text
//! # Comments tell why something came or went.
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
//! | line | says |
//! |---|---|
//! | `Name [-> Result] [= TYPE] [<page>] [@REVISIONS]` | a shape; with `=` alone, a union of the `\| TYPE` lines below. Without a page it stands on the schema page. One name may have several headers, each for other revisions. Names in lower case are for `with` only |
//! | `name TYPE [@REVISIONS]`, `name? TYPE` | a member, `?` if it may be absent |
//! | `* TYPE` | what members are that are not named: anything, if there is no such line |
//! | `with Name` | all members of that object, but for those that are written here |
//! | `without name` | a member that is not taken in |
//! | `-> Name`, `= TYPE`, `\| TYPE` | as in the header, where it differs by revision |
//! | `~ LINE : id` | the line as the official schema has it, where it disagrees with the text: see [`DISAGREEMENTS`] |
//!
//! Types are `string integer number boolean null any object`, the strings `uri uri-template base64`, `"literal"`, `-32020`,
//! `Name`, `[T]`, `{T}` for an object whose members are all `T`, and `A | B`. Bounds stand in brackets: `number(0..1)`,
//! `[string](..100)`. Deeper lines say what is in the one `object` that a type mentions. Revisions are written as
//! [`Revisions`](super::Revisions) reads them.
//!
//! [`Schemas`] judges: a message as a whole, by the definition that governs it, or any value by a [`Definition`]. What
//! fits our shapes is right. What does not is held against the JSON Schema that they are exported as, too, and what
//! both refuse is told in words by the shapes.
//!
//! ```
//! use mcp_test::spec::Revision;
//! use mcp_test::spec::schema::{Authority, Schemas};
//! use mcp_test::wire::Request;
//!
//! let call = Request::new(1, "tools/call", Some(serde_json::json!({"name": 7}).into())).into();
//! let found = Schemas::ours().judge(&call, None, Revision::V2025_06_18, Authority::Text);
//! assert_eq!(found[0].to_string(), "expected `/params/name` is a string, got 7, which is a number");
//! assert_eq!(found[0].shape, "CallToolRequestParams");
//! ```

mod book;
#[cfg(feature = "schema")]
mod compiled;
mod definition;
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
mod phrase;
mod read;
mod resolve;
mod schemas;
mod source;
mod type_text;
mod violation;

#[cfg(test)]
mod tests;

pub use definition::Definition;
pub use disagreement::{DISAGREEMENTS, Disagreement};
#[cfg(feature = "schema")]
pub use load::SchemaError;
pub use schemas::{Schemas, json_schema};
pub use violation::Violation;

/// Whom to believe where the official schema and the specification's text disagree.
///
/// They disagree in what [`DISAGREEMENTS`] lists, and in one rule beside it: by the text a request has an id and a
/// notification has none, whatever the definition of its method says; see [`Schemas::judge`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Authority {
    /// The text, which is what peers are held to.
    #[default]
    Text,
    /// The official schema, as the official conformance suite does.
    Schema,
}
