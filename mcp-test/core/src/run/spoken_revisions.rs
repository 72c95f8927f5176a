//! The revisions that a target speaks, and what it declares at them, cached in the process, since asking costs connections.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::check::Finding;
use crate::client::{ServerFacts, probe};
use crate::spec::Revision;
use crate::trace::{Recorder, Trace};
use crate::transport::{Target, TransportKind};

/// The revisions to try for the newest one of a server: in a handshake it chooses itself, and the other era has only one.
pub(super) const NEWEST: [Revision; 2] = [Revision::NEWEST_HANDSHAKE, Revision::NEWEST];

/// Identifies a target: the address of the function that makes it, or `None` for the one that the environment names.
pub type TargetKey = Option<usize>;

type Answers = BTreeMap<(TargetKey, TransportKind, Vec<Revision>), Vec<ServerFacts>>;

static ANSWERS: Mutex<Answers> = Mutex::new(BTreeMap::new());

/// Why a target answers in no revision, and what was exchanged with it.
#[derive(Debug)]
pub struct ProbeFailure {
    #[doc(hidden)]
    pub finding: Finding,
    #[doc(hidden)]
    pub trace: Trace,
}

/// What the target declares at those of the `wanted` revisions that it speaks, oldest first.
pub(super) async fn facts_by_revision(
    key: TargetKey,
    target: &Target,
    transport: TransportKind,
    wanted: &[Revision],
    timeout: Duration,
) -> Result<Vec<ServerFacts>, ProbeFailure> {
    let question = (key, transport, wanted.to_vec());
    let known = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner).get(&question).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    // A recorder of its own: these conversations are not part of the test.
    let recorder = Recorder::new();
    match probe(target, transport, &recorder, wanted, timeout).await {
        Ok(spoken) => {
            let facts = spoken.facts;
            let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
            answers.insert(question, facts.clone());
            Ok(facts)
        }
        // Not cached: the next test may reach the target, and each has to report its own failure.
        Err(finding) => Err(ProbeFailure { finding, trace: recorder.trace() }),
    }
}
