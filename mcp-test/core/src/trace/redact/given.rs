//! Secrets in what a user or the system gives to a program: arguments and environment variables.

use std::mem;

use super::names::is_secret_name;
use super::url::secrets_in_url;

/// A shorter value of an inherited variable is too likely to be a common word, and to turn up by chance.
const SHORTEST_INHERITED: usize = 8;

/// Letters alone may be a word of a language or a protocol, unless there are as many as this.
const SHORTEST_OF_LETTERS: usize = 16;

/// Digits alone may be a date or another number, unless there are as many as this.
const SHORTEST_OF_DIGITS: usize = 12;

/// How deep lines for a shell may be nested, as in `sh -c "sh -c '…'"`.
const DEEPEST: usize = 3;

/// The secrets in the arguments of a program, or in lines for a shell.
///
/// They are the values of options, variables and headers whose names say so, and what URLs hold.
#[doc(hidden)]
pub fn secrets_in_command<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut secrets = secrets_in_words(words, DEEPEST);
    // `$TOKEN` is the name of a secret, and a path leads to one.
    secrets.retain(|it| !it.is_empty() && !it.starts_with('$') && !is_path(it));
    secrets.sort();
    secrets.dedup();
    secrets
}

fn secrets_in_words<'a>(words: impl IntoIterator<Item = &'a str>, depth: usize) -> Vec<String> {
    let mut secrets = Vec::new();
    let mut is_value = false;
    for word in words {
        if mem::take(&mut is_value) && !word.starts_with('-') {
            secrets.push(word.to_owned());
            continue;
        }
        is_value = word.starts_with('-') && word.chars().all(is_of_name) && is_secret_name(word);
        let is_line = word.contains(char::is_whitespace) && !word.starts_with('-');
        // `TOKEN=abc node x.js` is a line as well, other than `Authorization: Bearer abc`.
        let is_header = || {
            word.split_once(['=', ':'])
                .is_some_and(|(name, _)| word[name.len()..].starts_with(": "))
        };
        if !is_line || is_header() {
            secrets.extend(secrets_in_word(word));
        }
        if is_line && depth > 0 {
            let words = shell_words(word);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            // Quotes keep a value with blanks together, or a line: `TOKEN='a b' node` and `sh -c 'TOKEN=a node'` look the same.
            secrets.extend(words.iter().flat_map(|word| secrets_in_word(word)));
            secrets.extend(secrets_in_words(words, depth - 1));
        }
    }
    secrets
}

