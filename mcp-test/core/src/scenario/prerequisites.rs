//! What a peer needs before it can be reached, such as programs that cases start.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::check::Finding;

// Boxed, because only `cases` knows what there is to start.
type Ending = Pin<Box<dyn Future<Output = ()>>>;
type Beginning = Pin<Box<dyn Future<Output = Result<Ending, Finding>>>>;

/// Starts what a peer needs.
///
/// Scenarios start what they need themselves; this is for connections outside of them, such as those of a pre-flight.
#[doc(hidden)]
#[derive(Clone)]
pub struct Prerequisites {
    begin: Arc<dyn Fn(Option<String>) -> Beginning + Send + Sync>,
}

/// Surroundings that were started.
#[doc(hidden)]
#[must_use = "`stop` stops them"]
pub struct RunningPrerequisites {
    end: Ending,
}

impl Prerequisites {
    /// Surroundings that `begin` starts; the future that it returns stops them again. It gets host and port of the peer, if that has a
    /// URL.
    pub fn new<B, E>(begin: impl Fn(Option<String>) -> B + Send + Sync + 'static) -> Self
    where
        B: Future<Output = Result<E, Finding>> + 'static,
        E: Future<Output = ()> + 'static,
    {
        let begin = move |authority| -> Beginning {
            let beginning = begin(authority);
            Box::pin(async move { beginning.await.map(|end| Box::pin(end) as Ending) })
        };
        Self { begin: Arc::new(begin) }
    }

    /// Starts them for a peer with this host and port.
    ///
    /// # Errors
    ///
    /// If something does not start; what did is stopped again.
    pub async fn start(&self, authority: Option<String>) -> Result<RunningPrerequisites, Finding> {
        Ok(RunningPrerequisites { end: (self.begin)(authority).await? })
    }
}

impl RunningPrerequisites {
    /// Stops them.
    pub async fn stop(self) {
        self.end.await;
    }
}

impl fmt::Debug for Prerequisites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}

impl fmt::Debug for RunningPrerequisites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningSurroundings").finish_non_exhaustive()
    }
}
