//! MCP Cases: for any input, reading does not panic, and its spans are inside the text; formatting preserves content and
//! comments, and is idempotent.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::cases::{Cases, Diagnostic, ReadError, ReadOptions};
use mcp_test_core::yaml::{self, Comment, Kind, Limits, Member, Node, Stream};

fuzz_target!(|bytes: &[u8]| {
    let text = match yaml::decode(bytes) {
        Ok(text) => text,
        Err(problem) => return assert!(bytes.len() >= problem.span.end),
    };
    let limits = Limits::default();
    let formatted = yaml::format(text, &limits).text;
    let (before, after) = (yaml::read(text, &limits), yaml::read(&formatted, &limits));
    assert_eq!(values(&before), values(&after), "{formatted}");
    assert_eq!(comments(&before), comments(&after), "{formatted}");
    assert_eq!(yaml::format(&formatted, &limits).text, formatted, "formatted twice");
    assert_eq!(cases(text), cases(&formatted), "{formatted}");
});

/// Each document as JSON; `None` for a malformed one.
fn values(stream: &Stream) -> Vec<Option<String>> {
    let value = |document: &Result<yaml::Document, _>| {
        document.as_ref().ok().map(|document| document.root.to_value().to_string())
    };
    stream.documents.iter().map(value).collect()
}

/// The comments, in the order of the text.
fn comments(stream: &Stream) -> Vec<String> {
    let mut found: Vec<&Comment> = stream.comments.iter().collect();
    for document in stream.documents.iter().flatten() {
        found.extend(&document.comments);
        collect_comments(&document.root, &mut found);
    }
    found.sort_by_key(|comment| comment.span.start);
    found.into_iter().map(|comment| comment.text.clone()).collect()
}

fn collect_comments<'n>(node: &'n Node, found: &mut Vec<&'n Comment>) {
    found.extend(node.comments().iter());
    match &node.kind {
        Kind::List(items) => items.iter().for_each(|item| collect_comments(item, found)),
        Kind::Mapping(members) => members.iter().for_each(|Member { key, value }| {
            collect_comments(key, found);
            collect_comments(value, found);
        }),
        _ => {}
    }
}

/// The cases with their messages, or the diagnostics.
fn cases(text: &str) -> Vec<String> {
    let texts = |diagnostics: Vec<Diagnostic>| -> Vec<String> {
        diagnostics
            .into_iter()
            .inspect(|diagnostic| {
                assert!(text.get(diagnostic.span.bytes()).is_some(), "{diagnostic:?}");
                assert!(!diagnostic.render(false).is_empty());
            })
            // Formatting normalizes line endings.
            .filter(|diagnostic| diagnostic.name != "line-break")
            .map(|diagnostic| format!("{}: {}", diagnostic.name, diagnostic.message))
            .collect()
    };
    match Cases::parse("cases.yaml", text, &ReadOptions::default()) {
        Err(ReadError::Diagnostics(diagnostics)) => texts(diagnostics),
        Err(error) => panic!("not about a text: {error}"),
        Ok((cases, diagnostics)) => {
            let message = |message: &mcp_test::cases::CaseMessage| {
                format!("{} {}", message.key, message.value)
            };
            let case = |case: &mcp_test::cases::Case| {
                let messages: Vec<String> = case.messages.iter().map(message).collect();
                format!("{} {:?} {:?} {messages:?}", case.id, case.name, case.comments)
            };
            let mut all = texts(diagnostics);
            all.extend(cases.iter().map(|(_, it)| case(it)));
            all
        }
    }
}
