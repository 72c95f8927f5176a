//! Parses type expressions: `string`, `"literal"`, `[Tool]`, `{string}`, `A | B`, `number(0..1)`.

use super::syntax::{ObjectType, Problem, SourceLocation, Type};
use super::types::{Format, Range};

/// The unparsed rest of a line.
pub(super) struct Cursor {
    rest: &'static str,
    location: SourceLocation,
}

impl Cursor {
    pub(super) fn new(text: &'static str, location: SourceLocation) -> Self {
        Self { rest: text, location }
    }

    pub(super) fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn at(&self, start: &str) -> bool {
        self.rest.starts_with(start)
    }

    pub(super) fn rest(&self) -> &'static str {
        self.rest
    }

    /// Consumes `start` and the spaces after it, if the rest starts with it.
    pub(super) fn eat(&mut self, start: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(start) else {
            return false;
        };
        self.rest = rest.trim_start();
        true
    }

    /// Consumes everything up to the next space.
    pub(super) fn word(&mut self) -> Result<&'static str, Problem> {
        self.take(self.rest.find(' ').unwrap_or(self.rest.len()), "a name")
    }

    /// Consumes everything up to and including `end`; returns what precedes it.
    pub(super) fn until(&mut self, end: char) -> Result<&'static str, Problem> {
        let Some((text, rest)) = self.rest.split_once(end) else {
            return Err(self.expected(&format!("`{end}` later in the line")));
        };
        self.rest = rest.trim_start();
        Ok(text)
    }

    /// Consumes a type.
    pub(super) fn parse_type(&mut self) -> Result<Type, Problem> {
        let mut types = vec![self.single()?];
        while self.eat("|") {
            types.push(self.single()?);
        }
        Ok(match types.pop() {
            Some(only) if types.is_empty() => only,
            last => Type::Union(types.into_iter().chain(last).collect()),
        })
    }

    pub(super) fn problem(&self, reason: &str) -> Problem {
        self.location.problem(reason)
    }

    pub(super) fn expected(&self, what: &str) -> Problem {
        let got = if self.rest.is_empty() { "the end of the line" } else { self.rest };
        self.problem(&format!("expected {what}, got `{got}`"))
    }

    fn take(&mut self, bytes: usize, what: &str) -> Result<&'static str, Problem> {
        if bytes == 0 {
            return Err(self.expected(what));
        }
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest.trim_start();
        Ok(taken)
    }

    fn single(&mut self) -> Result<Type, Problem> {
        if self.eat("\"") {
            return self.until('"').map(Type::Literal);
        }
        if self.eat("[") {
            let items = self.parse_type()?;
            self.close("]")?;
            return Ok(Type::Array(Box::new(items), self.range()?));
        }
        if self.eat("{") {
            let members = self.parse_type()?;
            self.close("}")?;
            return Ok(Type::Object(ObjectType::Map(Box::new(members))));
        }
        if self.rest.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return self.integer().map(Type::Exactly);
        }
        // The dash occurs in `uri-template`.
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let end = self.rest.find(|c: char| !plain(c)).unwrap_or(self.rest.len());
        let name = self.take(end, "a type")?;
        Ok(match name {
            "any" => Type::Any,
            "null" => Type::Null,
            "boolean" => Type::Boolean,
            "string" => Type::String,
            "object" => Type::Object(ObjectType::Described),
            "integer" => Type::Integer(self.range()?),
            "number" => Type::Number(self.range()?),
            "uri" => Type::Format(Format::Uri),
            "uri-template" => Type::Format(Format::UriTemplate),
            "base64" => Type::Format(Format::Base64),
            name if name.starts_with(|first: char| first.is_ascii_uppercase()) => Type::Named(name),
            name => return Err(self.problem(&format!("`{name}` is not a type"))),
        })
    }

    fn close(&mut self, end: &str) -> Result<(), Problem> {
        if self.eat(end) { Ok(()) } else { Err(self.expected(&format!("`{end}`"))) }
    }

    /// Consumes `(least..most)`, either of which may be omitted; unbounded without a parenthesis.
    fn range(&mut self) -> Result<Range, Problem> {
        if !self.eat("(") {
            return Ok(Range::default());
        }
        let least = if self.at("..") { None } else { Some(self.integer()?) };
        self.close("..")?;
        let most = if self.at(")") { None } else { Some(self.integer()?) };
        self.close(")")?;
        Ok(Range { least, most })
    }

    fn integer(&mut self) -> Result<i64, Problem> {
        // A dash anywhere, so that `0-1` is reported as a whole.
        let digits = |c: char| c == '-' || c.is_ascii_digit();
        let end = self.rest.find(|c: char| !digits(c)).unwrap_or(self.rest.len());
        let text = self.take(end, "an integer")?;
        text.parse().map_err(|_| self.problem(&format!("`{text}` is not an integer")))
    }
}
