//! `--known`: a requirement that the peer is known to break.

use std::str::FromStr;

use mcp_test_core::expect::words;
use mcp_test_core::spec::{KnownViolation, KnownViolations, UnknownRequirement};

use crate::error::CliError;

/// The variable that decides about known violations which no longer occur.
const VARIABLE: &str = "MCP_TEST_KNOWN";

/// A value of `--known`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownArg(KnownViolation);

impl FromStr for KnownArg {
    type Err = UnknownRequirement;

    fn from_str(text: &str) -> Result<Self, UnknownRequirement> {
        let (id, reason) = text.split_once('=').map_or((text, ""), |(id, why)| (id, why.trim()));
        let known = KnownViolation::new(id.trim());
        let known = if reason.is_empty() { known } else { known.reason(reason) };
        KnownViolations::resolve([known.clone()])?;
        Ok(Self(known))
    }
}

impl KnownArg {
    /// All of these, each requirement once.
    pub(super) fn all(args: &[Self]) -> KnownViolations {
        // Each was found when it was read.
        KnownViolations::resolve(args.iter().map(|known| known.0.clone())).unwrap_or_default()
    }
}

/// Whether the environment has known violations that no longer occur fail the run.
pub(super) fn is_strict(variable: &dyn Fn(&str) -> Option<String>) -> Result<bool, CliError> {
    match variable(VARIABLE) {
        None => Ok(false),
        Some(value) if value == "strict" => Ok(true),
        Some(value) => {
            let problem = format!("expected `strict`, got `{}`", words::cut(&value, 80));
            Err(CliError::Variable { name: VARIABLE, problem })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_has_a_reason_after_the_first_equals_sign() {
        let known: Vec<KnownArg> = [
            "ping.result-empty",
            "tools.list.respond = fixed in 2.0, https://x.example/?id=1",
            "ping.result-empty=again",
        ]
        .map(|text| text.parse().expect("it is valid"))
        .to_vec();
        let known = KnownArg::all(&known);
        let texts: Vec<String> = known.iter().map(|(_, known)| known.to_string()).collect();
        assert_eq!(
            texts,
            ["ping.result-empty", "tools.list.respond: fixed in 2.0, https://x.example/?id=1"]
        );
        let error = "ping.result-emty=why".parse::<KnownArg>().expect_err("it does not exist");
        insta::assert_snapshot!(error, @"no requirement has the id `ping.result-emty`; did you mean `ping.result-empty`?");
    }
}
