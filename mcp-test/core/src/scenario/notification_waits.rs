//! Waiting for notifications of the server in a scenario, and for their absence.

use super::Ctx;
use crate::assert::fail_with;
use crate::check::Finding;
use crate::client::{CancelledRequest, ReceivedNotification, ServerNotification};
use crate::json::Value;
use crate::spec::{self, Side};

impl Ctx {
    /// Waits for the next notification of a method; each is returned once, in the order of arrival.
    ///
    /// One that has already arrived counts, so that none is missed between its cause and the wait.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.call("tick").await?.assert_ok();
    /// ctx.wait_for_notification("com.example/ticked").await?.assert_param("/count", 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If none arrives in time, or the connection closes before.
    pub async fn wait_for_notification(
        &mut self,
        method: &str,
    ) -> Result<ServerNotification, Finding> {
        self.wait_for_notification_where(method, |_| true).await
    }

    /// Waits for the next notification of a method that matches; see [`Ctx::wait_for_notification`].
    ///
    /// # Errors
    ///
    /// As [`Ctx::wait_for_notification`].
    pub async fn wait_for_notification_where(
        &mut self,
        method: &str,
        matches: impl Fn(&ReceivedNotification) -> bool,
    ) -> Result<ServerNotification, Finding> {
        let client = self.client().await?;
        let received = client.wait_for_notification_where(method, matches).await?;
        let revision = client.revision();
        Ok(ServerNotification::new(received, revision, self.recorder().clone()))
    }

    /// Waits for the next log message of this level.
    ///
    /// # Errors
    ///
    /// As [`Ctx::wait_for_notification`].
    pub async fn wait_for_log(&mut self, level: &str) -> Result<ServerNotification, Finding> {
        let of_level = |received: &ReceivedNotification| has(received, "level", level);
        self.wait_for_notification_where("notifications/message", of_level).await
    }

    /// Waits for the next progress notification with this token.
    ///
    /// # Errors
    ///
    /// As [`Ctx::wait_for_notification`].
    pub async fn wait_for_progress(
        &mut self,
        token: impl Into<Value>,
    ) -> Result<ServerNotification, Finding> {
        let token = token.into();
        let of_token =
            |received: &ReceivedNotification| received.param("progressToken") == Some(&token);
        self.wait_for_notification_where("notifications/progress", of_token).await
    }

    /// Waits until the server announces that its list of `tools`, `prompts` or `resources` has changed.
    ///
    /// From 2026-07-28 on, a server announces it to subscribers only; see [`Ctx::subscribe`].
    ///
    /// # Errors
    ///
    /// As [`Ctx::wait_for_notification`]; also if there is no such list.
    pub async fn wait_for_list_changed(
        &mut self,
        list: &str,
    ) -> Result<ServerNotification, Finding> {
        let method = format!("notifications/{list}/list_changed");
        let revision = self.revision();
        if !spec::method(&method).is_some_and(|method| method.sent_by(Side::Server, revision)) {
            return Err(Finding::test(format!("there is no list of `{list}` that changes"))
                .expected("`tools`, `prompts` or `resources`")
                .got(format!("`{list}`")));
        }
        self.wait_for_notification(&method).await
    }

    /// Waits until the server announces that the resource with this URI has changed.
    ///
    /// # Errors
    ///
    /// As [`Ctx::wait_for_notification`].
    pub async fn wait_for_resource_updated(
        &mut self,
        uri: &str,
    ) -> Result<ServerNotification, Finding> {
        let of_uri = |received: &ReceivedNotification| has(received, "uri", uri);
        self.wait_for_notification_where("notifications/resources/updated", of_uri).await
    }

    /// Asserts that a cancelled request was not answered, as far as messages have arrived.
    ///
    /// A server may have answered before it read the cancellation, so this holds only for a request that it cannot answer
    /// before it is cancelled. After [`Ctx::disconnect`] it covers all that the server has sent.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let endless = ctx.call("synchronize").start().await?;
    /// let cancelled = ctx.cancel(endless).await?;
    /// // What the server sent before this reply has arrived as well.
    /// ctx.list_tools().await?.assert_ok();
    /// ctx.assert_no_reply(&cancelled);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If it was answered; [`Ctx::try_no_reply`] returns the finding instead.
    #[track_caller]
    pub fn assert_no_reply(&self, cancelled: &CancelledRequest) {
        if let Err(finding) = self.try_no_reply(cancelled) {
            fail_with(finding, self.trace(), self.revision());
        }
    }

    /// The twin of [`Ctx::assert_no_reply`] that does not panic.
    ///
    /// # Errors
    ///
    /// The finding, if the request was answered.
    pub fn try_no_reply(&self, cancelled: &CancelledRequest) -> Result<(), Finding> {
        let trace = self.trace();
        let Some(request) = cancelled.event(&trace) else {
            return Err(Finding::test("the trace no longer has the cancelled request")
                .expected(format!("the request {} in the trace", cancelled.id()))
                .got("a trace that was cut because of its size"));
        };
        match cancelled.reply(request, &trace) {
            None => Ok(()),
            Some(seq) => Err(Finding::peer("a cancelled request was answered")
                .expected(format!("no reply to the request {}", cancelled.id()))
                .got("a reply")
                .evidence(request.seq)
                .evidence(seq)),
        }
    }
}

