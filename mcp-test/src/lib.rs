//! A test harness for [Model Context Protocol](https://modelcontextprotocol.io) (MCP) servers and clients.
//!
//! # Quick start
//!
//! Add the crate with `cargo add --dev mcp-test`, and put this in `tests/mcp.rs`:
//!
//! ```no_run
//! use mcp_test::prelude::*;
//!
//! mcp_test::target!(Target::command(Command::new("my-mcp-server")));
//!
//! #[mcp_scenario]
//! async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
//!     ctx.list_tools().await?.assert_tool("add").assert_requires("a").assert_requires("b");
//!     ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
//!     Ok(())
//! }
//! ```
//!
//! `cargo test` starts the server, runs the scenario, and stops the server. In addition to the scenario's own assertions, it
//! validates every message from the server against the MCP revision in use.
//!
//! `my-mcp-server` is looked up in `PATH`; `env!("CARGO_BIN_EXE_my-mcp-server")` is the binary of your own package.
//!
//! # Targets
//!
//! | target | what is tested | feature |
//! |---|---|---|
//! | `Target::duplex(\|io\| async move { … })` | a server in this process, over an in-memory pipe | |
//! | `Target::command(Command::new("my-mcp-server"))` | a program, over stdio | |
//! | `Target::router(\|\| my_router())`, `Target::service(\|\| …)` | an axum router or tower service in this process, without a port | `http` |
//! | `Target::url("http://127.0.0.1:3000/mcp")` | a running server, over Streamable HTTP | `http` |
//! | `Target::sse("http://127.0.0.1:3000/sse")` | a running server, over the legacy HTTP+SSE transport (2024-11-05) | `http` |
//!
//! # Features
//!
//! `cargo add --dev mcp-test --features http,schema` adds two of them to the default:
//!
//! | feature | adds | default |
//! |---|---|---|
//! | `golden` | `ctx.assert_golden()`, using insta | yes |
//! | `http` | Streamable HTTP and legacy HTTP+SSE, over the network or in process; lets the mock server listen on a port | |
//! | `schema` | JSON Schema validation of tool schemas, arguments and results; runtime message validation (guard) in front of your own server or client | |
//! | `harness` | `mcp_test::main!()`, `conformance()` and `client_conformance()`, for test targets with `harness = false` | |
//! | `cases` | MCP Cases: contracts in YAML | |
//! | `explore` | tools called with arguments that are generated from their schemas | |
//! | `tls` | `https` URLs | |
//! | `auth` | an authorization server for tests of OAuth, and signed tokens: [`oauth`], [`jose`] | |
//!
//! The command is a package of its own: `cargo install mcp-test-cli`.
//!
//! # Where to go next
//!
//! | To … | See | feature |
//! |---|---|---|
//! | write scenarios | [`guide::testing_servers`], [`Ctx`](prelude::Ctx), [`mod@assert`] | |
//! | find a recipe: databases, several users, time, other transports | [`guide::cookbook`] | |
//! | find an assertion | [`guide::assertions`] | |
//! | answer elicitations, sampling and roots | [`guide::handlers`] | |
//! | test a client | [`guide::testing_clients`], [`ServerCtx`](prelude::ServerCtx), [`transport::ClientTarget`], [`server::Server`] | `http` |
//! | run the built-in scenarios | [`guide::command_line`], [`conformance`] | `harness` |
//! | write contracts in YAML | [`guide::contracts`] | `cases` |
//! | validate messages in front of your own server or client | [`guide::guarding_servers`] | `schema` |
//! | run all of this in CI | [`guide::continuous_integration`] | |
//! | move from the client of an SDK, or from the official suite | [`guide::migrating`] | |
//! | look up revisions and requirements | [`spec`] | |

