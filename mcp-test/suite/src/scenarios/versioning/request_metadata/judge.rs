//! The verdicts on the metadata in the messages of a client.

use mcp_test_core::scenario::ReceivedMessage;

use crate::scenarios::prelude::*;

/// The check of a declared capability, and the capability.
pub(super) const ROOTS: (&str, &str) = ("sep-2575-client-declares-roots-capability", "roots");
pub(super) const SAMPLING: (&str, &str) =
    ("sep-2575-client-declares-sampling-capability", "sampling");
pub(super) const ELICITATION: (&str, &str) =
    ("sep-2575-client-declares-elicitation-capability", "elicitation");

pub(super) fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let mut messages = judging.messages();
    messages.retain(|received| !received.message.is_reply());
    // An error instead of checks: the official suite, too, fails all of them if no request arrives.
    if messages.is_empty() {
        return Err(judging.task_not_done("the client sent no requests"));
    }
    // In the order of official reports.
    let has_headers = judging.transport().is_http();
    if has_headers {
        names_its_version_in_headers(judging, &messages);
    }
    carries_meta(judging, &messages);
    if has_headers {
        names_one_version(judging, &messages);
    }
    for declared in [ROOTS, SAMPLING, ELICITATION] {
        declares_an_object(judging, &messages, declared);
    }
    let retried = retried(&messages, has_headers);
    if retried.is_err() {
        judging.tolerate_failed_exit();
    }
    judging.check("sep-2575-client-retry-supported-version").judge(retried);
    Ok(())
}

fn names_its_version_in_headers(judging: &mut Judging, messages: &[ReceivedMessage]) {
    let check = judging.check("sep-2575-http-client-sends-version-header");
    each(messages, check, |check, received| {
        check.judge(header_of(received).map(|_| ()).ok_or_else(|| header_missing(received)))
    });
}

fn carries_meta(judging: &mut Judging, messages: &[ReceivedMessage]) {
    each(messages, judging.check("sep-2575-client-populates-meta"), |check, received| {
        let required = object()
            .member(meta::PROTOCOL_VERSION, string())
            .member(meta::CLIENT_CAPABILITIES, object());
        let required = object().member("_meta", required);
        match &received.message {
            // The specification asks it of requests alone (`basic/index#meta`).
            Message::Request(_) => check.expect(&received.part(), required),
            _ => check.officially(
                &received.part(),
                required,
                "`_meta` is required in requests, not in notifications",
            ),
        }
    });
    each(messages, judging.check("sep-2575-client-sends-client-info"), |check, received| {
        let named = object().member(meta::CLIENT_INFO, object());
        check.should(&received.part(), object().member("_meta", named))
    });
}

fn names_one_version(judging: &mut Judging, messages: &[ReceivedMessage]) {
    let check = judging.check("sep-2575-http-version-header-matches-meta");
    each(messages, check, |check, received| match (header_of(received), version_of(received)) {
        (Some(header), Some(body)) if header != body => {
            check.fail(mismatch(received, header, body))
        }
        (Some(_), Some(_)) => check.pass(),
        _ => check.skip("one of the two is missing"),
    });
}

fn declares_an_object(
    judging: &mut Judging,
    messages: &[ReceivedMessage],
    (id, capability): (&str, &str),
) {
    let declared = |received: &ReceivedMessage| {
        received.meta(meta::CLIENT_CAPABILITIES)?.get(capability).cloned()
    };
    let what = format!("the capability `{capability}`");
    let mut check = judging.check(id);
    if !messages.iter().any(|received| declared(received).is_some()) {
        check = check.skip(format!("`{capability}` is not declared"));
    }
    for (received, value) in
        messages.iter().filter_map(|received| Some((received, declared(received)?)))
    {
        check = check.expect(&Part::new(&what, &value, Some(received.seq)), object());
    }
}

fn header_of(received: &ReceivedMessage) -> Option<&str> {
    received.header(header::MCP_PROTOCOL_VERSION)
}

fn version_of(received: &ReceivedMessage) -> Option<&str> {
    received.meta(meta::PROTOCOL_VERSION).and_then(Value::as_str)
}

/// Looks at the latest message after the first, which was refused.
fn retried(messages: &[ReceivedMessage], has_headers: bool) -> Result<(), Finding> {
    // The server lists only this revision, so it is the only one to continue with.
    let newest = Revision::NEWEST.as_str();
    let places = if has_headers { "header and `_meta`" } else { "`_meta`" };
    let finding =
        Finding::peer("the client did not continue with a revision that the server speaks")
            .expected(format!("another request, with {newest} in {places}"))
            .should();
    match messages {
        [.., _, latest]
            if version_of(latest) == Some(newest)
                && (!has_headers || header_of(latest) == Some(newest)) =>
        {
            Ok(())
        }
        [.., _, latest] => {
            let shown = |text: Option<&str>| text.unwrap_or("none").to_owned();
            let body = format!("{} in `_meta`", shown(version_of(latest)));
            let got = match has_headers {
                true => format!("{} in the header, {body}", shown(header_of(latest))),
                false => body,
            };
            Err(finding.got(got).evidence(latest.seq))
        }
        _ => Err(finding
            .got("no further request")
            .evidence_all(messages.first().map(|received| received.seq))),
    }
}

fn header_missing(received: &ReceivedMessage) -> Finding {
    Finding::peer("a POST does not have a header with its revision")
        .expected(format!("the header `{}`", header::MCP_PROTOCOL_VERSION))
        .got(format!("no such header on `{}`", received.method()))
        .evidence(received.seq)
}

fn mismatch(received: &ReceivedMessage, header: &str, body: &str) -> Finding {
    Finding::peer("the header and the body have different revisions")
        .expected(format!("{body}, as in `_meta`"))
        .got(format!("{header} in the header of `{}`", received.method()))
        .evidence(received.seq)
}

/// Applies one check to every message.
fn each<'a>(
    messages: &[ReceivedMessage],
    check: CheckBuilder<'a>,
    apply: impl Fn(CheckBuilder<'a>, &ReceivedMessage) -> CheckBuilder<'a>,
) {
    drop(messages.iter().fold(check, apply));
}
