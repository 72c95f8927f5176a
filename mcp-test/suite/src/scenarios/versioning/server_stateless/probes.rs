//! Raw requests that do not end the scenario as long as the server answers at all.

use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{self, describe, finding, request};

/// The response to a request, or why there is none.
pub(super) type Attempt = Result<HttpResponse, Finding>;

/// The requests whose errors must have the right id: those that the official check watches.
const WATCHED: [i64; 5] = [101, 102, 104, 301, 401];

/// Sends the requests of the scenario, and looks for mistakes in all responses.
#[derive(Default)]
pub(super) struct Probes {
    errors: usize,
    wrong_ids: Vec<Finding>,
    session_ids: Vec<Finding>,
}

impl Probes {
    /// Posts a message with the required headers.
    pub(super) async fn post(
        &mut self,
        ctx: &mut Ctx,
        message: &Value,
    ) -> Result<Attempt, Finding> {
        let request = raw_http::post(ctx.revision(), message);
        self.send(ctx, message, request).await
    }

    /// Posts a message in the given request.
    ///
    /// # Errors
    ///
    /// If no response arrives in time, because then none is to be expected to the next request, either.
    pub(super) async fn send(
        &mut self,
        ctx: &mut Ctx,
        message: &Value,
        request: HttpRequest,
    ) -> Result<Attempt, Finding> {
        let attempt = ctx.attempt_http(request).await?;
        if let Ok(answer) = &attempt {
            self.inspect(message["id"].as_i64().unwrap_or_default(), answer);
        }
        Ok(attempt)
    }

    /// Looks for mistakes in a response to the request with this id.
    pub(super) fn inspect(&mut self, id: i64, answer: &HttpResponse) {
        if let Some(session) = answer.header(header::MCP_SESSION_ID) {
            let issued = finding("a response has a session id", answer);
            self.session_ids.push(issued.expected("no session id").got(format!("{session:?}")));
        }
        for message in answer.messages() {
            let Message::Error(error) = message else { continue };
            self.errors += 1;
            if WATCHED.contains(&id) && error.id != Some(Id::from(id)) {
                let got = error.id.map_or("no id".to_owned(), |id| format!("id {id}"));
                let wrong_id = finding("an error does not have the id of its request", answer);
                self.wrong_ids.push(wrong_id.expected(format!("id {id}")).got(got));
            }
        }
    }

    /// Reports the mistakes in all responses.
    pub(super) fn judge(self, ctx: &mut Ctx, session_ignored: Result<(), Finding>) {
        // Official reports have one FAILURE for each wrong id, and no SUCCESS beside them.
        let ids = "sep-2575-http-server-error-jsonrpc-id";
        if self.errors == 0 {
            // Several probes above must be refused, so a server without any error cannot be a conforming one.
            ctx.check(ids)
                .untestable(Finding::peer("the server answered no request with an error"));
        } else if self.wrong_ids.is_empty() {
            ctx.check(ids).pass();
        }
        for wrong_id in self.wrong_ids {
            ctx.check(ids).fail(wrong_id);
        }
        let mut ignored = ctx.check("stateless-session-ignored").judge(session_ignored);
        for issued in self.session_ids {
            ignored = ignored.fail(issued);
        }
        drop(ignored);
    }
}

/// A valid `server/discover`.
pub(super) fn discover(ctx: &Ctx, id: i64) -> Value {
    request(ctx.revision(), id, "server/discover", json!({}))
}

/// The error in the response, if there is one.
pub(super) fn error(attempt: &Attempt) -> Option<RpcError> {
    raw_http::error(attempt.as_ref().ok()?)
}

/// The result in the response, if there is one.
pub(super) fn result(attempt: &Attempt, id: i64) -> Option<mcp_test_core::json::Value> {
    raw_http::reply(attempt.as_ref().ok()?, id)?.ok()
}

/// Whether a request is refused with this code, whatever the status.
pub(super) fn with_code(what: &str, attempt: &Attempt, code: i64) -> Result<(), Finding> {
    let expected = format!("an error with code {code}");
    match error(attempt) {
        Some(error) if error.code == code => Ok(()),
        Some(_) => {
            Err(attempt_finding(format!("{what} is refused with another code"), attempt, expected))
        }
        None => Err(attempt_finding(format!("{what} is not refused"), attempt, expected)),
    }
}

/// Whether a response has this status.
pub(super) fn with_status(what: &str, attempt: &Attempt, status: u16) -> Result<(), Finding> {
    ensure(attempt.as_ref().is_ok_and(|answer| answer.status == status), || {
        attempt_finding(format!("{what} has another status"), attempt, format!("HTTP {status}"))
    })
}

/// A finding about a response, or why there is none.
pub(super) fn attempt_finding(
    headline: impl Into<String>,
    attempt: &Attempt,
    expected: impl Into<String>,
) -> Finding {
    match attempt {
        Ok(answer) => finding(headline, answer).expected(expected).got(describe(answer)),
        Err(finding) => finding.clone(),
    }
}
