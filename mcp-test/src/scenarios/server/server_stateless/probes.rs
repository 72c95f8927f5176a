//! Requests by hand, of which none ends the scenario as long as the server answers at all.

use serde_json::Value;

use crate::check::Finding;
use crate::scenario::Ctx;
use crate::scenarios::server::raw::{self, finding, in_words};
use crate::spec::header;
use crate::transport::{HttpAnswer, HttpRequest};
use crate::wire::{Id, Message, RpcError};

/// What was heard of a request: an answer, or why there is none.
pub(super) type Heard = Result<HttpAnswer, Finding>;

/// The requests whose errors are looked at for their id.
const WATCHED: [i64; 5] = [101, 102, 104, 301, 401];

/// What all answers of the scenario are looked at for.
#[derive(Default)]
pub(super) struct Probes {
    errors: usize,
    mistaken: Vec<Finding>,
    sessions: Vec<Finding>,
}

impl Probes {
    /// Posts a message with the headers that are right for it.
    pub(super) async fn post(&mut self, ctx: &mut Ctx, message: &Value) -> Result<Heard, Finding> {
        let request = raw::post(ctx.revision(), message);
        self.send(ctx, message, request).await
    }

    /// Posts a message in a request of one's own.
    ///
    /// # Errors
    ///
    /// If no answer comes in time: then none is to be expected to the next request, either.
    pub(super) async fn send(
        &mut self,
        ctx: &mut Ctx,
        message: &Value,
        request: HttpRequest,
    ) -> Result<Heard, Finding> {
        let heard = ctx.attempt_http(request).await?;
        if let Ok(answer) = &heard {
            self.note(message["id"].as_i64().unwrap_or_default(), answer);
        }
        Ok(heard)
    }

    /// Looks at what every answer has to have.
    pub(super) fn note(&mut self, id: i64, answer: &HttpAnswer) {
        if let Some(session) = answer.header(header::MCP_SESSION_ID) {
            let issued = finding("an answer brings a session id", answer);
            self.sessions.push(issued.expected("no session id").got(format!("{session:?}")));
        }
        for message in answer.messages() {
            let Message::Error(error) = message else { continue };
            self.errors += 1;
            if WATCHED.contains(&id) && error.id != Some(Id::from(id)) {
                let got = error.id.map_or("no id".to_owned(), |id| format!("id {id}"));
                let mistaken = finding("an error does not have the id of its request", answer);
                self.mistaken.push(mistaken.expected(format!("id {id}")).got(got));
            }
        }
    }

    /// Judges what was looked at.
    pub(super) fn judge(self, ctx: &mut Ctx, session_ignored: Result<(), Finding>) {
        let ids = "sep-2575-http-server-error-jsonrpc-id";
        if self.errors == 0 {
            ctx.check(ids).untestable(Finding::peer("the server has not answered with any error"));
        } else if self.mistaken.is_empty() {
            ctx.check(ids).pass();
        }
        for mistaken in self.mistaken {
            ctx.check(ids).fail(mistaken);
        }
        let mut ignored = ctx.check("stateless-session-ignored").judge(session_ignored);
        for issued in self.sessions {
            ignored = ignored.fail(issued);
        }
        drop(ignored);
    }
}

/// The error that was heard, if it was one.
pub(super) fn error(heard: &Heard) -> Option<RpcError> {
    raw::error(heard.as_ref().ok()?)
}

/// The result that was heard, if it was one.
pub(super) fn result(heard: &Heard, id: i64) -> Option<crate::json::Value> {
    raw::reply(heard.as_ref().ok()?, id)?.ok()
}

/// That a request is refused with this code, whatever the status.
pub(super) fn with_code(what: &str, heard: &Heard, code: i64) -> Result<(), Finding> {
    let expected = format!("an error with code {code}");
    match error(heard) {
        Some(error) if error.code == code => Ok(()),
        Some(_) => Err(said(format!("{what} is refused with another code"), heard, expected)),
        None => Err(said(format!("{what} is not refused"), heard, expected)),
    }
}

/// That an answer has this status.
pub(super) fn with_status(what: &str, heard: &Heard, status: u16) -> Result<(), Finding> {
    if heard.as_ref().is_ok_and(|answer| answer.status == status) {
        return Ok(());
    }
    Err(said(format!("{what} has another status"), heard, format!("HTTP {status}")))
}

/// A finding about what was heard.
pub(super) fn said(
    headline: impl Into<String>,
    heard: &Heard,
    expected: impl Into<String>,
) -> Finding {
    match heard {
        Ok(answer) => finding(headline, answer).expected(expected).got(in_words(answer)),
        Err(finding) => finding.clone(),
    }
}
