//! What the scenarios have in common whose server leads the client to where it should not go.
//!
//! Loopback is exempt during development, and every server of a test is on loopback. So the addresses are those of this machine in
//! another form: 0.0.0.0, which is reserved (RFC 6890), and leads here all the same.

use mcp_test_core::oauth::scripted::StrayRequest;

use super::flow::{Flow, Received};
use crate::scenarios::prelude::*;

/// Makes the check that nothing has reached the address; `was_led` is whether the client has received its URL.
pub(super) fn judge_reached(
    judging: &mut Judging,
    flow: &Flow,
    (check, url): (&str, &str),
    was_led: bool,
) {
    let row = judging.check(check);
    match flow.stray.first() {
        Some(Received { seq, request: StrayRequest { summary, .. } }) => row.fail(
            Finding::peer(format!("the client uses {url}"))
                .expected("no request: outside of development, such a URL leads to where no server of OAuth should be")
                .got(format!("`{summary}` at the address 0.0.0.0"))
                .evidence(*seq)
                .should(),
        ),
        None if was_led => row.pass(),
        None => row.missing(Finding::peer(format!("the client did not come as far as {url}"))),
    };
}
