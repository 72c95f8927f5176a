//! The small part of YAML that a baseline needs: one document of mappings, lists and texts, with their lines.

use granit_parser::{Event, Parser};

/// A node, and the line on which it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// Nothing, or one of the words that stand for it.
    Null,
    Text(String),
    List(Vec<Node>),
    Mapping(Vec<(Node, Node)>),
}

impl What {
    /// The word for it in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Mapping(_) => "a mapping",
        }
    }
}

/// A line, and what is wrong there.
pub(super) type Problem = (usize, String);

/// Reads the document; `None` if there is none.
pub(super) fn read(text: &str) -> Result<Option<Node>, Problem> {
    let mut events = Parser::new_from_str(text);
    let mut document = None;
    while let Some((line, event)) = next(&mut events)? {
        match event {
            Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
            Event::StreamEnd => break,
            _ if document.is_some() => {
                return Err((line, "a second document begins here".to_owned()));
            }
            event => document = Some(node(line, event, &mut events)?),
        }
    }
    Ok(document)
}

fn next<'a, T: granit_parser::BorrowedInput<'a>>(
    events: &mut Parser<'a, T>,
) -> Result<Option<(usize, Event<'a>)>, Problem> {
    match events.next_event() {
        None => Ok(None),
        Some(Ok((event, span))) => Ok(Some((span.start.line(), event))),
        Some(Err(error)) => Err((error.marker().line(), format!("not YAML: {}", error.kind()))),
    }
}

fn node<'a, T: granit_parser::BorrowedInput<'a>>(
    line: usize,
    event: Event<'a>,
    events: &mut Parser<'a, T>,
) -> Result<Node, Problem> {
    let what = match event {
        Event::Scalar(text, style, ..) => {
            let plain = style == granit_parser::ScalarStyle::Plain;
            match text.trim() {
                "" | "~" | "null" | "Null" | "NULL" if plain => What::Null,
                text => What::Text(text.to_owned()),
            }
        }
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            while let Some(item) = unless(&Event::SequenceEnd, events)? {
                items.push(item);
            }
            What::List(items)
        }
        Event::MappingStart(..) => {
            let mut members: Vec<(Node, Node)> = Vec::new();
            while let Some(key) = unless(&Event::MappingEnd, events)? {
                let Some(value) = unless(&Event::MappingEnd, events)? else {
                    break;
                };
                if members.iter().any(|(known, _)| known.what == key.what) {
                    return Err((key.line, "the same key occurs twice in a mapping".to_owned()));
                }
                members.push((key, value));
            }
            What::Mapping(members)
        }
        Event::Alias(_) => {
            return Err((line, "an alias, which has no place in a baseline".to_owned()));
        }
        _ => return Err((line, "unexpected YAML".to_owned())),
    };
    Ok(Node { line, what })
}

/// The next node, unless the collection ends here.
fn unless<'a, T: granit_parser::BorrowedInput<'a>>(
    end: &Event<'a>,
    events: &mut Parser<'a, T>,
) -> Result<Option<Node>, Problem> {
    match next(events)? {
        None => Ok(None),
        Some((_, event)) if event == *end => Ok(None),
        Some((line, event)) => node(line, event, events).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_know_their_lines() {
        let document = read("# a\nserver:\n  - ping\n  - \"null\"\nclient:\n").unwrap().unwrap();
        let What::Mapping(members) = document.what else { panic!("a mapping") };
        let lines: Vec<usize> = members.iter().map(|(key, _)| key.line).collect();
        assert_eq!(lines, [2, 5]);
        let text = |text: &str, line| Node { line, what: What::Text(text.to_owned()) };
        assert_eq!(members[0].1.what, What::List(vec![text("ping", 3), text("null", 4)]));
        assert_eq!(members[1].1.what, What::Null);
    }

    #[test]
    fn an_empty_file_has_no_document() {
        assert_eq!(read("").unwrap(), None);
        assert_eq!(read("# nothing\n").unwrap(), None);
    }

    #[test]
    fn what_is_no_yaml_or_too_much_of_it_is_said_with_its_line() {
        assert_eq!(read("a: b\n---\nc: d\n").unwrap_err().0, 3);
        assert_eq!(
            read("a: 1\nb: 2\na: 3\n").unwrap_err(),
            (3, "the same key occurs twice in a mapping".to_owned())
        );
        assert_eq!(read("a: &x 1\nb: *x\n").unwrap_err().0, 2);
        assert!(read("server:\n\t- a\n").unwrap_err().1.starts_with("not YAML: "));
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
