//! What a test changes in the answers of the authorization server.

use std::fmt;
use std::sync::Arc;

use http::request::Parts;

use super::answer::Answer;

type Alter = dyn Fn(&Parts, &mut Answer) + Send + Sync;

/// A change of answers, which makes a server that is right wrong in one place; nothing by default.
#[derive(Clone, Default)]
pub struct Alteration(Option<Arc<Alter>>);

impl Alteration {
    /// Changes each answer with this function, which also gets the head of the request.
    #[doc(hidden)]
    pub fn new(alter: impl Fn(&Parts, &mut Answer) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(alter)))
    }

    /// Changes an answer.
    pub(crate) fn apply(&self, request: &Parts, answer: &mut Answer) {
        if let Some(alter) = &self.0 {
            alter(request, answer);
        }
    }
}

impl fmt::Debug for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Alteration" } else { "no alteration" })
    }
}
