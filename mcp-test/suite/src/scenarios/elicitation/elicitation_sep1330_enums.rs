//! `elicitation-sep1330-enums`.

use mcp_test_core::expect::{ObjectMatcher, all_of, array, non_empty_array_of};

use crate::scenarios::input_requests::{FormFixture, form_field, judge_each};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_1330;

scenario! {
    /// The form of the tool `test_elicitation_sep1330_enums` has a choice of each kind.
    ///
    /// Officially tried at 2025-11-25 only, where the server sends a request; later the form is in the result of the call.
    Server "elicitation-sep1330-enums": "A form has choices of each kind",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::active(Revisions::only(Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Tools), Need::Tool(FIXTURE.tool)],
    shares_connection: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("elicitation-sep1330-untitled-single", "`untitledSingle` is a string with `enum`",
            [ELICITATION_SCHEMA_ENUM_SINGLE_UNTITLED])
            .official(&[SEP_1330]).named("ElicitationSEP1330UntitledSingle"),
        check!("elicitation-sep1330-titled-single",
            "`titledSingle` is a string with `oneOf`, each with a `const` and a `title`",
            [ELICITATION_SCHEMA_ENUM_SINGLE_TITLED]).official(&[SEP_1330]).named("ElicitationSEP1330TitledSingle"),
        check!("elicitation-sep1330-legacy-enumnames",
            "`legacyEnum` is a string with as many `enumNames` as values of `enum`",
            [ELICITATION_SCHEMA_PRIMITIVE_TYPES]).official(&[SEP_1330]).named("ElicitationSEP1330LegacyEnumNames"),
        check!("elicitation-sep1330-untitled-multi",
            "`untitledMulti` is an array whose items are strings with `enum`",
            [ELICITATION_SCHEMA_ENUM_MULTI_UNTITLED]).official(&[SEP_1330]).named("ElicitationSEP1330UntitledMulti"),
        check!("elicitation-sep1330-titled-multi",
            "`titledMulti` is an array whose items have `anyOf`, each with a `const` and a `title`",
            [ELICITATION_SCHEMA_ENUM_MULTI_TITLED]).official(&[SEP_1330]).named("ElicitationSEP1330TitledMulti"),
        check!("elicitation-sep1330-general",
            "The tool elicits a form, and the call succeeds; reported only on failure",
            [ELICITATION_SCHEMA_ENUM_SINGLE_UNTITLED])
            .official(&[SEP_1330]).named("ElicitationSEP1330General").conditional(),
    ],
}

const FIXTURE: FormFixture =
    FormFixture { tool: "test_elicitation_sep1330_enums", general: "elicitation-sep1330-general" };

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let choices = json!({
        "untitledSingle": "option1",
        "titledSingle": "value1",
        "legacyEnum": "opt1",
        "untitledMulti": ["option1", "option2"],
        "titledMulti": ["value1", "value2"],
    });
    let Some(requests) = FIXTURE.elicit(ctx, choices).await? else { return Ok(()) };
    for (check, name, requirement, shape) in [
        (
            "elicitation-sep1330-untitled-single",
            "untitledSingle",
            Requirement::ELICITATION_SCHEMA_ENUM_SINGLE_UNTITLED,
            untitled_single as fn() -> Box<dyn Matcher>,
        ),
        (
            "elicitation-sep1330-titled-single",
            "titledSingle",
            Requirement::ELICITATION_SCHEMA_ENUM_SINGLE_TITLED,
            titled_single,
        ),
        (
            "elicitation-sep1330-legacy-enumnames",
            "legacyEnum",
            Requirement::ELICITATION_SCHEMA_PRIMITIVE_TYPES,
            legacy,
        ),
        (
            "elicitation-sep1330-untitled-multi",
            "untitledMulti",
            Requirement::ELICITATION_SCHEMA_ENUM_MULTI_UNTITLED,
            untitled_multi,
        ),
        (
            "elicitation-sep1330-titled-multi",
            "titledMulti",
            Requirement::ELICITATION_SCHEMA_ENUM_MULTI_TITLED,
            titled_multi,
        ),
    ] {
        judge_each(ctx, check, &requests, |check, params| {
            check
                .by_fixture()
                .expect(params, form_field(name, object()))
                .requires(requirement)
                .expect(params, form_field(name, shape()))
        });
    }
    Ok(())
}

fn schema_of_type(kind: &str) -> ObjectMatcher {
    object().member("type", equals(kind))
}

/// Matches an `enumNames` of the length of `enum`.
fn equal_lengths() -> impl Matcher {
    satisfying("a choice with as many `enumNames` as values of `enum`", |choice: &Value| {
        let length = |name: &str| choice.get(name).and_then(Value::as_array).map(<[Value]>::len);
        length("enum").is_some() && length("enum") == length("enumNames")
    })
}

/// The options of a choice with titles.
fn titled() -> impl Matcher {
    non_empty_array_of(object().member("const", string()).member("title", string()))
}

fn untitled_single() -> Box<dyn Matcher> {
    Box::new(schema_of_type("string").member("enum", array()).without("oneOf").without("enumNames"))
}

fn titled_single() -> Box<dyn Matcher> {
    Box::new(schema_of_type("string").member("oneOf", titled()).without("enum"))
}

/// A choice of 2025-06-18, which later revisions still allow (`schema#legacytitledenumschema`).
fn legacy() -> Box<dyn Matcher> {
    Box::new(all_of(vec![Box::new(schema_of_type("string")), Box::new(equal_lengths())]))
}

fn untitled_multi() -> Box<dyn Matcher> {
    let items = schema_of_type("string").member("enum", array()).without("anyOf");
    Box::new(schema_of_type("array").member("items", items))
}

fn titled_multi() -> Box<dyn Matcher> {
    let items = object().member("anyOf", titled()).without("enum");
    Box::new(schema_of_type("array").member("items", items))
}

proofs! {
    passes on everything();
    catches "elicitation-sep1330-untitled-single"
        by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/untitledSingle");
    catches "elicitation-sep1330-untitled-single"
        by set("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/untitledSingle/enumNames", json!(["A", "B", "C"]));
    catches "elicitation-sep1330-titled-single"
        by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/titledSingle/oneOf/0/title");
    catches "elicitation-sep1330-legacy-enumnames"
        by set("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/legacyEnum/enumNames", json!(["One"]));
    catches "elicitation-sep1330-untitled-multi"
        by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/untitledMulti/items/enum");
    catches "elicitation-sep1330-titled-multi"
        by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/titledMulti/items/anyOf/0/const");
    catches "elicitation-sep1330-general" by reply_error("tools/call", -32602);
}
