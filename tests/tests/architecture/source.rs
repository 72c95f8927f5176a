//! Source files as the rules see them: a path in the workspace, the text, and the words without comments.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A place that breaks a rule.
#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) wrong: String,
    pub(crate) right: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, wrong, right } = self;
        write!(f, "{path}:{line}: {wrong}; right: {right}")
    }
}

/// A token as text: an identifier, a literal, `::`, another punctuation character, or a bracket.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// A source file.
#[derive(Debug)]
pub(crate) struct Source {
    path: String,
    text: String,
    words: Vec<Word>,
    tests: bool,
}

impl Source {
    /// A file that exists only here.
    pub(crate) fn made_up(path: &str, text: &str) -> Self {
        let stream: TokenStream =
            text.parse().unwrap_or_else(|why| panic!("{path} is not Rust: {why}"));
        let mut words = Vec::new();
        flatten(stream, &mut words);
        let tests = path.split('/').any(|part| part == "tests" || part == "tests.rs");
        Self { path: path.to_owned(), text: text.to_owned(), words, tests }
    }

    /// Whether the file is made of tests: by its place, or since its parent declares it under `#[cfg(test)]`.
    pub(crate) fn is_tests(&self) -> bool {
        self.tests
    }

    /// The path from the root of the workspace, with `/`.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The words without comments; doc comments are literals among them.
    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    /// The modules from the crate's root to this file, for a file of the library.
    pub(crate) fn module(&self) -> Option<Vec<&str>> {
        let inner = self.path.strip_prefix("mcp-test/src/")?.strip_suffix(".rs")?;
        let mut names: Vec<_> = inner.split('/').collect();
        match names.as_slice() {
            ["lib"] => return Some(Vec::new()),
            ["bin", ..] => return None,
            [.., "mod"] => drop(names.pop()),
            _ => {}
        }
        Some(names)
    }

    pub(crate) fn violation(
        &self,
        line: usize,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) -> Violation {
        Violation { path: self.path.clone(), line, wrong: wrong.into(), right: right.into() }
    }
}

fn flatten(stream: TokenStream, words: &mut Vec<Word>) {
    let mut colon = false;
    for tree in stream {
        let line = tree.span().start().line;
        let mut say = |text: String, line| words.push(Word { text, line });
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                say(open.to_owned(), line);
                flatten(group.stream(), words);
                words.push(Word { text: close.to_owned(), line: group.span_close().start().line });
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                if colon {
                    words.pop();
                    words.push(Word { text: "::".to_owned(), line });
                } else {
                    say(":".to_owned(), line);
                }
                colon = !colon && punct.spacing() == proc_macro2::Spacing::Joint;
                continue;
            }
            TokenTree::Punct(punct) => say(punct.as_char().to_string(), line),
            TokenTree::Ident(ident) => say(ident.to_string(), line),
            TokenTree::Literal(literal) => say(literal.to_string(), line),
        }
        colon = false;
    }
}

/// Every source file of the workspace.
pub(crate) fn workspace() -> &'static [Source] {
    static WORKSPACE: LazyLock<Vec<Source>> =
        LazyLock::new(|| read(&["mcp-test", "mcp-test-macros", "examples", "tests"]));
    &WORKSPACE
}

/// The source files of `mcp-test`.
pub(crate) fn library() -> &'static [Source] {
    static LIBRARY: LazyLock<Vec<Source>> = LazyLock::new(|| read(&["mcp-test/src"]));
    &LIBRARY
}

/// Marks the files that others declare as `#[cfg(test)] mod name;`.
pub(crate) fn mark_tests(files: &mut [Source]) {
    let mut marked = Vec::new();
    for file in files.iter() {
        let Some(module) = file.module() else {
            continue;
        };
        for declaration in file.words.windows(10) {
            let texts: Vec<&str> = declaration.iter().map(|word| word.text.as_str()).collect();
            if let ["#", "[", "cfg", "(", "test", ")", "]", "mod", name, ";"] = texts[..] {
                marked.push(
                    module.iter().copied().chain([name]).map(str::to_owned).collect::<Vec<_>>(),
                );
            }
        }
    }
    for file in files {
        let module = file.module().unwrap_or_default();
        file.tests |= marked
            .iter()
            .any(|tests| module.len() >= tests.len() && module[..tests.len()] == tests[..]);
    }
}

fn read(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    for folder in folders {
        walk(&root.join(folder), &mut paths);
    }
    paths.sort();
    let files = paths.iter().map(|path| {
        let text =
            fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let inner = path.strip_prefix(&root).expect("it was found below");
        Source::made_up(&inner.to_string_lossy().replace('\\', "/"), &text)
    });
    let mut files: Vec<Source> = files.collect();
    mark_tests(&mut files);
    files
}

fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                walk(&path, into);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}
