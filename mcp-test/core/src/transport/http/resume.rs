//! Resumes an event stream that broke off, or that the server closed for polling, with GET and `Last-Event-ID`.
//!
//! The messages of a continuation belong to the exchange that it continues. Resumption ends at the deadline of the
//! message, and after several continuations without a new event.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery>

use bytes::Bytes;

use super::body;
use super::request_sender::RequestSender;
use super::stream_progress::StreamProgress;
use crate::clock;
use crate::spec::Revision;

/// How many continuations in a row may deliver nothing.
const MAX_EMPTY: u32 = 3;
/// How many continuations a stream may have: a server that sends one event each time must not keep a test going.
const MAX_CONTINUATIONS: u32 = 100;

/// Resumes a stream until its replies have arrived; returns, as the end of a sentence, how that went if it was necessary.
pub(super) async fn to_the_end(
    sender: &RequestSender,
    exchange: u64,
    stream: &mut StreamProgress,
) -> Option<String> {
    // The reply to `initialize`, before which the revision is not known, may come on a stream too.
    let resumable = sender.shared().revision.is_none_or(Revision::has_resumability);
    let (mut count, mut empty) = (0, 0);
    let mut failure = None;
    while resumable && stream.needs_resumption() && count < MAX_CONTINUATIONS && empty < MAX_EMPTY {
        let pause = stream.pause();
        if stream.deadline.remaining().is_some_and(|remaining| remaining <= pause) {
            let pause = clock::format_duration(pause);
            return Some(format!(
                "to be resumed only after {pause}, which is after the deadline of the reply"
            ));
        }
        // A client must respect the retry time.
        clock::quiet(pause).await;
        count += 1;
        stream.progressed = false;
        match continue_once(sender, exchange, stream).await {
            ContinuationEnd::Streamed => {}
            // A refusal is final; a server without resumption answers with status 405.
            ContinuationEnd::Refused { how } => return Some(format!("whose continuation {how}")),
            // The server may be restarting, so this counts as an empty continuation and not as the end.
            ContinuationEnd::NoResponse { how } => {
                failure = Some(format!("whose continuation {how}"));
            }
        }
        if stream.progressed {
            (empty, failure) = (0, None);
        } else {
            empty += 1;
        }
    }
    failure.or_else(|| {
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let suffix = if empty < MAX_EMPTY { "" } else { ", without anything new" };
        (count > 0).then(|| format!("resumed {times} after event id {:?}{suffix}", stream.last_id))
    })
}

/// How one continuation of a stream ended.
enum ContinuationEnd {
    /// It was a stream, which was read to its end.
    Streamed,
    /// The response was not a stream.
    Refused { how: String },
    /// There was no response.
    NoResponse { how: String },
}

/// Requests what follows the last event of a stream, and reads it as part of `exchange`.
async fn continue_once(
    sender: &RequestSender,
    exchange: u64,
    stream: &mut StreamProgress,
) -> ContinuationEnd {
    let headers = sender.get_headers(Some(&stream.last_id));
    let request = sender.request("GET", headers, Bytes::new());
    let observer = &sender.observer;
    match request.reply.await {
        Ok(reply) => {
            let response = body::record_head(observer, request.exchange, reply, sender.limits);
            let is_stream = response.is_stream();
            // Read in either case, so that the body of a refusal is in the trace.
            let how = response.read(exchange, stream).await.how;
            if is_stream { ContinuationEnd::Streamed } else { ContinuationEnd::Refused { how } }
        }
        Err(why) => {
            let how = why.how();
            body::closed(observer, request.exchange, &how);
            ContinuationEnd::NoResponse { how }
        }
    }
}
