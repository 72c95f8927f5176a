//! A response in steps: delays, notifications, requests to the client, and an end at any point.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use super::Gate;
use crate::{
    clock,
    json::Value,
    server::{Answer, Call, CallError},
    spec::error_code,
};

/// Begins a response in steps.
///
/// ```
/// use mcp_test::server::{given, method, steps};
/// use serde_json::json;
///
/// let asks = given(method("tools/call")).respond_with(
///     steps()
///         .notify("notifications/message", json!({"level": "info", "data": "one moment"}))
///         .ask("roots/list", json!({}))
///         .answer_with(|said| json!({"content": [], "structuredContent": said[0].to_serde()}).into()),
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

/// What is answered, given what the client said.
type End = dyn Fn(&[Value]) -> Answer + Send + Sync;

/// A response in steps, with its end.
#[derive(Clone)]
#[must_use = "a course of steps does nothing by itself: respond with it"]
pub struct Course {
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

    /// Tells how far it is, if the client wants to know.
    pub fn progress(self, progress: u64, total: u64) -> Self {
        self.step(Step::Progress { progress, total })
    }

    /// Asks the client something, and waits for what it says; if it says no, that is the error which is answered.
    ///
    /// In the stateless era the request is answered with what is asked, and goes on when it is sent again.
    pub fn ask(self, method: impl Into<String>, params: impl Into<Value>) -> Self {
        self.step(Step::Ask { method: method.into(), params: params.into() })
    }

    /// Ends the connection, where the client then comes back for the rest: a session over HTTP, at 2025-11-25.
    pub fn end_connection(self) -> Self {
        self.step(Step::EndConnection)
    }

    /// Answers.
    pub fn answer(self, answer: impl Into<Answer>) -> Course {
        let answer = answer.into();
        self.answer_with(move |_| answer.clone())
    }

    /// Answers with what a function makes of what the client said to [`Self::ask`], in order.
    pub fn answer_with(
        self,
        answer: impl Fn(&[Value]) -> Answer + Send + Sync + 'static,
    ) -> Course {
        Course { steps: self.0.into(), end: Arc::new(answer) }
    }

    /// Never answers.
    pub fn never(self) -> Course {
        self.answer(Answer::never())
    }

    /// Closes the connection instead of answering.
    pub fn close(self) -> Course {
        self.answer(Answer::close())
    }

    /// Ends the event stream in good order, without an answer; over lines it is the same as [`Self::never`].
    pub fn end_stream(self) -> Course {
        self.answer(Answer::end_stream())
    }

    /// Ends the whole server instead of answering; over HTTP it is the same as [`Self::close`].
    pub fn exit(self) -> Course {
        self.answer(Answer::exit())
    }

    fn step(mut self, step: Step) -> Self {
        self.0.push(step);
        self
    }
}

impl Course {
    /// Takes the steps of a call.
    pub(super) async fn play(&self, call: &Call) -> Answer {
        let (first, mut said) = self.resumed(call);
        for (number, step) in self.steps.iter().enumerate().skip(first) {
            match take(step, number, call, &said).await {
                Ok(Some(answer)) => said.push(answer),
                Ok(None) => {}
                Err(answer) => return *answer,
            }
        }
        (self.end)(&said)
    }

    /// Where a request goes on that was answered with a question, and what was said so far.
    ///
    /// A state that is not of this course is none: the client could have written it.
    fn resumed(&self, call: &Call) -> (usize, Vec<Value>) {
        self.state(call).unwrap_or_default()
    }

    fn state(&self, call: &Call) -> Option<(usize, Vec<Value>)> {
        let state = Value::parse(call.param("requestState")?.as_str()?.as_bytes()).ok()?.value;
        let step: usize = state.get("step")?.as_i64()?.try_into().ok()?;
        let mut said = state.get("said")?.as_array()?.to_vec();
        let asks = |step: &Step| matches!(step, Step::Ask { .. });
        let before = self.steps.get(..step)?.iter().filter(|step| asks(step)).count();
        if said.len() != before || !self.steps.get(step).is_some_and(asks) {
            return None;
        }
        said.push(call.param("inputResponses")?.get(ASKED)?.clone());
        Some((step + 1, said))
    }
}

/// The name of the one question of a round.
const ASKED: &str = "asked";

/// Takes one step: what the client said, if it was asked; or what is answered at once.
async fn take(
    step: &Step,
    number: usize,
    call: &Call,
    said: &[Value],
) -> Result<Option<Value>, Box<Answer>> {
    let failed = |error: CallError| {
        let answer = match error {
            CallError::Refused(error) => error.into(),
            // Nobody is left to read it.
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
            let said: Vec<_> = said.iter().map(Value::to_serde).collect();
            let state = json!({ "step": number, "said": said }).to_string();
            let question = json!({ "method": method, "params": params.to_serde() });
            let result = json!({
                "resultType": "input_required",
                "inputRequests": { ASKED: question },
                "requestState": state,
            });
            return Err(Box::new(result.into()));
        }
        Step::EndConnection => call.end_stream().await.map_err(failed)?,
    }
    Ok(None)
}

impl std::fmt::Debug for Course {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Course").field("steps", &self.steps).finish_non_exhaustive()
    }
}
