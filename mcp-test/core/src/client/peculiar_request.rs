//! What is special about a request that got no reply. A server that answers `tools/call` may hang when its params are an array, which is
//! another problem than one that never answers it.

use super::Client;
use crate::check::{Cause, Fate, Finding};
use crate::json::Value;
use crate::spec;
use crate::trace::{Event, EventKind, Party, Trace};
use crate::transport::Sent;
use crate::wire::{Frame, Id, Message, Request};

/// Numbers beyond this one are not exact in many languages.
const LARGEST_EXACT: u64 = 1 << 53;

impl Client {
    /// Adds to a finding about a request without a reply what was special about the request.
    pub(super) fn with_peculiarity(&self, mut finding: Finding, sent: Sent) -> Finding {
        let Some(Cause::Request { method, subject, fate }) = finding.cause.as_deref_mut() else {
            return finding;
        };
        if *fate == Fate::Refused {
            return finding;
        }
        // What no revision defines is one thing, by whatever name it is asked for.
        let quoted = format!("`{method}`");
        if spec::method(method).is_none() {
            "an unknown method".clone_into(method);
        }
        let trace = self.connection.recorder().trace();
        if let Some(peculiarity) = trace.event(sent.seq).and_then(|it| peculiarity(it, &trace)) {
            finding.headline =
                finding.headline.replacen(&quoted, &format!("{quoted} {peculiarity}"), 1);
            subject.get_or_insert(peculiarity);
        }
        finding
    }
}

/// What is special about a request, such as ``with an array as `params` ``; `None` for an ordinary one.
fn peculiarity(event: &Event, trace: &Trace) -> Option<String> {
    let EventKind::Message { parsed, .. } = &event.kind else {
        return Some("as a text that is not JSON".to_owned());
    };
    match parsed.frame()? {
        Ok(Frame::One(Message::Request(request))) => {
            peculiarity_of_request(request).or_else(|| follows(event, trace))
        }
        Ok(Frame::One(_)) => None,
        Ok(Frame::Batch(_)) => Some("in a batch".to_owned()),
        Err(malformed) => {
            let place = match malformed.pointer.as_str() {
                "" => "the message".to_owned(),
                place => format!("`{place}`"),
            };
            Some(format!("in an invalid message, in which {place} is not {}", malformed.expected))
        }
    }
}

fn peculiarity_of_request(request: &Request) -> Option<String> {
    let is_usual = |params: &&Value| params.as_object().is_some();
    if let Some(params) = request.params.as_ref().filter(|params| !is_usual(params)) {
        return Some(format!("with {} as `params`", params.kind()));
    }
    match &request.id {
        Id::Number(number) if number.as_u64().is_some_and(|it| it <= LARGEST_EXACT) => None,
        Id::String(text) if !text.is_empty() => Some("with a string as its id".to_owned()),
        id => Some(format!("with the id {id}")),
    }
}

/// That the message before it on the connection was not valid.
fn follows(event: &Event, trace: &Trace) -> Option<String> {
    let is_sent = |other: &&Event| {
        other.connection == event.connection
            && other.party == Party::Client
            && other.seq < event.seq
            && matches!(other.kind, EventKind::Message { .. } | EventKind::Unparsable { .. })
    };
    let before = trace.events.iter().rev().find(is_sent)?;
    let is_valid = matches!(&before.kind, EventKind::Message { parsed, .. } if matches!(parsed.frame(), Some(Ok(_))));
    (!is_valid).then(|| "after an invalid message".to_owned())
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, BufReader};

    use crate::client::{Client, Options};
    use crate::clock::virtual_time;
    use crate::trace::Recorder;
    use crate::transport::{Limits, Target, TransportKind};

    /// The headline and the cause of the finding about a request that is not answered.
    fn unanswered(before: Option<&'static str>, method: &'static str, rest: &str) -> String {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}",{rest}}}"#);
        virtual_time::block_on(async move {
            let silent = Target::duplex(|io| async move {
                let mut lines = BufReader::new(io).lines();
                while lines.next_line().await?.is_some() {}
                Ok(())
            });
            let recorder = Recorder::new();
            let opened = silent.open(TransportKind::Duplex, &recorder, Limits::default()).await;
            let mut client = Client::uninitialized(opened.unwrap(), Options::default());
            if let Some(before) = before {
                client.send_raw(before).await;
            }
            let pending = client.start_raw(1, method, text).await;
            let finding = client.wait(pending).await.map(drop).unwrap_err();
            format!("{}; {}", finding.headline, finding.cause.unwrap())
        })
    }

    #[test]
    fn what_was_special_about_a_request_is_part_of_the_problem() {
        let call = "tools/call";
        insta::assert_snapshot!(unanswered(None, call, r#""id":1,"params":{}"#), @"`tools/call` was not answered; tools/call unanswered");
        insta::assert_snapshot!(unanswered(None, call, r#""id":1,"params":[]"#), @"`tools/call` with an array as `params` was not answered; tools/call with an array as `params` unanswered");
        insta::assert_snapshot!(unanswered(None, call, r#""id":9007199254740993"#), @"`tools/call` with the id 9007199254740993 was not answered; tools/call with the id 9007199254740993 unanswered");
        insta::assert_snapshot!(unanswered(None, call, r#""id":"a""#), @"`tools/call` with a string as its id was not answered; tools/call with a string as its id unanswered");
        insta::assert_snapshot!(unanswered(Some("{"), call, r#""id":1"#), @"`tools/call` after an invalid message was not answered; tools/call after an invalid message unanswered");
    }

    #[test]
    fn unknown_methods_are_one_problem() {
        let problem = |method| {
            let text = unanswered(None, method, r#""id":1"#);
            text.split_once("; ").map(|(_, cause)| cause.to_owned())
        };
        assert_eq!(problem("TOOLS/LIST").as_deref(), Some("an unknown method unanswered"));
        assert_eq!(problem("TOOLS/LIST"), problem("no/such"));
    }
}
