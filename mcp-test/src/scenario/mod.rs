//! What a scenario is: its definition, its needs, the context of its body, and its proofs.
//!
//! A scenario talks to a peer and makes checks. [`run`](crate::run) decides what a check means for the verdict. The built-in
//! scenarios are in [`scenarios`](crate::scenarios).
//!
//! The file of a scenario for servers has `async fn run(ctx: &mut Ctx)`. That of a scenario for clients has two functions:
//!
//! ```text
//! scenario! {
//!     /// What it checks, and why.
//!     Client "tools_call": "The client calls a tool",
//!     revisions: …, official: …,
//!     checks: [CheckSpec::official("tool-add-numbers", …)],
//! }
//!
//! /// The server to which the client connects. It serves and records, and knows nothing of checks.
//! fn serve(test: &ClientTest) -> Server { … }
//!
//! /// Judges the recorded messages after the client has exited: `Judging::requests`, `Judging::trace`, `Judging::check`.
//! fn judge(judging: &mut Judging) -> Result<(), Finding> { … }
//!
//! /// A client that does something wrong.
//! fn lazy() -> ScriptedClient { ScriptedClient::new(|task: ClientTask| async move { … }) }
//!
//! proofs! {
//!     passes on good_client();
//!     catches "tool-add-numbers" by retype("tools/call", "/arguments/a");
//!     catches "tool-add-numbers" on lazy();
//! }
//! ```
//!
//! The good client is in [`client::reference`](crate::client::reference). Every scenario for clients also checks that the
//! client took part ([`TOOK_PART`]) and exited without an error ([`LEFT_WELL`]).

mod assert_golden;
mod assert_schema_valid;
mod call_site;
mod check_builder;
mod check_spec;
mod client_session;
mod connected;
mod context;
mod conversation;
mod declared;
mod default_target;
mod definition;
mod golden;
mod http;
mod judging;
mod leg;
mod macros;
mod matchers;
mod need;
mod notification_waits;
mod official;
mod official_client;
mod profile;
mod proof;
mod received_message;
mod request_builder;
mod requests;
mod schema_authority;
mod server_requests;
mod static_or_arc;
mod stop;
mod suite;
mod surroundings;
mod user_scenario;

#[doc(hidden)]
pub use call_site::CallSite;
#[cfg(test)]
pub(crate) use call_site::tests::call_site;
pub use check_builder::CheckBuilder;
#[doc(hidden)]
pub use check_builder::{Part, Subject};
#[doc(hidden)]
pub use check_spec::{CheckSpec, Reference};
#[doc(hidden)]
pub use client_session::ClientSession;
#[doc(hidden)]
pub use connected::Connected;
pub(crate) use connected::Opened;
pub use context::Ctx;
#[doc(hidden)]
pub use context::{PROMPT, Setup};
pub(crate) use conversation::Conversation;
#[doc(hidden)]
pub use conversation::Ended;
#[doc(hidden)]
pub use declared::Declared;
#[doc(hidden)]
pub use default_target::SeveralDefaultTargets;
#[doc(hidden)]
pub use default_target::default_target;
pub use default_target::{DefaultTarget, IntoTarget};
#[doc(hidden)]
pub use definition::{Body, Judge, Kind, Run, Running, Scenario, Serve, Transports};
#[doc(hidden)]
pub use golden::{Golden, GoldenFn};
pub use golden::{GoldenOptions, SnapshotMismatch};
#[doc(hidden)]
pub use judging::{ClientTest, Judging, LEFT_WELL, TOOK_PART};
#[doc(hidden)]
pub use leg::Leg;
#[doc(hidden)]
pub use matchers::{empty_result, truthy};
pub use need::Inventory;
#[doc(hidden)]
pub use need::Listing;
#[doc(hidden)]
pub use need::Need;
#[doc(hidden)]
pub use official::Official;
pub use profile::Profile;
#[doc(hidden)]
pub use profile::UnknownProfile;
#[doc(hidden)]
pub use proof::{Change, Damage, Peer, Proof, Proofs};
#[doc(hidden)]
pub use received_message::ReceivedMessage;
pub use request_builder::RequestBuilder;
#[doc(hidden)]
pub use static_or_arc::Shared;
#[doc(hidden)]
pub use stop::Stop;
pub use stop::{BoxError, Skip};
pub(crate) use suite::names as suite_names;
#[doc(hidden)]
pub use suite::{Suite, UnknownSuite};
#[doc(hidden)]
pub use surroundings::{RunningSurroundings, Surroundings};
#[doc(hidden)]
pub use user_scenario::{
    Registered, ScenarioFuture, ScenarioOutcome, UserFunction, UserScenario, user_scenarios,
    value_of_setup,
};
