//! [`RequestBuilder`]: a request of a scenario with everything that it carries.
//!
//! What is sent to the wire is built by [`Client`](crate::client::Client); this only collects the parameters and options.

use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::pin::Pin;
use std::time::Duration;

use serde::Serialize;

use super::Ctx;
use crate::check::Finding;
use crate::client::{Completion, Pending, PromptMessages, Reply, RequestOptions, ToolResult};
use crate::json::{Object, Value};
use crate::wire::Id;

/// A request that is sent when it is awaited; the result is its reply, an `R`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// # use mcp_test::prelude::*;
/// use std::time::Duration;
///
/// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
/// ctx.call("add").arg("a", 1).arg("b", 2).await?.assert_ok().assert_text("3");
///
/// let import = ctx.call("import").arg("file", "a.csv").progress("import").timeout(Duration::from_secs(60));
/// import.await?.assert_ok();
///
/// ctx.get_prompt("review", json!({"code": "x = 1"})).meta("com.example/tenant", "a").await?.assert_ok();
/// # Ok(())
/// # }
/// ```
#[must_use = "a request is sent when it is awaited"]
pub struct RequestBuilder<'a, R = Reply> {
    ctx: &'a mut Ctx,
    method: String,
    params: Value,
    options: RequestOptions,
    /// What the test did wrong while it built the request.
    mistake: Option<Finding>,
    reply: PhantomData<fn() -> R>,
}

impl<'a, R> RequestBuilder<'a, R> {
    pub(super) fn new(ctx: &'a mut Ctx, method: &str, params: Value) -> Self {
        Self {
            ctx,
            method: method.to_owned(),
            params,
            options: RequestOptions::new(),
            mistake: None,
            reply: PhantomData,
        }
    }

    /// Adds a parameter, or replaces it.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Value::Null = self.params {
            self.params = Object::new().into();
        }
        match &mut self.params {
            Value::Object(params) => drop(params.insert(name, value)),
            other => {
                let finding = Finding::test(format!("`{name}` cannot be added to the parameters"));
                let got = format!("{}, which is {}", other.short(80), other.kind());
                self.mistake = Some(finding.expected("parameters that are an object").got(got));
            }
        }
        self
    }

    /// Adds a member to `_meta`; it replaces one of the same name that the revision requires.
    pub fn meta(self, key: &str, value: impl Into<Value>) -> Self {
        self.with(|options| options.meta(key, value))
    }

    /// Requests progress notifications with this token; the reply has them in [`Reply::progress`].
    pub fn progress(self, token: impl Into<Value>) -> Self {
        self.with(|options| options.progress_token(token))
    }

    /// Requests log messages of this level and above; see [`RequestOptions::log_level`].
    pub fn log_level(self, level: &str) -> Self {
        self.with(|options| options.log_level(level))
    }

    /// Adds an HTTP header; it replaces one of the same name that the revision requires.
    pub fn header(self, name: &str, value: &str) -> Self {
        self.with(|options| options.header(name, value))
    }

    /// Waits this long for the reply, instead of the time-out of the scenario's requests.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.with(|options| options.timeout(timeout))
    }

    /// Uses this id, which must be unique in the conversation.
    pub fn id(self, id: impl Into<Id>) -> Self {
        self.with(|options| options.id(id))
    }

    /// Marks the request as deliberately invalid, so that it does not count as a mistake of the test.
    pub fn deliberate(self) -> Self {
        self.with(RequestOptions::deliberate)
    }

    /// Waits for the reply no longer than until shortly after the reply to a later `ping`.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn promptly(self) -> Self {
        self.with(RequestOptions::promptly)
    }

    /// Gives the request up if it takes long while the server reports progress on it.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn give_up_if_working(self, token: String) -> Self {
        self.with(|options| options.give_up_if_working(token))
    }

    /// Sends the request once and returns the first reply, even one that asks for input.
    pub fn once(self) -> Self {
        self.with(RequestOptions::once)
    }

    /// Sends the request without waiting; [`Ctx::wait`] waits for the reply, [`Ctx::cancel`] cancels the request.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let import = ctx.call("import").arg("file", "a.csv").start().await?;
    /// ctx.call("add").arg("a", 1).arg("b", 2).await?.assert_ok();
    /// ctx.wait(import).await?.assert_ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn start(self) -> Result<Pending, Finding> {
        match self.mistake {
            Some(mistake) => Err(mistake),
            None => {
                let client = self.ctx.client().await?;
                Ok(client.start_with(&self.method, self.params, self.options).await)
            }
        }
    }

    fn with(mut self, change: impl FnOnce(RequestOptions) -> RequestOptions) -> Self {
        self.options = change(self.options);
        self
    }
}

