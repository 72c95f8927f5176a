//! `ctx.explore_tool(…)`: the exploration of one tool in a test.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::io;
use std::panic::Location;
use std::pin::Pin;
use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::client::ToolList;
use mcp_test_core::json::Value;
use mcp_test_core::scenario::{CalledTools, Ctx, ToolCalls};
use proptest::strategy::{BoxedStrategy, Strategy};
use serde::Serialize;

use super::explored::Explored;
use super::explorer::Explorer;
use super::options::ExploreOptions;
use super::regressions::Regressions;
use super::report::explained;
use super::shrink::Reduced;

/// Adds [`explore_tool`](ExploreExt::explore_tool) to [`Ctx`].
#[doc(hidden)]
pub trait ExploreExt {
    /// Calls a tool many times, with arguments that are generated from its schema; awaiting it returns what was seen, and fails at
    /// what is wrong, reduced to the smallest arguments that fail.
    ///
    /// Arguments with which the tool has failed are kept beside the test, in `tests/mcp.explore-regressions` for `tests/mcp.rs`, and are
    /// tried first from then on.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # use mcp_test_suite::explore::ExploreExt;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let explored = ctx.explore_tool("add").calls(200).await?;
    /// assert!(explored.calls > 20);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Where the author knows better than the schema, a strategy of proptest makes the arguments:
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # use mcp_test_suite::explore::ExploreExt;
    /// use proptest::prelude::*;
    /// use serde_json::json;
    ///
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let fractions = (1..100, 1..100).prop_map(|(a, b)| json!({"a": a, "b": b}));
    /// ctx.explore_tool("divide").with(fractions).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    fn explore_tool(&mut self, name: &str) -> ExploreTool<'_>;
}

impl ExploreExt for Ctx {
    #[track_caller]
    fn explore_tool(&mut self, name: &str) -> ExploreTool<'_> {
        ExploreTool {
            ctx: self,
            name: name.to_owned(),
            options: ExploreOptions::default(),
            strategy: None,
            regressions: Regressions::of(Location::caller().file()),
        }
    }
}

/// The exploration of one tool, which begins when it is awaited.
#[must_use = "an exploration begins when it is awaited"]
pub struct ExploreTool<'a> {
    ctx: &'a mut Ctx,
    name: String,
    options: ExploreOptions,
    strategy: Option<BoxedStrategy<Value>>,
    regressions: Option<Regressions>,
}

impl ExploreTool<'_> {
    /// Makes at most this many calls, instead of 200.
    pub fn calls(mut self, calls: usize) -> Self {
        self.options.calls = calls;
        self
    }

    /// Calls the tool for at most this long, instead of 20 s.
    pub fn time(mut self, time: Duration) -> Self {
        self.options.time = time;
        self
    }

    /// Waits this long for each reply, instead of 10 s.
    pub fn reply_timeout(mut self, timeout: Duration) -> Self {
        self.options.reply = timeout;
        self
    }

    /// Uses another seed than 0 for random arguments.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    /// Takes valid arguments from a strategy of proptest instead of generating them from the schema.
    ///
    /// # Panics
    ///
    /// Awaiting the exploration panics if a value cannot be represented in JSON.
    pub fn with<S>(mut self, strategy: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: Serialize,
    {
        let to_json =
            |value: S::Value| Value::serialize(&value).expect("arguments that are JSON values");
        self.strategy = Some(strategy.prop_map(to_json).boxed());
        self
    }

    async fn explore(self) -> Result<Explored, Finding> {
        let Self { ctx, name, options, strategy, regressions } = self;
        let list: ToolList = ctx.list_tools().await?;
        // The test has named it.
        let calls = ToolCalls {
            unnamed: CalledTools::None,
            named: [(name.clone(), None)].into_iter().collect(),
            ..ToolCalls::default()
        };
        let tool = list
            .items()?
            .into_iter()
            .find_map(|tool| calls.callable(tool).filter(|tool| tool.name == name));
        let Some(tool) = tool else {
            let names = list.keys()?.join(", ");
            return Err(Finding::test(format!("the server does not list the tool `{name}`"))
                .expected("the name of a tool")
                .got(names));
        };
        let first = regressions.as_ref().map(|kept| kept.read(&name).map_err(unusable(kept)));
        let first = first.transpose()?.unwrap_or_default();
        let explorer = Explorer::new(ctx, &[tool], |_| None, options).with_first(first);
        let has_strategy = strategy.is_some();
        let explorer = match strategy {
            Some(strategy) => explorer.with_strategy(strategy),
            None => explorer,
        };
        let Some(explored) = explorer.explore().await?.operations.into_iter().next() else {
            return Err(Finding::harness(format!("`{name}` was not explored")));
        };
        if let Some(why) = explored.not_generated.as_ref().filter(|_| !has_strategy) {
            return Err(Finding::peer(format!("no arguments for `{name}` can be generated"))
                .got(why.clone())
                .hint("give a strategy with `.with(…)`"));
        }
        // The most severe one; the first of those.
        let severity = |reduced: &&Reduced| reduced.failure.finding.severity;
        let Some(reduced) = explored.failures.iter().rev().max_by_key(severity) else {
            return match explored.untested() {
                Some(finding) => Err(finding),
                None => Ok(explored),
            };
        };
        let mut finding = explained(reduced, &explored);
        if let (Some(kept), [only]) = (&regressions, &reduced.chain.steps[..]) {
            kept.add(&name, &only.arguments).map_err(unusable(kept))?;
            finding.add_hint(&format!("from now on tried first, from {}", kept.path().display()));
        }
        Err(finding)
    }
}

/// The finding about a file of regressions that cannot be used.
fn unusable(kept: &Regressions) -> impl Fn(io::Error) -> Finding {
    let path = kept.path().display().to_string();
    move |error| {
        Finding::environment(format!("the file of regressions {path} cannot be used"))
            .got(error.to_string())
    }
}

impl<'a> IntoFuture for ExploreTool<'a> {
    /// What was seen; the first thing that is wrong, if anything is.
    type Output = Result<Explored, Finding>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.explore())
    }
}

impl fmt::Debug for ExploreTool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExploreTool")
            .field("name", &self.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
