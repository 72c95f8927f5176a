//! What a scenario can send: raw requests, and the methods of MCP by name.
//!
//! Replies are returned as received; checks and assertions decide what they should contain.

use serde_json::json;

use super::Ctx;
use crate::check::Finding;
use crate::client::{
    CancelledRequest, Completion, Pending, PromptList, PromptMessages, ReceivedNotification, Reply,
    RequestOptions, ResourceContents, ResourceList, ResourceTemplateList, Subscription,
    SubscriptionFilter, ToolList, ToolResult,
};
use crate::json::Value;

impl Ctx {
    /// Sends a request and waits for its reply, which may be an error reply.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached, or the reply does not arrive.
    pub async fn request(
        &mut self,
        method: &str,
        params: impl Into<Value>,
    ) -> Result<Reply, Finding> {
        self.client().await?.request(method, params).await
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

    /// Sends a request with options, and waits for its reply.
    ///
    /// ```
    /// # use mcp_test::prelude::*;
    /// use mcp_test::client::RequestOptions;
    ///
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let options = RequestOptions::new().progress_token("import");
    /// let reply = ctx.request_with("tools/call", json!({"name": "import"}), options).await?;
    /// assert!(!reply.progress().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`].
    pub async fn request_with(
        &mut self,
        method: &str,
        params: impl Into<Value>,
        options: RequestOptions,
    ) -> Result<Reply, Finding> {
        self.client().await?.request_with(method, params, options).await
    }

    /// Cancels a started request, as the revision and the transport provide.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn cancel(&mut self, pending: Pending) -> Result<CancelledRequest, Finding> {
        Ok(self.client().await?.cancel(pending, None).await)
    }

    /// Waits for the next notification of a method; each is returned once, in the order of arrival.
    ///
    /// # Errors
    ///
    /// If none arrives in time, or the connection closes before.
    pub async fn wait_for_notification(
        &mut self,
        method: &str,
    ) -> Result<ReceivedNotification, Finding> {
        self.client().await?.wait_for_notification(method).await
    }

    /// Subscribes to changes, as the revision provides, and waits for the acknowledgement.
    ///
    /// ```
    /// # use mcp_test::prelude::*;
    /// use mcp_test::client::SubscriptionFilter;
    ///
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let tools = ctx.subscribe(SubscriptionFilter::new().tools_list_changed()).await?;
    /// ctx.call_tool("install", json!({"plugin": "maps"})).await?.assert_ok();
    /// ctx.client().await?.wait_for_update(&tools, "notifications/tools/list_changed").await?;
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
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`].
    pub async fn ping(&mut self) -> Result<Reply, Finding> {
        self.request("ping", json!({})).await
    }

    /// `server/discover`, which exists from 2026-07-28 on.
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`].
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

    /// `tools/call`.
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`]. A tool that fails is a result, and an error reply is examined by the caller.
    pub async fn call_tool(
        &mut self,
        name: &str,
        arguments: impl Into<Value>,
    ) -> Result<ToolResult, Finding> {
        let params = call_params(name, arguments.into());
        Ok(ToolResult::from(self.request("tools/call", params).await?))
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
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`].
    pub async fn read_resource(&mut self, uri: &str) -> Result<ResourceContents, Finding> {
        Ok(self.request("resources/read", json!({ "uri": uri })).await?.into())
    }

    /// `prompts/list`, all pages.
    ///
    /// # Errors
    ///
    /// As [`Ctx::pages`].
    pub async fn list_prompts(&mut self) -> Result<PromptList, Finding> {
        Ok(PromptList::new(self.pages("prompts/list").await?))
    }

    /// `prompts/get`.
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`].
    pub async fn get_prompt(
        &mut self,
        name: &str,
        arguments: impl Into<Value>,
    ) -> Result<PromptMessages, Finding> {
        let params = call_params(name, arguments.into());
        Ok(self.request("prompts/get", params).await?.into())
    }

    /// `completion/complete` for one argument of a prompt or of a resource template.
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`].
    pub async fn complete(
        &mut self,
        reference: impl Into<Value>,
        argument: &str,
        value: &str,
    ) -> Result<Completion, Finding> {
        let mut params = Value::from(json!({ "argument": { "name": argument, "value": value } }));
        params.set("/ref", reference.into());
        Ok(self.request("completion/complete", params).await?.into())
    }

    /// As [`Ctx::complete`], with the values of other arguments as context; from 2025-06-18 on.
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`].
    pub async fn complete_with_context(
        &mut self,
        reference: impl Into<Value>,
        argument: &str,
        value: &str,
        others: impl Into<Value>,
    ) -> Result<Completion, Finding> {
        let mut params =
            Value::from(json!({ "argument": { "name": argument, "value": value }, "context": {} }));
        params.set("/ref", reference.into());
        params.set("/context/arguments", others.into());
        Ok(self.request("completion/complete", params).await?.into())
    }

    /// `logging/setLevel`, which exists up to 2025-11-25.
    ///
    /// # Errors
    ///
    /// As [`Ctx::request`].
    pub async fn set_level(&mut self, level: &str) -> Result<Reply, Finding> {
        self.request("logging/setLevel", json!({ "level": level })).await
    }
}

/// The parameters of a call: a name, and the arguments unless they are `null`.
fn call_params(name: &str, arguments: Value) -> Value {
    let mut params = Value::from(json!({ "name": name }));
    // `arguments` is optional, but may not be null.
    if !arguments.is_null() {
        params.set("/arguments", arguments);
    }
    params
}
