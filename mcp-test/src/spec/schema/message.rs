//! Which definition a message is judged by, and judging it.
//!
//! A request or notification is judged by the definition with its method, one with a method that is not known as any
//! request or notification; by the text its method also says whether there is an id. A result is judged by the definition
//! that belongs to the method it answers, an error by the definition that belongs to its code. What says of itself that
//! it is something else than the usual result is judged as that: a `resultType` of
//! `input_required`, a task that was created in the place of a result.

use std::borrow::Cow;

use super::book::{BookRef, ErrorEntry};
use super::model::Index;
use super::violation::got;
use super::{Authority, Definition, Schemas, Violation};
use crate::expect::words;
use crate::json::{Pointer, Value};
use crate::spec::{MethodKind, Revision};
use crate::wire::{Id, Message};

/// The results of requests that may be carried out as a task, when they are: 2025-11-25.
const TASK: &str = "CreateTaskResult";

/// What a server answers when it needs input first: 2026-07-28.
const INPUT: &str = "InputRequiredResult";

impl Schemas {
    /// The definition that the message, or the result or error in it, is judged by.
    ///
    /// `answers` is the method of the request, if the message is a reply and it is known what to. `None` where nothing
    /// is known but that it is a result.
    pub fn governing(
        &self,
        message: &Message,
        answers: Option<&str>,
        revision: Revision,
        authority: Authority,
    ) -> Option<Definition> {
        let judge = self.judging(revision, authority);
        let index = match message {
            Message::Request(request) => judge.call(&request.method, MethodKind::Request),
            Message::Notification(said) => judge.call(&said.method, MethodKind::Notification),
            Message::Response(response) => judge.result(&response.result, answers),
            Message::Error(reply) => judge.error(reply.error.code),
        };
        index.map(|index| judge.definition(index))
    }

    /// Where the message is not what `revision` says, seen from its root: at most six places, the most telling first.
    ///
    /// Where the text counts, a method that is known as one of requests is refused without an id, and one of notifications
    /// with one. The definitions do not say so: until 2025-06-18 those of the single methods have no `id`, and at no
    /// revision does one exclude it. A method that is not known may be either. Once an official schema was loaded for the
    /// revision, that schema alone decides.
    ///
    /// `answers` is the method of the request, if the message is a reply and it is known what to.
    ///
    /// ```
    /// use mcp_test::spec::Revision;
    /// use mcp_test::spec::schema::{Authority, Schemas};
    /// use mcp_test::wire::Response;
    ///
    /// let reply = Response::new(1, serde_json::json!({"tools": "none"})).into();
    /// let revision = Revision::V2025_11_25;
    /// let found = Schemas::ours().judge(&reply, Some("tools/list"), revision, Authority::Text);
    /// assert_eq!(
    ///     found[0].to_string(),
    ///     "expected `/result/tools` is an array of Tools, got \"none\", which is a string",
    /// );
    /// ```
    pub fn judge(
        &self,
        message: &Message,
        answers: Option<&str>,
        revision: Revision,
        authority: Authority,
    ) -> Vec<Violation> {
        let judge = self.judging(revision, authority);
        let mut found = match message {
            Message::Request(request) => {
                let (method, params) = (&request.method, request.params.as_ref());
                judge.said(message, method, MethodKind::Request, params)
            }
            Message::Notification(said) => {
                judge.said(message, &said.method, MethodKind::Notification, said.params.as_ref())
            }
            Message::Response(response) => judge.result_violations(&response.result, answers),
            Message::Error(_) => {
                return self.judge_value(&message.to_value(), answers, revision, authority);
            }
        };
        if let Some(id) = message.id() {
            found.extend(judge.id(id));
        }
        first_of_each_place(found)
    }