/// What takes named arguments: tools and prompts.
mod with_arguments {
    pub trait WithArguments {}
    impl WithArguments for super::ToolResult {}
    impl WithArguments for super::PromptMessages {}
}

impl<R: with_arguments::WithArguments> RequestBuilder<'_, R> {
    /// Adds an argument, or replaces it.
    pub fn arg(self, name: &str, value: impl Into<Value>) -> Self {
        let argument = Object::from_iter([(name, value.into())]);
        self.args(Value::Object(argument))
    }

    /// Adds arguments: the members of an object.
    ///
    /// Anything else takes the place of all arguments, for a test of how the server refuses it; `null` changes nothing.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.call("add").args(json!({"a": 1, "b": 2})).await?.assert_ok();
    /// ctx.call("add").args(json!([1, 2])).deliberate().await?.assert_error();
    /// # Ok(())
    /// # }
    /// ```
    pub fn args(self, arguments: impl Into<Value>) -> Self {
        let arguments = match (self.params.get("arguments"), arguments.into()) {
            (_, Value::Null) => return self,
            (Some(Value::Object(before)), Value::Object(added)) => {
                let mut all = before.clone();
                for (name, value) in added {
                    all.insert(name, value);
                }
                all.into()
            }
            (_, arguments) => arguments,
        };
        self.param("arguments", arguments)
    }

    /// Adds the fields of a Rust value as arguments.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// #[derive(serde::Serialize)]
    /// struct Add {
    ///     a: i64,
    ///     b: i64,
    /// }
    ///
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.call("add").args_from(&Add { a: 1, b: 2 }).await?.assert_ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A value that cannot be represented in JSON fails the test when the request is awaited.
    pub fn args_from(mut self, arguments: &impl Serialize) -> Self {
        match Value::serialize(arguments) {
            Ok(arguments) => self.args(arguments),
            Err(error) => {
                let finding = Finding::test("the arguments cannot be represented in JSON");
                self.mistake = Some(finding.got(error.to_string()));
                self
            }
        }
    }
}

impl RequestBuilder<'_, Completion> {
    /// Adds the value of another argument as context; from 2025-06-18 on.
    pub fn context(self, argument: &str, value: impl Into<Value>) -> Self {
        let mut others = match self.params.at("/context/arguments") {
            Some(Value::Object(others)) => others.clone(),
            _ => Object::new(),
        };
        others.insert(argument, value);
        self.param("context", Value::Object(Object::from_iter([("arguments", others)])))
    }
}

impl<'a, R: From<Reply> + 'a> IntoFuture for RequestBuilder<'a, R> {
    /// The reply, which may be an error reply; a finding if it does not arrive.
    type Output = Result<R, Finding>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { ctx, method, params, options, mistake, .. } = self;
        Box::pin(async move {
            match mistake {
                Some(mistake) => Err(mistake),
                None => {
                    Ok(ctx.client().await?.request_with(&method, params, options).await?.into())
                }
            }
        })
    }
}

