//! The definition by which a message is judged.

use super::Place;
use crate::json::{Pointer, Value};
use crate::spec::schema::{Authority, Definition, Schemas, Violation};
use crate::wire::Message;

/// The definition of a message at its place, if it has one of its own.
pub(super) fn named(
    schemas: &Schemas,
    message: &Message,
    place: &Place,
    authority: Authority,
) -> Option<Definition> {
    let revision = place.revision;
    let of_method =
        |name: &str| schemas.definitions(revision, authority).find(|it| it.method() == Some(name));
    match message {
        Message::Request(request) => of_method(&request.method),
        Message::Notification(notification) => of_method(&notification.method),
        Message::Response(response) => {
            match response.result.get("resultType").and_then(Value::as_str) {
                Some("input_required") => {
                    schemas.definition("InputRequiredResult", revision, authority)
                }
                Some("task") => None,
                _ => of_method(&place.answers.as_ref()?.method)?.result(),
            }
        }
        Message::Error(_) => None,
    }
}

/// What is wrong with a message, seen from its root.
pub(super) fn judge(
    schemas: &Schemas,
    message: &Message,
    place: &Place,
    authority: Authority,
) -> Vec<Violation> {
    let Some(definition) = named(schemas, message, place, authority) else { return Vec::new() };
    match message {
        Message::Response(response) => {
            let violations = definition.violations(&response.result).into_iter();
            violations.map(|it| it.within(Pointer::root().member("result"))).collect()
        }
        _ => definition.violations(&message.to_value()),
    }
}
