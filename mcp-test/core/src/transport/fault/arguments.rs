//! Parses the arguments of a fault one by one.

use std::str::FromStr;
use std::time::Duration;

use super::FaultError;
use crate::expect::words::closest;
use crate::json::Value;
use crate::{clock, spec};

/// How many notifications a flood may have.
const MOST_MESSAGES: usize = 1_000_000;
/// How many bytes a message may be padded with.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// HTTP methods of requests without a message, which faults of HTTP take instead of a method of MCP.
const VERBS: [&str; 2] = ["GET", "DELETE"];

/// The arguments of a fault that are still to be parsed.
pub(super) struct Arguments<'a> {
    pub(super) given: &'a str,
    pub(super) form: &'static str,
    pub(super) rest: Option<&'a str>,
}

impl<'a> Arguments<'a> {
    pub(super) fn next(&mut self, argument: &'static str) -> Result<&'a str, FaultError> {
        let rest = self.last(argument)?;
        match rest.split_once(':') {
            Some((next, rest)) => {
                self.rest = Some(rest);
                Ok(next)
            }
            None => Ok(rest),
        }
    }

    pub(super) fn last(&mut self, argument: &'static str) -> Result<&'a str, FaultError> {
        match self.rest.take() {
            // With its colons, which a text or JSON may hold.
            Some(rest) if !rest.is_empty() => Ok(rest),
            _ => {
                Err(FaultError::Missing { given: self.given.to_owned(), argument, form: self.form })
            }
        }
    }

    pub(super) fn end(&mut self) -> Result<(), FaultError> {
        match self.rest.take() {
            None => Ok(()),
            Some(rest) => Err(FaultError::Trailing {
                given: self.given.to_owned(),
                rest: rest.to_owned(),
                form: self.form,
            }),
        }
    }

    /// A method of MCP; for faults of HTTP, also an HTTP method.
    pub(super) fn method(&mut self, of_http: bool) -> Result<&'a str, FaultError> {
        let method = self.next("METHOD")?;
        let is_verb = of_http && VERBS.contains(&method);
        if method == "*" || is_verb || spec::method(method).is_some() {
            return Ok(method);
        }
        let verbs = VERBS.into_iter().filter(|_| of_http);
        let known = spec::METHODS.iter().map(|method| method.name).chain(verbs);
        let reason = match closest(method, known) {
            Some(name) => format!("is not a method of MCP; did you mean `{name}`?"),
            None => "is not a method of MCP".to_owned(),
        };
        Err(self.invalid("METHOD", method, reason))
    }

    /// One of these words.
    pub(super) fn one_of(
        &mut self,
        argument: &'static str,
        words: &[&str],
    ) -> Result<&'a str, FaultError> {
        let word = self.next(argument)?;
        match words.contains(&word) {
            true => Ok(word),
            false => {
                let reason = format!("must be one of {}", words.join(", "));
                Err(self.invalid(argument, word, reason))
            }
        }
    }

    pub(super) fn pointer(&mut self, more: bool) -> Result<String, FaultError> {
        let pointer = if more { self.next("POINTER")? } else { self.last("POINTER")? };
        // Not the root: a fault that replaced the whole message would leave nothing of it.
        if pointer.starts_with('/') {
            return Ok(pointer.to_owned());
        }
        Err(self.invalid("POINTER", pointer, "must start with `/`".to_owned()))
    }

    pub(super) fn json(&mut self) -> Result<Value, FaultError> {
        let text = self.last("JSON")?;
        match Value::parse(text.as_bytes()) {
            Ok(document) => Ok(document.value),
            Err(error) => Err(self.invalid("JSON", text, format!("is not valid JSON: {error}"))),
        }
    }

    pub(super) fn number<N: FromStr>(
        &mut self,
        argument: &'static str,
        reason: &str,
    ) -> Result<N, FaultError> {
        let text = self.last(argument)?;
        text.parse().map_err(|_| self.invalid(argument, text, reason.to_owned()))
    }

    pub(super) fn time(&mut self) -> Result<Duration, FaultError> {
        let text = self.last("TIME")?;
        let reason = "must be a whole number with its unit, such as `500ms`";
        clock::parse_duration(text).ok_or_else(|| self.invalid("TIME", text, reason.to_owned()))
    }

    pub(super) fn messages(&mut self) -> Result<usize, FaultError> {
        self.count("COUNT", MOST_MESSAGES)
    }

    pub(super) fn bytes(&mut self) -> Result<usize, FaultError> {
        self.count("BYTES", MOST_BYTES)
    }

    fn count(&mut self, argument: &'static str, most: usize) -> Result<usize, FaultError> {
        let reason = format!("must be a whole number up to {most}");
        let count = self.number(argument, &reason)?;
        if count <= most {
            Ok(count)
        } else {
            Err(self.invalid(argument, &count.to_string(), reason))
        }
    }

    pub(super) fn header_name(&mut self, more: bool) -> Result<String, FaultError> {
        let name = if more { self.next("NAME")? } else { self.last("NAME")? };
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        // RFC 9110, section 5.6.2: the name of a header is a token.
        if name.bytes().all(is_token) {
            return Ok(name.to_owned());
        }
        Err(self.invalid("NAME", name, "is not an HTTP header name".to_owned()))
    }

    pub(super) fn status(&mut self) -> Result<u16, FaultError> {
        const REASON: &str = "must be an HTTP status from 200 to 599";
        let status: u16 = self.number("STATUS", REASON)?;
        // Not 1xx, which announces a response instead of being one.
        if (200..600).contains(&status) {
            return Ok(status);
        }
        Err(self.invalid("STATUS", &status.to_string(), REASON.to_owned()))
    }

    pub(super) fn header(&mut self, argument: &'static str) -> Result<String, FaultError> {
        let text = self.last(argument)?;
        if text.bytes().all(|byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f)) {
            return Ok(text.to_owned());
        }
        Err(self.invalid(
            argument,
            text,
            "contains a control character, which HTTP headers do not allow".to_owned(),
        ))
    }

    fn invalid(&self, argument: &'static str, got: &str, reason: String) -> FaultError {
        FaultError::Invalid { given: self.given.to_owned(), argument, got: got.to_owned(), reason }
    }
}
