//! [`Medium`]: how messages travel, and the same scenario run over the other one.

use mcp_test_core::run::ScenarioRun;
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

/// The same scenario run over HTTP in place of lines, or the other way round; `None` if it does not exist.
pub(crate) fn over_other_medium(peer: &Peer, scenario_run: &ScenarioRun) -> Option<ScenarioRun> {
    let transport = match (peer, Medium::of(scenario_run.transport)) {
        (Peer::Server(_), Medium::Lines) => TransportKind::Router,
        (_, Medium::Lines) => TransportKind::Http,
        (_, Medium::Http) => TransportKind::Duplex,
    };
    let exists = scenario_run.scenario.transports.contains(transport)
        && (!transport.is_http() || scenario_run.revision.has_streamable_http());
    exists.then(|| ScenarioRun { transport, ..scenario_run.clone() })
}