fn has(received: &ReceivedNotification, name: &str, text: &str) -> bool {
    received.param(name).and_then(Value::as_str) == Some(text)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::scenario::{Profile, Setup};
    use crate::server::{Call, Server};
    use crate::spec::Revision;
    use crate::transport::{Target, TransportKind};

    fn ctx(target: Target) -> Ctx {
        let (revision, timeout) = (Revision::V2025_11_25, Duration::from_secs(10));
        Ctx::new(
            Setup::new(target, TransportKind::Duplex, revision, Profile::Adaptive, timeout),
            None,
        )
    }

    #[tokio::test]
    async fn notifications_are_awaited_by_what_they_are_about() {
        let server = Server::new(json!({"name": "s", "version": "1"})).on(
            "com.example/go",
            |call: Call| async move {
                let messages = [
                    ("notifications/message", json!({"level": "debug", "data": 1})),
                    ("notifications/message", json!({"level": "error", "data": {"code": 2}})),
                    ("notifications/progress", json!({"progressToken": "t", "progress": 3})),
                    ("notifications/tools/list_changed", json!({})),
                    ("notifications/resources/updated", json!({"uri": "note://1"})),
                ];
                for (method, params) in messages {
                    call.notify(method, params).await.expect("the client is there");
                }
                json!({})
            },
        );
        let mut ctx = ctx(server.target());
        ctx.request("com.example/go", json!({})).await.expect("a reply").assert_ok();
        let error =
            ctx.wait_for_log("error").await.expect("an error").assert_param("/data/code", 2);
        insta::assert_snapshot!(error.try_param("/data/code", 3).expect_err("it is 2"), @"
        unexpected parameters of `notifications/message`
          expected `/data/code` is 3
          got 2
        ");
        let progress = ctx.wait_for_progress("t").await.expect("progress");
        let less = json!({"progressToken": "t", "progress": 2});
        insta::assert_snapshot!(progress.clone().try_params(less).expect_err("it is 3"), @"
        unexpected parameters of `notifications/progress`
          expected `/progress` is 2
          got 3
        ");
        let all = json!({"progressToken": "t", "progress": 3});
        assert_eq!(progress.assert_params(all).method(), "notifications/progress");
        ctx.wait_for_list_changed("tools").await.expect("a change");
        ctx.wait_for_resource_updated("note://1").await.expect("an update");
        let finding = ctx.wait_for_list_changed("roots").await.expect_err("the client's");
        insta::assert_snapshot!(finding, @"
        there is no list of `roots` that changes
          expected `tools`, `prompts` or `resources`
          got `roots`
        ");
        let finding = ctx.wait_for_list_changed("tool").await.expect_err("no such list");
        insta::assert_snapshot!(finding, @"
        there is no list of `tool` that changes
          expected `tools`, `prompts` or `resources`
          got `tool`
        ");
    }

    #[tokio::test]
    async fn a_reply_to_a_cancelled_request_is_found() {
        let server = Server::new(json!({"name": "s", "version": "1"}));
        let mut ctx = ctx(server.target());
        let pending = ctx.request("ping", json!({})).start().await.expect("sent");
        let cancelled = ctx.cancel(pending).await.expect("cancelled");
        ctx.ping().await.expect("a reply").assert_ok();
        let finding = ctx.try_no_reply(&cancelled).expect_err("it was answered at once");
        insta::assert_snapshot!(finding, @"
        a cancelled request was answered
          expected no reply to the request 2
          got a reply
        ");
        // Neither the end of the connection nor another one hides it.
        let _ = ctx.disconnect().await.expect("connected");
        assert_eq!(ctx.try_no_reply(&cancelled).expect_err("answered").headline, finding.headline);
        ctx.ping().await.expect("a reply").assert_ok();
        assert_eq!(ctx.try_no_reply(&cancelled).expect_err("answered").headline, finding.headline);
    }

    #[tokio::test]
    async fn a_reply_under_the_same_id_on_another_connection_does_not_count() {
        let server = Server::new(json!({"name": "s", "version": "1"}))
            .on("com.example/endless", |_: Call| std::future::pending::<serde_json::Value>());
        let mut ctx = ctx(server.target());
        let pending = ctx.request("com.example/endless", json!({})).start().await.expect("sent");
        let cancelled = ctx.cancel(pending).await.expect("cancelled");
        ctx.ping().await.expect("a reply").assert_ok();
        ctx.assert_no_reply(&cancelled);
        let _ = ctx.disconnect().await.expect("connected");
        ctx.assert_no_reply(&cancelled);
        ctx.ping().await.expect("a reply").assert_ok();
        ctx.assert_no_reply(&cancelled);
        // Two requests, and the reply to the second one.
        let trace = ctx.trace();
        let of_id = trace.messages().filter(|(_, message)| message.id() == Some(cancelled.id()));
        assert_eq!(of_id.count(), 3);
    }
}
