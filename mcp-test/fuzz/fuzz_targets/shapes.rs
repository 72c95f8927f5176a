//! Message shapes: `is_valid` agrees with `violations`, which point at existing locations.
//!
//! The first two bytes select revision, authority and definition; the rest is the value, which is also validated as a message if
//! it is one.

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
    violations.iter().for_each(|violation| points_into_value(violation, &value));

    let Ok(message) = Message::read(&value) else { return };
    let methods = [None, Some("tools/list"), Some("tools/call"), Some("initialize"), Some("other")];
    let answers = methods[usize::from(*which) % methods.len()];
    for violation in schemas.validate(&message, answers, revision, authority) {
        points_into_value(&violation, &value);
    }
});

/// Checks that a violation points at a value, or at a missing member of one.
fn points_into_value(violation: &Violation, value: &Value) {
    let pointer = &violation.pointer;
    let parent = pointer.split_last().map_or_else(|| pointer.clone(), |(parent, _)| parent);
    assert!(value.at(parent.as_str()).is_some(), "{violation}");
}
