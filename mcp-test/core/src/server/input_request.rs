//! [`InputRequest`]: a request for input in a result, and the response to it.

use serde_json::json;

use super::{Answer, Call, invalid};
use crate::json::{Object, Value};
use crate::spec::Capability;

/// A request for input in a result, under a key of the server's choice.
///
/// Results ask for input at revisions with
/// [`Revision::has_input_requests`](crate::spec::Revision::has_input_requests).
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::server::{Answer, Call, InputRequest, Server};
/// use serde_json::json;
///
/// async fn greet(call: Call) -> Result<Answer, Answer> {
///     let form = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
///     let user = InputRequest::form("user", "Who is there?", form);
///     let responses = call.input_responses(&[user], None)?;
///     let name = responses.get("user").and_then(|user| InputRequest::accepted(user, "name")?.as_str());
///     let text = format!("Hello, {}!", name.unwrap_or("whoever you are"));
///     Ok(json!({"content": [{"type": "text", "text": text}]}).into())
/// }
///
/// let server = Server::new(json!({"name": "greeter", "version": "1.0.0"}))
///     .capabilities(json!({"tools": {}}))
///     .on("tools/call", |call: Call| async { greet(call).await.unwrap_or_else(|instead| instead) });
/// # drop(server);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    key: String,
    input: Input,
}

#[derive(Debug, Clone, PartialEq)]
enum Input {
    Form { message: String, schema: Value },
    Sampling(Value),
    Roots,
}

impl InputRequest {
    /// Asks the user to fill in a form with this schema.
    #[must_use]
    pub fn form(
        key: impl Into<String>,
        message: impl Into<String>,
        schema: impl Into<Value>,
    ) -> Self {
        let input = Input::Form { message: message.into(), schema: schema.into() };
        Self { key: key.into(), input }
    }

    /// Asks a model, with the parameters of `sampling/createMessage`.
    #[must_use]
    pub fn sampling(key: impl Into<String>, params: impl Into<Value>) -> Self {
        Self { key: key.into(), input: Input::Sampling(params.into()) }
    }

    /// Asks for the roots of the client.
    #[must_use]
    pub fn roots(key: impl Into<String>) -> Self {
        Self { key: key.into(), input: Input::Roots }
    }

    /// The capability of a client that can respond.
    #[must_use]
    pub fn capability(&self) -> Capability {
        match self.input {
            Input::Form { .. } => Capability::Elicitation,
            Input::Sampling(_) => Capability::Sampling,
            Input::Roots => Capability::Roots,
        }
    }

    /// The value of a field in the response to a form; `None` if the user has not accepted, or has left it out.
    #[must_use]
    pub fn accepted<'a>(response: &'a Value, field: &str) -> Option<&'a Value> {
        let is_accepted = response.get("action").and_then(Value::as_str) == Some("accept");
        response.get("content").filter(|_| is_accepted)?.get(field)
    }

    /// The key, and the request as a member of `inputRequests`.
    pub(super) fn member(&self) -> (&str, Value) {
        let request = match &self.input {
            Input::Form { message, schema } => {
                let params = json!({ "message": message, "requestedSchema": schema.to_serde() });
                json!({ "method": "elicitation/create", "params": params })
            }
            Input::Sampling(params) => {
                json!({ "method": "sampling/createMessage", "params": params.to_serde() })
            }
            Input::Roots => json!({ "method": "roots/list" }),
        };
        (&self.key, request.into())
    }

    /// Whether the response has the members that a server reads.
    fn accepts(&self, response: &Value) -> bool {
        let text = |name: &str| response.get(name).and_then(Value::as_str);
        match &self.input {
            Input::Form { schema, .. } => match text("action") {
                Some("accept") => has_required_fields(schema, response),
                action => matches!(action, Some("decline" | "cancel")),
            },
            Input::Sampling(_) => {
                let content = response.get("content");
                let has_content = content.is_some_and(|it| it.is_object() || it.is_array());
                has_content && text("role").is_some() && text("model").is_some()
            }
            Input::Roots => response.get("roots").is_some_and(Value::is_array),
        }
    }
}

/// Whether an accepted form has a value of the right type for each required field.
fn has_required_fields(schema: &Value, response: &Value) -> bool {
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    required.iter().filter_map(Value::as_str).all(|field| {
        let kind = schema.get("properties").and_then(|it| it.get(field)?.get("type")?.as_str());
        InputRequest::accepted(response, field).is_some_and(|value| match kind {
            Some("string") => value.is_string(),
            Some("boolean") => value.is_bool(),
            Some("number" | "integer") => value.as_f64().is_some(),
            Some("array") => value.is_array(),
            _ => true,
        })
    })
}

impl Call {
    /// The answer that asks for all of this input; -32021 if the client does not declare that it can provide it.
    ///
    /// `state` comes back with the responses. Clients can change it: see [`RequestStates`](super::RequestStates).
    #[must_use]
    pub fn input_required(&self, requests: &[InputRequest], state: Option<&str>) -> Answer {
        for request in requests {
            if let Err(instead) = self.require(request.capability()) {
                return instead;
            }
        }
        let requests: Object = requests.iter().map(InputRequest::member).collect();
        Answer::input_required(Value::Object(requests), state)
    }

    /// The responses of the client, by key, with a valid one to each request.
    ///
    /// # Errors
    ///
    /// The answer that the handler has to return instead: the requests, if a response is missing, or -32602, if one is malformed.
    pub fn input_responses(
        &self,
        requests: &[InputRequest],
        state: Option<&str>,
    ) -> Result<&Object, Answer> {
        let given = match self.param("inputResponses") {
            Some(Value::Object(given)) => given,
            Some(other) => {
                let why = format!("`inputResponses` must be an object, got {}", other.kind());
                return Err(invalid(why).into());
            }
            None => return Err(self.input_required(requests, state)),
        };
        for request in requests {
            // All are asked for again, since the server does not keep those that it has got.
            let Some(response) = given.get(&request.key) else {
                return Err(self.input_required(requests, state));
            };
            if !request.accepts(response) {
                let why = format!("`inputResponses` has no valid response under `{}`", request.key);
                return Err(invalid(why).into());
            }
        }
        Ok(given)
    }
}