impl<R> fmt::Debug for RequestBuilder<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, params, options, .. } = self;
        f.debug_struct("RequestBuilder")
            .field("method", method)
            .field("params", params)
            .field("options", options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scenario::{Profile, Setup};
    use crate::server::Server;
    use crate::spec::Revision;
    use crate::transport::TransportKind;
    use crate::wire::Message;

    fn ctx() -> Ctx {
        let target = Server::new("s").target();
        let (revision, timeout) = (Revision::V2025_11_25, Duration::from_secs(10));
        Ctx::new(
            Setup::new(target, TransportKind::Duplex, revision, Profile::Adaptive, timeout),
            None,
        )
    }

    /// The id and the parameters of the last request.
    fn sent(ctx: &Ctx) -> String {
        let trace = ctx.trace();
        let requests = trace.messages().filter_map(|(_, message)| match message {
            Message::Request(request) => Some(request),
            _ => None,
        });
        let request = requests.last().expect("a request");
        let params = request.params.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{} {} {params}", request.id, request.method)
    }

    #[tokio::test]
    async fn a_call_carries_its_arguments_and_options() {
        #[derive(Serialize)]
        struct Rest {
            c: bool,
            d: Option<String>,
        }

        let mut ctx = ctx();
        let call = ctx.call("add").arg("a", 1).args(json!({"b": 2, "a": 3}));
        let rest = Rest { c: true, d: None };
        let _ = call.args_from(&rest).progress("p").meta("x/y", 1).id("i").await.expect("a reply");
        insta::assert_snapshot!(sent(&ctx), @r#""i" tools/call {"name":"add","arguments":{"a":3,"b":2,"c":true,"d":null},"_meta":{"progressToken":"p","x/y":1}}"#);
        let _ = ctx.call_tool("add", Value::Null).await.expect("a reply");
        insta::assert_snapshot!(sent(&ctx), @r#"2 tools/call {"name":"add"}"#);
        let _ = ctx.call("add").arg("a", 1).args(json!([1])).deliberate().await.expect("a reply");
        insta::assert_snapshot!(sent(&ctx), @r#"3 tools/call {"name":"add","arguments":[1]}"#);
        let _ = ctx.prompt("review").arg("code", "x").param("extra", 1).await.expect("a reply");
        insta::assert_snapshot!(sent(&ctx), @r#"4 prompts/get {"name":"review","arguments":{"code":"x"},"extra":1}"#);
        let completion = ctx.complete_resource_template("file:///{path}", "path", "a");
        let completion = completion.context("b", "c").context("d", "e");
        let _ = completion.await.expect("a reply");
        insta::assert_snapshot!(sent(&ctx), @r#"5 completion/complete {"argument":{"name":"path","value":"a"},"ref":{"type":"ref/resource","uri":"file:///{path}"},"context":{"arguments":{"b":"c","d":"e"}}}"#);
    }

    #[tokio::test]
    async fn a_request_is_sent_once_and_only_when_it_is_awaited() {
        let mut ctx = ctx();
        drop(ctx.call("add"));
        assert!(ctx.trace().events.is_empty());
        let pending = ctx.call("add").start().await.expect("sent");
        assert!(ctx.wait(pending).await.expect("a reply").error().is_some());
        let calls = ctx.trace();
        let calls = calls.messages().filter(|(_, message)| message.method() == Some("tools/call"));
        assert_eq!(calls.count(), 1);
    }

    #[tokio::test]
    async fn what_cannot_be_sent_is_a_mistake_of_the_test() {
        let mut ctx = ctx();
        let keyed_by_pairs = std::collections::BTreeMap::from([((1, 2), 3)]);
        let finding = ctx.call("add").args_from(&keyed_by_pairs).await.expect_err("not JSON");
        insta::assert_snapshot!(finding, @"
        the arguments cannot be represented in JSON
          got key must be a string
        ");
        let finding = ctx.request("ping", json!([1])).param("a", 1).await.expect_err("an array");
        insta::assert_snapshot!(finding, @"
        `a` cannot be added to the parameters
          expected parameters that are an object
          got [1], which is an array
        ");
        assert!(ctx.trace().events.is_empty());
    }
}
