//! Requests that have no section of their own, such as those of extensions.

use super::{Direction, requests_by_method};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::CaseIndex;
use crate::cases::doc::page::Section;

/// The methods that other sections cover.
const COVERED: [&str; 12] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let requests = index.exchanges.iter().filter(|it| it.sender == Direction::In);
    let others = requests.filter(|it| !COVERED.contains(&it.method));
    requests_by_method(index, anchors, ("Other requests", "request"), others)
}
