//! `resources-templates-read`.

use mcp_test_core::client::Fixtures;
use mcp_test_core::expect::{all_of, text_containing};
use mcp_test_core::spec::uri_template::UriTemplate;

use crate::scenarios::content::first_contents;
use crate::scenarios::prelude::*;
use crate::scenarios::references::TEMPLATES;

scenario! {
    /// The server reads `test://template/123/data`, which its template `test://template/{id}/data` stands for.
    ///
    /// The official check looks for the value in the text; our own check reads the text as JSON and compares its members.
    Server "resources-templates-read": "The server reads what a resource template stands for",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Resources), Need::ResourceTemplate(TEMPLATE)],
    shares_connection: Revisions::all(),
    checks: [
        check!("resources-templates-read",
            "The first item of `contents` has a URI, and a text that contains the value of the variable",
            [RESOURCES_TEMPLATES_EXPANSION_READABLE, RESOURCES_CONTENTS_TEXT_OR_BLOB])
            .official(&[TEMPLATES]).named("ResourcesTemplateRead")
            .always_fails("the official suite fails it, whichever requirement is broken"),
        check!("resources-templates-read-exact",
            "The first item of `contents` has the requested URI, and its text is the JSON of the fixture",
            [RESOURCES_TEMPLATES_EXPANSION_READABLE])
            .always_fails("the text of the fixture is part of what the official suite expects"),
    ],
}

const TEMPLATE: &str = "test://template/{id}/data";

/// The value of each variable.
const VALUE: &str = "123";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let (uri, values) = expansion(ctx.fixtures());
    let reply = ctx.request("resources/read", json!({"uri": uri})).await?;
    reply.result()?;
    let contains = |value: String| Box::new(text_containing(value)) as Box<dyn Matcher>;
    let mut contained: Vec<Box<dyn Matcher>> = vec![Box::new(string())];
    contained.extend(values.into_iter().map(contains));
    ctx.check("resources-templates-read")
        .requires(Requirement::RESOURCES_CONTENTS_TEXT_OR_BLOB)
        .expect(&reply, first_contents(object().member("uri", truthy())))
        .by_fixture()
        .expect(&reply, first_contents(object().member("text", all_of(contained))));
    let expected = json!({"id": "123", "templateTest": true, "data": "Data for ID: 123"});
    let expected = Value::from(expected);
    let is_expected = satisfying(format!("the JSON text {expected}"), move |text: &Value| {
        let parsed = text.as_str().and_then(|text| Value::parse(text.as_bytes()).ok());
        parsed.is_some_and(|parsed| parsed.value == expected)
    });
    ctx.check("resources-templates-read-exact")
        .by_any_fixture()
        .expect(&reply, first_contents(object().member("uri", equals(uri))))
        .by_fixture()
        .expect(&reply, first_contents(object().member("text", is_expected)));
    Ok(())
}

/// The URI that the template stands for, and the values of its variables.
fn expansion(fixtures: &Fixtures) -> (String, Vec<String>) {
    let template = UriTemplate::new(fixtures.name(TEMPLATE));
    let value = |variable: &str| match fixtures.arguments(TEMPLATE) {
        None => Some(VALUE.to_owned()),
        Some(stated) => {
            stated.get(variable).map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
        }
    };
    let values: Vec<(&str, String)> =
        template.variables().into_iter().filter_map(|it| Some((it, value(it)?))).collect();
    let find = |variable: &str| {
        values.iter().find(|(name, _)| *name == variable).map(|(_, value)| value.as_str())
    };
    (template.expand(find), values.iter().map(|(_, value)| value.clone()).collect())
}

proofs! {
    passes on everything();
    catches "resources-templates-read" by reply_error("resources/read", -32602);
    catches "resources-templates-read" by set("resources/read", "/contents", json!([]));
    catches "resources-templates-read" by set("resources/read", "/contents/0/text", json!("{}"));
    catches "resources-templates-read-exact" by set("resources/read", "/contents/0/text", json!(r#"{"id": "123"}"#));
    catches "resources-templates-read-exact" by set("resources/read", "/contents/0/uri", json!("test://other"));
}
