//! What a scenario uses: [`Ctx`], the context that it gets, and the types that it meets there.

// How a built-in scenario is written is in `macros.rs`.
mod activity;
mod assert_golden;
mod assert_schema_valid;
#[cfg(feature = "auth")]
#[doc(hidden)]
pub mod authorization;
mod call_site;
mod check_builder;
mod check_spec;
mod check_subject;
mod client_ending;
mod client_session;
mod connected;
mod context;
mod context_setups;
mod contexts_of_tests;
mod conversation;
mod declared;
#[cfg(any(test, feature = "suite"))]
mod declared_checks;
mod default_target;
mod definition;
mod golden;
mod http;
mod into_client_target;
mod judging;
mod macros;
mod matchers;
mod need;
mod notification_waits;
#[cfg(any(test, feature = "suite"))]
mod offered;
mod official;
mod official_client;
mod prerequisites;
mod profile;
mod proof;
mod repeats;
mod request_builder;
mod requests;
mod requirement_set;
mod run_of_test;
mod schema_authority;
mod serve_client;
mod server_ctx;
mod server_requests;
mod setup_function;
mod static_or_arc;
mod stop;
mod suite;
mod tested_side;
mod tool_calls;
mod transports;
mod user_scenario;

#[doc(hidden)]
pub use crate::trace::ReceivedMessage;
#[doc(hidden)]
pub use activity::Activity;
#[cfg(feature = "auth")]
#[doc(hidden)]
pub use authorization::{
    AuthorizationCtx, AuthorizationPeer, AuthorizationResponse, AuthorizationSetup,
    AuthorizationTarget, Callback, CallbackListener, ConsentRequest, DocumentHost, HostedDocument,
    RegisteredAs,
};
#[doc(hidden)]
pub use call_site::CallSite;
#[cfg(test)]
pub(crate) use call_site::tests::call_site;
pub use check_builder::CheckBuilder;
#[doc(hidden)]
pub use check_spec::{CheckSpec, Reference};
#[doc(hidden)]
pub use check_subject::{Part, Subject};
pub(crate) use client_ending::{ClientEnding, has_sent};
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
#[cfg(feature = "auth")]
#[doc(hidden)]
pub use definition::RunAuthorization;
pub use definition::{
    Body, Judge, Kind, Run, RunClientTest, Running, Scenario, Serve, Served, Teardown,
};
#[doc(hidden)]
pub use golden::{Golden, GoldenFn};
pub use golden::{GoldenOptions, SnapshotMismatch};
#[doc(hidden)]
pub use into_client_target::IntoClientTarget;
#[doc(hidden)]
pub use judging::{CLIENT_CONNECTED, CLIENT_EXIT, ClientTest, Judging};
#[doc(hidden)]
pub use matchers::{empty_result, truthy};
pub use need::Inventory;
#[doc(hidden)]
pub use need::{Items, Listing, Need};
#[doc(hidden)]
pub use official::Official;
#[doc(hidden)]
pub use prerequisites::{Prerequisites, RunningPrerequisites};
pub use profile::Profile;
#[doc(hidden)]
pub use profile::UnknownProfile;
#[doc(hidden)]
pub use proof::{Peer, Proof, ProofFault, Proofs};
pub use repeats::Repeats;
pub use request_builder::RequestBuilder;
#[doc(hidden)]
pub use requirement_set::{Reason, RequirementSet};
#[doc(hidden)]
pub use run_of_test::RunOfTest;
pub(crate) use serve_client::serve_client;
#[doc(hidden)]
pub use server_ctx::MORE_TIME;
pub use server_ctx::ServerCtx;
pub(crate) use server_ctx::{EndedClientTest, ServerSetup, spoken};
#[doc(hidden)]
pub use setup_function::{
    NoArguments, NotASetup, OtherArguments, SetupFunction, SetupFuture, SetupValue,
    SharedSetupValue, value_of_setup,
};
#[doc(hidden)]
pub use static_or_arc::Shared;
#[doc(hidden)]
pub use stop::Stop;
pub use stop::{BoxError, Skip};
#[doc(hidden)]
pub use suite::names as suite_names;
#[doc(hidden)]
pub use suite::{Suite, UnknownSuite};
#[doc(hidden)]
pub use tested_side::TestedSide;
#[doc(hidden)]
pub use tool_calls::{CallableTool, CalledTools, ToolCalls};
pub use transports::Transports;
#[doc(hidden)]
pub use user_scenario::{
    ClientFunction, Maker, Registered, ScenarioFuture, ScenarioOutcome, UserBody, UserFunction,
    UserScenario, user_scenarios,
};
