//! What the server under test offers, for scenarios that test whatever there is.

#[cfg(feature = "suite")]
use super::ToolCalls;
use super::{CallableTool, Ctx, Items, Listing};
use crate::check::Finding;
use crate::client::MAX_PAGES;
use crate::client::reply::listed_items;
use crate::json::Value;
use crate::spec::{Capability, ItemKind};

impl Ctx {
    /// The items of one kind, as listed before the run; if the server was not asked then, they are listed now.
    ///
    /// Empty if it does not declare the capability, or did not list them properly, which other scenarios report.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached, or does not answer.
    #[doc(hidden)]
    pub async fn offered(&mut self, kind: ItemKind) -> Result<Items, Finding> {
        match self.inventory().listing(kind) {
            Listing::Listed(items) => return Ok(items.clone()),
            Listing::Undeclared(_) | Listing::Failed(_) => return Ok(Items::default()),
            Listing::Unknown => {}
        }
        if !self.declares(kind.capability()).await? {
            return Ok(Items::default());
        }
        let (pages, has_more) = self.client().await?.first_pages(kind.method(), MAX_PAGES).await?;
        let items = listed_items(kind, &pages).unwrap_or_default().into_iter().cloned().collect();
        Ok(Items { items, has_more })
    }

    /// The items of one kind, as they are listed now; `None` if the list is refused.
    ///
    /// What was listed before the run may be gone: a log file, a tab of a browser.
    ///
    /// # Errors
    ///
    /// As [`Ctx::offered`].
    #[doc(hidden)]
    pub async fn listed_now(&mut self, kind: ItemKind) -> Result<Option<Vec<Value>>, Finding> {
        let (pages, _) = self.client().await?.first_pages(kind.method(), MAX_PAGES).await?;
        let items = listed_items(kind, &pages).ok();
        Ok(items.map(|items| items.into_iter().cloned().collect()))
    }

    /// Whether the server declares a capability.
    ///
    /// # Errors
    ///
    /// As [`Ctx::server`].
    #[doc(hidden)]
    pub async fn declares(&mut self, capability: Capability) -> Result<bool, Finding> {
        if let Some(declared) = &self.inventory().capabilities {
            return Ok(capability.declared_in(declared));
        }
        self.server().await?;
        Ok(self.client().await?.server().declares(capability))
    }

    /// The tools that are known to be slow.
    #[doc(hidden)]
    pub fn slow_tools(&self) -> Vec<String> {
        self.setup.history.slow_tools.names()
    }

    /// The tools that the run may call.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn calls(&self) -> &ToolCalls {
        &self.setup.calls
    }

    /// Whether a tool is slow and not named by the user. While another scenario awaits the first call of it, this waits until that
    /// is known.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub async fn is_slow(&self, tool: &CallableTool) -> bool {
        !tool.is_named && self.setup.history.slow_tools.contains_once_known(&tool.name).await
    }

    /// The listed tools that the run may call, without those that are known to be slow unless the user has named them.
    ///
    /// # Errors
    ///
    /// As [`Ctx::offered`].
    #[doc(hidden)]
    pub async fn callable_tools(&mut self) -> Result<Vec<CallableTool>, Finding> {
        let tools = self.offered(ItemKind::Tool).await?;
        let callable = tools.items.iter().filter_map(|tool| self.setup.calls.callable(tool));
        let slow = &self.setup.history.slow_tools;
        Ok(callable.filter(|tool| tool.is_named || !slow.contains(&tool.name)).collect())
    }
}
