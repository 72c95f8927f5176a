//! Every case in full: its prose, when it runs, and what is said, message by message.

use super::super::super::{Case, CaseMessage, Hook, Matcher, Mode, Settings};
use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Talk};
use super::super::page::{Block, Item, Section, Word, Words, code, joined, text};
use super::{Direction, abridge, chapter, table, title};
use crate::expect::words;
use crate::json::Value;
use crate::wire::Message;

/// A few words on what the page is made of.
pub(super) fn lead(dialogue: &Dialogue<'_>) -> Vec<Block> {
    let mut files: Vec<&str> = dialogue.talks.iter().map(|talk| talk.file.path.as_str()).collect();
    files.dedup();
    if files.is_empty() {
        return vec![Block::Paragraph(vec![text("There are no cases.")])];
    }
    let number = words::count(dialogue.talks.len(), "case");
    let mut lead = vec![text(format!("The server as {number} of MCP show it: "))];
    lead.extend(joined(files.iter().map(|path| vec![code(abridge::code(path))]), ", "));
    lead.push(text("."));
    vec![Block::Paragraph(lead)]
}

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    if dialogue.talks.is_empty() {
        return None;
    }
    let mut section = chapter(anchors, "Conversations");
    for talk in &dialogue.talks {
        section.items.push(Item {
            anchor: talk.anchor.clone(),
            title: vec![text(title(talk))],
            blocks: blocks(talk),
        });
    }
    Some(section)
}

fn blocks(talk: &Talk<'_>) -> Vec<Block> {
    let case = talk.case;
    let mut blocks = Vec::new();
    blocks.extend(prose(&case.comments));
    blocks.extend(table(&["", ""], rows(talk)));
    blocks.extend(inputs(&case.settings));
    blocks.extend(case.messages.iter().map(|message| said(case, message)));
    blocks
}

/// Comments as prose: without them, nothing.
fn prose(comments: &[String]) -> Option<Block> {
    let text = comment_text(comments);
    (!text.is_empty()).then_some(Block::Prose(text))
}

/// Comments are broken to the width of an editor; on a page their lines go on, unless they are points of a list.
fn comment_text(comments: &[String]) -> String {
    let mut text = String::new();
    let mut is_new = true;
    for line in comments.iter().map(|line| line.trim()) {
        let is_point = line.starts_with(['-', '*']);
        let between = match (line.is_empty(), is_new) {
            (true, _) => "\n\n",
            (false, true) => "",
            (false, false) if is_point => "\n",
            (false, false) => " ",
        };
        is_new = line.is_empty();
        text.push_str(between);
        text.push_str(line);
    }
    abridge::prose(text.trim())
}

/// When and how the case runs.
fn rows(talk: &Talk<'_>) -> Vec<Vec<Words>> {
    let settings = &talk.case.settings;
    let mut rows = Vec::new();
    let mut row = |called: &str, words: Words| {
        if !words.is_empty() {
            rows.push(vec![vec![text(called)], words]);
        }
    };
    let place = format!("{}:{}", talk.file.path, talk.case.span.line);
    row("Stands in", vec![code(abridge::code(&place))]);
    let mark = |tag: &String| vec![Word::Mark(abridge::name(tag))];
    row("Tags", joined(settings.tags.iter().map(mark), " "));
    row("Skipped", settings.skip.iter().map(|why| text(abridge::name(why))).collect());
    row("Revisions", settings.revisions.iter().map(|it| code(it.to_string())).collect());
    let transport = |it: &crate::transport::CarrierKind| vec![code(it.to_string())];
    row("Transports", joined(settings.transports.iter().map(transport), ", "));
    let given = settings.given.iter().map(|state| {
        let mut words = vec![text(abridge::name(&state.name))];
        if state.params.as_object().is_some_and(|params| !params.is_empty()) {
            words.extend([text(" "), code(abridge::json_line(&state.params))]);
        }
        words
    });
    row("Given", joined(given, "; "));
    let command = |hook: &Hook| vec![code(abridge::code(&hook.run.join(" ")))];
    row("Before", joined(settings.before.iter().map(command), "; "));
    row("After", joined(settings.after.iter().map(command), "; "));
    if settings.continues {
        row("Begins", vec![text("where the case before it ends")]);
    } else if settings.bare {
        row("Begins", vec![text("without a handshake")]);
    }
    rows
}

