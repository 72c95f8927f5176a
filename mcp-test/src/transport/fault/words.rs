//! The words for faults: `WORD:METHOD:…`, as they are listed, read and written.

use std::{fmt, str::FromStr};

use super::{Change, Fault, parts::Parts};
use crate::expect::words::closest;

/// A fault as `mcp-test list --faults` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultWord {
    /// The word that it starts with.
    pub word: &'static str,
    /// Its whole form, with the parts to be filled in, in capitals.
    pub form: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
}

const fn word(word: &'static str, form: &'static str, summary: &'static str) -> FaultWord {
    FaultWord { word, form, summary }
}

/// All faults there are.
pub const WORDS: &[FaultWord] = &[
    word("set", "set:METHOD:POINTER:JSON", "put a value into the reply"),
    word("remove", "remove:METHOD:POINTER", "take a member or an item out of the reply"),
    word("retype", "retype:METHOD:POINTER", "turn a value of the reply into one of another type"),
    word("error", "error:METHOD:CODE", "answer with a JSON-RPC error"),
    word("wrong-id", "wrong-id:METHOD", "answer under an id that was never asked"),
    word("retyped-id", "retyped-id:METHOD", "answer under the id in the wrong type, \"1\" for 1"),
    word("twice", "twice:METHOD", "send the reply twice"),
    word("never", "never:METHOD", "never answer"),
    word("stray", "stray:METHOD:JSON", "send a message nobody asked for before the reply"),
    word("truncate", "truncate:METHOD", "break the reply off in the middle of its JSON"),
    word("close", "close:METHOD", "close the connection instead of answering"),
    word("exit", "exit:METHOD", "end the server instead of answering (not over HTTP)"),
    word(
        "banner",
        "banner:TEXT",
        "print a line that is no message before anything else (not over HTTP)",
    ),
    word("blank-line", "blank-line:METHOD", "write an empty line before the reply (not over HTTP)"),
    word("status", "status:METHOD:STATUS", "answer with another HTTP status (HTTP only)"),
    word(
        "content-type",
        "content-type:METHOD:TYPE",
        "answer with another Content-Type (HTTP only)",
    ),
    word("html", "html:METHOD", "answer with a page of HTML (HTTP only)"),
    word("empty-body", "empty-body:METHOD", "answer with an empty HTTP body (HTTP only)"),
    word("session-id", "session-id:TEXT", "issue session ids with this text inside (HTTP only)"),
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
        match known.word {
            "banner" => return Ok(Self::banner(parts.last("TEXT")?)),
            "session-id" => return Ok(Self::session_id(parts.header("TEXT")?)),
            _ => {}
        }
        let method = parts.method()?;
        let change = match known.word {
            "set" => {
                let pointer = parts.pointer(true)?;
                Change::Set { pointer, value: parts.json()? }
            }
            "remove" => Change::Remove { pointer: parts.pointer(false)? },
            "retype" => Change::Retype { pointer: parts.pointer(false)? },
            "error" => {
                return Ok(Self::reply_error(
                    method,
                    parts.number("CODE", "must be a whole number")?,
                ));
            }
            "status" => Change::Status { status: parts.status()? },
            "content-type" => Change::ContentType { value: parts.header("TYPE")? },
            "stray" => Change::Stray { message: parts.json()? },
            "wrong-id" => Change::WrongId,
            "retyped-id" => Change::RetypedId,
            "twice" => Change::Twice,
            "never" => Change::Never,
            "truncate" => Change::Truncate,
            "close" => Change::Close,
            "exit" => Change::Exit,
            "blank-line" => Change::BlankLine,
            "html" => Change::Html,
            _ => Change::EmptyBody,
        };
        parts.end()?;
        Ok(Self::new(method, change))
    }
}

pub(super) fn write(fault: &Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let on = &fault.on;
    match &fault.change {
        Change::Set { pointer, value } => write!(f, "set:{on}:{pointer}:{value}"),
        Change::Remove { pointer } => write!(f, "remove:{on}:{pointer}"),
        Change::Retype { pointer } => write!(f, "retype:{on}:{pointer}"),
        Change::Error { code, .. } => write!(f, "error:{on}:{code}"),
        Change::WrongId => write!(f, "wrong-id:{on}"),
        Change::RetypedId => write!(f, "retyped-id:{on}"),
        Change::Twice => write!(f, "twice:{on}"),
        Change::Never => write!(f, "never:{on}"),
        Change::Stray { message } => write!(f, "stray:{on}:{message}"),
        Change::Truncate => write!(f, "truncate:{on}"),
        Change::Close => write!(f, "close:{on}"),
        Change::Exit => write!(f, "exit:{on}"),
        Change::Banner { text } => write!(f, "banner:{text}"),
        Change::BlankLine => write!(f, "blank-line:{on}"),
        Change::Status { status } => write!(f, "status:{on}:{status}"),
        Change::ContentType { value } => write!(f, "content-type:{on}:{value}"),
        Change::Html => write!(f, "html:{on}"),
        Change::EmptyBody => write!(f, "empty-body:{on}"),
        Change::SessionId { text } => write!(f, "session-id:{text}"),
    }
}
