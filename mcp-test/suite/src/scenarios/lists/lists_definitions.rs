//! `lists-definitions`.

use mcp_test_core::expect::words;
use mcp_test_core::spec::param_headers;

use crate::scenarios::matchers::is_scheme;
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// What is listed follows the rules that its JSON Schema does not state.
    ///
    /// All items are judged that were listed before the run: at most the first 100 pages of each list.
    Server "lists-definitions": "Listed items follow the rules beyond their schema",
    revisions: Revisions::from(Revision::V2025_06_18),
    shares_connection: Revisions::all(),
    checks: [
        check!("parameterless-tool-schema", "A tool without parameters has an input schema of type `object`",
            [TOOLS_DEFINITION_NO_PARAMS_SCHEMA]).conditional(),
        check!("no-secrets-in-headers", "No parameter that is named like a secret is mirrored into an HTTP header",
            [TOOLS_X_MCP_HEADER_NO_SENSITIVE_PARAMETERS]).conditional(),
        check!("header-annotations",
            "`x-mcp-header` is a unique HTTP token at a string, integer or boolean that is reached through `properties` alone",
            [
                TOOLS_X_MCP_HEADER_NON_EMPTY, TOOLS_X_MCP_HEADER_TOKEN_SYNTAX,
                TOOLS_X_MCP_HEADER_NO_CONTROL_CHARACTERS, TOOLS_X_MCP_HEADER_UNIQUE,
                TOOLS_X_MCP_HEADER_PRIMITIVE_TYPES, TOOLS_X_MCP_HEADER_STATICALLY_REACHABLE,
            ]).conditional(),
        check!("templates-unique", "No two resource templates have the same `uriTemplate`",
            [MCP_TEST_TEMPLATES_UNIQUE]).conditional(),
        check!("icon-sources",
            "The icons of the server and of what it lists are at `https:`, `http:` or `data:` URIs",
            [MCP_TEST_ICON_SOURCES]).conditional(),
        check!("uri-schemes",
            "The URIs of resources have schemes as in RFC 3986: a letter, then letters, digits, `+`, `-` and `.`",
            [RESOURCES_URI_CUSTOM_SCHEME_RFC3986]).conditional(),
        check!("icon-sizes", "The sizes of icons are like `48x48`, or `any`",
            [SCHEMA_ICON_SIZES_FORMAT]).conditional(),
    ],
}

/// The words, without case and punctuation, that name secrets and personal data in the names of parameters.
const SECRETS: [&str; 7] =
    ["password", "passwd", "secret", "apikey", "accesstoken", "privatekey", "ssn"];

/// The schemes of icons: <https://modelcontextprotocol.io/specification/2025-11-25/basic/index#icons>. Clients refuse others.
const SCHEMES: [&str; 3] = ["https", "http", "data"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(ctx, &SCENARIO, "the server lists nothing");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut all = Vec::new();
    for kind in ItemKind::ALL {
        all.push((kind, ctx.offered(kind).await?.items));
    }
    ctx.client().await?;
    // A server that cannot describe itself is reported elsewhere.
    let implementation = ctx.server().await.ok().map(|server| server.info.clone());
    let of = |kind: ItemKind| {
        let items = all.iter().filter(move |(it, _)| *it == kind);
        items.flat_map(|(_, items)| items.iter())
    };
    let every = all.iter().flat_map(|(kind, items)| items.iter().map(|item| (*kind, item)));
    let owners = every.clone().map(|(kind, item)| {
        let key = item.get(kind.key()).map(|key| key.short(80)).unwrap_or_default();
        (format!("the {} {key}", kind.noun()), item)
    });
    let owners = implementation.iter().map(|it| ("the server".to_owned(), it)).chain(owners);
    let icons: Vec<(String, &Value)> = owners
        .flat_map(|(of, item)| {
            let icons = item.get("icons").and_then(Value::as_array).unwrap_or_default();
            icons.iter().map(move |icon| (of.clone(), icon))
        })
        .collect();
    let judgements = [
        (
            "parameterless-tool-schema",
            judge(of(ItemKind::Tool).filter(|it| is_parameterless(it)), |tool| {
                let schema = tool.get("inputSchema");
                let named = schema.and_then(|schema| schema.get("type"));
                let got = schema.map_or("no input schema".to_owned(), |schema| schema.short(120));
                let is_object = named.and_then(Value::as_str) == Some("object");
                (!is_object)
                    .then(|| wrong(ItemKind::Tool, tool, "an input schema of type `object`", got))
            }),
        ),
        (
            "no-secrets-in-headers",
            judge(of(ItemKind::Tool), |tool| {
                let name = secret_in_header(tool)?;
                let expected = "secrets and personal data only in the body of a request";
                Some(wrong(ItemKind::Tool, tool, expected, format!("`{name}` with `x-mcp-header`")))
            }),
        ),
        (
            "header-annotations",
            judge(of(ItemKind::Tool), |tool| {
                let invalid = param_headers(tool.get("inputSchema")?).err()?;
                let expected = "annotations that the page allows, or none";
                let found = wrong(ItemKind::Tool, tool, expected, invalid.to_string());
                Some(found.requires(invalid.requirement))
            }),
        ),
        (
            "templates-unique",
            judge(of(ItemKind::ResourceTemplate).enumerate(), |(number, template)| {
                let kind = ItemKind::ResourceTemplate;
                let key = template.get(kind.key())?;
                let is_repeated =
                    of(kind).take(number).any(|before| before.get(kind.key()) == Some(key));
                is_repeated.then(|| wrong(kind, template, "to be listed once", "it is repeated"))
            }),
        ),
        (
            "icon-sources",
            judge(icons.iter(), |(of, icon)| {
                let source = icon.get("src")?.as_str()?;
                let is_usable = source.split_once(':').is_some_and(|(scheme, _)| {
                    SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))
                });
                let finding = Finding::peer(format!("an icon of {of} is not usable"));
                let finding = finding.expected("a `src` with `https:`, `http:` or `data:`");
                (!is_usable).then(|| finding.got(words::quoted(source.as_bytes())))
            }),
        ),
        (
            "uri-schemes",
            judge(of(ItemKind::Resource), |resource| {
                let uri = resource.get("uri")?.as_str()?;
                let is_valid = uri.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme));
                let expected = "a URI with a scheme of letters, digits, `+`, `-` and `.`";
                (!is_valid)
                    .then(|| wrong(ItemKind::Resource, resource, expected, format!("{uri:?}")))
            }),
        ),
        (
            "icon-sizes",
            judge(every.filter(|(_, item)| item.get("icons").is_some()), |(kind, item)| {
                let size = wrong_size(item)?;
                Some(wrong(kind, item, "sizes like `48x48`, or `any`", format!("{size:?}")))
            }),
        ),
    ];
    for (id, outcome) in judgements {
        if let Some(outcome) = outcome.filter(|_| ctx.makes(id)) {
            ctx.check(id).judge(outcome);
        }
    }
    Ok(())
}

