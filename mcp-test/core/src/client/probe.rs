//! Finding out which revisions a server speaks.
//!
//! Both eras are tried on separate connections: `server/discover` for the stateless era, `initialize` once per revision
//! for the handshake era. A server that answers nothing at all is detected at the first request.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions>

use std::time::Duration;

use super::{Client, Options, ServerFacts};
use crate::check::Finding;
use crate::json::Value;
use crate::spec::{Era, Requirement, Revision};
use crate::trace::{ConnectionId, Event, EventKind, Party, Recorder};
use crate::transport::{Connection, Limits, Target, TransportKind};

/// Which revisions a server speaks, and what it declares in each.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct ProbeResult {
    /// What the server declares at each revision that it speaks, oldest first.
    pub facts: Vec<ServerFacts>,
    /// Why each of the other revisions failed.
    pub refusals: Vec<(Revision, Finding)>,
}

impl ProbeResult {
    /// The revisions that the server speaks, oldest first.
    #[must_use]
    pub fn revisions(&self) -> Vec<Revision> {
        self.facts.iter().map(|facts| facts.revision).collect()
    }

    /// What the server declares at a revision.
    #[must_use]
    pub fn facts(&self, revision: Revision) -> Option<&ServerFacts> {
        self.facts.iter().find(|facts| facts.revision == revision)
    }
}

/// Finds out which of the `wanted` revisions the server behind `target` speaks.
///
/// # Errors
///
/// The finding of the first revision that was tried, when the server speaks none of them.
#[doc(hidden)]
pub async fn probe(
    target: &Target,
    transport: TransportKind,
    recorder: &Recorder,
    wanted: &[Revision],
    timeout: Duration,
) -> Result<ProbeResult, Finding> {
    let mut probed = ProbeResult { facts: Vec::new(), refusals: Vec::new() };
    let mut wanted: Vec<Revision> = wanted.to_vec();
    // Most servers speak the newest handshake revision, so it shows first whether there is a server at all.
    wanted.sort_by_key(|revision| (revision.era() == Era::Stateless, std::cmp::Reverse(*revision)));
    for revision in wanted {
        let connection = target.open(transport, recorder, Limits::default()).await?;
        let (client, greeted) = greet(connection, revision, timeout).await;
        match greeted {
            Ok(()) => {
                let facts = client.server().clone();
                // A server may negotiate the same revision whichever is requested.
                if !probed.facts.iter().any(|known| known.revision == facts.revision) {
                    probed.facts.push(facts);
                }
            }
            Err(finding) => {
                let answered = recorder.trace().has_messages_both_ways();
                probed.refusals.push((revision, finding));
                // Without a server behind the target, each other revision would only time out in the same way.
                if !answered {
                    client.end_soon().await;
                    break;
                }
            }
        }
        leave(client).await;
    }
    // They were tried in another order, see above.
    probed.facts.sort_by_key(|facts| facts.revision);
    if probed.facts.is_empty() {
        let first = probed.refusals.into_iter().next();
        return Err(first.map_or_else(
            || Finding::test("no revision was requested").expected("at least one revision"),
            |(_, finding)| finding,
        ));
    }
    Ok(probed)
}

/// Starts a conversation in a revision, to see whether the server speaks it; the client stays connected.
pub(crate) async fn greet(
    connection: Connection,
    revision: Revision,
    timeout: Duration,
) -> (Client, Result<(), Finding>) {
    let mut client =
        Client::uninitialized(connection, Options::speaking(revision).timeout(timeout));
    let greeted = open_conversation(&mut client).await;
    (client, greeted)
}

/// Closes a connection on which the server was asked for a revision.
pub(crate) async fn leave(client: Client) {
    // The time for a server that did not answer is up already.
    let is_answered = is_answered(client.recorder(), client.connection());
    if is_answered {
        client.end().await
    } else {
        client.end_soon().await
    };
}

/// Whether the server has sent anything on a connection.
fn is_answered(recorder: &Recorder, connection: ConnectionId) -> bool {
    let is_from_server = |event: &Event| {
        let is_output = !matches!(event.kind, EventKind::Stderr(_) | EventKind::Closed { .. });
        event.connection == connection && event.party == Party::Server && is_output
    };
    recorder.trace().events.iter().any(is_from_server)
}

/// Sends the first request of the era.
async fn open_conversation(client: &mut Client) -> Result<(), Finding> {
    if client.revision().era() == Era::Handshake {
        return client.initialize().await.map(drop);
    }
    let revision = client.revision();
    let reply = client.discover().await?;
    let result = reply.result()?;
    let versions = result.get("supportedVersions").and_then(Value::as_array).unwrap_or_default();
    if versions.iter().any(|version| version.as_str() == Some(revision.as_str())) {
        return Ok(());
    }
    Err(Finding::peer(format!("the server does not list MCP {revision} as supported"))
        .expected(format!("{:?} in `supportedVersions`", revision.as_str()))
        .got(result.get("supportedVersions").map_or("no list".to_owned(), |list| list.short(120)))
        .requires(Requirement::DISCOVER_SUPPORTED_VERSIONS_TRUTHFUL)
        .evidence_all(reply.evidence()))
}
