//! What a target offers: its lists, as far as the scenarios of a plan need them.

use std::time::Duration;

use super::connection_pool::{ConnectionPool, SharedConnection};
use super::silence::{LivenessQuestion, ends_in_silence, left};
use super::start_budget::Key;
use super::{Plan, ScenarioRun};
use crate::check::Finding;
use crate::client::reply::listed_items;
use crate::client::{Client, MAX_PAGES};
use crate::clock::{self, Deadline, Stopwatch};
use crate::json::Value;
use crate::scenario::{Ctx, Inventory, Items, Listing, Opened, Profile, Setup};
use crate::spec::ItemKind;
use crate::trace::Beginning;
use crate::transport::Target;

/// How long a target may take to show that its connection can be used again.
const QUIET: Duration = Duration::from_secs(1);

/// How long closing the connection to a target that has stopped answering may take.
const ENDING: Duration = Duration::from_millis(500);

/// The requests for the lists of a target, at the revision and over the transport of a scenario run.
pub(super) struct InventoryRequest<'a> {
    pub(super) plan: &'a Plan,
    pub(super) target: &'a Target,
    pub(super) pool: &'a ConnectionPool,
    pub(super) scenario_run: &'a ScenarioRun,
    /// How to ask after a silence whether the target still answers.
    pub(super) question: Option<LivenessQuestion>,
    /// How long each answer may take.
    pub(super) timeout: Duration,
}

impl InventoryRequest<'_> {
    /// Requests each list that some scenario needs and whose capability is declared.
    ///
    /// # Errors
    ///
    /// If a list was not answered, and the target has stopped answering.
    pub(super) async fn send(&self, declared: &Value) -> Result<Inventory, Finding> {
        let ScenarioRun { transport, revision, .. } = *self.scenario_run;
        let (target, limits) = (self.target.clone(), self.plan.limits);
        let setup = Setup::new(target, transport, revision, Profile::Adaptive, self.timeout);
        let setup = Setup { limits, ..setup };
        let (mut ctx, beginning) = match self.pool.take_kept(Key::shared(transport, revision)) {
            Some(SharedConnection { client, beginning }) => {
                (Ctx::on(Opened::Begun(Box::new(client)), setup, None), Some(beginning))
            }
            None => (Ctx::new(setup, None), None),
        };
        let inventory = self.request_all(&mut ctx, declared).await;
        if let Some(beginning) = beginning
            && let Some(client) = ctx.release()
        {
            self.keep(client, beginning).await;
        }
        // What went wrong here is not part of any scenario.
        let deadline = if inventory.is_err() { Deadline::after(ENDING) } else { Deadline::never() };
        let _ = clock::within(deadline, ctx.end()).await;
        inventory
    }

    /// Keeps the connection for the scenarios, if the target sends nothing more on it.
    async fn keep(&self, mut client: Client, beginning: Beginning) {
        if client.fence(Deadline::after(self.timeout.min(QUIET))).await == Some(true) {
            let key = Key::shared(self.scenario_run.transport, self.scenario_run.revision);
            self.pool.keep(key, SharedConnection { client, beginning });
        } else {
            drop(self.pool.retire(client, false));
        }
    }

    async fn request_all(&self, ctx: &mut Ctx, declared: &Value) -> Result<Inventory, Finding> {
        let mut inventory = Inventory::default();
        for kind in ItemKind::ALL.into_iter().filter(|kind| self.needs(*kind)) {
            let stopwatch = Stopwatch::start();
            let listed = listing(kind, declared, ctx).await;
            inventory = inventory.with(kind, self.checked(ctx, listed, stopwatch).await?);
        }
        if let Listing::Listed(tools) = inventory.listing(ItemKind::Tool) {
            let calls = &self.plan.calls;
            let callable = tools.items.iter().filter(|tool| calls.callable(tool).is_some()).count();
            inventory.callable_tools = Some(callable);
        }
        Ok(inventory)
    }

    fn needs(&self, kind: ItemKind) -> bool {
        let scenarios = self.plan.scenario_runs.iter().map(|scenario_run| &scenario_run.scenario);
        let mut needs =
            scenarios.flat_map(|scenario| scenario.needs.iter().chain(scenario.optional_needs));
        needs.any(|need| need.item_kind() == Some(kind))
    }

    /// The listing; after a silence only if the target still answers.
    async fn checked(
        &self,
        ctx: &Ctx,
        listed: Result<Listing, Finding>,
        stopwatch: Stopwatch,
    ) -> Result<Listing, Finding> {
        let finding = match listed {
            Ok(listing) => return Ok(listing),
            Err(finding) => finding,
        };
        if let Some(question) = self.question
            && ends_in_silence(&ctx.trace())
        {
            let left = left(self.timeout, stopwatch);
            if question.ask(self.target, self.scenario_run.transport, left).await.is_none() {
                return Err(finding);
            }
        }
        Ok(Listing::Failed(finding.headline))
    }
}

async fn listing(kind: ItemKind, declared: &Value, ctx: &mut Ctx) -> Result<Listing, Finding> {
    let capability = kind.capability();
    if !capability.declared_in(declared) {
        return Ok(Listing::Undeclared(capability));
    }
    let (pages, has_more) = ctx.client().await?.first_pages(kind.method(), MAX_PAGES).await?;
    let items = listed_items(kind, &pages)?.into_iter().cloned().collect();
    Ok(Listing::Listed(Items { items, has_more }))
}
