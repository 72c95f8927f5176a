//! Whole pages, and what hostile cases make of them.

use std::collections::BTreeSet;

use super::*;
use crate::cases::ReadOptions;

const LIBRARY: &str = include_str!("library.yaml");
const HOSTILE: &str = include_str!("hostile.yaml");

fn doc(path: &str, text: &str) -> Doc {
    let read = Cases::parse(path, text, &ReadOptions::default());
    let (cases, _) = read.unwrap_or_else(|error| panic!("{error}"));
    Doc::of(&cases)
}

#[test]
fn a_page_of_markdown() {
    insta::assert_snapshot!(doc("library.yaml", LIBRARY).markdown());
}

#[test]
fn hostile_cases_as_markdown() {
    insta::assert_snapshot!(doc("hostile.yaml", HOSTILE).markdown());
}

#[test]
fn no_cases_are_a_page_too() {
    let doc = Doc::of(&Cases::default());
    insta::assert_snapshot!(doc.markdown(), @"
    # MCP server

    There are no cases.
    ");
}

const TAGGED: &str = r#"
case: One
_tags: [fast, "slow & `odd`"]
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
---
case: Two
_continues: true
_tags: extra
in: {"jsonrpc": "2.0", "id": 2, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 2, "result": {}}
---
case: Three
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
---
case: Four
_tags: ["slow & `odd`", fast]
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {}}
"#;

/// The headings of conversations and cases, and the links to those elsewhere.
fn conversations(doc: &Doc) -> String {
    let page = doc.markdown();
    let (_, page) = page.split_once("\n## Conversations").expect("conversations");
    let page = format!("## Conversations{page}");
    let lines = page.lines().filter(|line| line.starts_with('#') || line.starts_with("Also"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn conversations_are_grouped_by_their_first_tag_and_linked_from_the_others() {
    insta::assert_snapshot!(conversations(&doc("a.yaml", TAGGED)), @r"
    ## Conversations: fast
    Also with this tag: [Four](#case-a-four).
    ### One
    ### Two
    ## Conversations: slow \& \`odd\`
    Also with this tag: [One](#case-a-one).
    ### Four
    ## Conversations: extra
    Also with this tag: [Two](#case-a-two).
    ## Other conversations
    ### Three
    ");
    let untagged = TAGGED.replace("_tags", "_labels");
    insta::assert_snapshot!(conversations(&doc("a.yaml", &untagged)), @"
    ## Conversations
    ### One
    ### Two
    ### Three
    ### Four
    ");
}

#[test]
fn cases_with_a_tag_come_with_those_that_they_continue() {
    let (cases, _) = Cases::parse("a.yaml", TAGGED, &ReadOptions::default()).expect("cases");
    let tagged = |tags: &[&str]| {
        let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
        let kept = cases.tagged(&tags);
        kept.iter().map(|(_, case)| case.title()).collect::<Vec<_>>()
    };
    assert_eq!(tagged(&["extra"]), ["One", "Two"]);
    assert_eq!(tagged(&["fast", "extra"]), ["One", "Two", "Four"]);
    assert_eq!(tagged(&["slow"]), [""; 0]);
}

#[test]
fn the_same_cases_give_the_same_bytes() {
    let once = || doc("library.yaml", LIBRARY);
    assert_eq!(once().markdown(), once().markdown());
}

#[test]
fn a_secret_is_only_named() {
    let page = doc("library.yaml", LIBRARY).markdown();
    assert!(page.contains("${card}"), "{page}");
    assert!(!page.contains("12345"), "{page}");
}

/// The values of an attribute in the page, which none of the texts can forge: their quotes are escaped.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let begin = format!("{attribute}=\"");
    page.split(begin.as_str()).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
}

#[test]
fn every_link_of_markdown_has_its_place() {
    for text in [LIBRARY, HOSTILE] {
        let page = doc("a.yaml", text).markdown();
        let places: Vec<&str> = values(&page, "<a id");
        let unique: BTreeSet<&str> = places.iter().copied().collect();
        assert_eq!(unique.len(), places.len(), "{places:?}");
        let links: Vec<&str> =
            page.split("](#").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)).collect();
        assert!(!links.is_empty());
        for link in links {
            assert!(unique.contains(link), "{link} is nowhere");
        }
    }
}

#[cfg(feature = "html")]
mod html {
    use super::*;

    #[test]
    fn a_page_of_html() {
        let page = doc("library.yaml", LIBRARY).html();
        let (_, body) = page.split_once("</head>").expect("a head");
        insta::assert_snapshot!(body);
    }

    /// Whatever the cases say, the page has the elements of the template, and no others.
    #[test]
    fn hostile_cases_add_no_element() {
        let page = doc("hostile.yaml", HOSTILE).html();
        let (_, body) = page.split_once("</head>").expect("a head");
        let elements: BTreeSet<&str> = body
            .split('<')
            .skip(1)
            .map(|rest| rest.split([' ', '>']).next().unwrap_or_default().trim_start_matches('/'))
            .collect();
        let known = [
            "a",
            "body",
            "br",
            "code",
            "details",
            "div",
            "figcaption",
            "figure",
            "h1",
            "h2",
            "h3",
            "html",
            "li",
            "main",
            "nav",
            "p",
            "pre",
            "section",
            "span",
            "strong",
            "summary",
            "table",
            "tbody",
            "td",
            "th",
            "thead",
            "tr",
            "ul",
        ];
        let unknown: Vec<_> = elements.iter().filter(|it| !known.contains(it)).collect();
        assert!(unknown.is_empty(), "{unknown:?}\n{body}");
        for link in values(body, "href") {
            let ours =
                link.starts_with('#') || link.starts_with("https://modelcontextprotocol.io/");
            assert!(ours, "{link}");
        }
    }

    #[test]
    fn every_link_has_its_place() {
        let page = doc("library.yaml", LIBRARY).html();
        let ids = values(&page, " id");
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{ids:?}");
        for link in values(&page, "href").iter().filter_map(|link| link.strip_prefix('#')) {
            assert!(unique.contains(link), "{link} is nowhere");
        }
    }

    #[test]
    fn the_page_needs_nothing_else() {
        let page = doc("library.yaml", LIBRARY).html();
        for wants in ["<script", "<link", "<img", "<iframe", " src=", "url(", "@import"] {
            assert!(!page.contains(wants), "{wants}");
        }
        assert!(page.contains("Content-Security-Policy"));
    }
}
