//! The recipes of the guide's cookbook, on a server that reserves tables for an hour and keeps them in a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use mcp_test::prelude::*;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use tokio::time::Instant;

const HOUR: Duration = Duration::from_secs(3600);

#[derive(Deserialize, schemars::JsonSchema)]
struct Table {
    number: u32,
}

/// The server; clones share the tables.
#[derive(Clone)]
struct Restaurant {
    reserved: Arc<Mutex<BTreeMap<u32, Instant>>>,
    file: Option<PathBuf>,
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Restaurant {
    fn new(file: Option<PathBuf>) -> Self {
        Self { reserved: Arc::default(), file, tool_router: Self::tool_router() }
    }

    #[tool(name = "reserve", description = "Reserves a table for an hour")]
    async fn reserve(&self, Parameters(Table { number }): Parameters<Table>) -> CallToolResult {
        let mut reserved = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if reserved.get(&number).is_some_and(|until| *until > now) {
            return CallToolResult::error(vec![ContentBlock::text("the table is taken")]);
        }
        reserved.insert(number, now + HOUR);
        if let Some(file) = &self.file {
            let tables: Vec<String> = reserved.keys().map(u32::to_string).collect();
            fs::write(file, tables.join("\n")).expect("the file can be written");
        }
        CallToolResult::success(vec![ContentBlock::text("the table is yours")])
    }

    #[tool(name = "cook", description = "Cooks a meal in three steps")]
    async fn cook(&self, context: RequestContext<RoleServer>) -> CallToolResult {
        for step in 1..=3 {
            tokio::select! {
                () = context.ct.cancelled() => break,
                () = tokio::time::sleep(HOUR / 3) => {}
            }
            if let Some(token) = context.meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, f64::from(step));
                // The client may be gone.
                let _ = context.peer.notify_progress(progress.with_total(3.0)).await;
            }
        }
        CallToolResult::success(vec![ContentBlock::text("the meal is served")])
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Restaurant {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

/// A file that is removed when it is dropped.
struct TablesFile(PathBuf);

impl Drop for TablesFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Called once for each run, before anything is started.
async fn tables() -> Result<TablesFile> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let tables =
        TablesFile(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tables-{number}")));
    fs::write(&tables.0, "")?;
    Ok(tables)
}

fn restaurant_with(tables: &TablesFile) -> Target {
    let restaurant = Restaurant::new(Some(tables.0.clone()));
    Target::duplex(move |io| {
        let restaurant = restaurant.clone();
        async move {
            restaurant.serve(io).await?.waiting().await?;
            Ok(())
        }
    })
}

#[mcp_scenario(setup = tables, target = |tables| restaurant_with(tables))]
async fn a_reserved_table_is_in_the_file(ctx: &mut Ctx, tables: &TablesFile) -> Result<()> {
    ctx.call_tool("reserve", json!({"number": 7})).await?.assert_ok();
    assert_eq!(fs::read_to_string(&tables.0)?, "7");
    Ok(())
}

/// Called once for each run of a test, so that no test sees the tables of another.
fn one_restaurant() -> Target {
    let restaurant = Restaurant::new(None);
    let over_http = restaurant.clone();
    // Each closure is called once for each connection.
    Target::duplex(move |io| {
        let restaurant = restaurant.clone();
        async move {
            restaurant.serve(io).await?.waiting().await?;
            Ok(())
        }
    })
    .and_router(move || {
        let restaurant = over_http.clone();
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(
            move || Ok(restaurant.clone()),
            sessions,
            Default::default(),
        );
        Router::new().nest_service("/mcp", service)
    })
}

#[mcp_scenario(target = one_restaurant, revisions = "2025-06-18..", transports = [duplex, router])]
async fn two_users_do_not_get_one_table(ctx: &mut Ctx) -> Result<()> {
    let mut as_bob = ctx.options();
    as_bob.client_info = json!({"name": "bob", "version": "1"}).into();
    let mut bob = ctx.connect(as_bob).await?;

    let table = json!({"name": "reserve", "arguments": {"number": 1}});
    ctx.call_tool("reserve", json!({"number": 1})).await?.assert_ok();
    bob.request("tools/call", table).await?.assert_member("/isError", true);
    Ok(())
}

#[mcp_scenario(target = one_restaurant)]
async fn of_many_calls_at_once_one_gets_the_table(ctx: &mut Ctx) -> Result<()> {
    let mut calls = Vec::new();
    for _ in 0..20 {
        calls.push(ctx.call("reserve").arg("number", 1).start().await?); // sent, not awaited
    }
    let mut granted = 0;
    for call in calls {
        let reply = ctx.wait(call).await?;
        granted += usize::from(reply.try_member("/isError", false).is_ok());
    }
    assert_eq!(granted, 1);
    Ok(())
}

/// Pauses the clock of tokio, which the server shares; the time-outs of mcp-test go by a clock of their own.
async fn paused() -> Result<()> {
    tokio::time::pause();
    Ok(())
}

#[mcp_scenario(setup = paused, target = one_restaurant)]
async fn a_reservation_ends_after_an_hour(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("reserve", json!({"number": 1})).await?.assert_ok();
    tokio::time::advance(HOUR - Duration::from_secs(1)).await;
    ctx.call_tool("reserve", json!({"number": 1})).await?.assert_tool_error_contains("taken");
    tokio::time::advance(Duration::from_secs(2)).await;
    ctx.call_tool("reserve", json!({"number": 1})).await?.assert_ok();
    Ok(())
}

#[mcp_scenario(setup = paused, target = one_restaurant)]
async fn a_meal_is_cooked_in_three_steps(ctx: &mut Ctx) -> Result<()> {
    ctx.call("cook")
        .progress("meal") // asks for progress, by this token
        .timeout(Duration::from_secs(60)) // instead of the time-out of the scenario
        .await?
        .assert_ok()
        .assert_progress(3)
        .assert_progress_total(3)
        .assert_progress_complete();
    Ok(())
}

#[mcp_scenario(target = one_restaurant)]
async fn a_meal_that_nobody_wants_is_not_served(ctx: &mut Ctx) -> Result<()> {
    let meal = ctx.call("cook").start().await?;
    let cancelled = ctx.cancel(meal).await?;
    ctx.call("reserve").arg("number", 1).await?.assert_ok(); // the server works on
    ctx.assert_no_reply(&cancelled);
    Ok(())
}

/// A server behind a transport that mcp-test does not know: lines of JSON over a socket.
#[cfg(unix)]
fn over_a_socket() -> Target {
    Target::duplex(|mut io| async move {
        let (mut client, server) = tokio::net::UnixStream::pair()?;
        let serving = async {
            Restaurant::new(None).serve(server).await?.waiting().await?;
            Ok::<(), Error>(())
        };
        let copying = async {
            tokio::io::copy_bidirectional(&mut io, &mut client).await?;
            drop(client); // the server ends, too
            Ok(())
        };
        tokio::try_join!(serving, copying)?;
        Ok(())
    })
}

#[cfg(unix)]
#[mcp_scenario(target = over_a_socket)]
async fn a_table_is_reserved_over_a_socket(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("reserve", json!({"number": 1})).await?.assert_ok();
    Ok(())
}
