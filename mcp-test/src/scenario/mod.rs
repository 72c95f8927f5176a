//! What a scenario is: its definition, what it needs, the context it runs in, and the proofs it owes.
//!
//! A scenario speaks to a peer and makes checks. It does not decide what a check means for the run; that is for
//! [`run`](crate::run). The built-in ones live in [`scenarios`](crate::scenarios).

mod checking;
mod connected;
mod context;
mod definition;
mod golden;
mod http;
mod macros;
mod matchers;
mod need;
mod officially;
mod profile;
mod proof;
mod speak;
mod user;

#[cfg(test)]
pub(crate) use checking::FIXTURE;
pub use checking::{CheckBuilder, Part, Subject};
pub use connected::Connected;
pub use context::{Ctx, Ended, Setup, Skip};
pub use definition::{
    Carriers, CheckSpec, Leg, Official, Reference, Running, Scenario, Suite, UnknownSuite,
};
pub use golden::{Differences, Golden};
pub use matchers::{empty_result, truthy};
pub use need::{Inventory, Need};
pub use profile::{Profile, UnknownProfile};
pub use proof::{Change, Damage, Proof, Proofs};
pub use user::*;
