//! The items that the server under test offers, for scenarios that test whatever is available.

#[cfg(feature = "suite")]
use super::ToolCalls;
use super::{CallableTool, Ctx, Items, Listing};
use crate::check::Finding;
use crate::client::MAX_PAGES;
#[cfg(feature = "suite")]
use crate::client::Reply;
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
    /// An item that was listed before the run may be gone by now, such as a log file or a browser tab.
    ///
    /// # Errors
    ///
    /// Same as [`Ctx::offered`].
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
    /// Same as [`Ctx::server`].
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

    /// Whether a tool is slow and was not named by the user.
    ///
    /// If another scenario is still waiting for a call of the tool, waits until that call shows whether it is slow.
    #[doc(hidden)]
    pub async fn is_slow(&self, tool: &CallableTool) -> bool {
        !tool.is_named && self.setup.history.slow_tools.contains_once_known(&tool.name).await
    }

    /// Records whether a call of a tool with its stated arguments succeeded.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn note_stated_call(&self, tool: &str, reply: &Reply) {
        let outcome = reply.peek();
        let is_success =
            outcome.is_some_and(|result| result.get("isError") != Some(&Value::Bool(true)));
        let failing = &self.setup.history.failing_tools;
        failing.note(tool, self.scenario_id(), self.revision(), is_success);
    }

    /// Whether the tool failed with its stated arguments in this scenario at another revision, never succeeded, and was not named
    /// by the user.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn has_failed_before(&self, tool: &CallableTool) -> bool {
        let failing = &self.setup.history.failing_tools;
        !tool.is_named && failing.has_failed_before(&tool.name, self.scenario_id(), self.revision())
    }

    #[cfg(feature = "suite")]
    fn scenario_id(&self) -> &str {
        self.scenario.as_ref().map_or("", |scenario| &scenario.id)
    }

    /// Like [`Ctx::callable_tools`], but without tools that are known to fail with their stated arguments, unless the user named
    /// them.
    ///
    /// If no tool would be left, returns the first one anyway.
    ///
    /// # Errors
    ///
    /// Same as [`Ctx::offered`].
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub async fn working_tools(&mut self) -> Result<Vec<CallableTool>, Finding> {
        let mut tools = self.callable_tools().await?;
        let failing = &self.setup.history.failing_tools;
        let may_work = |tool: &CallableTool| tool.is_named || !failing.contains(&tool.name);
        match tools.iter().any(may_work) {
            true => tools.retain(may_work),
            false => tools.truncate(1),
        }
        Ok(tools)
    }

    /// The listed tools that the run may call, without those that are known to be slow unless the user has named them.
    ///
    /// # Errors
    ///
    /// Same as [`Ctx::offered`].
    #[doc(hidden)]
    pub async fn callable_tools(&mut self) -> Result<Vec<CallableTool>, Finding> {
        let tools = self.offered(ItemKind::Tool).await?;
        let mut callable = Vec::new();
        for tool in tools.items.iter().filter_map(|tool| self.setup.calls.callable(tool)) {
            if !self.is_slow(&tool).await {
                callable.push(tool);
            }
        }
        Ok(callable)
    }
}
