//! YAML as it was written: nodes that know their place, their style and their comments.
//!
//! [`read()`] takes a text apart into [documents](Document); a broken document is told with its place, and those after it
//! are read all the same. Whatever the text, memory and time stay within [`Limits`]. Plain scalars mean what the core schema
//! of YAML 1.2 says, numbers keep their spelling, and members keep their order, duplicates included.
//!
//! Aliases stand for copies of what they name. `<<` merges nothing and is a key like any other, and tags beyond those of the
//! core schema mean nothing; both are told in [`Document::problems`].
//!
//! [`write()`] makes a text of documents, those that were read or built, and [`format()`] lays a text out without loss.
//!
//! What a document means is for those who read it; this room knows neither messages nor baselines.
//!
//! ```
//! use mcp_test::yaml::{self, Limits};
//!
//! let stream = yaml::read("case: Ping  # the smallest\n---\ncase: [\n---\ncase: Pong\n", &Limits::default());
//! let cases: Vec<_> = stream.documents.iter().map(|document| document.is_ok()).collect();
//! assert_eq!(cases, [true, false, true]);
//! let first = stream.documents[0].as_ref().unwrap();
//! assert_eq!(first.root.to_value().to_string(), r#"{"case":"Ping"}"#);
//! ```
//!
//! | file | what |
//! |---|---|
//! | `document`, `node`, `comment` | what a text holds |
//! | `span`, `problem` | a place in it, and what is wrong there |
//! | `limits` | how much of it is read |
//! | `read` | from a text to documents: their bounds, and what must not stand in a text |
//! | `tokens`, `build`, `anchors`, `scalar` | from the parser's events to nodes |
//! | `attach` | from comments to the nodes that they stand at |
//! | `write` | from documents to text |
//! | `format` | from a text to the same text, laid out |

mod anchors;
mod attach;
mod build;
mod comment;
mod document;
mod format;
mod limits;
mod node;
mod problem;
mod read;
mod scalar;
mod span;
#[cfg(test)]
mod tests;
mod tokens;
mod write;

pub use comment::{Comment, Comments};
pub use document::{Broken, Document, Stream};
pub use format::{Formatted, format};
pub use limits::Limits;
pub use node::{Before, Kind, Member, Node, Style};
pub use problem::{Problem, ProblemKind};
pub use read::{decode, read};
pub use span::Span;
pub use write::write;
