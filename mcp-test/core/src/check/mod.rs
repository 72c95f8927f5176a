//! Verdicts: what was found, who is to blame, and the checks that carry it.
//!
//! Actors observe and record; here is where a record becomes a judgement. A [`Finding`] says what is wrong and who is
//! to blame, a [`Check`] is one line of a report, a [`Collector`] gathers them, and [`judge_trace`] judges a whole trace:
//! by the rules for every message ([`judge_envelopes`]), by what was declared and asked before it, by what each message must hold
//! ([`judge_shapes`]), and by the schemas of the tools in it ([`judge_tools`]). What a single scenario demands is not decided here.

mod cause;
mod cited;
mod client_conversation;
mod client_headers;
mod collector;
mod connection_judge;
mod content;
mod conversation;
mod envelope;
mod finding;
mod findings;
mod judgement;
mod malformed;
mod notices;
mod of_both_sides;
mod rate;
mod recent_map;
#[cfg(test)]
mod recorded;
mod repeat_filter;
mod sdk;
mod server_requests;
mod shape;
mod shapes;
mod status;
mod tool_judgement;
#[cfg(feature = "schema")]
mod tool_schemas;
mod tools;
mod walk;
mod wire_judge;

pub use cause::{Cause, Fate};
#[doc(hidden)]
pub use collector::Collector;
pub use collector::{Check, Origin, SpecReference};
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use content::unrepeated_structured_content;
#[doc(hidden)]
pub use envelope::judge_envelopes;
pub use finding::{Blame, Demand, Finding, Severity};
#[doc(hidden)]
pub use judgement::{Judgement, requirements_of_envelopes};
#[doc(hidden)]
pub use malformed::requirement_of;
pub use sdk::Sdk;
#[doc(hidden)]
pub use shape::Shape;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use shapes::in_words;
pub(crate) use shapes::requirements::all as requirements_of_shapes;
#[doc(hidden)]
pub use shapes::{ShapeJudgement, judge_shapes};
pub use status::Status;
#[doc(hidden)]
pub use tool_judgement::ToolJudgement;
#[cfg(feature = "schema")]
#[doc(hidden)]
pub use tool_schemas::ToolSchemas;
#[cfg(feature = "schema")]
pub(crate) use tool_schemas::compile as compile_tool_schema;
#[doc(hidden)]
pub use tools::{REQUIREMENTS_OF_TOOLS, judge_tools};
#[doc(hidden)]
pub use wire_judge::{WireJudge, judge_trace};

/// The id of the check that every scenario gets from [`judge_envelopes`]: the peer's side of the conversation was well formed.
#[doc(hidden)]
pub const WELL_FORMED: &str = "wire-well-formed";

/// The id of the check that every scenario gets from [`judge_shapes`]: the peer's messages have their shapes.
#[doc(hidden)]
pub const SCHEMA_VALID: &str = "wire-schema-valid";

/// The id of the check of a scenario in which mcp-test itself sent a message that does not have its shape.
#[doc(hidden)]
pub const SCHEMA_HARNESS_ERROR: &str = "wire-schema-harness-error";

/// The id of the check that a scenario gets from [`judge_tools`], where something was judged: the schemas of tools are
/// schemas, and what is exchanged by them conforms.
#[doc(hidden)]
pub const TOOL_SCHEMAS: &str = "wire-tool-schemas";
