//! How the client of a scenario answers requests of the server.

use super::Ctx;
use super::setup_function::ContextSetup;
use crate::assert::fail_with;
use crate::check::Finding;
use crate::client::{
    ElicitationResponse, FormElicitation, Handlers, Root, SamplingRequest, SamplingResponse,
    UrlElicitation,
};
use crate::spec::Era;

impl Ctx {
    /// Answers elicitations with a form in place of a user; the client declares the capability when it connects.
    ///
    /// At revisions that have elicitation: as requests of the server from 2025-06-18 on, as input that a result requires at
    /// 2026-07-28.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.on_elicitation(|form| form.accept(json!({"size": "large"})));
    /// ctx.call("order_coffee").await?.assert_ok().assert_text_contains("large");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Ctx::handle`].
    #[track_caller]
    pub fn on_elicitation(
        &mut self,
        user: impl Fn(&FormElicitation) -> ElicitationResponse + Send + Sync + 'static,
    ) -> &mut Self {
        self.handle(self.handlers.clone().elicitation(user))
    }

    /// Answers elicitations with a URL in place of a user, from 2025-11-25 on; see [`Ctx::on_elicitation`].
    ///
    /// # Panics
    ///
    /// As [`Ctx::handle`].
    #[track_caller]
    pub fn on_elicitation_url(
        &mut self,
        user: impl Fn(&UrlElicitation) -> ElicitationResponse + Send + Sync + 'static,
    ) -> &mut Self {
        self.handle(self.handlers.clone().elicitation_url(user))
    }

    /// Answers `sampling/createMessage` in place of a model; see [`Ctx::on_elicitation`].
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.on_sampling(|request| SamplingResponse::text(format!("You said: {}", request.text())));
    /// ctx.call("summarize").arg("text", "long").await?.assert_text("You said: long");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Ctx::handle`].
    #[track_caller]
    pub fn on_sampling(
        &mut self,
        model: impl Fn(&SamplingRequest) -> SamplingResponse + Send + Sync + 'static,
    ) -> &mut Self {
        self.handle(self.handlers.clone().sampling(model))
    }

    /// Answers `roots/list` with these roots; see [`Ctx::on_elicitation`].
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.on_roots(["file:///project"]);
    /// ctx.call("count_roots").await?.assert_text("1");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Ctx::handle`].
    #[track_caller]
    pub fn on_roots<R: Into<Root>>(&mut self, roots: impl IntoIterator<Item = R>) -> &mut Self {
        self.handle(self.handlers.clone().roots(roots))
    }

    /// Replaces all handlers for requests of the server.
    ///
    /// # Panics
    ///
    /// If the client has connected in the handshake era and has declared other capabilities than these handlers serve. If it has
    /// connected in the function of `setup_ctx`, at every revision, so that a test does not pass at one revision alone.
    #[track_caller]
    pub fn handle(&mut self, handlers: Handlers) -> &mut Self {
        if let Some(client) = &mut self.client {
            let revision = client.revision();
            let declared = self.handlers.capabilities(revision);
            let served = handlers.capabilities(revision);
            let is_of_setup = self.setups.with_context == ContextSetup::Connected;
            // In the stateless era each request declares the capabilities.
            if (revision.era() == Era::Handshake || is_of_setup) && declared != served {
                let finding = Finding::test("the handlers were set too late")
                    .expected(format!(
                        "handlers for the capabilities that the client declared: {declared}"
                    ))
                    .got(format!("handlers for {served}"))
                    .hint(match is_of_setup {
                        true => "set the handlers in the function of `setup_ctx`, before its first request",
                        false => "set the handlers before the first request of the scenario",
                    });
                fail_with(finding, self.trace(), revision);
            }
            client.handle(handlers.clone());
        }
        self.handlers = handlers;
        self
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::assert::{AssertionFailure, catch_failures};
    use crate::json::Value;
    use crate::scenario::{Profile, Setup};
    use crate::server::Server;
    use crate::spec::Revision;
    use crate::transport::{Target, TransportKind};

    fn ctx(target: Target, revision: Revision) -> Ctx {
        let timeout = Duration::from_secs(10);
        Ctx::new(
            Setup::new(target, TransportKind::Duplex, revision, Profile::Adaptive, timeout),
            None,
        )
    }

    /// The capabilities that the last request with some declared.
    fn declared(ctx: &Ctx) -> Option<Value> {
        let trace = ctx.trace();
        let declared = trace.messages().filter_map(|(_, message)| {
            let params = message.params()?;
            let in_meta = "/_meta/io.modelcontextprotocol~1clientCapabilities";
            params.get("capabilities").or_else(|| params.at(in_meta))
        });
        declared.last().cloned()
    }

    #[tokio::test]
    async fn the_client_declares_what_the_handlers_serve_and_they_answer() {
        let server = crate::server::reference::everything().target();
        for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
            let mut ctx = ctx(server.clone(), revision);
            ctx.on_elicitation(FormElicitation::accept_examples)
                .on_sampling(|_| SamplingResponse::text("4"))
                .on_roots(["file:///a"]);
            ctx.call("test_sampling")
                .arg("prompt", "2+2")
                .await
                .expect("a reply")
                .assert_text_contains("4");
            assert_eq!(
                declared(&ctx),
                Some(json!({"elicitation": {"form": {}}, "roots": {}, "sampling": {}}).into()),
            );
        }
    }

