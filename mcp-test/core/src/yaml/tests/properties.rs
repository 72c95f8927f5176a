//! For any text: no panic, bounded cost, and no loss.

use proptest::prelude::*;

use crate::json::arbitrary;
use crate::yaml::{
    Comment, Document, Kind, Limits, Member, Node, Stream, Style, format, read, write,
};

/// Building blocks of YAML, and characters that need care.
const PIECES: [&str; 56] = [
    "a",
    "b: ",
    "a: b\n",
    "- ",
    "- a\n",
    "? ",
    ": ",
    ",",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "# c\n",
    " # c\n",
    "\n",
    "\n\n",
    "  ",
    "    ",
    "\t",
    "|\n",
    "|+\n",
    "|2-\n",
    ">\n",
    ">-\n",
    "&x ",
    "*x",
    "*x ",
    "!!str ",
    "!y ",
    "---\n",
    "--- ",
    "...\n",
    "%YAML 1.2\n",
    "null",
    "~",
    "1.50",
    "0x1F",
    ".inf",
    "true",
    "\r\n",
    "\r",
    "\0",
    "\u{feff}",
    "é",
    "\u{85}",
    "\u{2028}",
    "\\n",
    "\\",
    "<<: ",
    "\"a\": 1, ",
    "in: {\"jsonrpc\": \"2.0\"}\n",
    "case: A\n",
    "{a: [1,\n 2]}\n",
    "[\n  1, # c\n]\n",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(0..PIECES.len(), 0..24)
        .prop_map(|pieces| pieces.into_iter().map(|piece| PIECES[piece]).collect())
}

