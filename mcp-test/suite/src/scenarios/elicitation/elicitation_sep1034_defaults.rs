//! `elicitation-sep1034-defaults`.

use mcp_test_core::expect::some_item;

use crate::scenarios::input_requests::{FormFixture, form_field, judge_each};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_1034;

scenario! {
    /// The form of the tool `test_elicitation_sep1034_defaults` has a field of each type with a default.
    ///
    /// Officially tried at 2025-11-25 only, where the server sends a request; later the form is in the result of the call.
    Server "elicitation-sep1034-defaults": "The fields of a form have defaults",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::active(Revisions::only(Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Tools), Need::Tool(FIXTURE.tool)],
    shares_connection: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("elicitation-sep1034-string-default", "`name` is a string with the default \"John Doe\"",
            [ELICITATION_SCHEMA_DEFAULTS_TYPED]).official(&[SEP_1034]).named("ElicitationSEP1034StringDefault"),
        check!("elicitation-sep1034-integer-default", "`age` is an integer with the default 30",
            [ELICITATION_SCHEMA_DEFAULTS_TYPED]).official(&[SEP_1034]).named("ElicitationSEP1034IntegerDefault"),
        check!("elicitation-sep1034-number-default", "`score` is a number with the default 95.5",
            [ELICITATION_SCHEMA_DEFAULTS_TYPED]).official(&[SEP_1034]).named("ElicitationSEP1034NumberDefault"),
        check!("elicitation-sep1034-enum-default",
            "`status` is one of several strings, and its default \"active\" is one of them",
            [ELICITATION_SCHEMA_DEFAULTS_TYPED]).official(&[SEP_1034]).named("ElicitationSEP1034EnumDefault"),
        check!("elicitation-sep1034-boolean-default", "`verified` is a Boolean with the default true",
            [ELICITATION_SCHEMA_DEFAULTS_TYPED]).official(&[SEP_1034]).named("ElicitationSEP1034BooleanDefault"),
        check!("elicitation-sep1034-general",
            "The tool elicits a form, and the call succeeds; reported only on failure",
            [ELICITATION_SCHEMA_DEFAULTS_TYPED])
            .official(&[SEP_1034]).named("ElicitationSEP1034General").conditional(),
    ],
}

const FIXTURE: FormFixture = FormFixture {
    tool: "test_elicitation_sep1034_defaults",
    general: "elicitation-sep1034-general",
};

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let values = json!({
        "name": "Jane Smith", "age": 25, "score": 88, "status": "inactive", "verified": false,
    });
    let Some(requests) = FIXTURE.elicit(ctx, values).await? else { return Ok(()) };
    for (check, name, kind, default) in [
        ("elicitation-sep1034-string-default", "name", "string", json!("John Doe")),
        ("elicitation-sep1034-integer-default", "age", "integer", json!(30)),
        ("elicitation-sep1034-number-default", "score", "number", json!(95.5)),
        ("elicitation-sep1034-enum-default", "status", "string", json!("active")),
        ("elicitation-sep1034-boolean-default", "verified", "boolean", json!(true)),
    ] {
        judge_each(ctx, check, &requests, |check, params| {
            let property =
                object().member("type", equals(kind)).member("default", equals(default.clone()));
            let property = match name {
                "status" => property.member("enum", some_item(equals(default.clone()))),
                _ => property,
            };
            check.by_fixture().expect(params, form_field(name, property))
        });
    }
    Ok(())
}

proofs! {
    passes on everything();
    catches "elicitation-sep1034-string-default"
        by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/name/default");
    catches "elicitation-sep1034-integer-default"
        by set("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/age/default", 31);
    catches "elicitation-sep1034-number-default"
        by set("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/score/default", 95);
    catches "elicitation-sep1034-enum-default"
        by set("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/status/default", "inactive");
    catches "elicitation-sep1034-boolean-default"
        by set("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/verified/default", false);
    catches "elicitation-sep1034-general" by reply_error("tools/call", -32602);
}
