//! Assertions about the notifications that belong to a request: progress, log messages, and any other.

use super::assertions;
use super::reply::{Replied, last};
use super::text::{names, quoted};
use crate::check::Finding;
use crate::client::reply::{
    Completion, List, ListKind, PromptMessages, Reply, ResourceContents, ToolResult,
};
use crate::client::{LogMessage, Progress, ReceivedNotification};
use crate::expect::{Matcher, words};
use crate::json::Value;
use crate::server::Times;
use crate::spec::{Era, Requirement};
use crate::trace::Seq;

/// How many notifications a message shows.
const SHOWN: usize = 5;

macro_rules! notification_assertions {
    ($([$($generics:tt)*] $subject:ty),* $(,)?) => { $(
        assertions! { [$($generics)*] $subject {
            /// Asserts that the server reported progress so many times (`3`, `1..`, `1..=5`), each time more of it.
            ///
            /// ```
            /// # extern crate mcp_test_core as mcp_test;
            /// # use mcp_test::prelude::*;
            /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
            /// let import = ctx.call("import").arg("count", 3).progress("import");
            /// import.await?.assert_ok().assert_progress(3).assert_progress_complete();
            ///
            /// let search = ctx.call("search").arg("text", "milk").progress("search");
            /// search.await?.assert_ok().assert_progress(1..);
            /// # Ok(())
            /// # }
            /// ```
            assert_progress / try_progress (self, times: impl Into<Times>) {
                check_progress(&self, times.into())
            }

            /// Asserts the `total` of the last progress notification.
            assert_progress_total / try_progress_total (self, total: impl Into<f64>) {
                check_total(&self, total.into())
            }

            /// Asserts that the last progress notification has reached its `total`.
            assert_progress_complete / try_progress_complete (self) { check_complete(&self) }

            /// Asserts that the server logged a message of this level whose data matches.
            ///
            /// ```
            /// # extern crate mcp_test_core as mcp_test;
            /// # use mcp_test::prelude::*;
            /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
            /// let import = ctx.call("import").arg("count", 3).log_level("info");
            /// import.await?.assert_ok().assert_log("info", json!({"imported": 3}));
            /// # Ok(())
            /// # }
            /// ```
            assert_log / try_log (self, level: &str, data: impl Matcher) {
                check_log(&self, None, level, &data)
            }

            /// Asserts that this logger of the server logged a message of this level whose data matches.
            assert_log_from / try_log_from (self, logger: &str, level: &str, data: impl Matcher) {
                check_log(&self, Some(logger), level, &data)
            }

            /// Asserts that a notification of this method came with the request, whose parameters match.
            assert_notification / try_notification (self, method: &str, params: impl Matcher) {
                check_notification(&self, method, &params)
            }

            /// Asserts that no notification of this method came with the request.
            assert_no_notification / try_no_notification (self, method: &str) {
                check_no_notification(&self, method)
            }
        }}
    )* };
}

notification_assertions!(
    [] Reply,
    [] ToolResult,
    [] ResourceContents,
    [] PromptMessages,
    [] Completion,
    [K: ListKind] List<K>,
);

fn notifications(subject: &impl Replied) -> impl Iterator<Item = &ReceivedNotification> {
    subject.replies().iter().flat_map(Reply::notifications)
}

/// The progress of the request, which must have asked for it.
fn progress(subject: &impl Replied) -> Result<(&Reply, Vec<Progress>), Finding> {
    let reply = last(subject)?;
    if !reply.has_progress_token() {
        return Err(Finding::test(format!("`{}` did not ask for progress", reply.method()))
            .expected("a request with a progress token: `ctx.call(…).progress(\"token\")`")
            .got("a request without one")
            .evidence_all(reply.evidence()));
    }
    Ok((reply, subject.replies().iter().flat_map(Reply::progress).collect()))
}

fn unexpected_progress(reply: &Reply, progress: &[Progress]) -> Finding {
    Finding::peer(format!("unexpected progress of `{}`", reply.method()))
        .got(describe(progress.iter(), "progress notification", describe_progress))
        .evidence_all(reply.evidence())
        .evidence_all(progress.iter().take(SHOWN).map(|progress| progress.seq))
}

fn check_progress(subject: &impl Replied, times: Times) -> Result<(), Finding> {
    let (reply, progress) = progress(subject)?;
    let are_numbers = progress.iter().all(|it| it.progress.is_some());
    let increases = progress.windows(2).all(|pair| pair[0].progress < pair[1].progress);
    if !(are_numbers && increases) {
        return Err(unexpected_progress(reply, &progress)
            .expected("each progress notification with more progress than the one before")
            .requires(Requirement::PROGRESS_INCREASES));
    }
    if !times.contains(progress.len() as u64) {
        let expected = format!("progress to be reported {times}");
        return Err(unexpected_progress(reply, &progress).expected(expected));
    }
    Ok(())
}