    /// As [`judge`](Self::judge), for a message as it was read: an object, or where there are batches an array.
    ///
    /// What is no message at all does not fit the definition of any message.
    pub fn judge_value(
        &self,
        message: &Value,
        answers: Option<&str>,
        revision: Revision,
        authority: Authority,
    ) -> Vec<Violation> {
        let judge = self.judging(revision, authority);
        if let Value::Array(items) = message
            && revision.has_batches()
        {
            let items = items.iter().enumerate().flat_map(|(index, item)| {
                let found = judge.whole(item, answers);
                found.into_iter().map(move |it| it.within(Pointer::root().index(index)))
            });
            return items.take(super::explain::TOLD).collect();
        }
        first_of_each_place(judge.whole(message, answers))
    }

    fn judging(&self, revision: Revision, authority: Authority) -> Judge {
        let by_text = authority == Authority::Text && !self.is_loaded(revision);
        Judge { book: self.book(revision, authority), by_text }
    }
}

struct Judge {
    book: BookRef,
    /// The text counts, and not an official schema.
    by_text: bool,
}

impl Judge {
    fn definition(&self, index: Index) -> Definition {
        Definition::new(self.book.clone(), index)
    }

    fn named(&self, names: &[&str]) -> Option<Definition> {
        names.iter().find_map(|name| self.book.find(name)).map(|index| self.definition(index))
    }

    /// The definition of a request or notification.
    fn call(&self, method: &str, kind: MethodKind) -> Option<Index> {
        let generic = match kind {
            MethodKind::Request => "JSONRPCRequest",
            MethodKind::Notification => "JSONRPCNotification",
        };
        self.book.of_method(method).or_else(|| self.book.find(generic))
    }

    /// The definition of a result.
    fn result(&self, result: &Value, answers: Option<&str>) -> Option<Index> {
        let says = result.get("resultType").and_then(Value::as_str);
        if says == Some("input_required")
            && let Some(input) = self.book.find(INPUT)
        {
            return Some(input);
        }
        let usual = self.book.entry(self.book.of_method(answers?)?).result?;
        if result.get("task").is_some()
            && let Some(task) = self.book.find(TASK)
            && !self.book.entry(usual).required.iter().any(|name| result.get(name).is_some())
        {
            return Some(task);
        }
        let extension = says == Some("task") && self.book.find("ResultType").is_some();
        (!extension).then_some(usual)
    }

    /// The definition of an error with this code.
    fn error(&self, code: i64) -> Option<Index> {
        self.book
            .of_code(code)
            .or_else(|| self.named_index(&["JSONRPCErrorResponse", "JSONRPCError"]))
    }

    fn named_index(&self, names: &[&str]) -> Option<Index> {
        names.iter().find_map(|name| self.book.find(name))
    }

    /// What is wrong with a request or notification, of which only the params can be wrong.
    fn said(
        &self,
        message: &Message,
        method: &str,
        kind: MethodKind,
        params: Option<&Value>,
    ) -> Vec<Violation> {
        let Some(definition) = self.call(method, kind).map(|index| self.definition(index)) else {
            return Vec::new();
        };
        // Most messages are judged by their params alone, without putting them together again.
        if let (Some(of_params), Some(params)) = (definition.params(), params)
            && definition.kind().is_none_or(|named| named == kind)
        {
            let place = Pointer::root().member("params");
            let found = of_params.violations(params).into_iter();
            return found.map(|it| it.within(place.clone())).collect();
        }
        let mut found = definition.violations(&message.to_value());
        found.extend(self.misnamed(&definition, kind, message.id().map(Id::to_value).as_ref()));
        found
    }

    /// What is wrong with the id of a request that comes without one, or of a notification that comes with one: the text
    /// forbids it, where the official schema says nothing of ids or of what else there may be.
    fn misnamed(
        &self,
        definition: &Definition,
        kind: MethodKind,
        id: Option<&Value>,
    ) -> Option<Violation> {
        let meant = definition.kind().filter(|meant| self.by_text && *meant != kind)?;
        let (expected, envelope) = match meant {
            MethodKind::Request => ("a string or an integer", "JSONRPCRequest"),
            MethodKind::Notification => ("absent in a notification", "JSONRPCNotification"),
        };
        let envelope = self.named(&[envelope])?;
        Some(Violation {
            pointer: Pointer::root().member("id"),
            expected: expected.to_owned(),
            got: words::got(id),
            shape: Cow::Owned(envelope.name().to_owned()),
            link: envelope.link(),
        })
    }

