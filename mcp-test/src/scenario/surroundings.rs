//! What has to be around a peer before anybody can speak to it, such as programs that cases start.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::check::Finding;

type Ending = Pin<Box<dyn Future<Output = ()>>>;
type Beginning = Pin<Box<dyn Future<Output = Result<Ending, Finding>>>>;

/// Brings up what has to be around a peer.
///
/// Scenarios bring up what they need themselves; this is for whoever speaks to the peer outside of them, as a pre-flight does.
#[derive(Clone)]
pub struct Surroundings {
    begin: Arc<dyn Fn() -> Beginning + Send + Sync>,
}

/// Surroundings that are up.
#[must_use = "they are taken down by `down`"]
pub struct Up {
    end: Ending,
}

impl Surroundings {
    /// Surroundings that `begin` brings up; what it gives takes them down again.
    pub fn new<B, E>(begin: impl Fn() -> B + Send + Sync + 'static) -> Self
    where
        B: Future<Output = Result<E, Finding>> + 'static,
        E: Future<Output = ()> + 'static,
    {
        let begin = move || -> Beginning {
            let beginning = begin();
            Box::pin(async move { beginning.await.map(|end| Box::pin(end) as Ending) })
        };
        Self { begin: Arc::new(begin) }
    }

    /// Brings them up.
    ///
    /// # Errors
    ///
    /// If something does not come up; what did is down again.
    pub async fn up(&self) -> Result<Up, Finding> {
        Ok(Up { end: (self.begin)().await? })
    }
}

impl Up {
    /// Takes them down.
    pub async fn down(self) {
        self.end.await;
    }
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}

impl fmt::Debug for Up {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Up").finish_non_exhaustive()
    }
}
