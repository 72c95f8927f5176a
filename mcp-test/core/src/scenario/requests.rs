//! What a scenario can send: raw requests, and the methods of MCP by name.
//!
//! Replies are returned as received; checks and assertions decide what they should contain.

use serde_json::json;

use super::{Ctx, RequestBuilder};
use crate::check::Finding;
use crate::client::reply::listed_items;
use crate::client::{
    CancelledRequest, Completion, DeclaredServer, MAX_PAGES, Pending, PromptList, PromptMessages,
    Reply, ResourceContents, ResourceList, ResourceTemplateList, Subscription, SubscriptionFilter,
    ToolList, ToolResult,
};
use crate::json::Value;
use crate::spec::ItemKind;

impl Ctx {
    /// The names of the items of one kind, as they are listed now; `None` if no client is connected, or the list is refused or not read
    /// to its end.
    pub(crate) async fn names_now(&mut self, kind: ItemKind) -> Option<Vec<String>> {
        let client = self.client.as_mut()?;
        let (pages, has_more) = client.first_pages(kind.method(), MAX_PAGES).await.ok()?;
        let items = listed_items(kind, &pages).ok().filter(|_| !has_more)?;
        let names = items.into_iter().filter_map(|item| item.get(kind.key())?.as_str());
        Some(names.map(str::to_owned).collect())
    }

    /// What the server declares about itself: name, version, capabilities, instructions.
    ///
    /// In the stateless era, it is asked with `server/discover` if it was not asked before.
    ///
    /// # Errors
    ///
    /// As [`Ctx::client`]; also if the server refuses `server/discover`.
    pub async fn server(&mut self) -> Result<DeclaredServer, Finding> {
        let client = self.client().await?;
        if client.server().declared_in.is_none() {
            client.discover().await?.result()?;
        }
        let facts = client.server().clone();
        Ok(DeclaredServer::new(facts, self.recorder().clone()))
    }

