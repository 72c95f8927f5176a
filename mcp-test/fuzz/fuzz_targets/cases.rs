//! MCP Cases: whatever the text, reading it breaks nothing and points into it; laying it out changes neither what it says
//! nor its comments, and a second time changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::cases::{Cases, Complaint, ReadError, ReadOptions};
use mcp_test::yaml::{self, Comment, Kind, Limits, Member, Node, Stream};

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
    assert_eq!(yaml::format(&formatted, &limits).text, formatted, "laid out twice");
    assert_eq!(cases(text), cases(&formatted), "{formatted}");
});

/// What the documents say; of a broken one, nothing.
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
        gather(&document.root, &mut found);
    }
    found.sort_by_key(|comment| comment.span.start);
    found.into_iter().map(|comment| comment.text.trim_end().to_owned()).collect()
}

fn gather<'n>(node: &'n Node, found: &mut Vec<&'n Comment>) {
    found.extend(node.comments().iter());
    match &node.kind {
        Kind::List(items) => items.iter().for_each(|item| gather(item, found)),
        Kind::Mapping(members) => members.iter().for_each(|Member { key, value }| {
            gather(key, found);
            gather(value, found);
        }),
        _ => {}
    }
}

/// The cases with their messages, or what is wrong with the text.
fn cases(text: &str) -> Vec<String> {
    let told = |complaints: Vec<Complaint>| -> Vec<String> {
        complaints
            .into_iter()
            .inspect(|complaint| {
                assert!(text.get(complaint.span.bytes()).is_some(), "{complaint:?}");
                assert!(!complaint.render(false).is_empty());
            })
            // Laying out ends lines as other tools do.
            .filter(|complaint| complaint.name != "line-break")
            .map(|complaint| format!("{}: {}", complaint.name, complaint.message))
            .collect()
    };
    match Cases::parse("cases.yaml", text, &ReadOptions::default()) {
        Err(ReadError::Complaints(complaints)) => told(complaints),
        Err(error) => panic!("a text is no file: {error}"),
        Ok((cases, complaints)) => {
            let message = |message: &mcp_test::cases::CaseMessage| {
                format!("{} {}", message.key, message.value)
            };
            let case = |case: &mcp_test::cases::Case| {
                let messages: Vec<String> = case.messages.iter().map(message).collect();
                format!("{} {:?} {:?} {messages:?}", case.id, case.name, case.comments)
            };
            let mut all = told(complaints);
            all.extend(cases.iter().map(|(_, it)| case(it)));
            all
        }
    }
}