/// The number of nodes, and of bytes in their strings.
fn size(node: &Node) -> (usize, usize) {
    let sum = |sizes: &mut dyn Iterator<Item = (usize, usize)>| {
        sizes.fold((1, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    };
    match &node.kind {
        Kind::String(text) => (1, text.len()),
        Kind::List(items) => sum(&mut items.iter().map(size)),
        Kind::Mapping(members) => {
            sum(&mut members.iter().flat_map(|member| [size(&member.key), size(&member.value)]))
        }
        _ => (1, 0),
    }
}

fn comments(stream: &Stream) -> Vec<String> {
    fn of(node: &Node, found: &mut Vec<Comment>) {
        found.extend(node.comments().iter().cloned());
        match &node.kind {
            Kind::List(items) => items.iter().for_each(|item| of(item, found)),
            Kind::Mapping(members) => members.iter().for_each(|Member { key, value }| {
                of(key, found);
                of(value, found);
            }),
            _ => {}
        }
    }
    let mut found = stream.comments.clone();
    for document in stream.documents.iter().flatten() {
        found.extend(document.comments.iter().cloned());
        of(&document.root, &mut found);
    }
    found.sort_by_key(|comment| comment.span.start);
    found.into_iter().map(|comment| comment.text).collect()
}

fn values(stream: &Stream) -> Vec<Option<String>> {
    let value = |document: &Result<Document, _>| {
        document.as_ref().ok().map(|document| document.root.to_value().to_string())
    };
    stream.documents.iter().map(value).collect()
}

/// Nodes in every style, with comments wherever a node can have them.
fn node() -> impl Strategy<Value = Node> {
    let style = prop::sample::select(vec![
        Style::Plain,
        Style::Single,
        Style::Double,
        Style::Literal,
        Style::Folded,
        Style::Flow,
        Style::Block,
    ]);
    let leaf = prop_oneof![
        Just(Kind::Null),
        any::<bool>().prop_map(Kind::Bool),
        arbitrary::number().prop_map(Kind::Number),
        arbitrary::text().prop_map(Kind::String),
        "[a-z\n #:-]{0,9}".prop_map(Kind::String),
    ];
    let leaf = (leaf, style.clone()).prop_map(|(kind, style)| Node::new(kind, style));
    let nested = leaf.prop_recursive(4, 24, 4, move |inner| {
        let lists = prop::collection::vec(inner.clone(), 0..4).prop_map(Kind::List);
        let key = ("[a-z ]{1,4}|\\PC{0,3}", style.clone())
            .prop_map(|(text, style)| Node::new(Kind::String(text), style));
        let member = (key, inner).prop_map(|(key, value)| Member { key, value });
        let mappings = prop::collection::vec(member, 0..4).prop_map(Kind::Mapping);
        (prop_oneof![lists, mappings], style.clone(), 0..16_u8).prop_map(|(kind, style, which)| {
            let mut node = Node::new(kind, style);
            if which == 1 {
                node.comments_mut().below.push(Comment::new("below"));
            }
            node
        })
    });
    (nested, 0..16_u8).prop_map(|(mut node, which)| {
        match which {
            1 => node.comments_mut().above.push(Comment::new("above")),
            2 => node.comments_mut().at = Some(Comment::new("at")),
            3 => node.comments_mut().beside = Some(Comment::new("beside")),
            _ => {}
        }
        node
    })
}

proptest! {
    #[test]
    fn reading_any_text_stays_within_the_limits(text in text()) {
        let mut limits = Limits::default();
        (limits.nodes, limits.depth, limits.documents, limits.copied) = (20, 4, 3, 2_000);
        let stream = read(&text, &limits);
        prop_assert!(stream.documents.len() <= limits.documents + 1);
        let read = stream.documents.iter().flatten().map(|document| size(&document.root));
        let (nodes, bytes) = read.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let copies = limits.copied / size_of::<Node>();
        prop_assert!(nodes <= limits.nodes + copies, "{nodes} nodes");
        prop_assert!(bytes <= 3 * text.len() + limits.copied, "{bytes} bytes");
        prop_assert!(comments(&stream).len() <= limits.nodes);
    }

    #[test]
    fn every_span_is_inside_the_text(text in text()) {
        fn check(node: &Node, text: &str) {
            assert!(text.get(node.span.bytes()).is_some(), "{:?}", node.span);
            assert!(node.span.line > 0 && node.span.column > 0);
            match &node.kind {
                Kind::List(items) => items.iter().for_each(|item| check(item, text)),
                Kind::Mapping(members) => members.iter().for_each(|Member { key, value }| {
                    check(key, text);
                    check(value, text);
                }),
                _ => {}
            }
        }
        let stream = read(&text, &Limits::default());
        let mut end = if stream.bom { 3 } else { 0 };
        for document in &stream.documents {
            let (span, problems) = match document {
                Ok(document) => {
                    check(&document.root, &text);
                    (document.span, document.problems.clone())
                }
                Err(broken) => (broken.span, vec![broken.problem.clone()]),
            };
            assert_eq!(span.start, end, "documents follow each other");
            end = span.end;
            for problem in problems {
                assert!(text.get(problem.span.bytes()).is_some(), "{problem:?}");
            }
        }
    }

    #[test]
    fn formatting_is_lossless_and_idempotent(text in text()) {
        let limits = Limits::default();
        let formatted = format(&text, &limits);
        let (before, after) = (read(&text, &limits), read(&formatted.text, &limits));
        prop_assert_eq!(values(&before), values(&after));
        prop_assert_eq!(comments(&before), comments(&after));
        let again = format(&formatted.text, &limits);
        prop_assert_eq!(again.text, formatted.text);
    }

    #[test]
    fn formatting_keeps_every_letter_of_any_text(text in text()) {
        // Sorted, because a comment may move past an anchor.
        let letters = |text: &str| {
            let mut letters: Vec<char> = text.chars().filter(|c| c.is_alphabetic()).collect();
            letters.sort_unstable();
            letters
        };
        let formatted = format(&text, &Limits::default());
        prop_assert_eq!(letters(&text), letters(&formatted.text));
    }

    #[test]
    fn written_documents_read_as_the_same(nodes in prop::collection::vec(node(), 1..3)) {
        let documents = nodes.into_iter().map(Document::new).map(Ok).collect();
        let stream = Stream { documents, ..Stream::default() };
        let text = write(&stream);
        let again = read(&text, &Limits::default());
        prop_assert_eq!(values(&again), values(&stream), "{}", text);
        prop_assert_eq!(comments(&again).len(), comments(&stream).len(), "{}", text);
        prop_assert_eq!(write(&again), text);
    }
}
