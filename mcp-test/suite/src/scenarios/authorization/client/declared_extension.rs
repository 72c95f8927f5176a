//! Whether a client declares the extension by which it gets its tokens.

use crate::scenarios::prelude::*;

/// Judges whether each request of a client declares an extension.
pub(super) fn judge_declared(judging: &mut Judging, check: &str, extension: &str) {
    let requests: Vec<_> = judging
        .messages()
        .into_iter()
        .filter(|received| matches!(received.message, Message::Request { .. }))
        .collect();
    if requests.is_empty() {
        judging.check(check).skip("the client sends no request");
        return;
    }
    let lacks = requests.iter().find(|received| {
        let declared = received.meta(meta::CLIENT_CAPABILITIES);
        declared.and_then(|it| it.get("extensions")?.get(extension)).is_none()
    });
    let outcome = lacks.map_or(Ok(()), |received| {
        Err(Finding::peer("a request does not declare the extension that the client uses")
            .expected(format!("`{extension}` in `extensions` of the capabilities of the client"))
            .got(format!("`{}` without it", received.method()))
            .evidence(received.seq))
    });
    judging.check(check).judge(outcome);
}