/// The values from outside. Of a secret there is nothing but its name.
fn inputs(settings: &Settings) -> Option<Block> {
    let row = |input: &super::super::super::Input| {
        let mut about = vec![text(abridge::name(input.about.as_deref().unwrap_or_default()))];
        match &input.default {
            _ if input.secret => about.extend([text(" "), Word::Mark("secret".to_owned())]),
            Some(default) => {
                about.extend([text(" Default: "), code(abridge::json_line(default)), text(".")]);
            }
            None => {}
        }
        vec![vec![code(abridge::code(&input.name))], about]
    };
    table(&["Input", ""], settings.inputs.iter().map(row).collect())
}

fn said(case: &Case, message: &CaseMessage) -> Block {
    let arrow = match message.direction {
        Direction::In => "Client → server",
        Direction::Out => "Client ← server",
    };
    let mut caption = vec![Word::Strong(arrow.to_owned()), text(" ")];
    caption.extend(kind(case, message));
    caption.extend([text(" "), code(abridge::code(&message.key))]);
    Block::Message {
        by: message.direction,
        caption,
        prose: comment_text(&message.comments),
        text: abridge::json(&message.value),
        notes: notes(message),
    }
}

/// What kind of message it is, a reply with the method that it answers.
fn kind(case: &Case, message: &CaseMessage) -> Words {
    let named = |kind: &str, method: &str| vec![text(kind), code(abridge::code(method)), text(",")];
    match &message.message {
        Some(Message::Request(request)) => named("request ", &request.method),
        Some(Message::Notification(told)) => named("notification ", &told.method),
        Some(reply @ (Message::Response(_) | Message::Error(_))) => {
            let what = if matches!(reply, Message::Response(_)) { "result" } else { "error" };
            match asked(case, message, reply) {
                Some(method) => named(&format!("{what} of "), method),
                None => vec![text(format!("{what},"))],
            }
        }
        None => vec![text("not JSON-RPC,")],
    }
}

/// The method of the request in this case that a reply answers: the last one before it with its id.
fn asked<'a>(case: &'a Case, message: &CaseMessage, reply: &Message) -> Option<&'a str> {
    let before = case.messages.iter().take_while(|it| it.key_span != message.key_span);
    let requests =
        before.filter(|it| it.direction != message.direction).filter_map(|it| match &it.message {
            Some(Message::Request(request)) => Some(request),
            _ => None,
        });
    requests.filter(|it| reply.id() == Some(&it.id)).last().map(|it| it.method.as_str())
}

/// How the message is compared, and what is kept of it.
fn notes(message: &CaseMessage) -> Vec<Words> {
    const NOTES: usize = 40;
    let mut notes = Vec::new();
    if message.rule.mode == Mode::Contains {
        notes.push(vec![text("There may be more in it than is shown.")]);
    }
    for (pointer, matcher, _) in &message.rule.matchers {
        let mut words = vec![code(abridge::code(pointer.as_str())), text(": ")];
        words.extend(expected(matcher));
        notes.push(words);
    }
    for capture in &message.captures {
        notes.push(vec![
            code(abridge::code(capture.pointer.as_str())),
            text(" is kept as "),
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

fn expected(matcher: &Matcher) -> Words {
    match matcher {
        Matcher::Any => vec![text("any value")],
        Matcher::Type(of) => vec![text(format!("any value of type {}", of.as_str()))],
        Matcher::Regex(expression) => vec![text("any text with "), code(abridge::code(expression))],
        Matcher::OneOf(values) => {
            let value = |value: &Value| vec![code(abridge::json_line(value))];
            [vec![text("one of ")], joined(values.iter().take(20).map(value), ", ")].concat()
        }
        Matcher::Approximate { number, within } => {
            vec![text(format!("about {number}, within {within}"))]
        }
        Matcher::Exact => vec![text("exactly what is shown")],
        Matcher::Contains => vec![text("maybe more than is shown")],
        Matcher::Unordered => vec![text("the items in any order")],
        Matcher::Ignored => vec![text("not compared")],
    }
}
