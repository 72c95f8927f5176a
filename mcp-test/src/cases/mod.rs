//! MCP Cases: conversations in YAML that test a server, stand in for one, and document it.
//!
//! A file is a stream of documents, each of which is a [`Case`]: `case` is its name, keys that begin with `in` are messages of
//! the client, keys that begin with `out` are messages of the server, and keys that begin with `_` are extensions.
//! [`mod@format`] describes the format.
//!
//! A case becomes a [scenario](mcp_test_core::scenario), so that runner, baseline and reports know nothing of YAML.
//!
//! Each folder imports only from those above it; `play` and `serve` do not import from each other.
//!
//! | folder | what it is for |
//! |---|---|
//! | `format` | the file format: reading, settings, diagnostics |
//! | `compare` | compares a received message with a case |
//! | `play`, `serve` | runs cases against a server; serves them to a client |
//! | `verify` | checks a client against the cases it was served |
//! | `record` | writes cases from a trace |
//! | `doc` | documents a server from its cases |
//! | `lint` | finds likely mistakes in cases |

#[doc(hidden)]
pub mod compare;
mod doc;
pub mod format;
#[doc(hidden)]
pub mod hooks;
mod lint;
mod play;
mod record;
mod registered;
mod scenario;
pub mod serve;
mod verify;

#[doc(hidden)]
pub use doc::Doc;
#[doc(hidden)]
pub use doc::{code_block, code_span};
#[doc(hidden)]
pub use format::capture::capture;
pub use format::case::{Case, CaseFile, Cases};
pub use format::diagnostic::Diagnostic;
pub use format::error::ReadError;
#[doc(hidden)]
pub use format::expand::{ExpandError, expand, names_used};
#[doc(hidden)]
pub use format::extension::{
    Capture, Hook, Input, JsonType, Matcher, Mode, Ready, Rule, Settings, State,
};
#[doc(hidden)]
pub use format::files::{expand_paths, read_bounded};
pub use format::inputs::{InputError, Inputs, MissingInput};
#[doc(hidden)]
pub use format::lints::{LINTS, Level, Lint};
#[doc(hidden)]
pub use format::message::{CaseMessage, Direction};
pub use format::read::ReadOptions;
#[doc(hidden)]
pub use format::read::{Loaded, load_bytes, load_files};
#[doc(hidden)]
pub use format::schema::json_schema;
#[doc(hidden)]
pub use format::values::{Values, is_name};
#[doc(hidden)]
pub use lint::lint;
pub use mcp_test_core::yaml::Span;
#[doc(hidden)]
pub use record::{
    ConversationMismatch, RecordError, RecordExt, Recording, SaveError, Saved, Updated, record,
};
#[doc(hidden)]
pub use registered::{
    CaseTest, CasesFile, CasesPeer, IntoGiven, RegisteredCases, UserCases, case_inputs, user_cases,
};
#[doc(hidden)]
pub use scenario::{PlayError, PlayOptions, prerequisites, scenarios};
pub use serve::Mock;
#[doc(hidden)]
pub use verify::{VerifyOptions, client_scenarios};
