//! Responses in steps: delays, notifications, requests to the client, and an end at any point.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::Gate;
use crate::clock;
use crate::json::Value;
use crate::server::{Answer, Call, CallError};
use crate::spec::error_code;

/// Starts a response in steps.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::server::{given, method, steps};
/// use serde_json::json;
///
/// let asks = given(method("tools/call")).respond_with(
///     steps()
///         .notify("notifications/message", json!({"level": "info", "data": "one moment"}))
///         .ask("roots/list", json!({}))
///         .answer_with(|replies| json!({"content": [], "structuredContent": replies[0].to_serde()}).into()),
/// );
/// let breaks_off = given(method("tools/call")).respond_with(steps().progress(1, 2).close());
/// # drop((asks, breaks_off));
/// ```
pub fn steps() -> Steps {
    Steps(Vec::new())
}

/// The steps of a response so far.
#[derive(Debug, Clone)]
#[must_use = "steps need an end: `answer`, `answer_with`, `never`, `close`, `end_stream` or `exit`"]
pub struct Steps(Vec<Step>);

#[derive(Debug, Clone)]
enum Step {
    Delay(Duration),
    Until(Gate),
    Notify { method: String, params: Value },
    Progress { progress: u64, total: u64 },
    Ask { method: String, params: Value },
    EndConnection,
}

/// Makes the answer from the replies of the client.
type End = dyn Fn(&[Value]) -> Answer + Send + Sync;

/// A response in steps, with its end.
#[derive(Clone)]
#[must_use = "a response does nothing until a rule responds with it"]
pub struct SteppedResponse {
    steps: Arc<[Step]>,
    end: Arc<End>,
}

impl Steps {
    /// Waits for this time.
    pub fn delay(self, time: Duration) -> Self {
        self.step(Step::Delay(time))
    }

    /// Waits until the gate is open.
    pub fn until(self, gate: &Gate) -> Self {
        self.step(Step::Until(gate.clone()))
    }

    /// Sends a notification.
    pub fn notify(self, method: impl Into<String>, params: impl Into<Value>) -> Self {
        self.step(Step::Notify { method: method.into(), params: params.into() })
    }

    /// Reports progress, if the client sent a progress token.
    pub fn progress(self, progress: u64, total: u64) -> Self {
        self.step(Step::Progress { progress, total })
    }

    /// Sends a request to the client and waits for its reply; an error reply becomes the answer.
    ///
    /// In the stateless era the answer asks for input instead, and the steps continue when the request is sent again.
    pub fn ask(self, method: impl Into<String>, params: impl Into<Value>) -> Self {
        self.step(Step::Ask { method: method.into(), params: params.into() })
    }

    /// Closes the connection, if the client can reconnect for the rest: in a session over HTTP at 2025-11-25.
    pub fn end_connection(self) -> Self {
        self.step(Step::EndConnection)
    }

    /// Answers.
    pub fn answer(self, answer: impl Into<Answer>) -> SteppedResponse {
        let answer = answer.into();
        self.answer_with(move |_| answer.clone())
    }

    /// Answers with the result of a function, which gets the replies of the client to [`Self::ask`] in order.
    pub fn answer_with(
        self,
        answer: impl Fn(&[Value]) -> Answer + Send + Sync + 'static,
    ) -> SteppedResponse {
        SteppedResponse { steps: self.0.into(), end: Arc::new(answer) }
    }

    /// Never answers.
    pub fn never(self) -> SteppedResponse {
        self.answer(Answer::never())
    }

    /// Closes the connection instead of answering.
    pub fn close(self) -> SteppedResponse {
        self.answer(Answer::close())
    }

    /// Ends the event stream gracefully before the answer; on line transports it is the same as [`Self::never`].
    pub fn end_stream(self) -> SteppedResponse {
        self.answer(Answer::end_stream())
    }

    /// Exits the server instead of answering; over HTTP it is the same as [`Self::close`].
    pub fn exit(self) -> SteppedResponse {
        self.answer(Answer::exit())
    }

    fn step(mut self, step: Step) -> Self {
        self.0.push(step);
        self
    }
}

impl SteppedResponse {
    /// Runs the steps for a call.
    pub(super) async fn run(&self, call: &Call) -> Answer {
        // A state that does not fit these steps is ignored, because the client could have forged it.
        let (first, mut replies) = self.resumed(call).unwrap_or_default();
        for (number, step) in self.steps.iter().enumerate().skip(first) {
            match run_step(step, number, call, &replies).await {
                Ok(Some(reply)) => replies.push(reply),
                Ok(None) => {}
                Err(answer) => return *answer,
            }
        }
        (self.end)(&replies)
    }

    /// The step at which a request continues that was answered with a request for input, and the replies so far.
    fn resumed(&self, call: &Call) -> Option<(usize, Vec<Value>)> {
        let state = Value::parse(call.param("requestState")?.as_str()?.as_bytes()).ok()?.value;
        let step: usize = state.get("step")?.as_i64()?.try_into().ok()?;
        let mut replies = state.get("said")?.as_array()?.to_vec();
        let asks = |step: &Step| matches!(step, Step::Ask { .. });
        let before = self.steps.get(..step)?.iter().filter(|step| asks(step)).count();
        // Each earlier request must have its reply, and the step must be the one that asked.
        if replies.len() != before || !self.steps.get(step).is_some_and(asks) {
            return None;
        }
        replies.push(call.param("inputResponses")?.get(ASKED)?.clone());
        Some((step + 1, replies))
    }
}

/// The key of the only input request of a round.
const ASKED: &str = "asked";

/// Runs one step. Returns the reply of the client, if the step asked for one; the error is an answer that ends the steps.
async fn run_step(
    step: &Step,
    number: usize,
    call: &Call,
    replies: &[Value],
) -> Result<Option<Value>, Box<Answer>> {
    let failed = |error: CallError| {
        let answer = match error {
            CallError::Refused(error) => error.into(),
            // The client has disconnected, so nobody would read an answer.
            CallError::Gone => Answer::never(),
            CallError::NoServerRequests { .. } => {
                Answer::error(error_code::INTERNAL_ERROR, error.to_string())
            }
        };
        Box::new(answer)
    };
    match step {
        Step::Delay(time) => clock::quiet(*time).await,
        Step::Until(gate) => gate.opened().await,
        Step::Notify { method, params } => {
            call.notify(method, params.clone()).await.map_err(failed)?;
        }
        Step::Progress { progress, total } => {
            call.progress(*progress, *total).await.map_err(failed)?;
        }
        Step::Ask { method, params } if call.revision().has_server_requests() => {
            return call.request(method, params.clone()).await.map(Some).map_err(failed);
        }
        Step::Ask { method, params } => {
            // The server keeps nothing between the rounds: the replies so far travel in the state.
            let said: Vec<_> = replies.iter().map(Value::to_serde).collect();
            let state = json!({ "step": number, "said": said }).to_string();
            let request = json!({ "method": method, "params": params.to_serde() });
            let result = json!({
                "resultType": "input_required",
                "inputRequests": { ASKED: request },
                "requestState": state,
            });
            return Err(Box::new(result.into()));
        }
        Step::EndConnection => call.end_stream().await.map_err(failed)?,
    }
    Ok(None)
}

impl std::fmt::Debug for SteppedResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SteppedResponse").field("steps", &self.steps).finish_non_exhaustive()
    }
}
