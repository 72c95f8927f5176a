//! `input-required-result-basic-list-roots`.

use mcp_test_core::expect::{any_of, text_containing};

use super::fixture::{
    Fixture, ROOT, ROOT_NAME, asking, complete, expect_reply, first_is, rooted, to_first,
};
use super::input_rounds::declare_all;
use crate::scenarios::matchers::first_text;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// The tool `test_input_required_result_list_roots` asks the client for its roots in its result, and mentions them when the
    /// call is repeated with them.
    ///
    /// The official check of the second reply does not look at the roots; our own check does.
    Server "input-required-result-basic-list-roots": "A result asks the client for its roots",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(ASKING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-list-roots-incomplete", "The result asks for `roots/list`, under any key",
            [SCHEMA_INPUT_REQUIRED_RESULT]).official(&[SEP_2322]).named("InputRequiredResultListRootsIncomplete"),
        check!("sep-2322-list-roots-complete", "The result is complete when the call has the roots",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SEP_2322]).named("InputRequiredResultListRootsComplete"),
        check!("input-required-result-basic-list-roots-exact",
            "The text of the complete result mentions the root, by its URI or by its name",
            [SCHEMA_CALL_TOOL_RESULT]),
    ],
}

const ASKING: Fixture = Fixture::tool("test_input_required_result_list_roots");

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let asked = ASKING.request(ctx).await;
    let asked =
        expect_reply(ctx, "sep-2322-list-roots-incomplete", asked, asking(first_is("roots/list")))?;
    let Some(asked) = asked else { return Ok(()) };

    let reply = ASKING.retry(ctx, &asked, to_first(&asked, rooted())).await;
    let reply = expect_reply(ctx, "sep-2322-list-roots-complete", reply, complete())?;
    let Some(reply) = reply else { return Ok(()) };
    let mentions =
        any_of(vec![Box::new(text_containing(ROOT)), Box::new(text_containing(ROOT_NAME))]);
    ctx.check("input-required-result-basic-list-roots-exact")
        .by_fixture()
        .expect(&reply, first_text(mentions));
    Ok(())
}

proofs! {
    passes on everything();
    catches "sep-2322-list-roots-incomplete" by reply_error("tools/call", -32602);
    catches "sep-2322-list-roots-incomplete" by set("tools/call", "/resultType", json!("complete"));
    // Answers retries with an error.
    catches "sep-2322-list-roots-complete"
        on ASKING.retried(Answer::error(error_code::INTERNAL_ERROR, "the roots were not expected"));
    catches "input-required-result-basic-list-roots-exact"
        by set("tools/call", "/content/0/text", json!("Roots: none"));
}
