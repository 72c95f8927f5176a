//! How a failure is told: the finding, the exchange that shows it, and what the specification says.

use std::borrow::Cow;
use std::fmt::Write;

use crate::check::Finding;
use crate::spec::{Revision, requirement};
use crate::trace::{Trace, excerpt};

/// What the message of a failure quotes from.
pub(super) struct Scene<'a> {
    pub(super) trace: Cow<'a, Trace>,
    pub(super) revision: Revision,
}

/// Something that is asserted about: it knows the conversation that it is part of.
pub(super) trait Staged {
    fn scene(&self) -> Scene<'_>;
}

/// Ends the test with the whole story of a finding.
#[track_caller]
pub(super) fn fail(finding: &Finding, scene: &Scene<'_>) -> ! {
    panic!("{}", explain(finding, &scene.trace, scene.revision))
}

/// The whole story of a finding: what was expected and what came, the exchange, the shape and the requirements with their
/// links.
///
/// ```
/// use mcp_test::assert::explain;
/// use mcp_test::check::Finding;
/// use mcp_test::spec::Revision;
/// use mcp_test::trace::Trace;
///
/// let finding = Finding::peer("two tools have one name").requires("tools.name.unique");
/// let story = explain(&finding, &Trace::default(), Revision::V2025_11_25);
/// assert!(story.contains("https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names"));
/// ```
#[must_use]
pub fn explain(finding: &Finding, trace: &Trace, revision: Revision) -> String {
    let mut story = finding.to_string();
    if trace.events_at(&finding.evidence).next().is_some() {
        story.push_str("\n\nthe exchange:");
        indent(&mut story, &excerpt(trace, &finding.evidence));
    }
    if let Some(shape) = &finding.shape {
        let _ = write!(story, "\n\nshape {shape}\n  {}", shape.link);
    }
    if let Some(shape) = &finding.shape {
        let _ = write!(story, "\n\nshape {shape}\n  {}", shape.link);
    }
    for id in &finding.requirements {
        let _ = write!(story, "\n\nrequirement {}", requirement::cite(id, revision));
    }
    story
}

fn indent(story: &mut String, text: &str) {
    for line in text.trim_end().lines() {
        let _ = write!(story, "\n  {line}");
    }
}
