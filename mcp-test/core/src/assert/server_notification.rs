//! Assertions about a notification that a scenario has awaited.

use std::borrow::Cow;

use super::reply::member;
use super::{Scene, Staged, plain_assertions};
use crate::check::Finding;
use crate::client::ServerNotification;
use crate::expect::Matcher;

impl Staged for ServerNotification {
    fn scene(&self) -> Scene<'_> {
        Scene { trace: Cow::Owned(self.trace()), revision: self.revision() }
    }
}

plain_assertions! { [] ServerNotification {
    /// Asserts that the parameters match; missing ones are `null`.
    assert_params / try_params (self, matcher: impl Matcher) { check_param(&self, "", &matcher) }

    /// Asserts that the value at a JSON pointer of the parameters matches.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.call("import").await?.assert_ok();
    /// ctx.wait_for_log("info").await?.assert_param("/data/imported", 3);
    /// # Ok(())
    /// # }
    /// ```
    assert_param / try_param (self, pointer: &str, matcher: impl Matcher) {
        check_param(&self, pointer, &matcher)
    }
}}

fn check_param(
    notification: &ServerNotification,
    pointer: &str,
    matcher: &dyn Matcher,
) -> Result<(), Finding> {
    let params = notification.notification.params.clone().unwrap_or_default();
    let headline = format!("unexpected parameters of `{}`", notification.method());
    member(&params, pointer, matcher, headline)
        .map_err(|finding| finding.evidence(notification.seq))
}
