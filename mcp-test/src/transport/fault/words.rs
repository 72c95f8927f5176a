//! The words for faults: `WORD:METHOD:…`, as they are listed, read and written.

use std::{fmt, str::FromStr};

use super::{
    Fault, Lapse, Reach,
    change::{Change, Damage},
    reading::Parts,
};
use crate::{expect::words::closest, spec::Side};

/// A fault as `mcp-test list --faults` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultWord {
    /// The word that it starts with.
    pub word: &'static str,
    /// Its whole form, with the parts to be filled in, in capitals.
    pub form: &'static str,
    /// Where it shows.
    pub reach: Reach,
    /// What it does, in one line.
    pub summary: &'static str,
}

impl FaultWord {
    /// Whether a peer of this side can go wrong in this way.
    #[must_use]
    pub fn is_of(&self, side: Side) -> bool {
        side == Side::Server || OF_CLIENTS_TOO.contains(&self.word)
    }
}

/// The words for what a client can do wrong as well as a server.
const OF_CLIENTS_TOO: [&str; 28] = [
    "set",
    "remove",
    "retype",
    "duplicate",
    "error",
    "wrong-id",
    "retyped-id",
    "null-id",
    "twice",
    "late",
    "never",
    "stray",
    "flood",
    "truncate",
    "bom",
    "nul",
    "invalid-utf8",
    "deep",
    "pad",
    "noise",
    "blank-line",
    "two-on-a-line",
    "embedded-newline",
    "ignore-term",
    "header",
    "no-header",
    "content-type",
    "empty-body",
];

const fn word(
    word: &'static str,
    form: &'static str,
    reach: Reach,
    summary: &'static str,
) -> FaultWord {
    FaultWord { word, form, reach, summary }
}

use Reach::{Everywhere, Http, Lines, Network, Process};

