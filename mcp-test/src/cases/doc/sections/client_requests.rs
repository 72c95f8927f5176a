//! The requests of the server to its client: sampling, elicitation, roots.

use super::{Direction, requests_by_method};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::CaseIndex;
use crate::cases::doc::page::{Block, Section, text};

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let requests = index.exchanges.iter().filter(|it| it.sender == Direction::Out);
    let mut section =
        requests_by_method(index, anchors, ("Requests to the client", "ask"), requests)?;
    let lead = "A client that causes these requests of the server has to answer them.";
    section.blocks.push(Block::Paragraph(vec![text(lead)]));
    Some(section)
}