#[cfg(feature = "harness")]
pub use harness::{client_conformance, conformance};
#[cfg(feature = "golden")]
#[doc(no_inline)]
pub use mcp_test_core::insta;
#[doc(inline)]
pub use mcp_test_core::{
    Error, Result, assert, check, client, clock, expect, json, process, server, spec, target,
    trace, transport, wire,
};
#[cfg(feature = "auth")]
#[doc(inline)]
pub use mcp_test_core::{jose, oauth};
/// Makes each case in files of [MCP Cases](cases::format) a test.
///
/// In a plain test target each case is a `#[test]`, in a target with `harness = false` and `mcp_test::main!()` a trial; the
/// names are the same. The files are selected by a path, by a directory (its `*.yaml` and `*.yml`), or by a pattern (`*`, `?`,
/// `[ab]`, `**` for directories), relative to the `Cargo.toml` of the package.
///
/// ```
/// # use mcp_test::prelude::*;
/// # fn my_server() -> Target { Target::command(Command::new("my-mcp-server")) }
/// # fn other_server() -> Target { my_server() }
/// # fn my_client() -> ClientTarget { ClientTarget::command("my-mcp-client") }
/// mcp_test::target!(my_server);
///
/// mcp_test::cases!("tests/contracts/*.yaml");
/// mcp_test::cases!("tests/contracts/calculator.yaml", target = other_server, inputs = [("token", "1234")], strict);
/// mcp_test::cases!("tests/contracts/*.yaml", client = my_client, name = client_contracts);
/// ```
///
/// The first one expands the case `Adds two numbers` in `contracts/calculator.yaml` to the test
/// `contracts::calculator::adds_two_numbers`: a module named after the pattern, in it a module for each file, and in that a
/// function for each case. With the path of a single file there is no module for the file:
/// `contracts_login::takes_a_token`. Names keep only ASCII letters and digits; a case without any is named after its number,
/// `case_3`.
///
/// The cases are read when the test is compiled, and again when a file has changed. The compiler does not notice a new file;
/// the test `contracts::every_case_is_a_test` fails then. It also reports why a file cannot be read.
///
/// With `client` the files are served to a client, and each file is a test: it passes when the client has sent everything
/// that the cases of the file expect.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `target = my_server` | the server to test: a function or closure that makes a `Target`, or a `Target`; without it, that of `mcp_test::target!`, or else the environment's |
/// | `client = my_client` | the client to test instead: a function or closure that makes a `ClientTarget`, or a `ClientTarget` |
/// | `name = over_http` | the name of the module, if two would have the same |
/// | `revisions = "2025-06-18.."` | run each case at all of these revisions, instead of one that it allows |
/// | `transports = [duplex, http]` | the transports to run over; without it, the first one of the target that a case allows |
/// | `timeout = "5s"` | how long a case without a `_timeout` may take |
/// | `baseline = "tests/known.yml"` | the expected failures |
/// | `tags = ["fast"]`, `skip_tags = ["slow"]` | only cases with one of these tags, or with none of these |
/// | `inputs = [("token", "1234")]` | the values for `_inputs`; others are read from `MCP_TEST_INPUT_<NAME>` |
/// | `given = my_states` | sets up the states of `_given`: a function or closure that takes a `State` and a `Phase` and returns a future, or a `Given` |
/// | `allow_commands` | `_before` and `_after` may run commands; otherwise a case that has them fails |
/// | `allow_skip` | a case that is skipped at run time passes; otherwise it fails and says why |
/// | `strict` | fail on what is tolerated otherwise, such as messages that the case does not have |
/// | `crate = path` | where `mcp_test` is found, when the dependency was renamed |
///
/// A case with `_skip` is an ignored test, and so is every other one while a case has `_only`.
#[cfg(feature = "cases")]
pub use mcp_test_macros::cases;
/// Makes an `async fn name(ctx: &mut Ctx) -> Result<()>` a scenario: a test of the target of this test binary, or of a client.
///
/// In a plain test target it is one `#[test]`, which runs the scenario at each revision and over each transport in turn. In a
/// target with `harness = false` and `mcp_test::main!()` each of these runs is a test of its own.
///
/// ```
/// use mcp_test::prelude::*;
///
/// #[mcp_scenario]
/// async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
///     ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
///     Ok(())
/// }
///
/// # fn other_server() -> Target { Target::command(Command::new("my-mcp-server")) }
/// #[mcp_scenario(target = other_server, revisions = "2025-06-18..", transports = [duplex, http], timeout = "5s")]
/// async fn lists_its_tools(ctx: &mut Ctx) -> Result<()> {
///     ctx.list_tools().await?.assert_tool("add");
///     Ok(())
/// }
/// ```
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `target = my_server` | the server to test: a function or closure that makes a `Target`, or a `Target`; without it, that of `mcp_test::target!`. A closure with an argument gets the value of the setup: `\|database\| my_server(database)` |
/// | `client = my_client` | the client to test instead of a server: a function or closure that makes a `ClientTarget`, or a `ClientTarget`; as for `target`, also with the value of the setup |
/// | `revisions = "2025-06-18.."` | the revisions to run at: one, a range (`"a.."`, `"a..b"` with both ends, `"..b"`), several of these with commas, or `"all"`; without it, the newest that both sides speak |
/// | `transports = [duplex, stdio, http, router, sse]` | the transports to run over; without it, the first one of the target |
/// | `matrix` | run at every revision and over every transport of the target, within `revisions` and `transports` |
/// | `allow_skip` | a scenario that skips itself passes; otherwise it fails and says why it was skipped |
/// | `timeout = "5s"` | how long one run of the scenario (a revision on a transport) may take: a whole number with `ms`, `s` or `m` |
/// | `known = ["transport.http.event-id-unique"]` | requirements that the peer is known to break, each alone or with a reason and a link: `("ping.result-empty", "fixed in 2.0", "https://…")`; see [known violations](guide::testing_servers#known-violations) |
/// | `case(1, 2, "3")`, `case::name(1, 2, "3")` | run the function with these arguments after its context; each case is a test of its own |
/// | `setup = my_setup` | an `async fn() -> Result<T>` to call before anything is started |
/// | `setup_ctx = my_setup` | an `async fn(&mut Ctx) -> Result<T>` to call right before the function, in the same conversation |
/// | `teardown = my_teardown` | an `async fn(&mut Ctx) -> Result<()>` to call at the end, also after a failure, a panic, a time-out and a skip |
/// | `crate = path` | where `mcp_test` is found, when the dependency was renamed |
///
/// # Cases
///
/// Each case is a test, named after its values or by you: `adds::case_1_2_3`, `adds::negative_numbers`.
///
/// ```
/// # use mcp_test::prelude::*;
/// #[mcp_scenario(case(1, 2, "3"), case::negative_numbers(-1, -2, "-3"))]
/// async fn adds(ctx: &mut Ctx, a: i64, b: i64, sum: &str) -> Result<()> {
///     ctx.call_tool("add", json!({"a": a, "b": b})).await?.assert_ok().assert_text(sum);
///     Ok(())
/// }
/// ```
///
/// # Setup and teardown
///
/// Each run of the scenario (a case, a revision, a transport) calls each of these functions once, in this order:
///
/// | | when | time | if it fails |
/// |---|---|---|---|
/// | `setup` | before the target or client is made, and before any server is asked which revisions it speaks | that of a run, in addition to it | the run ends; nothing is started, and the teardown does not run |
/// | `target`, `client` | after the setup; for `matrix` without `transports`, also before it, once for all runs | | the run ends |
/// | `setup_ctx` | at the beginning of the run, with its context | part of the run | the function does not run, the teardown does |
/// | the function | | part of the run | the teardown runs |
/// | `teardown` | last, with the context, however the run has ended: also after a failure, a panic, a time-out and a skip | a quarter of the time of the run is kept for it, at most five seconds | this is reported beside what failed before |
///
/// A failure names the phase: `the setup failed: …`, `the setup of the context failed …`, `the teardown failed …`; without such words it is
/// one of the function. A panic or an error of `setup` is the fault of the test. Nothing of this runs after code that blocks the thread.
///
/// The function may take the values of `setup` and of `setup_ctx`, in this order and after its context, or neither of them; arguments of
/// cases come last. It takes them themselves or borrows them. The value of `setup`, which has to be `Send`, is dropped when the server has
/// ended, unless the function takes it itself: a folder that removes itself outlives the server. That of `setup_ctx` is dropped before the
/// teardown.
///
/// ```
/// # use mcp_test::prelude::*;
/// # #[derive(serde::Deserialize)]
/// # struct Note { uri: String }
/// # struct Database { path: String }
/// # impl Database {
/// #     fn create() -> std::io::Result<Self> { Ok(Self { path: String::new() }) }
/// #     fn tables(&self) -> usize { 0 }
/// # }
/// #[mcp_scenario(setup = database, target = |database| my_server(database))]
/// async fn lists_its_tables(ctx: &mut Ctx, database: &Database) -> Result<()> {
///     ctx.list_resources().await?.assert_len(database.tables());
///     Ok(())
/// }
///
/// async fn database() -> Result<Database> {
///     Ok(Database::create()?)
/// }
///
/// fn my_server(database: &Database) -> Target {
///     Target::command(Command::new("my-mcp-server").arg("--database").arg(&database.path))
/// }
///
/// #[mcp_scenario(setup_ctx = a_note, teardown = delete_notes)]
/// async fn reads_a_note(ctx: &mut Ctx, uri: String) -> Result<()> {
///     ctx.read_resource(&uri).await?.assert_text("milk");
///     Ok(())
/// }
///
/// async fn a_note(ctx: &mut Ctx) -> Result<String> {
///     let added = ctx.call_tool("add_note", json!({"text": "milk"})).await?.assert_ok();
///     Ok(added.structured::<Note>()?.uri)
/// }
///
/// async fn delete_notes(ctx: &mut Ctx) -> Result<()> {
///     ctx.call_tool("delete_notes", json!({})).await?.assert_ok();
///     Ok(())
/// }
/// ```
///
/// `setup_ctx` sets the handlers that the test needs (`ctx.on_elicitation(…)`) before its own first request, with which the client declares
/// what it can do: once it has connected, other handlers in the function are an error at every revision.
///
/// `setup` skips a run by `return Err(Skip { reason: "no Docker".to_owned() }.into())`, with [`Skip`](scenario::Skip) of `mcp_test::scenario`.
///
/// # Tests of clients
///
/// With `client`, the context is a server that the function scripts, and that the client talks to;
/// [the guide](guide::testing_clients) shows more.
///
/// ```
/// use mcp_test::prelude::*;
/// use mcp_test::server::calls;
///
/// # fn my_client() -> ClientTarget { ClientTarget::command("my-mcp-client") }
/// #[mcp_scenario(client = my_client)]
/// async fn adds_two_numbers(server: &mut ServerCtx) -> Result<()> {
///     server.given(calls("add")).respond_with(json!({"content": [{"type": "text", "text": "3"}]}));
///     server.run_client().await?;
///     server.received().assert_call("add").assert_argument("a", 1);
///     Ok(())
/// }
/// ```
///
/// # Other attributes
///
/// `#[ignore]` and `#[ignore = "why"]` work as on any test. `#[should_panic]`, and a second test attribute such as
/// `#[tokio::test]`, are refused.
pub use mcp_test_macros::mcp_scenario;
#[cfg(feature = "explore")]
#[doc(inline)]
pub use mcp_test_suite::{explore, generate};

