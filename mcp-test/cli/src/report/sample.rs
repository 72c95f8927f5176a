//! A sample run for the tests of this module.

pub(crate) use mcp_test_core::failure_report::sample::*;
use mcp_test_core::scenario::{Profile, Suite};

use super::RunInfo;

pub(crate) fn info() -> RunInfo {
    RunInfo {
        command: "server",
        target: TARGET.to_owned(),
        profile: Profile::Official,
        suite: Some(Suite::Active),
        requirements: None,
        inapplicable: Vec::new(),
        coverage: None,
    }
}
