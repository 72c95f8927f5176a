//! Valid `cases!` cause no warning outside of the compiler's test harness either, however strict the crate is. Any file works,
//! because its content is read when a test runs.

#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
#![forbid(unsafe_code)]
#![allow(clippy::redundant_closure, clippy::unimplemented)]

use mcp_test::cases::State;
use mcp_test::cases::hooks::Phase;
use mcp_test::prelude::*;

mod renamed {
    //! Stands for a renamed dependency.
    pub(crate) use mcp_test::__private;
}

fn my_server() -> Target {
    unimplemented!("never started here")
}

fn my_client() -> ClientTarget {
    unimplemented!("never started here")
}

async fn states(state: State, _: Phase) -> Result<()> {
    Err(format!("no such state: `{}`", state.name).into())
}

mcp_test::cases!("Cargo.toml");

mcp_test::cases!(
    "Cargo.*",
    target = || my_server(),
    name = with_everything,
    revisions = "2025-06-18..2025-11-25, 2026-07-28",
    transports = [duplex, http],
    timeout = "250ms",
    baseline = "known.yml",
    tags = ["fast", "small"],
    skip_tags = ["slow"],
    inputs = [("token", json!(1)), ("user", json!("Ada"))],
    given = states,
    allow_commands,
    allow_skip,
    strict,
    crate = crate::renamed,
);

/// Names that the expansion must not confuse with its own.
mod core {
    use super::*;

    mcp_test::cases!("Cargo.toml", client = my_client, inputs = [("mcp_test", "std")]);
}

fn main() {
    let found = mcp_test::__private::user_cases();
    let names: Vec<String> = found.iter().map(|cases| cases.module_name()).collect();
    assert_eq!(names, ["cargo_toml", "with_everything", "core::cargo_toml"]);
    let full = found[1];
    assert_eq!(full.revisions, Some("2025-06-18..2025-11-25,2026-07-28"));
    assert_eq!(full.transports, ["duplex", "http"]);
    assert_eq!(full.timeout, Some(std::time::Duration::from_millis(250)));
    assert_eq!(full.baseline, Some("known.yml"));
    assert!(full.allow_commands && full.allow_skip && full.strict);
    assert!(full.given.is_some() && full.inputs.is_some());
}