/// The secrets in a word by itself: `--token=abc`, `Authorization: Bearer abc`, `--env=TOKEN=abc`, or a URL.
fn secrets_in_word(word: &str) -> Vec<String> {
    if word.contains("://") {
        return secrets_in_url(word);
    }
    let mut rest = word;
    while let Some((name, value)) = rest.split_once(['=', ':']) {
        let name = name.trim_start();
        if !name.chars().all(is_of_name) {
            break;
        }
        if is_secret_name(name) {
            return vec![value.trim().to_owned()];
        }
        rest = value;
    }
    Vec::new()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// The words of a line as a shell would split it, roughly: nothing depends on them but what is masked.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        let Some(word) = words.last_mut() else { break };
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            ('\\', None | Some('"')) => word.extend(characters.next()),
            (c, None) if c.is_whitespace() || ";|&()".contains(c) => words.push(String::new()),
            _ => word.push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The secrets in environment variables that nobody has named to us: by the name, if the value looks like a secret, too; and the
/// credentials in URLs.
#[doc(hidden)]
pub fn secrets_in_environment(
    variables: impl IntoIterator<Item = (String, String)>,
) -> Vec<String> {
    let secrets = variables.into_iter().flat_map(|(name, value)| {
        if value.contains("://") {
            secrets_in_url(&value)
        } else if is_secret_name(&name) {
            vec![value.trim().to_owned()]
        } else {
            Vec::new()
        }
    });
    secrets.filter(|secret| is_unguessable(secret)).collect()
}

/// Whether a value is unlikely to turn up unless it is repeated: not a word, a number or a path.
fn is_unguessable(value: &str) -> bool {
    let length = value.chars().count();
    let is_of = |is: fn(char) -> bool| value.chars().all(|c| is(c) || "-_.:/".contains(c));
    let is_word = is_of(char::is_alphabetic) && length < SHORTEST_OF_LETTERS;
    let is_number = is_of(|c| c.is_ascii_digit()) && length < SHORTEST_OF_DIGITS;
    length >= SHORTEST_INHERITED && !is_word && !is_number && !is_path(value)
}

/// Whether a value looks like a path; base64 may begin with a slash as well, but has long runs of letters and digits.
fn is_path(value: &str) -> bool {
    const LONGEST_RUN: usize = 20;
    let is_drive =
        matches!(value.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let starts = is_drive || ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start));
    let runs = value.split(|c: char| !c.is_ascii_alphanumeric());
    starts && runs.map(str::len).max().unwrap_or_default() < LONGEST_RUN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_command_are_found_by_the_names_before_them() {
        let secrets = |words: &[&str]| secrets_in_command(words.iter().copied()).join(" | ");
        for (words, expected) in [
            (&["node", "x.js", "--token=hunter22"][..], "hunter22"),
            (&["node", "--api-key", "hunter22", "--port", "3000"], "hunter22"),
            (&["curl", "-H", "Authorization: Bearer hunter22"], "Bearer hunter22"),
            (&["curl", "--header=X-Api-Key: hunter22"], "hunter22"),
            (&["env", "TOKEN=hunter22", "node"], "hunter22"),
            (&["TOKEN=hunter22 node --token='hunter 33'"], "hunter 33 | hunter22"),
            (&["docker", "run", "--env=GITHUB_TOKEN=hunter22"], "hunter22"),
            (&["docker", "run", "-eTOKEN=hunter22"], "hunter22"),
            (&["server", "--db=postgres://me:hunter22@host/db"], "hunter22"),
            (
                &["sh", "-c", "TOKEN='hunter 22' exec node --key hunter33;"],
                "hunter | hunter 22 | hunter33",
            ),
            (&["sh", "-c", r#"curl -H "Authorization: Bearer hunter22" x"#], "Bearer hunter22"),
            (&["node", "--token", "--port", "3000"], ""),
            (&["node", "--max-tokens", "4096", "--token-file", "/run/token", "--key=./a.pem"], ""),
            (
                &["sh", "-c", "TOKEN=hunter22 node -H 'Authorization: Bearer hunter33'"],
                "Bearer hunter33 | hunter22",
            ),
            (&["sh", "-c", "exec node --token $TOKEN"], ""),
            (&["npx", "-y", "@scope/server", "http://localhost:3000/mcp"], ""),
        ] {
            assert_eq!(secrets(words), expected, "{words:?}");
        }
    }

    #[test]
    fn any_text_may_be_searched() {
        let texts = ["\r", "\u{85}a", "\\", "'", "=:=:=", "-\u{2028} x", " "];
        let long = ["=", ":", "'\" ", "a ", "\\ ", "sh -c '"].map(|text| text.repeat(20_000));
        for text in texts.into_iter().chain(long.iter().map(String::as_str)) {
            assert!(secrets_in_command([text]).is_empty(), "{text:.20}");
        }
        let nested = r#"sh -c "sh -c 'TOKEN=hunter22 node'""#;
        assert!(secrets_in_command([nested]).contains(&"hunter22".to_owned()));
    }

    #[test]
    fn inherited_variables_are_secret_by_name_and_value() {
        let of = |name: &str, value: &str| {
            secrets_in_environment([(name.to_owned(), value.to_owned())]).concat()
        };
        for (name, value, expected) in [
            ("GITHUB_TOKEN", "ghp_16C7e42F292c6912E7", "ghp_16C7e42F292c6912E7"),
            (
                "AWS_SECRET_ACCESS_KEY",
                "/wJalrXUtnFEMIK7MDENGbPxRfiCYEX",
                "/wJalrXUtnFEMIK7MDENGbPxRfiCYEX",
            ),
            ("DB_PASSWORD", "correct horse battery", "correct horse battery"),
            ("PGPASSWORD", "hunter22", "hunter22"),
            ("HTTP_PROXY", "http://me:hunter22@proxy:3128", "hunter22"),
            ("PIN_KEY", "123456789012", "123456789012"),
            ("HOME", "ghp_16C7e42F292c6912E7", ""),
            ("PGPASSWORD", "postgres", ""),
            ("PGPASSWORD", "hunter2", ""),
            ("SSH_KEY", "/home/me/.ssh/id_ed25519", ""),
            ("APP_KEY", "C:\\keys\\app1.pem", ""),
            ("CACHE_KEY", "2026-07-28", ""),
            ("USE_TOKEN", "true", ""),
            ("PASS", "protocolVersion", ""),
            ("SIGNING_KEY", "https://example.com/keys", ""),
        ] {
            assert_eq!(of(name, value), expected, "{name}");
        }
    }
}
