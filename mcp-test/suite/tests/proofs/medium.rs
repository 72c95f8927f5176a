//! [`Medium`]: how messages travel, and the same cell over the other one.

use mcp_test_core::run::Cell;
use mcp_test_core::scenario::Peer;
use mcp_test_core::spec::Requirement;
use mcp_test_core::transport::TransportKind;

/// How messages travel: a rule about lines holds over one, a rule about HTTP over the other, and all others over both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Medium {
    Lines,
    Http,
}

impl Medium {
    pub(crate) fn of(transport: TransportKind) -> Self {
        if transport.is_lines() { Self::Lines } else { Self::Http }
    }

    /// Whether what breaks this requirement can travel in this way.
    pub(crate) fn carries(self, requirement: &Requirement) -> bool {
        let is_of = |areas: &[&str]| areas.iter().any(|area| requirement.id.starts_with(area));
        match self {
            Self::Lines => {
                requirement != Requirement::EXT_TASKS_MCP_NAME_HEADER
                    && !is_of(&["transport.http.", "transport.sse.", "mcp-test.http-"])
            }
            Self::Http => !is_of(&["transport.stdio."]),
        }
    }
}

/// The same cell over HTTP in place of lines, or the other way round; `None` if it does not exist.
pub(crate) fn over_other_medium(peer: &Peer, cell: &Cell) -> Option<Cell> {
    let transport = match (peer, Medium::of(cell.transport)) {
        (Peer::Server(_), Medium::Lines) => TransportKind::Router,
        (_, Medium::Lines) => TransportKind::Http,
        (_, Medium::Http) => TransportKind::Duplex,
    };
    let exists = cell.scenario.transports.contains(transport)
        && (!transport.is_http() || cell.revision.has_streamable_http());
    exists.then(|| Cell { transport, ..cell.clone() })
}