#[cfg(feature = "cases")]
pub mod cases;
#[cfg(feature = "schema")]
pub mod guard;
pub mod guide;
pub mod harness;
pub mod prelude;

/// Needs the feature `cases`.
#[cfg(not(feature = "cases"))]
#[doc(hidden)]
#[macro_export]
macro_rules! cases {
    ($($arguments:tt)*) => {
        ::core::compile_error!(
            "`mcp_test::cases!` needs the feature `cases`: cargo add --dev mcp-test --features cases"
        );
    };
}

pub mod scenario {
    //! What a scenario uses: [`Ctx`], the context that it gets, and the types that it meets there.
    //!
    //! A test is an async function with [`#[mcp_scenario]`](macro@crate::mcp_scenario). Its context is a client of the server under
    //! test, which connects when it is first used:
    //!
    //! ```
    //! use mcp_test::prelude::*;
    //!
    //! #[mcp_scenario]
    //! async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
    //!     ctx.list_tools().await?.assert_tool("add").assert_requires("a");
    //!     ctx.call("add").arg("a", 1).arg("b", 2).await?.assert_ok().assert_text("3");
    //!     Ok(())
    //! }
    //! ```
    //!
    //! | to … | there is |
    //! |---|---|
    //! | send a request | [`Ctx::call`], [`Ctx::list_tools`], [`Ctx::read_resource`], [`Ctx::prompt`] and others; [`Ctx::request`] for any method. The [`RequestBuilder`] adds arguments, headers, a time-out and more |
    //! | examine the reply | the assertions of [`mod@crate::assert`], and the accessors of [`Reply`](crate::client::Reply) |
    //! | answer the server | [`Ctx::on_elicitation`], [`Ctx::on_sampling`], [`Ctx::on_roots`] |
    //! | wait for a notification | [`Ctx::subscribe`], [`Ctx::wait_for_notification`], [`Ctx::wait_for_log`] and others |
    //! | cancel a request | [`RequestBuilder::start`], [`Ctx::cancel`], [`Ctx::assert_no_reply`] |
    //! | compare the conversation with a snapshot | [`Ctx::assert_golden`], [`GoldenOptions`] |
    //! | validate every message of the server | [`Ctx::assert_schema_valid`] |
    //! | end the connection, or send raw HTTP | [`Ctx::disconnect`], [`Ctx::http`] |
    //! | skip the test | [`Ctx::skip`] |
    //!
    //! A test of a client has a [`ServerCtx`] as its context instead: the server that the client talks to.
    //!
    //! The [guide](crate::guide::testing_servers) shows them together. The built-in scenarios use the same context, and also [make checks](Ctx::check).

    #[doc(inline)]
    pub use mcp_test_core::scenario::*;
}

/// What the macros expand to; not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use mcp_test_core::__private::*;

    #[cfg(feature = "cases")]
    pub use crate::cases::{
        CaseTest, CasesFile, CasesPeer, IntoGiven, RegisteredCases, UserCases, case_inputs,
        user_cases,
    };
    #[cfg(feature = "harness")]
    pub use crate::harness::main;
    #[cfg(feature = "cases")]
    pub use crate::harness::run_case;
    pub use crate::harness::run_test;
}
