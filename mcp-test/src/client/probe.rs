//! Finding out which revisions a server speaks, by asking it.
//!
//! Both eras are tried, each on connections of its own: `server/discover` for the stateless one, `initialize` once per
//! revision for the other. A server that answers nothing at all is noticed at the first question.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions>

use std::time::Duration;

use super::{Client, Options, ServerFacts};
use crate::check::Finding;
use crate::json::Value;
use crate::spec::{Era, Revision};
use crate::trace::Recorder;
use crate::transport::{CarrierKind, Limits, Target};

/// Which revisions a server speaks, and what it says of itself in each.
#[derive(Debug, Clone)]
pub struct Spoken {
    /// What the server says of itself, by revision, oldest first.
    pub facts: Vec<ServerFacts>,
    /// What was learnt from each revision that is not spoken.
    pub refusals: Vec<(Revision, Finding)>,
}

impl Spoken {
    /// The revisions that the server speaks, oldest first.
    #[must_use]
    pub fn revisions(&self) -> Vec<Revision> {
        self.facts.iter().map(|facts| facts.revision).collect()
    }

    /// What the server says of itself in a revision.
    #[must_use]
    pub fn facts(&self, revision: Revision) -> Option<&ServerFacts> {
        self.facts.iter().find(|facts| facts.revision == revision)
    }
}

/// Asks the server behind `target` which of the `wanted` revisions it speaks.
///
/// # Errors
///
/// A finding when it answers in none of them: the most telling one of all that were made.
pub async fn probe(
    target: &Target,
    carrier: CarrierKind,
    recorder: &Recorder,
    wanted: &[Revision],
    timeout: Duration,
) -> Result<Spoken, Finding> {
    let mut spoken = Spoken { facts: Vec::new(), refusals: Vec::new() };
    let mut wanted: Vec<Revision> = wanted.to_vec();
    // The newest handshake revision is what most servers speak: it tells first whether there is one at all.
    wanted.sort_by_key(|revision| (revision.era() == Era::Stateless, std::cmp::Reverse(*revision)));
    for revision in wanted {
        let link = target.open(carrier, recorder, Limits::default()).await?;
        let options = Options::speaking(revision).timeout(timeout);
        let mut client = Client::silent(link, options);
        match greet(&mut client).await {
            Ok(()) => {
                let facts = client.server().clone();
                if !spoken.facts.iter().any(|known| known.revision == facts.revision) {
                    spoken.facts.push(facts);
                }
            }
            Err(finding) => {
                let gone = recorder.trace().exchanged();
                spoken.refusals.push((revision, finding));
                if !gone {
                    client.end().await;
                    break;
                }
            }
        }
        client.end().await;
    }
    spoken.facts.sort_by_key(|facts| facts.revision);
    if spoken.facts.is_empty() {
        let first = spoken.refusals.into_iter().next();
        return Err(first.map_or_else(
            || Finding::test("no revision was asked for").expected("at least one revision"),
            |(_, finding)| finding,
        ));
    }
    Ok(spoken)
}

/// Opens the conversation in the way of its era.
async fn greet(client: &mut Client) -> Result<(), Finding> {
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
        .requires("discover.supported-versions-truthful")
        .evidence_all(reply.evidence()))
}
