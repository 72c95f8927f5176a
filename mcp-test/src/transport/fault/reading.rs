//! Reading the words for a fault part by part, with an error for each that will not do.

use std::{str::FromStr, time::Duration};

use super::FaultError;
use crate::expect::words::closest;
use crate::{clock, json::Value, spec};

/// How many notifications a flood may have.
const MOST_MESSAGES: usize = 1_000_000;
/// How many bytes a message may be padded with.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// What stands in for a method in a request without a message.
const VERBS: [&str; 2] = ["GET", "DELETE"];

/// What is still to be read of a fault's words.
pub(super) struct Parts<'a> {
    pub(super) given: &'a str,
    pub(super) form: &'static str,
    pub(super) rest: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn next(&mut self, part: &'static str) -> Result<&'a str, FaultError> {
        let rest = self.last(part)?;
        match rest.split_once(':') {
            Some((next, rest)) => {
                self.rest = Some(rest);
                Ok(next)
            }
            None => Ok(rest),
        }
    }

    pub(super) fn last(&mut self, part: &'static str) -> Result<&'a str, FaultError> {
        match self.rest.take() {
            Some(rest) if !rest.is_empty() => Ok(rest),
            _ => Err(FaultError::Missing { given: self.given.to_owned(), part, form: self.form }),
        }
    }

    pub(super) fn end(&mut self) -> Result<(), FaultError> {
        match self.rest.take() {
            None => Ok(()),
            Some(rest) => {
                Err(self.bad("the end", rest, format!("is too much: the form is `{}`", self.form)))
            }
        }
    }

    /// A method of MCP, or of HTTP where the fault is one of HTTP.
    pub(super) fn method(&mut self, of_http: bool) -> Result<&'a str, FaultError> {
        let method = self.next("METHOD")?;
        let is_verb = of_http && VERBS.contains(&method);
        if method == "*" || is_verb || spec::method(method).is_some() {
            return Ok(method);
        }
        let verbs = VERBS.into_iter().filter(|_| of_http);
        let known = spec::METHODS.iter().map(|method| method.name).chain(verbs);
        let reason = match closest(method, known) {
            Some(name) => format!("is no method of MCP; did you mean `{name}`?"),
            None => "is no method of MCP".to_owned(),
        };
        Err(self.bad("METHOD", method, reason))
    }

    pub(super) fn pointer(&mut self, more: bool) -> Result<String, FaultError> {
        let pointer = if more { self.next("POINTER")? } else { self.last("POINTER")? };
        if pointer.starts_with('/') {
            return Ok(pointer.to_owned());
        }
        Err(self.bad("POINTER", pointer, "must start with `/`".to_owned()))
    }

    pub(super) fn json(&mut self) -> Result<Value, FaultError> {
        let text = self.last("JSON")?;
        match Value::parse(text.as_bytes()) {
            Ok(document) => Ok(document.value),
            Err(error) => Err(self.bad("JSON", text, format!("cannot be read: {error}"))),
        }
    }

    pub(super) fn number<N: FromStr>(
        &mut self,
        part: &'static str,
        reason: &str,
    ) -> Result<N, FaultError> {
        let text = self.last(part)?;
        text.parse().map_err(|_| self.bad(part, text, reason.to_owned()))
    }

    pub(super) fn time(&mut self) -> Result<Duration, FaultError> {
        let text = self.last("TIME")?;
        let reason = "must be a whole number with its unit, such as `500ms`";
        clock::parse(text).ok_or_else(|| self.bad("TIME", text, reason.to_owned()))
    }

    pub(super) fn messages(&mut self) -> Result<usize, FaultError> {
        self.count("COUNT", MOST_MESSAGES)
    }

    pub(super) fn bytes(&mut self) -> Result<usize, FaultError> {
        self.count("BYTES", MOST_BYTES)
    }

    fn count(&mut self, part: &'static str, most: usize) -> Result<usize, FaultError> {
        let reason = format!("must be a whole number up to {most}");
        let count = self.number(part, &reason)?;
        if count <= most { Ok(count) } else { Err(self.bad(part, &count.to_string(), reason)) }
    }

    pub(super) fn header_name(&mut self, more: bool) -> Result<String, FaultError> {
        let name = if more { self.next("NAME")? } else { self.last("NAME")? };
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.bytes().all(is_token) {
            return Ok(name.to_owned());
        }
        Err(self.bad("NAME", name, "is no name of an HTTP header".to_owned()))
    }

    pub(super) fn status(&mut self) -> Result<u16, FaultError> {
        const REASON: &str = "must be an HTTP status from 200 to 599";
        let status: u16 = self.number("STATUS", REASON)?;
        if (200..600).contains(&status) {
            return Ok(status);
        }
        Err(self.bad("STATUS", &status.to_string(), REASON.to_owned()))
    }

    pub(super) fn header(&mut self, part: &'static str) -> Result<String, FaultError> {
        let text = self.last(part)?;
        if text.bytes().all(|byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f)) {
            return Ok(text.to_owned());
        }
        Err(self.bad(
            part,
            text,
            "has a control character, which no HTTP header can carry".to_owned(),
        ))
    }

    fn bad(&self, part: &'static str, got: &str, reason: String) -> FaultError {
        FaultError::Bad { given: self.given.to_owned(), part, got: got.to_owned(), reason }
    }
}
