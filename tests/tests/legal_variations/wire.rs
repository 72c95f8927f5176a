//! [`Wire`]: what a varied peer has sent, to show that the variation had an effect.

use std::sync::{Arc, Mutex, MutexGuard};

use super::variation::Sign;

/// The records of what was sent: one for each connection over a pipe, and for each exchange over HTTP.
///
/// A NUL byte ends each piece, which no message contains as it is.
#[derive(Clone, Default)]
pub(crate) struct Wire(Arc<Mutex<Vec<String>>>);

/// One record, to which pieces are added as they are sent.
#[derive(Clone)]
pub(crate) struct WireRecord {
    wire: Wire,
    index: usize,
}

impl Wire {
    pub(crate) fn open(&self) -> WireRecord {
        let mut records = self.records();
        records.push(String::new());
        WireRecord { wire: self.clone(), index: records.len() - 1 }
    }

    /// Whether it is as a sign says.
    pub(crate) fn shows(&self, sign: Sign) -> bool {
        let records = self.records();
        match sign {
            Sign::Has(text) => records.iter().any(|record| record.contains(text)),
            Sign::Lacks(text) => !records.iter().any(|record| record.contains(text)),
            Sign::Where(is_like) => records.iter().any(|record| is_like(record)),
        }
    }

    /// The beginning of each record, for the message of a failing test.
    pub(crate) fn excerpt(&self) -> String {
        let records = self.records();
        let texts = records.iter().take(20).map(|it| it.chars().take(400).collect::<String>());
        texts.collect::<Vec<_>>().join("\n")
    }

    fn records(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().expect("no test panics while it records")
    }
}

impl WireRecord {
    pub(crate) fn add(&self, piece: &[u8]) {
        let mut records = self.wire.records();
        records[self.index].push_str(&String::from_utf8_lossy(piece));
        records[self.index].push('\0');
    }
}