/// All faults there are.
#[rustfmt::skip]
pub const WORDS: &[FaultWord] = &[
    word("set", "set:METHOD:POINTER:JSON", Everywhere, "put a value into the message"),
    word("remove", "remove:METHOD:POINTER", Everywhere, "take a member or an item out of the message"),
    word("retype", "retype:METHOD:POINTER", Everywhere, "turn a value of the message into one of another type"),
    word("duplicate", "duplicate:METHOD:POINTER", Everywhere, "write a member twice"),
    word("error", "error:METHOD:CODE", Everywhere, "answer with a JSON-RPC error"),
    word("wrong-id", "wrong-id:METHOD", Everywhere, "send an id that is not the right one"),
    word("retyped-id", "retyped-id:METHOD", Everywhere, "send the id in the wrong type, \"1\" for 1"),
    word("null-id", "null-id:METHOD", Everywhere, "send null as id"),
    word("twice", "twice:METHOD", Everywhere, "send the message twice"),
    word("late", "late:METHOD:TIME", Everywhere, "send the message this much later; others pass it"),
    word("never", "never:METHOD", Everywhere, "never send the message"),
    word("answer", "answer:METHOD:JSON", Everywhere, "answer with this result whatever is asked, and do nothing else"),
    word("ignore", "ignore:METHOD", Everywhere, "do not hear this message of the other side"),
    word("stray", "stray:METHOD:JSON", Everywhere, "send a message nobody asked for before the message"),
    word("flood", "flood:METHOD:COUNT", Everywhere, "send so many notifications before the message"),
    word("truncate", "truncate:METHOD", Everywhere, "break the text off in the middle, as if it were whole"),
    word("bom", "bom:METHOD", Everywhere, "start the text with a byte order mark"),
    word("nul", "nul:METHOD", Everywhere, "put NUL bytes before the text"),
    word("invalid-utf8", "invalid-utf8:METHOD", Everywhere, "put a byte into the text that is no UTF-8"),
    word("deep", "deep:METHOD", Everywhere, "add a value that is nested 10,000 levels deep"),
    word("pad", "pad:METHOD:BYTES", Everywhere, "make the text so many bytes longer"),
    word("cut", "cut:METHOD", Everywhere, "send half of the text, then break the connection"),
    word("close", "close:METHOD", Everywhere, "close the connection instead of sending the message"),
    word("exit", "exit:METHOD", Lines, "end the process instead of sending the message"),
    word("exit-after", "exit-after:METHOD", Lines, "end the process once the message is sent"),
    word("banner", "banner:TEXT", Lines, "print a line that is no message before anything else"),
    word("noise", "noise:METHOD:TEXT", Lines, "print a line that is no message before the message"),
    word("blank-line", "blank-line:METHOD", Lines, "write an empty line before the message"),
    word("two-on-a-line", "two-on-a-line:METHOD", Lines, "write the message twice on the same line"),
    word("embedded-newline", "embedded-newline:METHOD", Lines, "write the message over several lines"),
    word("ignore-eof", "ignore-eof", Lines, "go on when the input has ended"),
    word("ignore-term", "ignore-term", Process, "go on when asked to terminate"),
    word("status", "status:METHOD:STATUS", Http, "answer with another HTTP status"),
    word("header", "header:METHOD:NAME:TEXT", Http, "send an HTTP header, in place of the one of this name"),
    word("no-header", "no-header:METHOD:NAME", Http, "leave an HTTP header out"),
    word("content-type", "content-type:METHOD:TYPE", Http, "send another Content-Type"),
    word("redirect", "redirect:METHOD:LOCATION", Http, "answer with status 307 and this location"),
    word("html", "html:METHOD", Http, "answer with a page of HTML"),
    word("empty-body", "empty-body:METHOD", Http, "send an empty HTTP body"),
    word("wrong-chunks", "wrong-chunks:METHOD", Network, "send a chunked body without readable sizes"),
    word("session-id", "session-id:TEXT", Http, "issue session ids with this text inside"),
    word("sse-split", "sse-split:METHOD", Http, "send the message as an event, a byte at a time"),
    word("sse-garble", "sse-garble:METHOD", Http, "send the message in lines that are no fields of an event"),
    word("sse-end", "sse-end:METHOD", Http, "end the event stream before the message"),
    word("sse-open", "sse-open:METHOD", Http, "never end the event stream after the message"),
    word("any-origin", "any-origin", Http, "serve whatever Origin and Host say"),
    word("host-only", "host-only", Http, "refuse foreign hosts, and serve foreign origins"),
    word("any-version", "any-version", Http, "serve whatever MCP-Protocol-Version says"),
    word("vague-version", "vague-version", Everywhere, "refuse versions that are not spoken with -32600"),
    word("any-meta", "any-meta", Everywhere, "serve requests without the members of _meta that they must have"),
    word("want-client-info", "want-client-info", Everywhere, "refuse requests that do not name their client"),
    word("any-filter", "any-filter", Everywhere, "tell subscriptions of what they did not ask for"),
    word("any-mirror", "any-mirror", Http, "serve requests whose mirrored headers do not fit their body"),
    word("vague-mirror", "vague-mirror", Http, "refuse mirrored headers that do not fit with -32600"),
    word("no-session", "no-session", Http, "issue no session id, and want none"),
    word("same-session-id", "same-session-id", Http, "issue the same session id again and again"),
    word("forget-session", "forget-session", Http, "know no session once it is initialized"),
    word("keep-session", "keep-session", Http, "go on with a session that was ended by DELETE"),
    word("no-event-ids", "no-event-ids", Http, "send no event ids, and so no priming event"),
    word("same-event-ids", "same-event-ids", Http, "give the events of every stream the same ids"),
    word("no-retry", "no-retry", Http, "never say when to come back"),
    word("no-replay", "no-replay", Http, "forget what a client that comes back has missed"),
];

/// Why words name no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultError {
    /// The first word is none of [`WORDS`].
    #[error("`{word}` is no fault{}", suggest(.suggestion))]
    Unknown {
        /// What stands there.
        word: String,
        /// The word that was meant, perhaps.
        suggestion: Option<&'static str>,
    },
    /// A part of the form is not there.
    #[error("`{given}` lacks its {part}: the form is `{form}`")]
    Missing {
        /// What stands there.
        given: String,
        /// The part, as the form calls it.
        part: &'static str,
        /// The form.
        form: &'static str,
    },
    /// A part is there, but is not what it should be.
    #[error("`{given}`: {part} `{got}` {reason}")]
    Bad {
        /// What stands there.
        given: String,
        /// The part, as the form calls it.
        part: &'static str,
        /// The part, as it stands there.
        got: String,
        /// What is wrong with it.
        reason: String,
    },
}

