//! Every case in full: its description, its settings and its messages.

use std::collections::HashMap;

use mcp_test_core::expect::words;
use mcp_test_core::json::Value;
use mcp_test_core::wire::{Id, Message};

use super::{Direction, Named, abridge, case_links, empty_section, fact, table, title};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::{CaseIndex, IndexedCase};
use crate::cases::doc::page::{Block, Inline, Inlines, Item, Section, code, joined, text};
use crate::cases::{CaseMessage, Hook, Matcher, Mode, Settings};

/// The files of which the page is made.
pub(super) fn lead(index: &CaseIndex<'_>) -> Vec<Block> {
    let mut files: Vec<&str> = index.cases.iter().map(|entry| entry.file.path.as_str()).collect();
    files.dedup();
    if files.is_empty() {
        return vec![Block::Paragraph(vec![text("There are no cases.")])];
    }
    let number = words::count(index.cases.len(), "case");
    let mut lead = vec![text(format!("Generated from {number}: "))];
    lead.extend(joined(files.iter().map(|path| vec![code(abridge::code(path))]), ", "));
    lead.push(text("."));
    vec![Block::Paragraph(lead)]
}

/// A section for each tag, and one for the cases without any.
///
/// A case is in the section of its first tag, after those that it continues, and is linked to from those of its other tags.
pub(super) fn sections(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Vec<Section> {
    let mut groups = Named::<Vec<usize>>::new();
    let mut group = "";
    for (number, IndexedCase { case, .. }) in index.cases.iter().enumerate() {
        let tags = &case.settings.tags;
        if !case.settings.continues {
            group = tags.first().map_or("", String::as_str);
        }
        groups.entry(group).push(number);
        for tag in tags {
            groups.entry(tag);
        }
    }
    // Stable: tags stay in the order of their first case.
    groups.all.sort_by_key(|(tag, _)| tag.is_empty());
    let has_tags = groups.all.iter().any(|(tag, _)| !tag.is_empty());
    let section = |(tag, numbers): &(&str, Vec<usize>)| {
        let title = match (*tag, has_tags) {
            ("", false) => "Conversations".to_owned(),
            ("", true) => "Other conversations".to_owned(),
            (tag, _) => format!("Conversations: {}", abridge::name(tag)),
        };
        Section {
            blocks: elsewhere(index, tag, numbers).into_iter().collect(),
            items: numbers.iter().map(|number| item(&index.cases[*number])).collect(),
            ..empty_section(anchors, &title)
        }
    };
    groups.all.iter().map(section).collect()
}

fn item(entry: &IndexedCase<'_>) -> Item {
    Item { anchor: entry.anchor.clone(), title: vec![text(title(entry))], blocks: blocks(entry) }
}

/// Links to the cases with a tag that are in the section of another one.
fn elsewhere(index: &CaseIndex<'_>, tag: &str, here: &[usize]) -> Option<Block> {
    let is_tagged = |number: &usize| {
        let tags = &index.cases[*number].case.settings.tags;
        tags.iter().any(|own| own == tag) && here.binary_search(number).is_err()
    };
    let others = case_links(index, (0..index.cases.len()).filter(is_tagged));
    let linked = [vec![text("Also with this tag: ")], others.clone(), vec![text(".")]].concat();
    (!others.is_empty()).then_some(Block::Paragraph(linked))
}

fn blocks(entry: &IndexedCase<'_>) -> Vec<Block> {
    let case = entry.case;
    let mut blocks = Vec::new();
    blocks.extend(prose(&case.comments));
    blocks.extend(table(&["", ""], rows(entry)));
    blocks.extend(inputs(&case.settings));
    let mut requests = Requests::default();
    blocks.extend(case.messages.iter().map(|message| {
        let answers = requests.take(message);
        message_block(message, answers)
    }));
    blocks
}

/// Comments as prose, if there are any.
fn prose(comments: &[String]) -> Option<Block> {
    let text = comment_text(comments);
    (!text.is_empty()).then_some(Block::Prose(text))
}

/// The text of comments: lines are joined, because they are wrapped for an editor, except for the items of a list.
fn comment_text(comments: &[String]) -> String {
    let mut text = String::new();
    let mut is_new = true;
    for line in comments.iter().map(|line| line.trim()) {
        let is_item = line.starts_with(['-', '*']);
        let between = match (line.is_empty(), is_new) {
            (true, _) => "\n\n",
            (false, true) => "",
            (false, false) if is_item => "\n",
            (false, false) => " ",
        };
        is_new = line.is_empty();
        text.push_str(between);
        text.push_str(line);
    }
    abridge::prose(text.trim())
}

/// The settings of the case.
fn rows(entry: &IndexedCase<'_>) -> Vec<Vec<Inlines>> {
    let settings = &entry.case.settings;
    let place = format!("{}:{}", entry.file.path, entry.case.span.line);
    let mark = |tag: &String| vec![Inline::Mark(abridge::name(tag))];
    let transport = |it: &mcp_test_core::transport::TransportKind| vec![code(it.to_string())];
    let given = settings.given.iter().map(|state| {
        let mut words = vec![text(abridge::name(&state.name))];
        if state.params.as_object().is_some_and(|params| !params.is_empty()) {
            words.extend([text(" "), code(abridge::json_line(&state.params))]);
        }
        words
    });
    let command = |hook: &Hook| vec![code(abridge::code(&hook.run.join(" ")))];
    let starts = match (settings.continues, settings.bare) {
        (true, _) => vec![text("where the previous case ends")],
        (false, true) => vec![text("without a handshake")],
        (false, false) => Inlines::new(),
    };
    let facts = [
        fact("File", vec![code(abridge::code(&place))]),
        fact("Tags", joined(settings.tags.iter().map(mark), " ")),
        fact("Skipped", settings.skip.iter().map(|why| text(abridge::name(why))).collect()),
        fact("Revisions", settings.revisions.iter().map(|it| code(it.to_string())).collect()),
        fact("Transports", joined(settings.transports.iter().map(transport), ", ")),
        fact("Given", joined(given, "; ")),
        fact("Before", joined(settings.before.iter().map(command), "; ")),
        fact("After", joined(settings.after.iter().map(command), "; ")),
        fact("Starts", starts),
    ];
    facts.into_iter().flatten().collect()
}

/// The inputs. Of a secret, only the name is shown.
fn inputs(settings: &Settings) -> Option<Block> {
    let row = |input: &crate::cases::Input| {
        let mut about = vec![text(abridge::name(input.about.as_deref().unwrap_or_default()))];
        match &input.default {
            // The default of a secret may be one itself.
            _ if input.secret => about.extend([text(" "), Inline::Mark("secret".to_owned())]),
            Some(default) => {
                about.extend([text(" Default: "), code(abridge::json_line(default)), text(".")]);
            }
            None => {}
        }
        vec![vec![code(abridge::code(&input.name))], about]
    };
    table(&["Input", ""], settings.inputs.iter().map(row).collect())
}

/// A message; a reply names the method that it `answers`.
fn message_block(message: &CaseMessage, answers: Option<&str>) -> Block {
    let arrow = match message.direction {
        Direction::In => "Client → server",
        Direction::Out => "Client ← server",
    };
    let mut caption = vec![Inline::Strong(arrow.to_owned()), text(" ")];
    caption.extend(kind(message, answers));
    caption.extend([text(" "), code(abridge::code(&message.key))]);
    Block::Message {
        sender: message.direction,
        caption,
        prose: comment_text(&message.comments),
        text: abridge::json(&message.value),
        notes: notes(message),
    }
}

/// The kind of a message; for a reply, with the method that it answers.
fn kind(message: &CaseMessage, answers: Option<&str>) -> Inlines {
    let named = |kind: &str, method: &str| vec![text(kind), code(abridge::code(method)), text(",")];
    match &message.message {
        Some(Message::Request(request)) => named("request ", &request.method),
        Some(Message::Notification(notification)) => named("notification ", &notification.method),
        Some(reply @ (Message::Response(_) | Message::Error(_))) => {
            let what = if matches!(reply, Message::Response(_)) { "result" } else { "error" };
            match answers {
                Some(method) => named(&format!("{what} of "), method),
                None => vec![text(format!("{what},"))],
            }
        }
        None => vec![text("not JSON-RPC,")],
    }
}

/// The methods of the requests so far, by their sender and id.
#[derive(Default)]
struct Requests<'a>(HashMap<(Direction, &'a Id), &'a str>);

