//! Which revisions a target speaks: remembered in the process, since the answer costs connections of its own.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::source::Key;
use crate::check::Finding;
use crate::client::probe;
use crate::spec::Revision;
use crate::trace::{Recorder, Trace};
use crate::transport::{CarrierKind, Target};

/// What shows the newest revision of a server: its choice in the newest handshake, and whether it knows the other era.
pub(super) const NEWEST: [Revision; 2] = [Revision::NEWEST_HANDSHAKE, Revision::NEWEST];

type Answers = BTreeMap<(Key, CarrierKind, Vec<Revision>), Vec<Revision>>;

static ANSWERS: Mutex<Answers> = Mutex::new(BTreeMap::new());

/// A target that answers in no revision, and what was said.
#[derive(Debug)]
pub(super) struct Mute {
    pub(super) finding: Finding,
    pub(super) trace: Trace,
}

/// Which of the `wanted` revisions the target speaks, oldest first.
pub(super) async fn spoken(
    key: Key,
    target: &Target,
    carrier: CarrierKind,
    wanted: &[Revision],
    timeout: Duration,
) -> Result<Vec<Revision>, Mute> {
    let question = (key, carrier, wanted.to_vec());
    let known = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner).get(&question).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    // A recorder of its own: these conversations are no part of the test.
    let recorder = Recorder::new();
    match probe(target, carrier, &recorder, wanted, timeout).await {
        Ok(spoken) => {
            let revisions = spoken.revisions();
            let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
            answers.insert(question, revisions.clone());
            Ok(revisions)
        }
        Err(finding) => Err(Mute { finding, trace: recorder.trace() }),
    }
}