/// The first finding about the items; `None` if there are no items.
fn judge<T>(
    items: impl Iterator<Item = T>,
    wrong: impl Fn(T) -> Option<Finding>,
) -> Option<Result<(), Finding>> {
    let mut items = items.peekable();
    items.peek()?;
    Some(items.find_map(wrong).map_or(Ok(()), Err))
}

fn wrong(kind: ItemKind, item: &Value, expected: &str, got: impl Into<String>) -> Finding {
    let key = item.get(kind.key()).map(|key| key.short(80)).unwrap_or_default();
    Finding::peer(format!("the {} {key} is wrong", kind.noun())).expected(expected).got(got)
}

fn is_parameterless(tool: &Value) -> bool {
    let schema = tool.get("inputSchema");
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    properties.is_none_or(Object::is_empty)
        // Composed of other schemas, which may have properties.
        && !["$ref", "allOf", "anyOf", "oneOf", "if"].iter().any(|it| schema.is_some_and(|schema| schema.get(it).is_some()))
}

/// A parameter that is named like a secret, and mirrored into a header.
fn secret_in_header(tool: &Value) -> Option<&str> {
    let properties = tool.get("inputSchema")?.get("properties")?.as_object()?;
    let is_secret = |name: &str| {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        let plain: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        SECRETS.contains(&plain.as_str())
    };
    let mut properties = properties.iter();
    let found = properties.find(|(name, schema)| {
        let is_password = schema.get("format").and_then(Value::as_str) == Some("password");
        schema.get("x-mcp-header").is_some() && (is_password || is_secret(name))
    });
    found.map(|(name, _)| name)
}

/// A size of an icon that is neither like `48x48` nor `any`; until 2025-06-18 there are no icons.
fn wrong_size(item: &Value) -> Option<&str> {
    let icons = item.get("icons").and_then(Value::as_array).unwrap_or_default();
    let sizes = icons.iter().filter_map(|icon| icon.get("sizes")?.as_array()).flatten();
    sizes.filter_map(Value::as_str).find(|size| {
        let is_number = |part: &str| !part.is_empty() && part.chars().all(|it| it.is_ascii_digit());
        let is_area = |(width, height)| is_number(width) && is_number(height);
        *size != "any" && !size.split_once('x').is_some_and(is_area)
    })
}

proofs! {
    passes on everything();
    // A tool without parameters has an empty schema.
    warns "parameterless-tool-schema" on listing(json!({ "name": "a", "inputSchema": {} }));
    warns "no-secrets-in-headers" on mirroring_a_password();
    catches "header-annotations" on mirroring_a_number();
    warns "templates-unique" on listing_a_template_twice();
    warns "icon-sources" by set("tools/list", "/tools/0/icons", json!([{ "src": "file:///a.png" }]));
    catches "uri-schemes" by set("resources/list", "/resources/0/uri", json!("my_scheme://x"));
    warns "icon-sizes"
        by set("tools/list", "/tools/0/icons", json!([{ "src": "https://example.com/a.png", "sizes": ["large"] }]));
}

fn listing(tool: serde_json::Value) -> Server {
    everything().on("tools/list", move |_: Call| {
        let list = json!({ "tools": [tool], "ttlMs": 0, "cacheScope": "public" });
        async move { list }
    })
}

fn mirroring_a_password() -> Server {
    let password = json!({ "type": "string", "x-mcp-header": "Password" });
    listing(
        json!({ "name": "a", "inputSchema": { "type": "object", "properties": { "password": password } } }),
    )
}

/// The header has another form than the number.
fn mirroring_a_number() -> Server {
    let rate = json!({ "type": "number", "x-mcp-header": "Rate" });
    listing(
        json!({ "name": "a", "inputSchema": { "type": "object", "properties": { "rate": rate } } }),
    )
}

fn listing_a_template_twice() -> Server {
    everything().on("resources/templates/list", |_: Call| async {
        let template = |name: &str| json!({ "uriTemplate": "test://{id}", "name": name });
        let templates = json!([template("a"), template("b")]);
        json!({ "resourceTemplates": templates, "ttlMs": 0, "cacheScope": "public" })
    })
}