    fn result_violations(&self, result: &Value, answers: Option<&str>) -> Vec<Violation> {
        let definition = self.result(result, answers).map(|index| self.definition(index));
        let Some(definition) = definition.or_else(|| self.named(&["Result"])) else {
            return Vec::new();
        };
        let place = Pointer::root().member("result");
        let found = definition.violations(result).into_iter();
        found.map(|it| it.within(place.clone())).collect()
    }

    fn id(&self, id: &Id) -> Vec<Violation> {
        let of_id = self.book.of_id.map(|index| self.definition(index));
        let found = of_id.map(|of_id| of_id.violations(&id.to_value())).unwrap_or_default();
        found.into_iter().map(|it| it.within(Pointer::root().member("id"))).collect()
    }

    /// What is wrong with a value that should be a message.
    fn whole(&self, message: &Value, answers: Option<&str>) -> Vec<Violation> {
        let mut found = Vec::new();
        let envelope: &[&str] = if let Some(method) = message.get("method").and_then(Value::as_str)
        {
            let (kind, envelope) = match message.get("id") {
                Some(_) => (MethodKind::Request, &["JSONRPCRequest"]),
                None => (MethodKind::Notification, &["JSONRPCNotification"]),
            };
            let of_method = self.call(method, kind).map(|index| self.definition(index));
            found.extend(of_method.iter().flat_map(|of_method| of_method.violations(message)));
            found.extend(of_method.and_then(|it| self.misnamed(&it, kind, message.get("id"))));
            envelope
        } else if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
            found.extend(self.error_violations(message, error));
            &["JSONRPCErrorResponse", "JSONRPCError"]
        } else if let Some(result) = message.get("result") {
            found.extend(self.result_violations(result, answers));
            &["JSONRPCResultResponse", "JSONRPCResponse"]
        } else {
            let of_message = self.named(&["JSONRPCMessage"]);
            return of_message.map_or_else(Vec::new, |definition| {
                let found = definition.violations(message);
                if found.is_empty() { found } else { vec![not_a_message(&definition, message)] }
            });
        };
        let envelope = self.named(envelope);
        found.extend(envelope.iter().flat_map(|envelope| envelope.violations(message)));
        found
    }

    fn error_violations(&self, message: &Value, error: &Value) -> Vec<Violation> {
        let code = error.get("code").and_then(Value::as_i64);
        let Some(index) = code.and_then(|code| self.book.of_code(code)) else {
            return Vec::new();
        };
        let definition = self.definition(index);
        match definition.entry().error {
            Some(ErrorEntry::Inside(_)) => {
                let place = Pointer::root().member("error");
                let found = definition.violations(error).into_iter();
                found.map(|it| it.within(place.clone())).collect()
            }
            _ => definition.violations(message),
        }
    }
}

/// What neither asks, tells nor answers.
fn not_a_message(definition: &Definition, message: &Value) -> Violation {
    Violation {
        pointer: Pointer::root(),
        expected: "a request, a notification or a response".to_owned(),
        got: got(Some(message)),
        shape: Cow::Owned(definition.name().to_owned()),
        link: definition.link(),
    }
}

/// At most six, and of those that name one place the first: the definition that was asked first knows most.
fn first_of_each_place(found: Vec<Violation>) -> Vec<Violation> {
    let mut kept: Vec<Violation> = Vec::new();
    for violation in found {
        let said = kept.iter().any(|before| before.pointer == violation.pointer);
        if !said && kept.len() < super::explain::TOLD {
            kept.push(violation);
        }
    }
    kept
}
