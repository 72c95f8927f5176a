//! Verdicts: what was found, who is to blame, and the checks that carry it.
//!
//! Actors observe and record; here is where a record becomes a judgement. A [`Finding`] says what is wrong and who is
//! to blame, a [`Check`] is one line of a report, a [`Collector`] gathers them, and [`judge`] reads a whole trace by the
//! rules that hold for every conversation, [`judge_shapes`] by what each message must hold, [`judge_tools`] by the
//! schemas of the tools in it. What a single scenario demands is not decided here.

mod collector;
mod finding;
mod judge;
mod malformed;
mod shape;
mod shapes;
mod status;
#[cfg(feature = "schema")]
mod tool_schemas;
mod tools;

pub use collector::{Check, Collector, Origin, SpecReference};
pub use finding::{Blame, Finding, Severity};
pub use judge::judge;
pub use malformed::requirement_of;
pub use shape::Shape;
#[cfg(feature = "cli")]
pub(crate) use shapes::in_words;
pub use shapes::{ShapeJudgement, judge_shapes};
pub use status::Status;
#[cfg(feature = "schema")]
pub use tool_schemas::ToolSchemas;
#[cfg(feature = "schema")]
pub(crate) use tool_schemas::compile as compile_tool_schema;
pub use tools::{ToolJudgement, judge_tools};

/// The id of the check that every scenario gets from [`judge`]: the peer's side of the conversation was well formed.
pub const WELL_FORMED: &str = "wire-well-formed";

/// The id of the check that every scenario gets from [`judge_shapes`]: the peer's messages have their shapes.
pub const SCHEMA_VALID: &str = "wire-schema-valid";

/// The id of the check of a scenario in which mcp-test itself sent a message that does not have its shape.
pub const SCHEMA_HARNESS_ERROR: &str = "wire-schema-harness-error";

/// The id of the check that a scenario gets from [`judge_tools`], where something was judged: the schemas of tools are
/// schemas, and what is exchanged by them conforms.
pub const TOOL_SCHEMAS: &str = "wire-tool-schemas";