fn suggest(suggestion: &Option<&'static str>) -> String {
    match suggestion {
        Some(word) => format!("; did you mean `{word}`?"),
        None => "; `mcp-test list --faults` shows all".to_owned(),
    }
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(given: &str) -> Result<Self, FaultError> {
        let (word, rest) = match given.split_once(':') {
            Some((word, rest)) => (word, Some(rest)),
            None => (given, None),
        };
        let Some(known) = WORDS.iter().find(|known| known.word == word) else {
            let suggestion = closest(word, WORDS.iter().map(|known| known.word));
            return Err(FaultError::Unknown { word: word.to_owned(), suggestion });
        };
        let mut parts = Parts { given, form: known.form, rest };
        let fault = read(known, &mut parts)?;
        parts.end()?;
        Ok(fault)
    }
}

fn read(known: &FaultWord, parts: &mut Parts<'_>) -> Result<Fault, FaultError> {
    match known.word {
        "banner" => return Ok(Fault::banner(parts.last("TEXT")?)),
        "session-id" => return Ok(Fault::session_id(parts.header("TEXT")?)),
        _ => {}
    }
    if let Some(lapse) = Lapse::ALL.into_iter().find(|lapse| lapse.word() == known.word) {
        return Ok(Fault::lapse(lapse));
    }
    let method = parts.method(matches!(known.reach, Http | Network))?;
    if let Some(damage) = Damage::ALL.into_iter().find(|damage| damage.word() == known.word) {
        return Ok(Fault::new(method, Change::Text(damage)));
    }
    let change = match known.word {
        "set" => Change::Set { pointer: parts.pointer(true)?, value: parts.json()? },
        "remove" => Change::Remove { pointer: parts.pointer(false)? },
        "retype" => Change::Retype { pointer: parts.pointer(false)? },
        "duplicate" => Change::Duplicate { pointer: parts.pointer(false)? },
        "error" => {
            let code = parts.number("CODE", "must be a whole number")?;
            return Ok(Fault::reply_error(method, code));
        }
        "late" => Change::Late { by: parts.time()? },
        "answer" => Change::Answer { result: parts.json()? },
        "stray" => Change::Stray { message: parts.json()? },
        "pad" => Change::Pad { bytes: parts.bytes()? },
        "flood" => Change::Flood { count: parts.messages()? },
        "noise" => Change::Noise { text: parts.last("TEXT")?.to_owned() },
        "status" => Change::Status { status: parts.status()? },
        "header" => Change::Header { name: parts.header_name(true)?, value: parts.header("TEXT")? },
        "no-header" => Change::NoHeader { name: parts.header_name(false)? },
        "content-type" => Change::ContentType { value: parts.header("TYPE")? },
        "redirect" => Change::Redirect { location: parts.header("LOCATION")? },
        plain => plain_change(plain),
    };
    Ok(Fault::new(method, change))
}

/// The changes that need nothing but a method.
fn plain_change(word: &str) -> Change {
    const PLAIN: [Change; 20] = [
        Change::WrongId,
        Change::RetypedId,
        Change::NullId,
        Change::Twice,
        Change::Ignore,
        Change::Cut,
        Change::Close,
        Change::Exit,
        Change::ExitAfter,
        Change::BlankLine,
        Change::TwoOnALine,
        Change::EmbeddedNewline,
        Change::Html,
        Change::EmptyBody,
        Change::WrongChunks,
        Change::SseSplit,
        Change::SseGarble,
        Change::SseEnd,
        Change::SseOpen,
        Change::Never,
    ];
    PLAIN.into_iter().find(|change| change.word() == word).unwrap_or(Change::Never)
}

pub(super) fn write(fault: &Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let word = fault.change.word();
    match &fault.change {
        Change::Banner { text } | Change::SessionId { text } => return write!(f, "{word}:{text}"),
        Change::Lapse(_) => return f.write_str(word),
        _ => write!(f, "{word}:{}", fault.on)?,
    }
    match &fault.change {
        Change::Set { pointer, value } => write!(f, ":{pointer}:{value}"),
        Change::Remove { pointer } | Change::Retype { pointer } | Change::Duplicate { pointer } => {
            write!(f, ":{pointer}")
        }
        Change::Error { code, .. } => write!(f, ":{code}"),
        Change::Late { by } => write!(f, ":{}ms", by.as_millis()),
        Change::Answer { result: json } | Change::Stray { message: json } => write!(f, ":{json}"),
        Change::Flood { count: number } | Change::Pad { bytes: number } => write!(f, ":{number}"),
        Change::Noise { text: last }
        | Change::NoHeader { name: last }
        | Change::ContentType { value: last }
        | Change::Redirect { location: last } => write!(f, ":{last}"),
        Change::Status { status } => write!(f, ":{status}"),
        Change::Header { name, value } => write!(f, ":{name}:{value}"),
        _ => Ok(()),
    }
}
