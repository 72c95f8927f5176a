//! Chooses the definition that applies to a message, and validates the message against it.
//!
//! For a request or notification it is that of its method, or the generic one for an unknown method; by the text, the
//! method also decides whether there is an id. For a result it is that of the method of its request, and for an error that
//! of its code. Two results have definitions of their own: one with the `resultType` `input_required`, and a task that is
//! created in place of the result.

use std::borrow::Cow;

use super::definition_set::{DefinitionSetRef, ErrorDefinition};
use super::model::Index;
use super::violation::got;
use super::{Authority, Definition, Schemas, Violation};
use crate::expect::words;
use crate::json::{Pointer, Value};
use crate::spec::{MethodKind, Revision};
use crate::wire::{Id, Message};

/// The result of a request that is executed as a task: 2025-11-25.
const TASK: &str = "CreateTaskResult";

/// The result by which a server requests input: 2026-07-28.
const INPUT: &str = "InputRequiredResult";

/// The response with an error, which 2025-11-25 renamed.
const ERROR_RESPONSES: [&str; 2] = ["JSONRPCErrorResponse", "JSONRPCError"];

impl Schemas {
    /// The definition that applies to the message, or to the result or error in it.
    ///
    /// `answers` is the method of the request, if the message is a reply and its request is known. Returns `None` for a
    /// result of an unknown request.
    pub fn definition_for(
        &self,
        message: &Message,
        answers: Option<&str>,
        revision: Revision,
        authority: Authority,
    ) -> Option<Definition> {
        let validator = self.validator(revision, authority);
        let index = match message {
            Message::Request(request) => validator.call_index(&request.method, MethodKind::Request),
            Message::Notification(notification) => {
                validator.call_index(&notification.method, MethodKind::Notification)
            }
            Message::Response(response) => validator.result_index(&response.result, answers),
            Message::Error(reply) => validator.error_index(reply.error.code),
        };
        index.map(|index| validator.definition(index))
    }

    /// Validates a message at `revision`: returns at most six violations, the most relevant first.
    ///
    /// Where the text is the authority, a known request without an id and a known notification with one are violations. The
    /// definitions alone do not say so: until 2025-06-18 those of single methods have no `id`, and no revision excludes one.
    /// An unknown method may be either. Once an official schema is loaded for the revision, that schema alone decides.
    ///
    /// `answers` is the method of the request, if the message is a reply and its request is known.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::spec::Revision;
    /// use mcp_test::spec::schema::{Authority, Schemas};
    /// use mcp_test::wire::Response;
    ///
    /// let reply = Response::new(1, serde_json::json!({"tools": "none"})).into();
    /// let revision = Revision::V2025_11_25;
    /// let found = Schemas::ours().validate(&reply, Some("tools/list"), revision, Authority::Text);
    /// assert_eq!(
    ///     found[0].to_string(),
    ///     "expected `/result/tools` is an array of Tools, got \"none\", which is a string",
    /// );
    /// ```
    pub fn validate(
        &self,
        message: &Message,
        answers: Option<&str>,
        revision: Revision,
        authority: Authority,
    ) -> Vec<Violation> {
        let validator = self.validator(revision, authority);
        let mut found = match message {
            Message::Request(request) => {
                let (method, params) = (&request.method, request.params.as_ref());
                validator.call_violations(message, method, MethodKind::Request, params)
            }
            Message::Notification(notification) => validator.call_violations(
                message,
                &notification.method,
                MethodKind::Notification,
                notification.params.as_ref(),
            ),
            Message::Response(response) => validator.result_violations(&response.result, answers),
            // The code of an error decides whether its definition is for the response or for the object in it.
            Message::Error(_) => {
                return self.validate_value(&message.to_value(), answers, revision, authority);
            }
        };
        // Validating the params or the result alone has left out the id.
        if let Some(id) = message.id() {
            found.extend(validator.id_violations(id));
        }
        first_of_each_place(found)
    }