fn check_total(subject: &impl Replied, total: f64) -> Result<(), Finding> {
    let (reply, progress) = progress(subject)?;
    if progress.last().is_some_and(|last| last.total == Some(total)) {
        return Ok(());
    }
    let expected = format!("a last progress notification with the total {total}");
    Err(unexpected_progress(reply, &progress).expected(expected))
}

fn check_complete(subject: &impl Replied) -> Result<(), Finding> {
    let (reply, progress) = progress(subject)?;
    if progress.last().is_some_and(|last| last.total.is_some() && last.progress == last.total) {
        return Ok(());
    }
    let expected = "a last progress notification that reaches its total";
    Err(unexpected_progress(reply, &progress).expected(expected))
}

fn check_log(
    subject: &impl Replied,
    logger: Option<&str>,
    level: &str,
    data: &dyn Matcher,
) -> Result<(), Finding> {
    let reply = last(subject)?;
    let logged: Vec<LogMessage> =
        notifications(subject).filter_map(ReceivedNotification::as_log).collect();
    let matches = |log: &LogMessage| {
        log.level == level
            && logger.is_none_or(|logger| log.logger.as_deref() == Some(logger))
            && data.check(&log.data).is_ok()
    };
    if logged.iter().any(matches) {
        return Ok(());
    }
    let from = logger.map(|logger| format!(" from `{logger}`")).unwrap_or_default();
    let finding = Finding::peer(format!("unexpected log messages of `{}`", reply.method()))
        .expected(format!(
            "a log message of level `{level}`{from} whose data is {}",
            data.describe()
        ))
        .got(describe(logged.iter(), "log message", describe_log))
        .evidence_all(reply.evidence())
        .evidence_all(logged.iter().take(SHOWN).map(|log| log.seq));
    let revision = reply.revision();
    Err(match revision.era() {
        _ if !logged.is_empty() => finding,
        Era::Stateless => finding.hint(format!(
            "at {revision} a server logs only for requests that ask for it: `.log_level(\"{level}\")`"
        )),
        Era::Handshake if reply.http().is_some() => finding.hint(format!(
            "over HTTP this is what came with the response; the server may log on the stream of a GET, \
             which `ctx.subscribe(…)` opens before the request and `ctx.wait_for_log({level:?})` reads"
        )),
        Era::Handshake => finding,
    })
}

fn check_notification(
    subject: &impl Replied,
    method: &str,
    params: &dyn Matcher,
) -> Result<(), Finding> {
    let reply = last(subject)?;
    let of_method = || notifications(subject).filter(|received| received.method() == method);
    let parameters = |received: &ReceivedNotification| {
        received.notification.params.clone().unwrap_or(Value::Null)
    };
    if of_method().any(|received| params.check(&parameters(received)).is_ok()) {
        return Ok(());
    }
    let headline = format!("no matching `{method}` came with `{}`", reply.method());
    let expected = format!("`{method}` whose parameters are {}", params.describe());
    let (got, seqs): (_, Vec<Seq>) = if of_method().next().is_some() {
        let shown = |received: &ReceivedNotification| words::got(Some(&parameters(received)));
        let got = describe(of_method(), "notification", shown);
        (got, of_method().map(|received| received.seq).collect())
    } else {
        let methods = notifications(subject).map(ReceivedNotification::method);
        let got = match methods.collect::<Vec<_>>() {
            methods if methods.is_empty() => "no notification".to_owned(),
            methods => names(methods),
        };
        (got, Vec::new())
    };
    Err(Finding::peer(headline)
        .expected(expected)
        .got(got)
        .evidence_all(reply.evidence())
        .evidence_all(seqs.into_iter().take(SHOWN)))
}

fn check_no_notification(subject: &impl Replied, method: &str) -> Result<(), Finding> {
    let reply = last(subject)?;
    let Some(unexpected) = notifications(subject).find(|received| received.method() == method)
    else {
        return Ok(());
    };
    Err(Finding::peer(format!("an unexpected `{method}` came with `{}`", reply.method()))
        .expected(format!("no `{method}`"))
        .got(words::got(Some(&unexpected.notification.params.clone().unwrap_or_default())))
        .evidence_all(reply.evidence())
        .evidence(unexpected.seq))
}

/// The number of things, and the first of them.
fn describe<'a, T: 'a>(
    things: impl Iterator<Item = &'a T>,
    noun: &str,
    describe: impl Fn(&T) -> String,
) -> String {
    let mut all: Vec<String> = things.map(describe).collect();
    if all.is_empty() {
        return format!("no {noun}s");
    }
    let count = words::count(all.len(), noun);
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    all.extend((more > 0).then(|| format!("{more} more")));
    format!("{count}: {}", words::list(all, "and"))
}

fn describe_progress(progress: &Progress) -> String {
    let number = |number: Option<f64>| number.map_or("no number".to_owned(), |it| it.to_string());
    let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
    format!("{}{total}", number(progress.progress))
}

fn describe_log(log: &LogMessage) -> String {
    let logger = log.logger.as_deref().map(|logger| format!(" from {}", quoted(logger)));
    format!("`{}`{} with {}", log.level, logger.unwrap_or_default(), words::got(Some(&log.data)))
}
