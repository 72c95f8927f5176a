//! [`Run`]: what a run has shown of a peer; and [`OnceRuns`]: runs of plain peers, each of which is made once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use mcp_test_core::scenario::Profile;
use mcp_test_core::transport::TransportKind;

use super::variation::Variation;
use super::verdicts::{Verdicts, new_failures};
use super::wire::Wire;

/// What a run has reported, and what the peer has sent in it.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) verdicts: Verdicts,
    pub(crate) wire: Wire,
}

impl Run {
    /// What fails in this run, and not in that of the plain peer.
    pub(crate) fn new_failures<'a>(
        &'a self,
        plain: &'a Self,
        transport: TransportKind,
        profile: Profile,
    ) -> impl Iterator<Item = String> + 'a {
        let new = new_failures(&self.verdicts, &plain.verdicts);
        new.map(move |failure| format!("{transport}, {profile}: {failure}"))
    }
}

/// Those of the usual transports over which a variation of the set has an effect, and those that one needs.
pub(crate) fn with_effect<'a>(
    set: &'a [&'static Variation],
    usual: [TransportKind; 2],
) -> impl Iterator<Item = TransportKind> + 'a {
    let is_usual = move |transport: &TransportKind| usual.contains(transport);
    let needed = set.iter().filter_map(|it| it.only_over).find(|only| !is_usual(only));
    let has_effect = |transport: &TransportKind| {
        set.iter().any(|it| it.only_over.is_none_or(|only| only == *transport))
    };
    usual.into_iter().filter(has_effect).chain(needed)
}

/// Runs what needs sockets or processes.
pub(crate) fn real_time<T>(running: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(running)
}

/// Runs by what distinguishes them; a test that needs one that another test makes waits for it.
pub(crate) struct OnceRuns<T>(Mutex<BTreeMap<String, Arc<OnceLock<T>>>>);

impl<T: Clone> OnceRuns<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    pub(crate) fn get(&self, key: String, make: impl FnOnce() -> T) -> T {
        let run = Arc::clone(self.0.lock().expect("no panic").entry(key).or_default());
        run.get_or_init(make).clone()
    }
}