    /// Like [`validate`](Self::validate), for any JSON value: an object, or at revisions with batches an array.
    ///
    /// A value that is not a message violates the definition of a message.
    pub fn validate_value(
        &self,
        message: &Value,
        answers: Option<&str>,
        revision: Revision,
        authority: Authority,
    ) -> Vec<Violation> {
        let validator = self.validator(revision, authority);
        // At other revisions an array is not a message, and validated as such.
        if let Value::Array(items) = message
            && revision.has_batches()
        {
            let items = items.iter().enumerate().flat_map(|(index, item)| {
                let found = validator.value_violations(item, answers);
                found.into_iter().map(move |it| it.within(Pointer::root().index(index)))
            });
            return items.take(super::explain::MAX_VIOLATIONS).collect();
        }
        first_of_each_place(validator.value_violations(message, answers))
    }

    fn validator(&self, revision: Revision, authority: Authority) -> MessageValidator {
        let by_text = authority == Authority::Text && !self.is_loaded(revision);
        MessageValidator { set: self.set(revision, authority), by_text }
    }
}

struct MessageValidator {
    set: DefinitionSetRef,
    /// The text is the authority, and not an official schema.
    by_text: bool,
}

impl MessageValidator {
    fn definition(&self, index: Index) -> Definition {
        Definition::new(self.set.clone(), index)
    }

    /// The first of these definitions that the revision has; some were renamed.
    fn named(&self, names: &[&str]) -> Option<Index> {
        names.iter().find_map(|name| self.set.find(name))
    }

    /// The definition for a request or notification.
    fn call_index(&self, method: &str, kind: MethodKind) -> Option<Index> {
        let generic = match kind {
            MethodKind::Request => "JSONRPCRequest",
            MethodKind::Notification => "JSONRPCNotification",
        };
        self.set.method_index(method).or_else(|| self.set.find(generic))
    }

    /// The definition for a result.
    fn result_index(&self, result: &Value, answers: Option<&str>) -> Option<Index> {
        let result_type = result.get("resultType").and_then(Value::as_str);
        // First, because it does not depend on the request, which may be unknown.
        if result_type == Some("input_required")
            && let Some(input) = self.set.find(INPUT)
        {
            return Some(input);
        }
        let usual = self.set.info(self.set.method_index(answers?)?).result?;
        // A result with one of its usual members is not a task, even if it has a member `task` of its own.
        if result.get("task").is_some()
            && let Some(task) = self.set.find(TASK)
            && !self.set.info(usual).required.iter().any(|name| result.get(name).is_some())
        {
            return Some(task);
        }
        // The results of the tasks extension have no definition in any schema.
        let is_task = result_type == Some("task") && self.set.find("ResultType").is_some();
        (!is_task).then_some(usual)
    }

    /// The definition for an error with this code.
    fn error_index(&self, code: i64) -> Option<Index> {
        self.set.code_index(code).or_else(|| self.named(&ERROR_RESPONSES))
    }

    /// The violations of a parsed request or notification, in which only the params and the id can be wrong.
    fn call_violations(
        &self,
        message: &Message,
        method: &str,
        kind: MethodKind,
        params: Option<&Value>,
    ) -> Vec<Violation> {
        let Some(definition) = self.call_index(method, kind).map(|index| self.definition(index))
        else {
            return Vec::new();
        };
        // Validating only the params avoids converting the whole message back to a value.
        if let (Some(of_params), Some(params)) = (definition.params(), params)
            // A message of the wrong kind is validated as a whole, so that its `id` is looked at.
            && definition.kind().is_none_or(|named| named == kind)
        {
            return within("params", of_params.violations(params));
        }
        let mut found = definition.violations(&message.to_value());
        found.extend(self.id_violation(&definition, kind, message.id().map(Id::to_value).as_ref()));
        found
    }

    /// The violation of a request without an id or of a notification with one, which only the text forbids.
    fn id_violation(
        &self,
        definition: &Definition,
        kind: MethodKind,
        id: Option<&Value>,
    ) -> Option<Violation> {
        let expected_kind = definition.kind().filter(|of| self.by_text && *of != kind)?;
        let (expected, keyword, envelope) = match expected_kind {
            MethodKind::Request => ("a string or an integer", "required", "JSONRPCRequest"),
            MethodKind::Notification => ("absent in a notification", "not", "JSONRPCNotification"),
        };
        let envelope = self.set.find(envelope).map(|index| self.definition(index))?;
        Some(Violation {
            pointer: Pointer::root().member("id"),
            expected: expected.to_owned(),
            got: words::got(id),
            shape: Cow::Owned(envelope.name().to_owned()),
            keyword: Cow::Borrowed(keyword),
            causes: Vec::new(),
            link: envelope.link(),
        })
    }

