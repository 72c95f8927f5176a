//! YAML as it is written: nodes that know their span, their style and their comments.
//!
//! [`read()`] splits a text into [documents](Document). A broken document is reported with its span and does not hide the
//! documents after it. Memory and time stay within [`Limits`] for any text. Plain scalars are resolved by the core schema of
//! YAML 1.2, numbers keep their spelling, and members keep their order, including duplicates.
//!
//! An alias is a copy of the node it names. `<<` is an ordinary key (there is no merging in YAML 1.2), and tags outside the
//! core schema have no meaning; both are reported in [`Document::problems`].
//!
//! [`write()`] serializes documents that were read or built, and [`format()`] formats a text without losing anything.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::yaml::{self, Limits};
//!
//! let stream = yaml::read("case: Ping  # the smallest\n---\ncase: [\n---\ncase: Pong\n", &Limits::default());
//! let cases: Vec<_> = stream.documents.iter().map(|document| document.is_ok()).collect();
//! assert_eq!(cases, [true, false, true]);
//! let first = stream.documents[0].as_ref().unwrap();
//! assert_eq!(first.root.to_value().to_string(), r#"{"case":"Ping"}"#);
//! ```
//!
//! | file | what it is for |
//! |---|---|
//! | `document`, `node`, `comment` | the syntax tree |
//! | `span`, `problem` | a range of the text, and an error in it |
//! | `limits` | how much of a text is read |
//! | `read` | splits a text into documents and rejects forbidden characters |
//! | `events`, `build`, `anchors`, `scalar` | build nodes from the parser's events |
//! | `attach` | attaches comments to nodes |
//! | `write` | serializes documents |
//! | `format` | formats a text |

mod anchors;
mod attach;
mod build;
mod comment;
mod document;
mod events;
mod format;
mod limits;
mod node;
mod problem;
mod read;
mod scalar;
mod span;
#[cfg(test)]
mod tests;
mod write;

pub use comment::{Comment, Comments};
pub use document::{Broken, Document, Stream};
pub use format::{Formatted, format};
pub use limits::Limits;
pub use node::{Kind, Member, Node, Spacing, Style};
pub use problem::{Problem, ProblemKind, SyntaxError};
pub use read::{decode, read};
pub use span::Span;
pub use write::write;
