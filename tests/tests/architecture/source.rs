//! A source file as the rules see it: its path in the workspace, its text, and its tokens without comments.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// A line that breaks a rule.
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

/// An identifier, a literal, `::`, another punctuation character, or a bracket.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// A source file.
#[derive(Debug)]
pub(crate) struct Source {
    path: String,
    text: String,
    tokens: Vec<Token>,
    tests: bool,
}

impl Source {
    /// A file with this path and text, which need not exist on disk.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let stream: TokenStream =
            text.parse().unwrap_or_else(|error| panic!("{path} is not Rust: {error}"));
        let mut tokens = Vec::new();
        flatten(stream, &mut tokens);
        let tests = path.split('/').any(|part| part == "tests" || part.ends_with("tests.rs"));
        Self { path: path.to_owned(), text: text.to_owned(), tokens, tests }
    }

    /// Whether the file contains only tests, by its path or because its parent declares it with `#[cfg(test)]`.
    pub(crate) fn is_tests(&self) -> bool {
        self.tests
    }

    /// The path relative to the root of the workspace, with `/` as the separator.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The tokens without comments; doc comments are literals among them.
    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The tokens without items under `#[cfg(test)]`.
    pub(crate) fn tokens_without_tests(&self) -> Vec<Token> {
        let mut kept = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            if starts_with(&self.tokens[at..], &["#", "[", "cfg", "(", "test", ")", "]"]) {
                at = end_of_item(&self.tokens, at + 7);
            } else {
                kept.push(self.tokens[at].clone());
                at += 1;
            }
        }
        kept
    }

    /// The module path of this file in the library; `None` for a file outside of the library.
    pub(crate) fn module(&self) -> Option<Vec<&str>> {
        let package = self.package()?;
        let inner = self.path.strip_prefix(package.folder())?.strip_suffix(".rs")?;
        let mut names: Vec<_> = inner.split('/').collect();
        match names.as_slice() {
            ["lib"] => names.clear(),
            ["main"] => return None,
            [.., "mod"] => drop(names.pop()),
            _ => {}
        }
        Some(package.module(names))
    }

    /// The package of the library to which this file belongs.
    pub(crate) fn package(&self) -> Option<Package> {
        Package::ALL.into_iter().find(|package| self.path.starts_with(package.folder()))
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

/// A package of the library. The rules see all of them as one tree of modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Package {
    Facade,
    Core,
    Suite,
    Cli,
}

impl Package {
    pub(crate) const ALL: [Self; 4] = [Self::Facade, Self::Core, Self::Suite, Self::Cli];

    /// The package whose crate has this name.
    pub(crate) fn of_crate(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|package| package.crate_name() == name)
    }

    const fn crate_name(self) -> &'static str {
        match self {
            Self::Facade => "mcp_test",
            Self::Core => "mcp_test_core",
            Self::Suite => "mcp_test_suite",
            Self::Cli => "mcp_test_cli",
        }
    }

    /// What `ARCHITECTURE.md` calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Facade => "mcp-test",
            Self::Core => "core",
            Self::Suite => "suite",
            Self::Cli => "cli",
        }
    }

    const fn folder(self) -> &'static str {
        match self {
            Self::Facade => "mcp-test/src/",
            Self::Core => "mcp-test/core/src/",
            Self::Suite => "mcp-test/suite/src/",
            Self::Cli => "mcp-test/cli/src/",
        }
    }

    /// The path in the library of what has this path in the crate. The root of the command is the module `cli`, except for the
    /// reports, which have a layer of their own.
    pub(crate) fn module(self, path: Vec<&str>) -> Vec<&str> {
        match self {
            Self::Cli if path.first() != Some(&"report") => [vec!["cli"], path].concat(),
            _ => path,
        }
    }
}

fn starts_with(tokens: &[Token], texts: &[&str]) -> bool {
    tokens.len() >= texts.len() && tokens.iter().zip(texts).all(|(token, text)| token.text == *text)
}

/// The end of the item that begins at `at`: after its `;`, or after its closing brace.
fn end_of_item(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            ";" if depth == 0 => return at,
            _ => {}
        }
    }
    at
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut colon = false;
    for tree in stream {
        let line = tree.span().start().line;
        let mut push = |text: String, line| tokens.push(Token { text, line });
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                push(open.to_owned(), line);
                flatten(group.stream(), tokens);
                let line = group.span_close().start().line;
                tokens.push(Token { text: close.to_owned(), line });
            }
            // `::` arrives as two characters, of which the first is joint.
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                if colon {
                    tokens.pop();
                    tokens.push(Token { text: "::".to_owned(), line });
                } else {
                    push(":".to_owned(), line);
                }
                colon = !colon && punct.spacing() == Spacing::Joint;
                continue;
            }
            TokenTree::Punct(punct) => push(punct.as_char().to_string(), line),
            TokenTree::Ident(ident) => push(ident.to_string(), line),
            TokenTree::Literal(literal) => push(literal.to_string(), line),
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

/// The source files of the library: of `mcp-test` and the packages inside it.
pub(crate) fn library() -> &'static [Source] {
    static LIBRARY: LazyLock<Vec<Source>> =
        LazyLock::new(|| read(&Package::ALL.map(Package::folder)));
    &LIBRARY
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Marks the files that others declare as `#[cfg(test)] mod name;`.
pub(crate) fn mark_tests(files: &mut [Source]) {
    let mut marked = Vec::new();
    for file in files.iter() {
        let Some(module) = file.module() else { continue };
        for declaration in file.tokens.windows(10) {
            let texts: Vec<&str> = declaration.iter().map(|token| token.text.as_str()).collect();
            if let ["#", "[", "cfg", "(", "test", ")", "]", "mod", name, ";"] = texts[..] {
                marked.push([&module[..], &[name]].concat().join("::"));
            }
        }
    }
    for file in files {
        let module = format!("{}::", file.module().unwrap_or_default().join("::"));
        // The files below a module of tests are tests, too.
        file.tests |= marked.iter().any(|tests| module.starts_with(&format!("{tests}::")));
    }
}

fn read(folders: &[&str]) -> Vec<Source> {
    let mut files: Vec<Source> =
        files_below(folders, &["rs"]).iter().map(|(path, text)| Source::new(path, text)).collect();
    mark_tests(&mut files);
    files
}

/// The path and text of each file with one of these extensions, below these folders of the workspace, sorted.
pub(crate) fn files_below(folders: &[&str], extensions: &[&str]) -> Vec<(String, String)> {
    let root = root();
    let mut paths = Vec::new();
    for folder in folders {
        walk(&root.join(folder), extensions, &mut paths);
    }
    paths.sort();
    let files = paths.iter().map(|path| {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let inner = path.strip_prefix(&root).expect("it was found below the root");
        (inner.to_string_lossy().replace('\\', "/"), text)
    });
    files.collect()
}

fn walk(folder: &Path, extensions: &[&str], into: &mut Vec<PathBuf>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target" && name != "node_modules") {
                walk(&path, extensions, into);
            }
        } else if path
            .extension()
            .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
        {
            into.push(path);
        }
    }
}
