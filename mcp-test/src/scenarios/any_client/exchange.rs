//! A request of the server and the client's reply to it, found in the trace; whether it is answered or refused.

use crate::check::Finding;
use crate::json::Value;
use crate::scenario::Judging;
use crate::spec::error_code;
use crate::trace::{Party, Seq};
use crate::wire::{Message, Request};

/// The event of a request of the server, and the client's reply with its event.
pub(super) type Exchange = (Seq, Option<(Seq, Message)>);

/// Every request of the server that `is_wanted` accepts, with the reply of the client, in the order of the requests.
pub(super) fn exchanges(judging: &Judging, is_wanted: impl Fn(&Request) -> bool) -> Vec<Exchange> {
    let trace = judging.trace();
    let received = judging.messages();
    let requests = trace.messages().filter(|(event, _)| event.party == Party::Server);
    let exchanges = requests.filter_map(|(event, message)| {
        let Message::Request(request) = message else { return None };
        if !is_wanted(request) {
            return None;
        }
        let mut replies = received.iter().filter(|received| received.seq > event.seq);
        let reply = replies.find(|received| {
            received.message.is_reply() && received.message.id() == Some(&request.id)
        });
        Some((event.seq, reply.map(|received| (received.seq, received.message.clone()))))
    });
    exchanges.collect()
}

/// The first request of the server with this method, and the reply of the client.
pub(super) fn exchanged(judging: &Judging, method: &str) -> Option<Exchange> {
    exchanges(judging, |request| request.method == method).into_iter().next()
}

/// The first request of the server that `is_wanted` accepts, with the reply of the client.
pub(super) fn first(judging: &Judging, is_wanted: impl Fn(&Request) -> bool) -> Option<Exchange> {
    exchanges(judging, is_wanted).into_iter().next()
}

/// One parameter of a request.
pub(super) fn param<'a>(request: &'a Request, name: &str) -> Option<&'a Value> {
    request.params.as_ref()?.get(name)
}

/// The result that the client answered with.
pub(super) fn result((_, reply): &Exchange) -> Option<(Seq, &Value)> {
    match reply {
        Some((seq, Message::Response(response))) => Some((*seq, &response.result)),
        _ => None,
    }
}

/// What the client replied, for people.
pub(super) fn reply_in_words(exchange: Option<&Exchange>) -> String {
    match exchange {
        Some((_, Some((_, reply)))) => reply.to_value().short(120),
        _ => "no reply before the client exited".to_owned(),
    }
}

/// Whether an error is an answer to what the client declares.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Refusal {
    /// Any but the error that says that the method does not exist.
    Allowed,
    /// None is.
    Forbidden,
}

/// Judges the reply to what the client declares.
pub(super) fn answered(
    method: &str,
    (asked, reply): &Exchange,
    refusal: Refusal,
) -> Result<(), Finding> {
    let finding = |headline: String| {
        Finding::peer(headline).expected("a reply, since the client declares it").evidence(*asked)
    };
    match reply {
        None => Err(finding(format!("the client did not answer `{method}`"))
            .got("no reply before the client exited")),
        Some((seq, Message::Error(reply)))
            if refusal == Refusal::Forbidden
                || reply.error.code == error_code::METHOD_NOT_FOUND =>
        {
            Err(finding(format!("the client refused `{method}`"))
                .got(format!("error {}", reply.error.code))
                .evidence(*seq))
        }
        Some(_) => Ok(()),
    }
}

/// Judges the reply to what the client does not declare; `code` is the error that the specification names.
pub(super) fn refused(
    method: &str,
    (asked, reply): &Exchange,
    code: Option<i64>,
) -> Result<(), Finding> {
    let expected = code.map_or_else(|| "an error".to_owned(), |code| format!("error {code}"));
    let finding =
        |headline: String| Finding::peer(headline).expected(expected.clone()).evidence(*asked);
    match reply {
        None => Err(finding(format!("the client did not answer `{method}`"))
            .got("no reply before the client exited")),
        Some((_, Message::Error(reply))) if code.is_none_or(|code| reply.error.code == code) => {
            Ok(())
        }
        Some((seq, Message::Error(reply))) => {
            Err(finding(format!("the client refused `{method}` with another error"))
                .got(format!("error {}", reply.error.code))
                .evidence(*seq))
        }
        Some((seq, reply)) => {
            Err(finding(format!("the client answered `{method}`, which it does not declare"))
                .got(reply.to_value().short(120))
                .evidence(*seq))
        }
    }
}
