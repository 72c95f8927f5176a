//! The lines of a play as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::focus::Focus;
use super::layout::{full, short, time_of_signal, without_end, without_long_strings, wrapped};
use super::play::{Answer, Line, Play};
use super::protocol::{is_added_header, is_mcp, without_additions};
use super::{Headers, Style};
use crate::expect::words::{self, grouped};
use crate::json::{Object, Value, is_deceptive};
use crate::trace::{ConnectionId, Event, EventKind, ParsedText, Party, Redactor, Seq, Trace};
use crate::wire::{Id, Message};

/// Longer strings are cut even where values are shown in full.
const LONGEST_STRING: usize = 2000;
/// How many characters of any other text are shown where values are not shown in full.
const TEXT_CHARS: usize = 400;
/// How many messages of a batch, and how many problems of a message, are shown there.
const PARTS: usize = 20;

pub(super) struct Writer<'a> {
    style: &'a Style,
    redactor: &'a mut Redactor,
    out: String,
    number_width: usize,
    focus: Option<Focus<'a>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        style: &'a Style,
        focus: Option<Focus<'a>>,
        redactor: &'a mut Redactor,
    ) -> Self {
        Self { style, redactor, out: String::new(), number_width: 1, focus }
    }

    /// Writes the play, or only the chosen events with a mark where messages were left out.
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
        let mut on: Option<ConnectionId> = None;
        for line in &play.lines {
            let wanted = match chosen {
                Some(chosen) => chosen.contains(&line.event.seq),
                None => self.wants(&line.event.kind),
            };
            if !wanted {
                continue;
            }
            // Without a choice nothing numbered is left out: all payloads are wanted in every style.
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
                && let Some(transport) = play.transports.get(&connection)
            {
                let transport = self.redactor.urls(transport);
                let transport = self.line_of(&transport);
                self.aside(&format!("— connection {connection}: {transport}"));
            }
            self.line(line);
        }
        std::mem::take(&mut self.out)
    }

    fn wants(&self, what: &EventKind) -> bool {
        match what {
            EventKind::Message { .. }
            | EventKind::Unparsable { .. }
            | EventKind::Elided { .. }
            | EventKind::DeadlineFired { .. } => true,
            EventKind::HttpRequest { .. } | EventKind::HttpResponse { .. } => {
                self.style.headers != Headers::Hidden
            }
            EventKind::SseEvent { .. } | EventKind::SseComment(_) => {
                self.style.headers == Headers::All
            }
            EventKind::Stderr(_) => self.style.stderr,
            EventKind::Opened { .. }
            // Not in a golden trace: whether it happens depends on the moment at which the server closes.
            | EventKind::Resent { .. }
            | EventKind::Closed { .. }
            | EventKind::Exited { .. }
            | EventKind::Signalled { .. }
            | EventKind::Lingered { .. }
            | EventKind::Fence(_)
            | EventKind::Note(_) => self.style.asides,
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        let event = line.event;
        match &event.kind {
            EventKind::Message { parsed, text } => self.message(line, parsed, text),
            EventKind::Unparsable { bytes, why, .. } => {
                let noise = self.quoted(bytes);
                self.entry(line, &format!("noise {noise}"));
                let why = self.shown(why);
                self.below(&format!("! {why}"));
            }
            EventKind::Elided { was, bytes } => {
                let (was, bytes) = (self.shown(was), grouped(*bytes));
                self.entry(line, &format!("{was}: {bytes} bytes, dropped to save memory"));
            }
            EventKind::HttpRequest { .. }
            | EventKind::HttpResponse { .. }
            | EventKind::SseEvent { .. } => {
                let head = self.head(event);
                self.entry(line, &head);
            }
            EventKind::SseComment(comment) => {
                let comment = self.redactor.text(comment);
                let comment = self.line_of(&Value::from(comment).to_string());
                self.entry(line, &format!("comment {comment}"));
            }
            EventKind::Stderr(text) => {
                let text = self.shown(text);
                self.aside(&format!("{} ! {text}", event.party));
            }
            EventKind::Opened { transport } => {
                let transport = self.redactor.urls(transport);
                let transport = self.line_of(&transport);
                self.aside(&format!("* opened: {transport}"));
            }
            EventKind::Resent { why } => self.remark("sent again on a new connection", why),
            EventKind::Closed { how } => self.remark(event.party.as_str(), how),
            EventKind::Exited { status } => self.remark(&format!("{} exited", event.party), status),
            EventKind::Signalled { signal, since_eof } => {
                let what = format!("{} sent {} to the process", event.party, signal.as_str());
                self.remark(&what, &time_of_signal(*since_eof));
            }
            EventKind::Lingered { what, how, .. } => {
                let (party, what) = (event.party, what.as_str());
                self.remark(&format!("{party}: the {what} is still there"), how);
            }
            EventKind::Fence(name) => self.remark("fence", name),
            EventKind::DeadlineFired { awaited } => {
                self.remark("deadline passed while awaiting", awaited);
            }
            EventKind::Note(text) => self.remark("note", text),
        }
        self.below_heads(line);
    }

    fn message(&mut self, line: &Line<'_>, parsed: &ParsedText, text: &[u8]) {
        // What a fault has changed is recorded as a message as well, and need not be JSON.
        let Some(value) = parsed.value() else {
            let noise = self.quoted(text);
            self.entry(line, &format!("noise {noise}"));
            self.below_problems(parsed);
            return;
        };
        // Arrays first: the first message of a batch must not stand for the whole of it.
        match (value, parsed.messages().next()) {
            (Value::Array(items), _) => {
                self.entry(line, &format!("batch of {}", items.len()));
                let mut good = parsed.messages().zip(&line.answers).peekable();
                let shown = self.parts(items.len());
                for item in items.iter().take(shown) {
                    // Items that are not messages are missing among the good ones.
                    let message = good.next_if(|(message, _)| {
                        Message::read(item).is_ok_and(|read| read == **message)
                    });
                    let (lead, value) = message.map_or_else(
                        || ("malformed".to_owned(), Some(item.clone())),
                        |(message, answer)| self.summary(line, message, *answer),
                    );
                    let text = self.with_value(&lead, value.as_ref(), self.margin() + 2);
                    self.below(&format!("- {text}"));
                }
                self.more(items.len() - shown);
            }
            (value, Some(message)) => {
                let answer = line.answers.first().copied().unwrap_or(Answer::Nothing);
                let (lead, payload) = self.summary(line, message, answer);
                self.entry_with_value(line, &lead, payload.as_ref());
                self.below_focus(line.event.seq, payload.as_ref());
                // JSON-RPC ignores them, but a misspelled member may be what is wrong.
                if let Some(unknown_members) = unknown_members(value) {
                    let text = self.with_value("also", Some(&unknown_members), self.margin());
                    self.below(&text);
                }
            }
            (value, None) => self.entry_with_value(line, "malformed", Some(value)),
        }
        self.below_problems(parsed);
    }

    /// A message as a lead text and the part of its payload that the style shows.
    fn summary(
        &self,
        line: &Line<'_>,
        message: &Message,
        answer: Answer,
    ) -> (String, Option<Value>) {
        let (lead, payload) = summary(message, answer);
        if self.style.additions {
            return (lead, payload);
        }
        (lead, payload.and_then(|payload| without_additions(message, line.revision, payload)))
    }

    fn below_heads(&mut self, line: &Line<'_>) {
        if self.style.headers == Headers::Hidden {
            return;
        }
        for head in &line.heads {
            let head = self.head(head);
            // An event without type, id and retry time has nothing to show.
            if !head.is_empty() {
                self.below(&head);
            }
        }
    }

    fn below_focus(&mut self, event: Seq, payload: Option<&Value>) {
        let (Some(focus), Some(budget), Some(payload)) =
            (self.focus, self.style.value_chars, payload)
        else {
            return;
        };
        let payload = self.redactor.value(payload);
        focus.lines(event, &payload, budget).iter().for_each(|line| self.below(line));
    }

    fn below_problems(&mut self, parsed: &ParsedText) {
        let malformed: Vec<_> = parsed.malformed().map(ToString::to_string).collect();
        // The problem of malformed JSON-RPC is the text of its first malformed message, which is in the list already.
        let whole = parsed.problem().filter(|_| malformed.is_empty()).map(ToOwned::to_owned);
        let problems: Vec<String> = malformed.into_iter().chain(whole).collect();
        let shown = self.parts(problems.len());
        for problem in &problems[..shown] {
            let problem = self.shown(problem);
            self.below(&format!("! {problem}"));
        }
        self.more(problems.len() - shown);
    }

    fn more(&mut self, left_out: usize) {
        if left_out > 0 {
            self.below(&format!("… {} more", grouped(left_out)));
        }
    }

    fn head(&mut self, event: &Event) -> String {
        match &event.kind {
            EventKind::HttpRequest { method, path, headers } => {
                let host =
                    path.split_once("://").and_then(|(_, rest)| rest.split(['/', '?']).next());
                let headers = self.headers(headers, host);
                let path = self.redactor.path(path);
                format!("{} {}{headers}", self.line_of(method), self.line_of(&path))
            }
            EventKind::HttpResponse { status, headers } => {
                format!("HTTP {status}{}", self.headers(headers, None))
            }
            EventKind::SseEvent { event, id, retry } => {
                let id = id.as_ref().map(|id| self.redactor.event_id(id));
                let id = id.map(|id| format!("id: {}", self.line_of(&id)));
                let event = event.as_ref().map(|event| format!("event: {}", self.line_of(event)));
                let retry = retry.map(|retry| format!("retry: {retry}"));
                [event, id, retry].into_iter().flatten().collect::<Vec<_>>().join("  ")
            }
            _ => String::new(),
        }
    }

    /// The headers that the style shows; of a request to this host also another `Host`, which a test has forged.
    fn headers(&mut self, headers: &[(String, String)], host: Option<&str>) -> String {
        let lower = headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let is_forged = |value: &str| host.is_some_and(|host| !host.eq_ignore_ascii_case(value));
        let is_shown = |name: &str, value: &str| {
            if !self.style.additions && is_added_header(name) {
                return false;
            }
            self.style.headers == Headers::All || is_mcp(name) || name == "host" && is_forged(value)
        };
        let mut shown: Vec<_> = lower.filter(|(name, value)| is_shown(name, value)).collect();
        if self.style.headers == Headers::Mcp {
            // The order of headers has no meaning, and HTTP libraries differ in it; snapshots must not.
            shown.sort();
        }
        let mut text = String::new();
        for (name, value) in shown {
            let value = self.redactor.header(&name, value);
            // Writing into a String cannot fail.
            let _ = write!(text, "  {}: {}", self.line_of(&name), self.line_of(&value));
        }
        text
    }

    fn entry_with_value(&mut self, line: &Line<'_>, lead: &str, value: Option<&Value>) {
        let used = self.cue(line).chars().count();
        let text = self.with_value(lead, value, used);
        self.entry(line, &text);
    }

    /// A text followed by a value, as the style formats it. The text starts in this column.
    fn with_value(&mut self, lead: &str, value: Option<&Value>, column: usize) -> String {
        // The method and the message of an error are texts of the peer.
        let lead = self.shown(lead);
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
            // The first of several lines is empty, so that the value begins on the line below.
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

    fn entry(&mut self, line: &Line<'_>, text: &str) {
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
        let text = self.shown(text);
        self.aside(&format!("* {what}: {text}"));
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
        // One column behind the speaker, see `cue`; a time takes nine columns and two blanks.
        self.number_width + 3 + if self.style.times { 11 } else { 0 }
    }

    /// A text of the trace on one line, without secrets.
    fn shown(&mut self, text: &str) -> String {
        // Redacted first: escaping and cutting would change a secret.
        let text = self.redactor.text(text);
        self.line_of(&text)
    }

    /// A text on one line, cut if it is long.
    fn line_of(&self, text: &str) -> String {
        escaped(&match self.style.value_chars {
            Some(_) => words::cut(text, TEXT_CHARS),
            // A snapshot has to change when what was cut changes.
            None => without_end(text, LONGEST_STRING),
        })
    }

    /// How many of these parts are shown.
    fn parts(&self, all: usize) -> usize {
        if self.style.value_chars.is_some() { all.min(PARTS) } else { all }
    }

    fn quoted(&mut self, bytes: &[u8]) -> String {
        let mut text = String::new();
        for chunk in bytes.utf8_chunks() {
            // Backslashes are doubled, so that text that looks like `\xff` differs from the byte.
            text.push_str(&escaped(&self.redactor.text(chunk.valid()).replace('\\', "\\\\")));
            for byte in chunk.invalid() {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
        // Noise may be a page of HTML: its beginning shows what it is.
        let length = text.chars().count();
        let head: String = text.chars().take(TEXT_CHARS).collect();
        if length > TEXT_CHARS {
            format!("\"{head}…\" +{}", grouped(length - TEXT_CHARS))
        } else {
            format!("\"{head}\"")
        }
    }
}

/// A message as a lead text and a value.
fn summary(message: &Message, answer: Answer) -> (String, Option<Value>) {
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
fn unknown_members(value: &Value) -> Option<Value> {
    let known = ["jsonrpc", "id", "method", "params", "result", "error"];
    let mut unknown_members = Object::default();
    for (name, member) in value.as_object()?.iter().filter(|(name, _)| !known.contains(name)) {
        unknown_members.push(name, member.clone());
    }
    (!unknown_members.is_empty()).then(|| unknown_members.into())
}

/// Text without characters that would garble a terminal, deceive a reader or break the line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            deceptive if is_deceptive(deceptive) => out.extend(deceptive.escape_unicode()),
            plain => out.push(plain),
        }
    }
    out
}