    #[tokio::test]
    async fn handlers_can_be_replaced_while_the_declaration_stays_true() {
        let server = Server::new("s").target();
        let mut ctx = ctx(server, Revision::V2025_11_25);
        ctx.on_sampling(|_| SamplingResponse::text("4"));
        let _ = ctx.ping().await.expect("a reply");
        ctx.on_sampling(|_| SamplingResponse::text("5"));
        let late = catch_failures(async { ctx.on_roots(["file:///a"]).ping().await }).await;
        let payload = late.expect_err("too late");
        let failure = payload.downcast::<AssertionFailure>().expect("a failure");
        insta::assert_snapshot!(failure.finding, @r#"
        the handlers were set too late
          expected handlers for the capabilities that the client declared: {"sampling":{}}
          got handlers for {"sampling":{},"roots":{}}
          hint: set the handlers before the first request of the scenario
        "#);
    }

    #[tokio::test]
    async fn handlers_do_not_follow_a_setup_that_has_connected_at_any_revision() {
        for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
            let mut ctx = ctx(Server::new("s").target(), revision);
            ctx.begin_setup();
            ctx.on_sampling(|_| SamplingResponse::text("4"));
            ctx.client().await.expect("it connects");
            ctx.on_sampling(|_| SamplingResponse::text("5"));
            ctx.end_setup();
            ctx.on_sampling(|_| SamplingResponse::text("6"));
            let late = async { ctx.on_roots(["file:///a"]).client().await.map(drop) };
            let payload = catch_failures(late).await.expect_err("too late");
            let failure = payload.downcast::<AssertionFailure>().expect("a failure");
            insta::allow_duplicates!(insta::assert_snapshot!(failure.finding, @r#"
            the handlers were set too late
              expected handlers for the capabilities that the client declared: {"sampling":{}}
              got handlers for {"sampling":{},"roots":{}}
              hint: set the handlers in the function of `setup_ctx`, before its first request
            "#));
        }
    }

    #[tokio::test]
    async fn a_setup_that_has_not_connected_leaves_the_handlers_to_the_function() {
        let mut ctx = ctx(Server::new("s").target(), Revision::V2025_11_25);
        ctx.begin_setup();
        ctx.on_sampling(|_| SamplingResponse::text("4"));
        ctx.end_setup();
        ctx.on_roots(["file:///a"]);
        ctx.client().await.expect("it connects");
        let declared = declared(&ctx);
        assert_eq!(declared, Some(json!({"roots": {}, "sampling": {}}).into()));
    }

    #[tokio::test]
    async fn in_the_stateless_era_handlers_can_be_added_at_any_time() {
        let mut ctx = ctx(Server::new("s").target(), Revision::V2026_07_28);
        ctx.discover().await.expect("a reply").assert_ok();
        assert_eq!(declared(&ctx), Some(json!({}).into()));
        ctx.on_roots(["file:///a"]);
        ctx.discover().await.expect("a reply").assert_ok();
        assert_eq!(declared(&ctx), Some(json!({"roots": {}}).into()));
    }
}