    /// A request of any method; awaiting it sends it and returns its reply, which may be an error reply.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.request("com.example/reindex", json!({"full": true})).await?.assert_ok();
    /// # Ok(())
    /// # }
    /// ```
    pub fn request(&mut self, method: &str, params: impl Into<Value>) -> RequestBuilder<'_> {
        RequestBuilder::new(self, method, params.into())
    }

    /// Sends a request without waiting; [`Ctx::wait`] waits for the reply.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn start(
        &mut self,
        method: &str,
        params: impl Into<Value>,
    ) -> Result<Pending, Finding> {
        Ok(self.client().await?.start(method, params).await)
    }

    /// Waits for the reply to a request that was started.
    ///
    /// # Errors
    ///
    /// If the reply does not arrive.
    pub async fn wait(&mut self, pending: Pending) -> Result<Reply, Finding> {
        self.client().await?.wait(pending).await
    }

    /// Cancels a started request, as the revision and the transport provide.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn cancel(&mut self, pending: Pending) -> Result<CancelledRequest, Finding> {
        Ok(self.client().await?.cancel(pending, None).await)
    }

    /// Subscribes to changes until the end of the scenario, as the revision provides, and waits for the acknowledgement.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.subscribe(SubscriptionFilter::new().tools_list_changed()).await?;
    /// ctx.call_tool("install", json!({"plugin": "maps"})).await?.assert_ok();
    /// ctx.wait_for_list_changed("tools").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the peer refuses, or does not acknowledge the subscription as it should.
    pub async fn subscribe(&mut self, filter: SubscriptionFilter) -> Result<Subscription, Finding> {
        self.client().await?.subscribe(filter).await
    }

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn notify(&mut self, method: &str, params: impl Into<Value>) -> Result<(), Finding> {
        self.client().await?.notify(method, params).await;
        Ok(())
    }

    /// Sends a list request and follows its cursors to the last page.
    ///
    /// # Errors
    ///
    /// If a page does not arrive, or the list does not end.
    pub async fn pages(&mut self, method: &str) -> Result<Vec<Reply>, Finding> {
        self.client().await?.pages(method).await
    }

    /// `ping`, which exists up to 2025-11-25.
    pub fn ping(&mut self) -> RequestBuilder<'_> {
        self.request("ping", json!({}))
    }

    /// `server/discover`, which exists from 2026-07-28 on.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached, or the reply does not arrive.
    pub async fn discover(&mut self) -> Result<Reply, Finding> {
        self.client().await?.discover().await
    }

    /// `tools/list`, all pages.
    ///
    /// # Errors
    ///
    /// As [`Ctx::pages`].
    pub async fn list_tools(&mut self) -> Result<ToolList, Finding> {
        Ok(ToolList::new(self.pages("tools/list").await?))
    }

    /// `tools/call`; [`RequestBuilder::arg`] adds arguments.
    ///
    /// A tool that fails is a result. An error reply, or a failure, that the test never examines fails it at its end.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.call("add").arg("a", 1).arg("b", 2).await?.assert_ok().assert_text("3");
    /// # Ok(())
    /// # }
    /// ```
    pub fn call(&mut self, tool: &str) -> RequestBuilder<'_, ToolResult> {
        RequestBuilder::new(self, "tools/call", json!({ "name": tool }).into())
    }

    /// `tools/call` with arguments.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_tool(
        &mut self,
        name: &str,
        arguments: impl Into<Value>,
    ) -> RequestBuilder<'_, ToolResult> {
        self.call(name).args(arguments)
    }

    /// `resources/list`, all pages.
    ///
    /// # Errors
    ///
    /// As [`Ctx::pages`].
    pub async fn list_resources(&mut self) -> Result<ResourceList, Finding> {
        Ok(ResourceList::new(self.pages("resources/list").await?))
    }

    /// `resources/templates/list`, all pages.
    ///
    /// # Errors
    ///
    /// As [`Ctx::pages`].
    pub async fn list_resource_templates(&mut self) -> Result<ResourceTemplateList, Finding> {
        Ok(ResourceTemplateList::new(self.pages("resources/templates/list").await?))
    }

    /// `resources/read`.
    pub fn read_resource(&mut self, uri: &str) -> RequestBuilder<'_, ResourceContents> {
        RequestBuilder::new(self, "resources/read", json!({ "uri": uri }).into())
    }

    /// `prompts/list`, all pages.
    ///
    /// # Errors
    ///
    /// As [`Ctx::pages`].
    pub async fn list_prompts(&mut self) -> Result<PromptList, Finding> {
        Ok(PromptList::new(self.pages("prompts/list").await?))
    }

    /// `prompts/get`; [`RequestBuilder::arg`] adds arguments.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.prompt("review").arg("code", "x = 1").await?.assert_len(1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn prompt(&mut self, name: &str) -> RequestBuilder<'_, PromptMessages> {
        RequestBuilder::new(self, "prompts/get", json!({ "name": name }).into())
    }

    /// `prompts/get` with arguments.
    pub fn get_prompt(
        &mut self,
        name: &str,
        arguments: impl Into<Value>,
    ) -> RequestBuilder<'_, PromptMessages> {
        self.prompt(name).args(arguments)
    }

    /// `completion/complete` for an argument of a prompt.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let languages = ctx.complete_prompt("review", "language", "ru").context("code", "x = 1").await?;
    /// languages.assert_contains("rust");
    /// # Ok(())
    /// # }
    /// ```
    pub fn complete_prompt(
        &mut self,
        name: &str,
        argument: &str,
        value: &str,
    ) -> RequestBuilder<'_, Completion> {
        self.complete(&json!({ "type": "ref/prompt", "name": name }), argument, value)
    }

    /// `completion/complete` for a variable of a resource template.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.complete_resource_template("file:///{path}", "path", "src/l").await?.assert_contains("src/lib.rs");
    /// # Ok(())
    /// # }
    /// ```
    pub fn complete_resource_template(
        &mut self,
        uri_template: &str,
        variable: &str,
        value: &str,
    ) -> RequestBuilder<'_, Completion> {
        self.complete(&json!({ "type": "ref/resource", "uri": uri_template }), variable, value)
    }

    fn complete(
        &mut self,
        reference: &serde_json::Value,
        argument: &str,
        value: &str,
    ) -> RequestBuilder<'_, Completion> {
        let argument = json!({ "name": argument, "value": value });
        let params = json!({ "argument": argument, "ref": reference });
        RequestBuilder::new(self, "completion/complete", params.into())
    }

    /// `logging/setLevel`, which exists up to 2025-11-25.
    pub fn set_level(&mut self, level: &str) -> RequestBuilder<'_> {
        self.request("logging/setLevel", json!({ "level": level }))
    }
}
