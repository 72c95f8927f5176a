//! A request of one side and the other side's reply to it, found in the trace; whether it is answered or refused.

use mcp_test_core::expect::Mismatch;
use mcp_test_core::scenario::Subject;
use mcp_test_core::trace::ReceivedMessage;
use mcp_test_core::wire::Request;

use crate::scenarios::prelude::*;

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

/// The reply of the client to a request of the server, as the subject of a check.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClientReply<'a> {
    pub(super) method: &'a str,
    pub(super) exchange: &'a Exchange,
}

impl ClientReply<'_> {
    /// The result, if the reply has one.
    pub(super) fn result(&self) -> Option<&Value> {
        match &self.exchange.1 {
            Some((_, Message::Response(response))) => Some(&response.result),
            _ => None,
        }
    }

    /// The error, if the reply is one.
    pub(super) fn error(&self) -> Option<&RpcError> {
        match &self.exchange.1 {
            Some((_, Message::Error(reply))) => Some(&reply.error),
            _ => None,
        }
    }

    /// The request, and the reply if there is one.
    pub(super) fn evidence(&self) -> impl Iterator<Item = Seq> {
        let reply = self.exchange.1.as_ref().map(|(seq, _)| *seq);
        [self.exchange.0].into_iter().chain(reply)
    }
}

impl Subject for ClientReply<'_> {
    fn value(&self) -> Result<&Value, Finding> {
        self.result().ok_or_else(|| {
            Finding::peer(format!("the client did not answer `{}` with a result", self.method))
                .expected("a result")
                .got(self.error().map_or_else(|| "no reply".to_owned(), ToString::to_string))
                .evidence_all(self.evidence())
        })
    }

    fn finding(&self, mismatch: &Mismatch) -> Finding {
        let headline = format!("the result of `{}` is wrong", self.method);
        Finding::mismatch(headline, mismatch).evidence_all(self.evidence())
    }
}

/// A request of the client, with when it arrived, and the server's reply with its event.
#[derive(Debug)]
pub(super) struct AnsweredRequest {
    pub(super) request: ReceivedMessage,
    /// How long after the start of the trace it arrived.
    pub(super) at: Duration,
    pub(super) reply: Option<(Seq, Message)>,
}

/// Every request of the client, in the order of arrival.
pub(super) fn answered_requests(judging: &Judging) -> Vec<AnsweredRequest> {
    let trace = judging.trace();
    let messages = judging.messages();
    let mut times = trace.events.iter().map(|event| (event.seq, event.at));
    let requests = messages.into_iter().filter(|it| matches!(it.message, Message::Request(_)));
    let answered = requests.map(|request| {
        let reply = reply_to(&trace, &request).map(|(seq, reply)| (seq, reply.clone()));
        // Both are in the order of the trace.
        let at = times.find(|(seq, _)| *seq == request.seq).map(|(_, at)| at).unwrap_or_default();
        AnsweredRequest { request, at, reply }
    });
    answered.collect()
}

/// The first reply of the server to a request of the client, with its event.
pub(super) fn reply_to<'a>(
    trace: &'a Trace,
    request: &ReceivedMessage,
) -> Option<(Seq, &'a Message)> {
    let Message::Request(sent) = &request.message else { return None };
    let mut replies = trace.messages().filter(|(event, message)| {
        event.party == Party::Server && event.seq > request.seq && message.is_reply()
    });
    let (event, reply) = replies.find(|(_, reply)| reply.id() == Some(&sent.id))?;
    Some((event.seq, reply))
}