impl<'a> Requests<'a> {
    /// Notes a request; of a reply, the method of the last request of the other side that has its id.
    fn take(&mut self, message: &'a CaseMessage) -> Option<&'a str> {
        let other = match message.direction {
            Direction::In => Direction::Out,
            Direction::Out => Direction::In,
        };
        match &message.message {
            Some(Message::Request(request)) => {
                self.0.insert((message.direction, &request.id), &request.method);
                None
            }
            Some(reply @ (Message::Response(_) | Message::Error(_))) => {
                self.0.get(&(other, reply.id()?)).copied()
            }
            _ => None,
        }
    }
}

/// How the message is compared, and what is captured.
fn notes(message: &CaseMessage) -> Vec<Inlines> {
    const NOTES: usize = 40;
    let mut notes = Vec::new();
    if message.rule.mode == Mode::Contains {
        notes.push(vec![text("Further members are allowed.")]);
    }
    for (pointer, matcher, _) in &message.rule.matchers {
        let mut words = vec![code(abridge::code(pointer.as_str())), text(": ")];
        words.extend(expected(matcher));
        notes.push(words);
    }
    for capture in &message.captures {
        notes.push(vec![
            code(abridge::code(capture.pointer.as_str())),
            text(" is captured as "),
            code(format!("${{{}}}", abridge::code(&capture.name))),
        ]);
    }
    if notes.len() > NOTES {
        let more = notes.len() - NOTES;
        notes.truncate(NOTES);
        notes.push(vec![text(format!("… and {more} more"))]);
    }
    notes
}

fn expected(matcher: &Matcher) -> Inlines {
    match matcher {
        Matcher::Any => vec![text("any value")],
        Matcher::Type(of) => vec![text(format!("any value of type {}", of.as_str()))],
        Matcher::Regex(expression) => {
            vec![text("any text that matches "), code(abridge::code(expression))]
        }
        Matcher::OneOf(values) => {
            let value = |value: &Value| vec![code(abridge::json_line(value))];
            [vec![text("one of ")], joined(values.iter().take(20).map(value), ", ")].concat()
        }
        Matcher::Approximate { number, within } => {
            vec![text(format!("about {number}, within {within}"))]
        }
        Matcher::Exact => vec![text("exactly what is shown")],
        Matcher::Contains => vec![text("may contain more than is shown")],
        Matcher::Unordered => vec![text("the items in any order")],
        Matcher::Ignored => vec![text("not compared")],
    }
}
