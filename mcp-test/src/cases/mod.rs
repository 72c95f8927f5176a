//! MCP Cases: conversations in YAML that test a server, stand in for one, and document it.
//!
//! A file is a stream of documents, each of them a [`Case`]: `case` names it, keys that begin with `in` hold what the client
//! says, keys that begin with `out` what the server says, and keys that begin with `_` are extensions. [`mod@format`] has all of
//! it.
//!
//! What a case becomes is a [scenario](crate::scenario): who runs it, compares it with a baseline and reports on it never
//! learns of YAML.

mod capture;
mod case;
pub mod compare;
mod complaint;
mod doc;
mod document;
mod error;
mod expand;
mod extension;
mod files;
pub mod hooks;
mod id;
mod inputs;
mod keys;
mod lint;
mod message;
mod placeholders;
mod play;
mod read;
mod reading;
mod record;
mod registered;
mod scenario;
mod schema;
pub mod serve;
mod syntax;
#[cfg(test)]
mod tests;
mod values;
mod verify;

#[doc = include_str!("FORMAT.md")]
pub mod format {}

pub use capture::capture;
pub use case::{Case, CaseFile, Cases};
pub use complaint::{Complaint, Level};
pub use doc::Doc;
pub use error::ReadError;
pub use expand::{ExpandError, expand, names_used};
pub use extension::{Capture, Hook, Input, JsonType, Matcher, Mode, Ready, Rule, Settings, State};
#[cfg(feature = "cli")]
pub(crate) use files::{bytes, named as files};
pub use inputs::{InputError, Inputs, MissingInput};
pub use lint::{LINTS, Lint, lint};
pub use message::{CaseMessage, Direction};
pub use read::ReadOptions;
#[cfg(feature = "cli")]
pub(crate) use read::{Loaded, of_bytes, of_files};
pub use record::{Recording, Updated, record};
pub use registered::{
    CaseTest, CasesFile, CasesPeer, IntoClientTarget, IntoGiven, RegisteredCases, UserCases,
    case_inputs, user_cases,
};
pub use scenario::{PlayError, PlayOptions, scenarios, surroundings};
pub use schema::json_schema;
pub use serve::Mock;
pub use values::{Values, is_name};
pub use verify::{VerifyOptions, client_scenarios};
