//! Message shapes: verdict and words agree, whatever the value, and the words point at something.
//!
//! The first two bytes choose revision, authority and definition; the rest is the value, which is judged as a message too
//! if it is one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::json::Value;
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas, Violation};
use mcp_test::wire::Message;

fuzz_target!(|input: &[u8]| {
    let [context, which, text @ ..] = input else { return };
    let Ok(document) = Value::parse(text) else { return };
    let value = document.value;
    let context = usize::from(*context);
    let revision = Revision::ALL[context % Revision::ALL.len()];
    let authority = [Authority::Text, Authority::Schema][context / Revision::ALL.len() % 2];

    let schemas = Schemas::ours();
    let definitions: Vec<_> = schemas.definitions(revision, authority).collect();
    let definition = &definitions[usize::from(*which) % definitions.len()];
    let violations = definition.violations(&value);
    assert_eq!(definition.is_valid(&value), violations.is_empty(), "{violations:?}");
    violations.iter().for_each(|violation| points_at_something(violation, &value));

    let Ok(message) = Message::read(&value) else { return };
    let methods = [None, Some("tools/list"), Some("tools/call"), Some("initialize"), Some("other")];
    let answers = methods[usize::from(*which) % methods.len()];
    for violation in schemas.judge(&message, answers, revision, authority) {
        points_at_something(&violation, &value);
    }
});

/// At a value, or at the place of a member that is missing.
fn points_at_something(violation: &Violation, value: &Value) {
    let pointer = &violation.pointer;
    let parent = pointer.split_last().map_or_else(|| pointer.clone(), |(parent, _)| parent);
    assert!(value.at(parent.as_str()).is_some(), "{violation}");
}
