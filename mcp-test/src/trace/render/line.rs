//! The lines of a play as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::layout::{full, grouped, short, without_long_strings, wrapped};
use super::play::{Answer, Line, Play};
use super::{Headers, Style};
use crate::json::{Object, Value};
use crate::trace::{Connection, Event, Party, Reading, Redactor, Seq, Trace, What};
use crate::wire::{Id, Message};

/// Longer strings are cut even where values are shown in full.
const LONGEST_STRING: usize = 2000;
/// How many characters of noise are shown.
const NOISE_CHARS: usize = 400;

pub(super) struct Writer<'a> {
    style: &'a Style,
    redactor: &'a mut Redactor,
    out: String,
    number_width: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(style: &'a Style, redactor: &'a mut Redactor) -> Self {
        Self { style, redactor, out: String::new(), number_width: 1 }
    }

    /// Writes the play, or of it what is chosen, with a mark where messages were left out.
    pub(super) fn write(
        &mut self,
        trace: &Trace,
        play: &Play<'_>,
        chosen: Option<&BTreeSet<Seq>>,
    ) -> String {
        self.number_width = play.number_width();
        if trace.elided > 0 && chosen.is_none() {
            self.aside(&format!("… {} older events were dropped to save memory", trace.elided));
        }
        if trace.elided_stderr > 0 && chosen.is_none() {
            let lines = trace.elided_stderr;
            self.aside(&format!("… {lines} older lines of stderr were dropped to save memory"));
        }
        let mut shown = 0;
        let mut on: Option<Connection> = None;
        for line in &play.lines {
            let wanted = match chosen {
                Some(chosen) => chosen.contains(&line.event.seq),
                None => self.wants(&line.event.what),
            };
            if !wanted {
                continue;
            }
            if let (Some(number), Some(_)) = (line.number, chosen) {
                match number - shown - 1 {
                    0 => {}
                    1 => self.aside("… 1 message not shown"),
                    left_out => self.aside(&format!("… {} messages not shown", grouped(left_out))),
                }
            }
            shown = line.number.unwrap_or(shown);
            let connection = line.event.connection;
            if on.replace(connection) != Some(connection)
                && let Some(carrier) = play.carriers.get(&connection)
            {
                let carrier = self.redactor.urls(carrier);
                self.aside(&format!("— connection {connection}: {}", escaped(&carrier)));
            }
            self.line(line);
        }
        std::mem::take(&mut self.out)
    }

    fn wants(&self, what: &What) -> bool {
        match what {
            What::Message { .. }
            | What::Noise { .. }
            | What::Elided { .. }
            | What::DeadlineFired { .. } => true,
            What::HttpRequest { .. } | What::HttpResponse { .. } => {
                self.style.headers != Headers::Hidden
            }
            What::SseEvent { .. } | What::SseComment(_) => self.style.headers == Headers::All,
            What::Stderr(_) => self.style.stderr,
            What::Opened { .. }
            | What::Closed { .. }
            | What::Exited { .. }
            | What::Outstayed { .. }
            | What::Fence(_)
            | What::Note(_) => self.style.asides,
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        let event = line.event;
        match &event.what {
            What::Message { reading, text } => self.message(line, reading, text),
            What::Noise { bytes, why, .. } => {
                let noise = self.quoted(bytes);
                self.say(line, &format!("noise {noise}"));
                let why = self.redactor.text(why);
                self.below(&format!("! {}", escaped(&why)));
            }
            What::Elided { was, bytes } => {
                let was = self.redactor.text(was);
                self.say(
                    line,
                    &format!(
                        "{}: {} bytes, dropped to save memory",
                        escaped(&was),
                        grouped(*bytes)
                    ),
                );
            }
            What::HttpRequest { .. } | What::HttpResponse { .. } | What::SseEvent { .. } => {
                let head = self.head(event);
                self.say(line, &head);
            }
            What::SseComment(comment) => {
                let comment = self.redactor.text(comment);
                self.say(line, &format!("comment {}", Value::from(comment)));
            }
            What::Stderr(text) => {
                let text = self.redactor.text(text);
                self.aside(&format!("{} ! {}", event.party, escaped(&text)));
            }
            What::Opened { carrier } => {
                let carrier = self.redactor.urls(carrier);
                self.aside(&format!("* opened: {}", escaped(&carrier)));
            }
            What::Closed { how } => self.remark(event.party.as_str(), how),
            What::Exited { status } => self.remark(&format!("{} exited", event.party), status),
            What::Outstayed { what, how } => {
                let (party, what) = (event.party, what.as_str());
                self.remark(&format!("{party}: the {what} is still there"), how);
            }
            What::Fence(name) => self.remark("fence", name),
            What::DeadlineFired { awaited } => {
                self.remark("deadline passed while awaiting", awaited);
            }
            What::Note(text) => self.remark("note", text),
        }
        if self.style.headers != Headers::Hidden {
            for head in &line.heads {
                let head = self.head(head);
                if !head.is_empty() {
                    self.below(&head);
                }
            }
        }
    }

    fn message(&mut self, line: &Line<'_>, reading: &Reading, text: &[u8]) {
        let Some(value) = reading.value() else {
            let noise = self.quoted(text);
            self.say(line, &format!("noise {noise}"));
            self.below_problems(reading);
            return;
        };
        match (value, reading.messages().next()) {
            (Value::Array(items), _) => {
                self.say(line, &format!("batch of {}", items.len()));
                let mut good = reading.messages().zip(&line.answers).peekable();
                for item in items {
                    // Items that are no messages are missing among the good ones.
                    let message = good.next_if(|(message, _)| {
                        Message::read(item).is_ok_and(|read| read == **message)
                    });
                    let (lead, value) = message.map_or_else(
                        || ("malformed".to_owned(), Some(item.clone())),
                        |(message, answer)| spoken(message, *answer),
                    );
                    let text = self.with_value(&lead, value.as_ref(), self.margin() + 2);
                    self.below(&format!("- {text}"));
                }
            }
            (value, Some(message)) => {
                let answer = line.answers.first().copied().unwrap_or(Answer::Nothing);
                let (lead, payload) = spoken(message, answer);
                self.say_value(line, &lead, payload.as_ref());
                if let Some(besides) = besides(value) {
                    let text = self.with_value("besides", Some(&besides), self.margin());
                    self.below(&text);
                }
            }
            (value, None) => self.say_value(line, "malformed", Some(value)),
        }
        self.below_problems(reading);
    }

    fn below_problems(&mut self, reading: &Reading) {
        let malformed: Vec<_> = reading.malformed().map(ToString::to_string).collect();
        let whole = reading.problem().filter(|_| malformed.is_empty()).map(ToOwned::to_owned);
        for problem in malformed.into_iter().chain(whole) {
            let problem = self.redactor.text(&problem);
            self.below(&format!("! {}", escaped(&problem)));
        }
    }

    fn head(&mut self, event: &Event) -> String {
        match &event.what {
            What::HttpRequest { method, path, headers } => {
                let path = self.redactor.path(path);
                format!("{method} {}{}", escaped(&path), self.headers(headers))
            }
            What::HttpResponse { status, headers } => {
                format!("HTTP {status}{}", self.headers(headers))
            }
            What::SseEvent { event, id, retry } => {
                let id =
                    id.as_ref().map(|id| format!("id: {}", escaped(&self.redactor.event_id(id))));
                let event = event.as_ref().map(|event| format!("event: {}", escaped(event)));
                let retry = retry.map(|retry| format!("retry: {retry}"));
                [event, id, retry].into_iter().flatten().collect::<Vec<_>>().join("  ")
            }
            _ => String::new(),
        }
    }

    fn headers(&mut self, headers: &[(String, String)]) -> String {
        let lower = headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let mut shown: Vec<_> =
            lower.filter(|(name, _)| self.style.headers == Headers::All || is_mcp(name)).collect();
        if self.style.headers == Headers::Mcp {
            shown.sort();
        }
        let mut text = String::new();
        for (name, value) in shown {
            let value = self.redactor.header(&name, value);
            let _ = write!(text, "  {name}: {}", escaped(&value));
        }
        text
    }

    fn say_value(&mut self, line: &Line<'_>, lead: &str, value: Option<&Value>) {
        let used = self.cue(line).chars().count();
        let text = self.with_value(lead, value, used);
        self.say(line, &text);
    }

    /// A text with a value behind it, as the style wants it. The text starts in this column.
    fn with_value(&mut self, lead: &str, value: Option<&Value>, column: usize) -> String {
        let lead = escaped(&self.redactor.text(lead));
        let Some(value) = value else {
            return lead;
        };
        let value = self.redactor.value(value);
        if let Some(budget) = self.style.value_chars {
            return format!("{lead} {}", short(&value, budget));
        }
        let value = without_long_strings(&value, LONGEST_STRING);
        let room = self.style.width.saturating_sub(column + lead.chars().count() + 1);
        match full(&value, room, self.margin(), self.style.width).as_slice() {
            [line] => format!("{lead} {line}"),
            lines => format!("{lead}{}", lines.join("\n")),
        }
    }

    fn cue(&self, line: &Line<'_>) -> String {
        let number = line.number.map(|number| number.to_string()).unwrap_or_default();
        let width = self.number_width;
        let speaker = match line.event.party {
            Party::Client => "client → server",
            Party::Server => "client ← server",
            Party::Harness => "harness        ",
        };
        let time = if self.style.times {
            format!("{:9.3}  ", line.event.at.as_secs_f64())
        } else {
            String::new()
        };
        format!("{time}{number:>width$}  {speaker}  ")
    }

    fn say(&mut self, line: &Line<'_>, text: &str) {
        let cue = self.cue(line);
        self.put(&cue, text);
    }

    fn below(&mut self, text: &str) {
        let margin = " ".repeat(self.margin());
        self.put(&margin, text);
    }

    fn aside(&mut self, text: &str) {
        self.below(text);
    }

    fn remark(&mut self, what: &str, text: &str) {
        let text = self.redactor.text(text);
        self.aside(&format!("* {what}: {}", escaped(&text)));
    }

    /// Puts a text behind its start. Lines that are laid out already stay as they are, the first one may be wrapped.
    fn put(&mut self, start: &str, text: &str) {
        let margin = self.margin() + 2;
        let (first, laid_out) =
            text.split_once('\n').map_or((text, None), |(first, rest)| (first, Some(rest)));
        let width = self.style.width;
        // A line that could not be broken for a value in full is kept: breaking it would garble diffs.
        let lines = if self.style.value_chars.is_some() {
            wrapped(
                first,
                width.saturating_sub(start.chars().count()),
                width.saturating_sub(margin),
            )
        } else {
            vec![first.to_owned()]
        };
        let joined = lines.join(&format!("\n{}", " ".repeat(margin)));
        let _ = writeln!(self.out, "{}", format!("{start}{joined}").trim_end());
        if let Some(rest) = laid_out {
            let _ = writeln!(self.out, "{rest}");
        }
    }

    fn margin(&self) -> usize {
        self.number_width + 3 + if self.style.times { 11 } else { 0 }
    }

    fn quoted(&mut self, bytes: &[u8]) -> String {
        let mut text = String::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(&escaped(&self.redactor.text(chunk.valid()).replace('\\', "\\\\")));
            chunk
                .invalid()
                .iter()
                .for_each(|byte| write!(text, "\\x{byte:02x}").unwrap_or_default());
        }
        let length = text.chars().count();
        let head: String = text.chars().take(NOISE_CHARS).collect();
        if length > NOISE_CHARS {
            format!("\"{head}…\" +{}", grouped(length - NOISE_CHARS))
        } else {
            format!("\"{head}\"")
        }
    }
}

