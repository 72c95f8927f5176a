//! The notation of faults, `WORD:METHOD:…`: parsing and writing it.

use std::fmt;
use std::str::FromStr;

use super::arguments::Arguments;
use super::change::{Change, Plain, TextFault};
use super::parameters::{REQUESTS, STEPS};
use super::{FAULT_KINDS, Fault, FaultError, FaultKind, Misbehavior, Reach};
use crate::expect::words::closest;

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(given: &str) -> Result<Self, FaultError> {
        let (word, rest) = match given.split_once(':') {
            Some((word, rest)) => (word, Some(rest)),
            None => (given, None),
        };
        let Some(known) = FAULT_KINDS.iter().find(|known| known.word == word) else {
            let suggestion = closest(word, FAULT_KINDS.iter().map(|known| known.word));
            return Err(FaultError::Unknown { word: word.to_owned(), suggestion });
        };
        let mut arguments = Arguments { given, form: known.form, rest };
        let fault = parse(known, &mut arguments)?;
        arguments.end()?;
        Ok(fault)
    }
}

fn parse(known: &FaultKind, arguments: &mut Arguments<'_>) -> Result<Fault, FaultError> {
    // The only faults that have an argument but no method of MCP.
    match known.word {
        "banner" => return Ok(Fault::banner(arguments.last("TEXT")?)),
        "give-up" => return Ok(Fault::give_up(arguments.one_of("STEP", STEPS)?)),
        "session-id" => return Ok(Fault::session_id(arguments.header("TEXT")?)),
        "parameter" => {
            let request = arguments.one_of("REQUEST", REQUESTS)?;
            let name = arguments.next("NAME")?;
            return Ok(Fault::parameter(request, name, arguments.last("TEXT")?));
        }
        "no-parameter" => {
            let request = arguments.one_of("REQUEST", REQUESTS)?;
            return Ok(Fault::no_parameter(request, arguments.last("NAME")?));
        }
        _ => {}
    }
    if let Some(misbehavior) =
        Misbehavior::ALL.iter().copied().find(|misbehavior| misbehavior.word() == known.word)
    {
        return Ok(Fault::misbehavior(misbehavior));
    }
    let method = arguments.method(matches!(known.reach, Reach::Http | Reach::Network))?;
    if let Some(fault) = TextFault::ALL.iter().copied().find(|fault| fault.word() == known.word) {
        return Ok(Fault::new(method, Change::Text(fault)));
    }
    let change = match known.word {
        "set" => Change::Set { pointer: arguments.pointer(true)?, value: arguments.json()? },
        "remove" => Change::Remove { pointer: arguments.pointer(false)? },
        "retype" => Change::Retype { pointer: arguments.pointer(false)? },
        "duplicate" => Change::Duplicate { pointer: arguments.pointer(false)? },
        "error" => {
            let code = arguments.number("CODE", "must be a whole number")?;
            return Ok(Fault::reply_error(method, code));
        }
        "late" => Change::Late { by: arguments.time()? },
        "answer" => Change::Answer { result: arguments.json()? },
        "stray" => Change::Stray { message: arguments.json()? },
        "pad" => Change::Pad { bytes: arguments.bytes()? },
        "flood" => Change::Flood { count: arguments.messages()? },
        "noise" => Change::Noise { text: arguments.last("TEXT")?.to_owned() },
        "status" => Change::Status { status: arguments.status()? },
        "header" => {
            Change::Header { name: arguments.header_name(true)?, value: arguments.header("TEXT")? }
        }
        "no-header" => Change::NoHeader { name: arguments.header_name(false)? },
        "content-type" => Change::ContentType { value: arguments.header("TYPE")? },
        "redirect" => Change::Redirect { location: arguments.header("LOCATION")? },
        word => {
            let plain = Plain::ALL.iter().find(|plain| plain.word() == word);
            Change::Plain(plain.copied().unwrap_or(Plain::Never))
        }
    };
    Ok(Fault::new(method, change))
}

pub(super) fn write(fault: &Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let word = fault.change.word();
    match &fault.change {
        Change::Banner { text } | Change::SessionId { text } => return write!(f, "{word}:{text}"),
        Change::Misbehavior(_) => return f.write_str(word),
        _ => write!(f, "{word}:{}", fault.on)?,
    }
    match &fault.change {
        Change::Set { pointer, value } => write!(f, ":{pointer}:{value}"),
        Change::Remove { pointer } | Change::Retype { pointer } | Change::Duplicate { pointer } => {
            write!(f, ":{pointer}")
        }
        Change::Error { code, .. } => write!(f, ":{code}"),
        // In milliseconds, because `parse_duration` takes no fractions.
        Change::Late { by } => write!(f, ":{}ms", by.as_millis()),
        Change::Answer { result: json } | Change::Stray { message: json } => write!(f, ":{json}"),
        Change::Flood { count: number } | Change::Pad { bytes: number } => write!(f, ":{number}"),
        Change::Noise { text: last }
        | Change::NoHeader { name: last }
        | Change::ContentType { value: last }
        | Change::Redirect { location: last } => write!(f, ":{last}"),
        Change::Status { status } => write!(f, ":{status}"),
        Change::Header { name, value } | Change::Parameter { name, value: Some(value) } => {
            write!(f, ":{name}:{value}")
        }
        Change::Parameter { name, value: None } => write!(f, ":{name}"),
        _ => Ok(()),
    }
}
