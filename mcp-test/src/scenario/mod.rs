//! What a scenario is: its definition, what it needs, the context it runs in, and the proofs it owes.
//!
//! A scenario speaks to a peer and makes checks. It does not decide what a check means for the run; that is for
//! [`run`](crate::run). The built-in ones live in [`scenarios`](crate::scenarios).
//!
//! The file of one that tests a server holds `async fn run(ctx: &mut Ctx)`, which speaks and checks. With the chairs
//! swapped, for clients, it holds two functions:
//!
//! ```text
//! scenario! {
//!     /// What it checks, and why.
//!     Client "tools_call": "The client calls a tool",
//!     revisions: …, official: …,
//!     checks: [CheckSpec::official("tool-add-numbers", …)],
//! }
//!
//! /// The server that the client is sent to. It serves and is recorded; it knows of no check.
//! fn serve(stage: &Stage) -> Server { … }
//!
//! /// Reads, when the client has left, what it has said: `Judging::requests`, `Judging::trace`, `Judging::check`.
//! fn judge(judging: &mut Judging) -> Result<(), Finding> { … }
//!
//! /// A client that does something wrong by itself.
//! fn lazy() -> Visitor { Visitor::new(|errand: Errand| async move { … }) }
//!
//! proofs! {
//!     passes on good_client();
//!     catches "tool-add-numbers" by retype("tools/call", "/arguments/a");
//!     catches "tool-add-numbers" on lazy();
//! }
//! ```
//!
//! What the good client does in a scenario is in [`client::reference`](crate::client::reference). That a client took part
//! at all, and left in good order, every scenario checks by itself: [`TOOK_PART`], [`LEFT_WELL`].

mod checking;
mod connected;
mod context;
mod definition;
mod golden;
mod http;
mod judging;
mod macros;
mod matchers;
mod need;
mod officially;
mod profile;
mod proof;
mod shapes;
mod speak;
mod suite;
mod surroundings;
mod user;
mod validated;

#[cfg(test)]
pub(crate) use checking::FIXTURE;
pub(crate) use checking::TASK;
pub use checking::{CheckBuilder, Part, Subject};
pub use connected::Connected;
pub use context::{Ctx, Ended, Setup, Skip};
pub use definition::{
    Body, Carriers, CheckSpec, Judge, Leg, Official, Reference, Run, Running, Scenario, Serve,
};
pub use golden::{Differences, Golden};
pub use judging::{Heard, Judging, LEFT_WELL, Stage, TOOK_PART};
pub use matchers::{empty_result, truthy};
pub use need::{Inventory, Need};
pub use profile::{Profile, UnknownProfile};
pub use proof::{Change, Damage, Peer, Proof, Proofs};
pub(crate) use suite::names as suite_names;
pub use suite::{Suite, UnknownSuite};
pub use surroundings::{Surroundings, Up};
pub use user::*;
