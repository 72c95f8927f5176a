//! What a check examines: a reply, or a value in one.

use crate::check::Finding;
use crate::client::Reply;
use crate::expect::Mismatch;
use crate::json::Value;
use crate::trace::Seq;

/// What a check can examine: a reply, or a value taken out of one.
#[doc(hidden)]
pub trait Subject {
    /// The value to examine.
    ///
    /// # Errors
    ///
    /// If the peer answered with an error.
    fn value(&self) -> Result<&Value, Finding>;

    /// The finding for a mismatch.
    fn finding(&self, mismatch: &Mismatch) -> Finding;
}

impl Subject for Reply {
    fn value(&self) -> Result<&Value, Finding> {
        self.result()
    }

    fn finding(&self, mismatch: &Mismatch) -> Finding {
        let headline = format!("the result of `{}` is wrong", self.method());
        Finding::mismatch(headline, mismatch).evidence_all(self.evidence())
    }
}

impl Subject for Value {
    fn value(&self) -> Result<&Value, Finding> {
        Ok(self)
    }

    fn finding(&self, mismatch: &Mismatch) -> Finding {
        Finding::mismatch("the peer sent a wrong value", mismatch)
    }
}

/// A value taken out of a message, and the event of that message.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct Part<'a> {
    what: String,
    value: &'a Value,
    evidence: Option<Seq>,
}

impl<'a> Part<'a> {
    /// A value, what it is, and the event of its message.
    #[must_use]
    pub fn new(what: impl Into<String>, value: &'a Value, evidence: Option<Seq>) -> Self {
        Self { what: what.into(), value, evidence }
    }
}

impl Subject for Part<'_> {
    fn value(&self) -> Result<&Value, Finding> {
        Ok(self.value)
    }

    fn finding(&self, mismatch: &Mismatch) -> Finding {
        Finding::mismatch(format!("{} is wrong", self.what), mismatch).evidence_all(self.evidence)
    }
}