/// What a message says, in words and a value.
fn spoken(message: &Message, answer: Answer) -> (String, Option<Value>) {
    let of = match answer {
        Answer::Nothing | Answer::LineBefore => String::new(),
        Answer::Line(number) => format!(" of {number}"),
        Answer::Again(number) => format!(" of {number} again"),
        Answer::Unasked => match message.id() {
            // An error reply to what could not be read.
            Some(Id::Null) => " for id null".to_owned(),
            Some(id) => format!(" for unknown id {}", id.to_value()),
            None => " without id".to_owned(),
        },
    };
    match message {
        Message::Request(request) => (request.method.clone(), request.params.clone()),
        Message::Notification(notification) => {
            (notification.method.clone(), notification.params.clone())
        }
        Message::Response(response) => (format!("result{of}"), Some(response.result.clone())),
        Message::Error(reply) => {
            let error = &reply.error;
            (
                format!("error{of} {} {}", error.code, Value::from(error.message.as_str())),
                error.data.clone(),
            )
        }
    }
}

/// The members of a message that JSON-RPC does not know.
fn besides(value: &Value) -> Option<Value> {
    let known = ["jsonrpc", "id", "method", "params", "result", "error"];
    let mut besides = Object::default();
    for (name, member) in value.as_object()?.iter().filter(|(name, _)| !known.contains(name)) {
        besides.push(name, member.clone());
    }
    (!besides.is_empty()).then(|| besides.into())
}

fn is_mcp(header: &str) -> bool {
    let known = [
        "allow",
        "authorization",
        "content-type",
        "last-event-id",
        "location",
        "origin",
        "retry-after",
        "www-authenticate",
    ];
    header.starts_with("mcp-") || known.contains(&header)
}

/// Text that cannot garble a terminal or break the line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => drop(write!(out, "\\u{{{:x}}}", u32::from(control))),
            plain => out.push(plain),
        }
    }
    out
}
