//! The frontmatter of a `SKILL.md`: the mapping in YAML with which it begins.

use crate::expect::words;
use crate::json::{Object, Value};
use crate::yaml::{self, Limits};

/// The mapping between the first two lines `---`, as JSON.
///
/// # Errors
///
/// What is there instead, as the end of "got …".
pub fn frontmatter(text: &str) -> Result<Value, String> {
    let mut lines = text.trim_start_matches('\u{feff}').split_inclusive('\n');
    let is_marker = |line: &str| line.trim_end() == "---";
    let first = lines.next().unwrap_or_default();
    if !is_marker(first) {
        return Err(format!("the line {}", words::quoted(first.trim_end().as_bytes())));
    }
    let mut block = String::new();
    loop {
        match lines.next() {
            None => return Err("no second line `---`".to_owned()),
            Some(line) if is_marker(line) => break,
            Some(line) => block += line,
        }
    }
    match yaml::read(&block, &Limits::default()).documents.into_iter().next() {
        Some(Ok(document)) => match document.root.to_value() {
            mapping @ Value::Object(_) => Ok(mapping),
            other => Err(format!("{}, which is {}", other.short(80), other.kind())),
        },
        Some(Err(broken)) => Err(format!("invalid YAML at {}", broken.problem)),
        None => Ok(Value::Object(Object::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontmatter_is_the_mapping_between_two_markers() {
        let read = |text: &str| frontmatter(text).map(|mapping| mapping.to_string());
        let good = "---\r\nname: a\r\nversion: \"1.0\"\r\n---\r\n# A\r\n---\r\n";
        assert_eq!(read(good), Ok(r#"{"name":"a","version":"1.0"}"#.to_owned()));
        assert_eq!(read("---\n---"), Ok("{}".to_owned()));
        insta::assert_snapshot!(read("# A").unwrap_err(), @r##"the line "# A""##);
        insta::assert_snapshot!(read("---\nname: a\n").unwrap_err(), @"no second line `---`");
        insta::assert_snapshot!(read("---\n- a\n---\n").unwrap_err(), @r#"["a"], which is an array"#);
        assert!(read("---\nname: [\n---\n").unwrap_err().starts_with("invalid YAML at 1:"));
    }
}