    fn result_violations(&self, result: &Value, answers: Option<&str>) -> Vec<Violation> {
        // Every result is at least an object, also that of an unknown request.
        let index = self.result_index(result, answers).or_else(|| self.set.find("Result"));
        let found = index.map(|index| self.definition(index).violations(result));
        within("result", found.unwrap_or_default())
    }

    fn id_violations(&self, id: &Id) -> Vec<Violation> {
        let found = self.set.of_id.map(|index| self.definition(index).violations(&id.to_value()));
        within("id", found.unwrap_or_default())
    }

    /// The violations of a value that should be a message.
    fn value_violations(&self, message: &Value, answers: Option<&str>) -> Vec<Violation> {
        // The most specific definition first: `first_of_each_place` keeps the first violation of each location.
        let mut found = Vec::new();
        let envelope: &[&str] = if let Some(method) = message.get("method").and_then(Value::as_str)
        {
            let (kind, envelope) = match message.get("id") {
                Some(_) => (MethodKind::Request, &["JSONRPCRequest"]),
                None => (MethodKind::Notification, &["JSONRPCNotification"]),
            };
            let of_method = self.call_index(method, kind).map(|index| self.definition(index));
            found.extend(of_method.iter().flat_map(|of_method| of_method.violations(message)));
            found.extend(of_method.and_then(|it| self.id_violation(&it, kind, message.get("id"))));
            envelope
        } else if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
            found.extend(self.error_violations(message, error));
            &ERROR_RESPONSES
        } else if let Some(result) = message.get("result") {
            found.extend(self.result_violations(result, answers));
            &["JSONRPCResultResponse", "JSONRPCResponse"]
        } else {
            return self.set.find("JSONRPCMessage").map_or_else(Vec::new, |index| {
                let definition = self.definition(index);
                let found = definition.violations(message);
                // Which of all messages was meant is unknown, so the violations of one of them would mislead.
                if found.is_empty() { found } else { vec![not_a_message(&definition, message)] }
            });
        };
        let envelope = self.named(envelope).map(|index| self.definition(index));
        found.extend(envelope.iter().flat_map(|envelope| envelope.violations(message)));
        found
    }

    fn error_violations(&self, message: &Value, error: &Value) -> Vec<Violation> {
        let code = error.get("code").and_then(Value::as_i64);
        let Some(index) = code.and_then(|code| self.set.code_index(code)) else {
            return Vec::new();
        };
        let definition = self.definition(index);
        match definition.info().error {
            Some(ErrorDefinition::Object(_)) => within("error", definition.violations(error)),
            _ => definition.violations(message),
        }
    }
}

/// The violations of a member, as seen from its message.
fn within(member: &str, found: Vec<Violation>) -> Vec<Violation> {
    // Most messages have no violations, and the location is not needed.
    if found.is_empty() {
        return found;
    }
    let location = Pointer::root().member(member);
    found.into_iter().map(|it| it.within(location.clone())).collect()
}

/// The violation of a value that is not a request, a notification or a response.
fn not_a_message(definition: &Definition, message: &Value) -> Violation {
    Violation {
        pointer: Pointer::root(),
        expected: "a request, a notification or a response".to_owned(),
        got: got(Some(message)),
        shape: Cow::Owned(definition.name().to_owned()),
        keyword: Cow::Borrowed("anyOf"),
        causes: Vec::new(),
        link: definition.link(),
    }
}

/// Keeps at most six violations, one for each location: the first, whose definition is the most specific.
fn first_of_each_place(found: Vec<Violation>) -> Vec<Violation> {
    let mut kept: Vec<Violation> = Vec::new();
    for violation in found {
        let is_known = kept.iter().any(|before| before.pointer == violation.pointer);
        if !is_known && kept.len() < super::explain::MAX_VIOLATIONS {
            kept.push(violation);
        }
    }
    kept
}
