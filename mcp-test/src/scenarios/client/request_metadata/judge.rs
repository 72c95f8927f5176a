//! What is held against the messages of a client that brings its terms along with each of them.

use super::{ELICITATION, ROOTS, SAMPLING};
use crate::check::Finding;
use crate::expect::{object, string};
use crate::json::Value;
use crate::scenario::{CheckBuilder, Heard, Judging, Part};
use crate::spec::{Revision, header, meta};
use crate::wire::Message;

pub(super) fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let mut heard = judging.heard();
    heard.retain(|said| !said.message.is_reply());
    if heard.is_empty() {
        return Err(judging.undone("the client asked for nothing"));
    }
    each(&heard, judging.check("sep-2575-http-client-sends-version-header"), |check, said| {
        check.judge(header_of(said).map(|_| ()).ok_or_else(|| headless(said)))
    });
    each(&heard, judging.check("sep-2575-client-populates-meta"), |check, said| {
        let filled = object()
            .member(meta::PROTOCOL_VERSION, string())
            .member(meta::CLIENT_CAPABILITIES, object());
        let filled = object().member("_meta", filled);
        match &said.message {
            Message::Request(_) => check.expect(&said.part(), filled),
            _ => check.officially(&said.part(), filled, "requests have to, not notifications"),
        }
    });
    each(&heard, judging.check("sep-2575-client-sends-client-info"), |check, said| {
        let named = object().member(meta::CLIENT_INFO, object());
        check.should(&said.part(), object().member("_meta", named))
    });
    each(&heard, judging.check("sep-2575-http-version-header-matches-meta"), |check, said| match (
        header_of(said),
        version_of(said),
    ) {
        (Some(header), Some(body)) if header != body => check.fail(mismatch(said, header, body)),
        (Some(_), Some(_)) => check.pass(),
        _ => check.skip("one of the two is missing"),
    });
    for (id, capability) in [ROOTS, SAMPLING, ELICITATION] {
        let declared =
            |said: &Heard| said.meta(meta::CLIENT_CAPABILITIES)?.get(capability).cloned();
        let what = format!("the capability `{capability}`");
        let mut check = judging.check(id);
        if !heard.iter().any(|said| declared(said).is_some()) {
            check = check.skip(format!("`{capability}` is not declared"));
        }
        for (said, value) in heard.iter().filter_map(|said| Some((said, declared(said)?))) {
            check = check.expect(&Part::new(&what, &value, Some(said.seq)), object());
        }
    }
    judging.check("sep-2575-client-retry-supported-version").judge(went_on(&heard));
    Ok(())
}

fn header_of(said: &Heard) -> Option<&str> {
    said.header(header::MCP_PROTOCOL_VERSION)
}

fn version_of(said: &Heard) -> Option<&str> {
    said.meta(meta::PROTOCOL_VERSION).and_then(Value::as_str)
}

/// Of the messages after the first, which was refused, the latest counts.
fn went_on(heard: &[Heard]) -> Result<(), Finding> {
    let newest = Revision::NEWEST.as_str();
    let wanted = Finding::peer("the client did not go on with a revision that the server speaks")
        .expected(format!("another request, with {newest} in header and `_meta`"))
        .should();
    match heard {
        [.., _, latest]
            if (header_of(latest), version_of(latest)) == (Some(newest), Some(newest)) =>
        {
            Ok(())
        }
        [.., _, latest] => {
            let shown = |text: Option<&str>| text.unwrap_or("nothing").to_owned();
            let (header, body) = (shown(header_of(latest)), shown(version_of(latest)));
            Err(wanted
                .got(format!("{header} in the header, {body} in `_meta`"))
                .evidence(latest.seq))
        }
        _ => Err(wanted.got("no further request").evidence_all(heard.first().map(|said| said.seq))),
    }
}

fn headless(said: &Heard) -> Finding {
    Finding::peer("a POST does not name its revision")
        .expected(format!("the header `{}`", header::MCP_PROTOCOL_VERSION))
        .got(format!("none with `{}`", said.method()))
        .evidence(said.seq)
}

fn mismatch(said: &Heard, header: &str, body: &str) -> Finding {
    Finding::peer("header and body name different revisions")
        .expected(format!("{body}, as in `_meta`"))
        .got(format!("{header} in the header of `{}`", said.method()))
        .evidence(said.seq)
}

/// Asks something of every message in one check.
fn each<'a>(
    heard: &[Heard],
    check: CheckBuilder<'a>,
    ask: impl Fn(CheckBuilder<'a>, &Heard) -> CheckBuilder<'a>,
) {
    drop(heard.iter().fold(check, ask));
}
