//! Faults of the requests of OAuth.

use super::Fault;
use super::change::Change;

/// The requests of OAuth whose parameters a fault may change, and the assertion that a client signs, which has claims.
pub(super) const REQUESTS: &[&str] =
    &["assertion", "authorize", "exchange", "refresh", "register", "token"];
/// The steps of signing in before which a fault may give up.
pub(super) const STEPS: &[&str] = &["discover", "metadata", "register", "authorize", "token"];

/// Whether a fault gives up before this step.
#[cfg_attr(not(feature = "auth"), allow(dead_code, reason = "only OAuth has steps"))]
pub(crate) fn gives_up_before(faults: &[Fault], step: &str) -> bool {
    faults.iter().any(|fault| fault.names(step) && fault.change == Change::GiveUp)
}

/// Changes the parameters of a request as the faults say.
#[cfg_attr(not(feature = "auth"), allow(dead_code, reason = "only OAuth has parameters"))]
pub(crate) fn change_parameters(
    faults: &[Fault],
    request: &str,
    parameters: &mut Vec<(String, String)>,
) {
    for fault in faults.iter().filter(|fault| fault.names(request)) {
        let Change::Parameter { name, value } = &fault.change else { continue };
        parameters.retain(|(own, _)| own != name);
        parameters.extend(value.iter().map(|value| (name.clone(), value.clone())));
    }
}
