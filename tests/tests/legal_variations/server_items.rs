//! Variations of servers in what they list and return: items, schemas, pages, names, URIs, and content.

use mcp_test_core::json::Value;
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::TransportKind;
use serde_json::json;

use super::paging::Paging;
use super::rewrite::{
    add_content, in_content, in_each, in_items, in_members, in_result, in_string, push,
};
use super::variation::{Change, Sign, Variation};

const CURSOR: &str = "server/utilities/pagination: a cursor is an opaque string";
const PAGE: &str =
    "server/utilities/pagination#pagination-model: the server decides the size of each page";
const TOOL: &str = "server/tools#data-types: the schema of the page allows it";
const CONTENT: &str = "server/tools#tool-result: content is any number of blocks of these kinds";

pub(crate) static ITEMS: &[Variation] = &[
    Variation::new(
        "empty descriptions",
        TOOL,
        Change::Message(|it| in_items(it, |item| push(item, "description", json!("")))),
        Sign::Has(r#""description":"""#),
    )
    .sets("descriptions"),
    Variation::new(
        "long descriptions",
        TOOL,
        Change::Message(|it| {
            in_items(it, |item| push(item, "description", json!("words ".repeat(2000))));
        }),
        Sign::Has("words words words"),
    )
    .sets("descriptions"),
    Variation::new(
        "no descriptions",
        TOOL,
        Change::Message(|it| in_items(it, |item| drop(item.remove("/description")))),
        Sign::Lacks(r#""description":"A document.""#),
    )
    .sets("descriptions"),
    Variation::new(
        "empty titles",
        TOOL,
        Change::Message(|it| in_items(it, |item| push(item, "title", json!("")))),
        Sign::Has(r#""title":"""#),
    ),
    Variation::new(
        "icons of items",
        TOOL,
        Change::Message(|it| {
            let icon = json!([{"src": "https://server.example/icon.svg", "theme": "dark"}]);
            for list in ["prompts", "resources", "resourceTemplates", "tools"] {
                in_each(it, &format!("/result/{list}"), |item| push(item, "icons", icon.clone()));
            }
        }),
        Sign::Has("https://server.example/icon.svg"),
    ),
    Variation::new(
        "unknown hints",
        TOOL,
        Change::Message(|it| {
            in_each(it, "/result/tools", |tool| match tool.at_mut("/annotations") {
                Some(annotations) => push(annotations, "com.example/hint", json!(true)),
                None => push(tool, "annotations", json!({"com.example/hint": true})),
            });
        }),
        Sign::Has("com.example/hint"),
    ),
    // Schemas.
    dialect("the dialect of 2020-12", |schema| {
        push(schema, "$schema", json!("https://json-schema.org/draft/2020-12/schema"));
    })
    .shown_by(Sign::Where(|it| it.matches("draft/2020-12/schema").count() > 5))
    .shown_over(TransportKind::Router),
    dialect("the dialect of 2019-09", |schema| {
        push(schema, "$schema", json!("https://json-schema.org/draft/2019-09/schema"));
    })
    .shown_by(Sign::Has("draft/2019-09/schema")),
    dialect("the dialect of draft 7", |schema| {
        push(schema, "$schema", json!("http://json-schema.org/draft-07/schema#"));
    })
    .shown_by(Sign::Has("draft-07/schema#")),
    dialect("the dialect of draft 4", |schema| {
        push(schema, "$schema", json!("http://json-schema.org/draft-04/schema#"));
        // Which has no empty lists.
        if schema.get("required").and_then(Value::as_array).is_some_and(<[Value]>::is_empty) {
            schema.remove("/required");
        }
        // Nor schemas that are not objects.
        if schema.at("/anyOf/1").is_some_and(|it| *it == true) {
            schema.remove("/anyOf/1");
        }
    })
    .shown_by(Sign::Has("draft-04/schema#")),
    schemas("unknown keywords", |schema| push(schema, "x-order", json!(["b", "a"])))
        .shown_by(Sign::Has(r#""x-order":["b","a"]"#)),
    schemas("definitions in schemas", |schema| {
        push(schema, "$defs", json!({"unused": {"type": "integer"}}));
    })
    .shown_by(Sign::Has(r#""$defs":{"unused""#)),
    schemas("comments in schemas", |schema| push(schema, "$comment", json!("made by hand")))
        .shown_by(Sign::Has("made by hand")),
    schemas("ids of schemas", |schema| {
        push(schema, "$id", json!("https://server.example/schema.json"));
    })
    .shown_by(Sign::Has("https://server.example/schema.json")),
    schemas("schemas that are always true", |schema| push(schema, "anyOf", json!([{}, true])))
        .shown_by(Sign::Has(r#""anyOf":[{},true]"#)),
    // Pages.
    pages("long cursors", CURSOR, by_seven, |page| format!("{}{page}", "c".repeat(3000)))
        .shown_by(Sign::Has(r#""nextCursor":"ccccc"#)),
    pages("cursors with escapes", CURSOR, by_seven, |page| format!("é\"\\\n\u{1}\u{1F980}/+= {page}"))
        .shown_by(Sign::Has(r#""nextCursor":"é\"\\\n"#)),
    pages("an empty cursor", CURSOR, by_seven, |page| match page {
        1 => String::new(),
        _ => page.to_string(),
    })
    .shown_by(Sign::Has(r#""nextCursor":"""#)),
    pages("pages of one item", PAGE, |page| page, |page| page.to_string())
        .shown_by(Sign::Has(r#""nextCursor":"3""#)),
    pages("empty pages before others", PAGE, |page| page / 2 * 10, |page| page.to_string())
        .shown_by(Sign::Has(r#""tools":[],"#)),
    Variation::new(
        "an empty last page",
        "schema#paginatedresult: with a cursor there may be more results, and need not be",
        Change::Pages(Paging {
            start: |page| page * 1000,
            ends_empty: true,
            cursor: |page| format!("end {page}"),
        }),
        Sign::Has(r#""nextCursor":"end 1""#),
    ),
    // Names and URIs.
    Variation::new(
        "long names of tools",
        "server/tools#tool-names: up to 128 letters, digits, and `_`, `-`, `.` in any order",
        Change::Both {
            sent: |it| {
                in_each(it, "/result/tools", |tool| in_string(tool, "/name", long_name));
            },
            received: |it| {
                let is_call = it.get("method").is_some_and(|it| *it == "tools/call");
                if is_call {
                    in_string(it, "/params/name", short_name);
                }
            },
        },
        Sign::Has("get-sum._-._-._-"),
    ),
    Variation::new(
        "names of prompts of any characters",
        "server/prompts#data-types: a name is any string",
        Change::Both {
            sent: |it| {
                in_each(it, "/result/prompts", |prompt| in_string(prompt, "/name", odd_name));
            },
            received: |it| {
                let is_get = it.get("method").is_some_and(|it| *it == "prompts/get");
                let pointer = if is_get { "/params/name" } else { "/params/ref/name" };
                in_string(it, pointer, |name| name.strip_suffix(ODD_NAME).map(str::to_owned));
            },
        },
        Sign::Has("args-prompt é \u{1F980}"),
    ),
    Variation::new(
        "URNs of resources",
        "server/resources#common-uri-schemes: other schemes are allowed, by RFC 3986",
        Change::Both {
            sent: |it| in_members(it, "uri", |uri| replaced(uri, DOCUMENT, URN)),
            received: |it| in_members(it, "uri", |uri| replaced(uri, URN, DOCUMENT)),
        },
        Sign::Has(URN),
    )
    .sets("uris"),
    Variation::new(
        "URIs with a query, a fragment and escapes",
        "server/resources#common-uri-schemes: a URI is one by RFC 3986",
        Change::Both {
            sent: |it| in_members(it, "uri", |uri| replaced(uri, DOCUMENT, LONG_URI)),
            received: |it| in_members(it, "uri", |uri| replaced(uri, LONG_URI, DOCUMENT)),
        },
        Sign::Has(LONG_URI),
    )
    .sets("uris"),
    // Content.
    Variation::new(
        "annotations of content",
        "server/tools#tool-result: all content has optional annotations",
        Change::Message(|it| {
            in_content(it, |block| {
                let annotations = json!({"audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"});
                push(block, "annotations", annotations);
            });
        }),
        Sign::Has(r#""lastModified":"2025-01-12T15:00:58Z""#),
    )
    .sets("annotations"),
    Variation::new(
        "annotations at their bounds",
        "schema#annotations: any number of roles, and a priority from 0 to 1",
        Change::Message(|it| {
            in_content(it, |block| {
                push(block, "annotations", json!({"audience": [], "priority": 1, "com.example/x": null}));
            });
        }),
        Sign::Has(r#""audience":[],"#),
    )
    .sets("annotations"),
    Variation::new(
        "a further block of empty text",
        CONTENT,
        Change::Message(|it| add_content(it, &json!({"type": "text", "text": ""}))),
        Sign::Has(r#""text":"""#),
    ),
    Variation::new(
        "a further block of audio",
        CONTENT,
        Change::Message(|it| {
            let mime_type = "audio/ogg; codecs=\"opus\"";
            add_content(it, &json!({"type": "audio", "data": "", "mimeType": mime_type}));
        }),
        Sign::Has(r#""mimeType":"audio/ogg; codecs"#),
    )
    .since(Revision::V2025_03_26),
    Variation::new(
        "a further block that is a link",
        CONTENT,
        Change::Message(|it| {
            add_content(it, &json!({"type": "resource_link", "uri": "urn:example:a%20b", "name": ""}));
        }),
        Sign::Has("urn:example:a%20b"),
    )
    .since(Revision::V2025_06_18),
    Variation::new(
        "a further block that is an empty resource",
        CONTENT,
        Change::Message(|it| {
            let resource = json!({"uri": "data:,", "blob": "", "mimeType": "application/vnd.example+json;v=1"});
            add_content(it, &json!({"type": "resource", "resource": resource}));
        }),
        Sign::Has("application/vnd.example+json"),
    ),
    Variation::new(
        "results with isError false",
        "server/tools#error-handling: `isError` is optional, and false by default",
        Change::Message(|it| {
            in_result(it, |result| {
                if result.get("content").is_some() && result.get("isError").is_none() {
                    push(result, "isError", json!(false));
                }
            });
        }),
        Sign::Has(r#""isError":false"#),
    ),
    Variation::new(
        "empty content beside structured content",
        "server/tools#structured-content: that the text repeats it is recommended only",
        Change::Message(|it| {
            in_result(it, |result| {
                if result.get("structuredContent").is_some() {
                    push(result, "content", json!([]));
                }
            });
        }),
        Sign::Has(r#""content":[]"#),
    )
    .since(Revision::V2025_06_18),
];

const fn schemas(name: &'static str, change: fn(&mut Value)) -> Variation {
    Variation::new(name, TOOL, Change::Schemas(change), Sign::Lacks(""))
}

const fn dialect(name: &'static str, change: fn(&mut Value)) -> Variation {
    schemas(name, change).sets("dialect")
}

const fn pages(
    name: &'static str,
    allowed_by: &'static str,
    start: fn(usize) -> usize,
    cursor: fn(usize) -> String,
) -> Variation {
    let paging = Paging { start, ends_empty: false, cursor };
    Variation::new(name, allowed_by, Change::Pages(paging), Sign::Lacks(""))
}

const fn by_seven(page: usize) -> usize {
    page * 7
}

/// The demo tools, which no official scenario calls by name.
const TOOLS: &str = "get-";
const LONGEST_NAME: usize = 128;

fn long_name(name: &str) -> Option<String> {
    let rest = "._-".chars().cycle().take(LONGEST_NAME - name.len());
    name.starts_with(TOOLS).then(|| name.chars().chain(rest).collect())
}

fn short_name(name: &str) -> Option<String> {
    Some(name.get(..name.find("._-")?)?.to_owned())
}

/// The demo prompts are those with a hyphen.
const ODD_NAME: &str = " é \u{1F980}/\"\\";

fn odd_name(name: &str) -> Option<String> {
    name.ends_with("-prompt").then(|| format!("{name}{ODD_NAME}"))
}

/// A resource that no official scenario reads by its URI.
const DOCUMENT: &str = "demo://resource/static/document/structure.md";
const URN: &str = "urn:example:structure:md";
const LONG_URI: &str = "x-odd.1+2://user@[::1]:80/a%20b/%C3%A9;c=(d)/..;/?q=e'f&g=#h/?!$";

fn replaced(uri: &str, from: &str, to: &str) -> Option<String> {
    (uri == from).then(|| to.to_owned())
}
