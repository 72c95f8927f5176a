//! URI templates (RFC 6570): their variables, their expansions, and what they may match.

/// A URI template, as the server lists it.
pub struct UriTemplate<'a> {
    parts: Vec<Part<'a>>,
}

enum Part<'a> {
    Literal(&'a str),
    Expression { operator: Option<char>, variables: Vec<Variable<'a>> },
}

struct Variable<'a> {
    name: &'a str,
    /// How many characters of the value are used.
    prefix: Option<usize>,
}

/// What expressions may begin with: RFC 6570, section 2.2. The operators that it reserves mean nothing yet.
const OPERATORS: [char; 7] = ['+', '#', '.', '/', ';', '?', '&'];

impl<'a> UriTemplate<'a> {
    /// Reads a template; an expression that is not closed is left out, which other checks report.
    #[doc(hidden)]
    pub fn new(template: &'a str) -> Self {
        let mut parts = Vec::new();
        for (number, piece) in template.split('{').enumerate() {
            if number == 0 {
                parts.push(Part::Literal(piece));
            } else if let Some((inner, literal)) = piece.split_once('}') {
                parts.extend([expression(inner), Part::Literal(literal)]);
            }
        }
        Self { parts }
    }

    /// The names of the variables, such as `path` in `file:///{+path}`.
    #[doc(hidden)]
    pub fn variables(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for part in &self.parts {
            let Part::Expression { variables, .. } = part else { continue };
            let new = variables.iter().map(|it| it.name).filter(|name| !name.is_empty());
            for name in new {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The URI with these values; a variable without a value is left out.
    #[doc(hidden)]
    pub fn expand<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> String {
        let mut uri = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => uri.push_str(text),
                Part::Expression { operator, variables } => {
                    let known = variables.iter().filter_map(|it| Some((it, value(it.name)?)));
                    expand(&mut uri, *operator, known);
                }
            }
        }
        uri
    }

    /// Whether a server may take the URI for an expansion: what an expression stands for, each matches in its own way.
    #[doc(hidden)]
    pub fn may_match(&self, uri: &str) -> bool {
        let literals: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Literal(text) => Some(*text),
                Part::Expression { .. } => None,
            })
            .collect();
        let [first, others @ ..] = &literals[..] else { return uri.is_empty() };
        let Some(mut rest) = uri.strip_prefix(first) else { return false };
        let Some((last, between)) = others.split_last() else { return rest.is_empty() };
        for literal in between {
            let Some(at) = rest.find(literal) else { return false };
            rest = &rest[at + literal.len()..];
        }
        rest.ends_with(last)
    }
}

fn expression(inner: &str) -> Part<'_> {
    let operator = inner.chars().next().filter(|first| OPERATORS.contains(first));
    let names = operator.map_or(inner, |operator| &inner[operator.len_utf8()..]);
    let variables = names.split(',').map(|spec| match spec.split_once(':') {
        Some((name, prefix)) => Variable { name, prefix: prefix.parse().ok() },
        // A value that is a text explodes to itself.
        None => Variable { name: spec.trim_end_matches('*'), prefix: None },
    });
    Part::Expression { operator, variables: variables.collect() }
}

/// RFC 6570, section 3.2: how the expressions of each operator are expanded.
fn expand<'a>(
    uri: &mut String,
    operator: Option<char>,
    values: impl Iterator<Item = (&'a Variable<'a>, &'a str)>,
) {
    let separator = match operator {
        None | Some('+' | '#') => ',',
        Some('?') => '&',
        Some(other) => other,
    };
    let keeps_reserved = matches!(operator, Some('+' | '#'));
    let is_named = matches!(operator, Some(';' | '?' | '&'));
    for (number, (variable, value)) in values.enumerate() {
        match (number, operator) {
            (0, None | Some('+')) => {}
            (0, Some(operator)) => uri.push(operator),
            _ => uri.push(separator),
        }
        let value: String = match variable.prefix {
            Some(length) => value.chars().take(length).collect(),
            None => value.to_owned(),
        };
        if is_named {
            uri.push_str(variable.name);
            // A path parameter without a value has no `=`.
            if !(value.is_empty() && operator == Some(';')) {
                uri.push('=');
            }
        }
        uri.push_str(&encoded(&value, keeps_reserved));
    }
}

/// The value as in a URI: RFC 6570, section 3.2.1.
fn encoded(value: &str, keeps_reserved: bool) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ if keeps_reserved && b":/?#[]@!$&'()*+,;=".contains(&byte) => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    value.bytes().map(encode).collect()
}

/// Whether a value looks the same in every expression.
pub fn is_plain(value: &str) -> bool {
    encoded(value, false) == value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expansion(template: &str) -> String {
        UriTemplate::new(template).expand(|name| match name {
            "b" => Some("x/y"),
            "c" => Some("ä z"),
            "e" => Some(""),
            _ => None,
        })
    }

    #[test]
    fn the_variables_of_a_template_are_named_without_operators_and_modifiers() {
        let variables = |template| UriTemplate::new(template).variables();
        assert_eq!(variables("file:///{+path}{?q,limit:3,tags*}"), ["path", "q", "limit", "tags"]);
        assert_eq!(variables("a://b/{}/{c"), [""; 0]);
        assert_eq!(variables("a://{b}/{b}"), ["b"]);
    }

    #[test]
    fn templates_are_expanded_as_rfc_6570_says() {
        for (template, expected) in [
            ("a://{b}", "a://x%2Fy"),
            ("a://{+b}", "a://x/y"),
            ("a://{b,c}", "a://x%2Fy,%C3%A4%20z"),
            ("a://h{/b*,c}", "a://h/x%2Fy/%C3%A4%20z"),
            ("a://h{?b,gone}{&c}", "a://h?b=x%2Fy&c=%C3%A4%20z"),
            ("a://h{?gone}{;e}{#c:1}", "a://h;e#%C3%A4"),
            ("a://h{.b:1}/plain", "a://h.x/plain"),
        ] {
            assert_eq!(expansion(template), expected, "{template}");
        }
        assert!(is_plain("a-1") && !is_plain("a/1"));
    }

    #[test]
    fn only_a_template_with_other_literals_cannot_match() {
        let may_match = |template, uri| UriTemplate::new(template).may_match(uri);
        for template in ["{+path}", "{scheme}://{rest}", "a://b", "a://{b}", "{x}b"] {
            assert!(may_match(template, "a://b"), "{template}");
        }
        for template in ["b://{b}", "a://{b}/c", "a://", "{x}c", "{x}:/{y}c", ""] {
            assert!(!may_match(template, "a://b"), "{template}");
        }
    }
}
