//! The modules of the library: what each defines and imports, and to which file a path resolves.
//!
//! A path is resolved relative to the module in which it is written (`super`, inline modules), through imports and re-exports, to
//! the file that defines the item. So a re-export does not hide an import.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Package, Source, Token};

/// The modules of the library by their paths; the path of the crate root is empty.
pub(crate) struct Library<'a> {
    files: &'a [Source],
    modules: BTreeMap<Vec<String>, Module>,
    /// The position of the file that defines each exported macro.
    macros: BTreeMap<String, usize>,
}

#[derive(Default)]
struct Module {
    /// The position of the file in [`Library::files`].
    file: usize,
    items: BTreeSet<String>,
    /// The absolute path of each imported or re-exported name.
    imported: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

/// What a path resolves to.
#[derive(Debug)]
pub(crate) enum Target<'a> {
    /// An item in this file of the library.
    File(&'a Source),
    /// An item of the crate root or of another crate.
    Outside,
    Unknown,
}

/// A path in the code, as written and as an absolute path from the crate root.
pub(crate) struct Import {
    pub(crate) written: String,
    pub(crate) line: usize,
    /// Whether this is a re-export: `pub use`.
    pub(crate) is_re_export: bool,
    pub(crate) absolute: Option<Vec<String>>,
    /// The name that a `use` brings into the module; `None` for a path in an expression or a type.
    name: Option<String>,
    module: Vec<String>,
}

impl<'a> Library<'a> {
    pub(crate) fn read(files: &'a [Source]) -> Self {
        let mut library = Self { files, modules: BTreeMap::new(), macros: BTreeMap::new() };
        for (position, file) in files.iter().enumerate() {
            let Some(path) = file.module() else { continue };
            let path: Vec<String> = path.into_iter().map(str::to_owned).collect();
            for (module, items) in items(file.tokens(), &path) {
                // Each package has a root.
                let module = library.modules.entry(module).or_default();
                module.file = position;
                module.items.extend(items);
            }
            let macros = exported_macros(file.tokens()).into_iter();
            library.macros.extend(macros.map(|name| (name, position)));
        }
        // In a second pass: whether a path begins with a module is known only when all modules are.
        for file in files {
            for import in library.imports(file, file.tokens()) {
                let (Some(name), Some(absolute)) = (import.name, import.absolute) else { continue };
                // A package re-exports what another one has at the same path.
                if absolute == [&import.module[..], std::slice::from_ref(&name)].concat() {
                    continue;
                }
                let Some(module) = library.modules.get_mut(&import.module) else { continue };
                if name == "*" {
                    module.globs.push(absolute);
                } else {
                    module.imported.insert(name, absolute);
                }
            }
        }
        library
    }

    pub(crate) fn files(&self) -> &'a [Source] {
        self.files
    }

    /// All paths among the tokens of a file that go through its own crate.
    pub(crate) fn imports(&self, file: &Source, tokens: &[Token]) -> Vec<Import> {
        let (Some(module), Some(package)) = (file.module(), file.package()) else {
            return Vec::new();
        };
        let module = module.into_iter().map(str::to_owned).collect();
        let mut scanner = Scanner {
            library: self,
            package,
            tokens,
            at: 0,
            module,
            inline: Vec::new(),
            is_re_export: false,
            found: Vec::new(),
        };
        scanner.scan();
        scanner.found
    }

    /// Resolves an absolute path.
    pub(crate) fn follow(&self, path: &[String]) -> Target<'a> {
        // More than any chain of re-exports has; without a limit, a cycle of names would never end.
        self.follow_within(path, 16)
    }

    fn follow_within(&self, path: &[String], depth: usize) -> Target<'a> {
        if depth == 0 || path.is_empty() {
            return Target::Unknown;
        }
        if path[0] == "::" {
            return Target::Outside;
        }
        let path = path.strip_suffix(&["*".to_owned()]).unwrap_or(path);
        let mut inside: Vec<String> = Vec::new();
        for (position, name) in path.iter().enumerate() {
            inside.push(name.clone());
            if self.modules.contains_key(&inside) {
                continue;
            }
            inside.pop();
            let Some(module) = self.modules.get(&inside) else { return Target::Unknown };
            let rest = &path[position + 1..];
            let joined = |start: &[String], rest: &[String]| [start, rest].concat();
            if let Some(target) = module.imported.get(name) {
                return self.follow_within(&joined(target, rest), depth - 1);
            }
            if module.items.contains(name) {
                return if inside.is_empty() { Target::Outside } else { self.file(module) };
            }
            let through_glob = module.globs.iter().find_map(|glob| {
                let target = self.follow_within(&joined(glob, &path[position..]), depth - 1);
                matches!(target, Target::File(_)).then_some(target)
            });
            // Exported macros are items of the crate root, wherever they are defined.
            return match (through_glob, self.macros.get(name)) {
                (Some(target), _) => target,
                (None, Some(&file)) if inside.is_empty() => Target::File(&self.files[file]),
                (None, _) if inside.is_empty() => Target::Unknown,
                (None, _) => self.file(module),
            };
        }
        match self.modules.get(&inside) {
            Some(module) if !inside.is_empty() => self.file(module),
            _ => Target::Unknown,
        }
    }

    fn file(&self, module: &Module) -> Target<'a> {
        Target::File(&self.files[module.file])
    }

    fn has_child(&self, module: &[String], name: &str) -> bool {
        self.modules.contains_key(&[module, &[name.to_owned()]].concat())
    }
}

/// The modules in a file, each with the types, traits, functions, constants and macros that it defines.
fn items(tokens: &[Token], module: &[String]) -> BTreeMap<Vec<String>, BTreeSet<String>> {
    let mut modules = BTreeMap::from([(module.to_vec(), BTreeSet::new())]);
    let mut inside = module.to_vec();
    // The number of open braces around each enclosing inline module, and inside the current one.
    let (mut around, mut depth) = (Vec::new(), 0);
    for (at, token) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text.as_str());
        match token.text.as_str() {
            "{" if depth == 0 && at >= 2 && tokens[at - 2].text == "mod" => {
                inside.push(tokens[at - 1].text.clone());
                modules.insert(inside.clone(), BTreeSet::new());
                around.push(depth);
                depth = 0;
            }
            "{" => depth += 1,
            "}" if depth == 0 => {
                inside.pop();
                depth = around.pop().unwrap_or(0);
            }
            "}" => depth -= 1,
            "macro_rules" if depth == 0 && next(1) == "!" => {
                modules.entry(inside.clone()).or_default().insert(next(2).to_owned());
            }
            "type" | "struct" | "enum" | "trait" | "union" | "fn" | "const" | "static"
                if depth == 0 && is_name(next(1)) =>
            {
                modules.entry(inside.clone()).or_default().insert(next(1).to_owned());
            }
            _ => {}
        }
    }
    modules
}

fn exported_macros(tokens: &[Token]) -> Vec<String> {
    let mut exported = false;
    let mut names = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at].text.as_str() {
            "macro_export" => exported = true,
            "macro_rules" if exported => {
                names.extend(tokens.get(at + 2).map(|name| name.text.clone()));
                exported = false;
            }
            _ => {}
        }
    }
    names
}

struct Scanner<'a> {
    library: &'a Library<'a>,
    package: Package,
    tokens: &'a [Token],
    at: usize,
    module: Vec<String>,
    /// The enclosing inline modules, with the depth of braces at which each ends.
    inline: Vec<(String, usize)>,
    is_re_export: bool,
    found: Vec<Import>,
}

impl Scanner<'_> {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }

    fn scan(&mut self) {
        let mut depth = 0;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    self.inline.pop_if(|(_, end)| *end == depth);
                }
                "mod" if self.text(2) == "{" => {
                    self.inline.push((self.text(1).to_owned(), depth));
                    self.at += 1;
                }
                "use" if self.text(1) != "<" => {
                    self.is_re_export = self.follows_visibility();
                    self.at += 1;
                    self.tree(Vec::new());
                    continue;
                }
                name if self.text(1) == "::" && !self.continues() && self.begins_path(name) => {
                    self.path();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether the previous tokens are `pub` or `pub(…)`.
    fn follows_visibility(&self) -> bool {
        let before = |back: usize| self.at.checked_sub(back).map_or("", |at| &self.tokens[at].text);
        // `pub(in path)` has more tokens than `pub(crate)`.
        before(1) == "pub" || before(1) == ")" && (2..8).any(|back| before(back) == "pub")
    }

    /// Whether the token is in the middle of a path.
    fn continues(&self) -> bool {
        self.at > 0 && self.tokens[self.at - 1].text == "::"
    }

    fn begins_path(&self, name: &str) -> bool {
        matches!(name, "crate" | "super" | "self")
            || Package::of_crate(name).is_some()
            || is_name(name) && self.library.has_child(&self.here(), name)
    }

    fn here(&self) -> Vec<String> {
        self.module.iter().chain(self.inline.iter().map(|(name, _)| name)).cloned().collect()
    }

    /// Reads a path in an expression or a type.
    fn path(&mut self) {
        let line = self.tokens[self.at].line;
        let mut path = vec![self.text(0).to_owned()];
        self.at += 1;
        while self.text(0) == "::" && is_name(self.text(1)) {
            path.push(self.text(1).to_owned());
            self.at += 2;
        }
        self.is_re_export = false;
        self.push(&path, None, line);
    }

    /// Reads a tree of imports after `use`, a comma or an opening brace.
    fn tree(&mut self, mut path: Vec<String>) {
        if self.text(0) == "::" {
            path.push("::".to_owned());
            self.at += 1;
        }
        loop {
            let line = self.tokens.get(self.at).map_or(0, |token| token.line);
            match self.text(0) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.text(0), "}" | "") {
                        self.tree(path.clone());
                        if self.text(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "*" => {
                    path.push("*".to_owned());
                    self.at += 1;
                    return self.push(&path, Some("*".to_owned()), line);
                }
                name if is_name(name) => {
                    path.push(name.to_owned());
                    self.at += 1;
                    let alias = match self.text(0) {
                        "::" => {
                            self.at += 1;
                            continue;
                        }
                        "as" => {
                            self.at += 2;
                            self.tokens[self.at - 1].text.clone()
                        }
                        _ => path.iter().rfind(|name| *name != "self").cloned().unwrap_or_default(),
                    };
                    return self.push(&path, Some(alias), line);
                }
                // A metavariable of a macro: its value is scanned where the macro is invoked.
                _ => {
                    self.at += 1;
                    return;
                }
            }
        }
    }

    fn push(&mut self, written: &[String], name: Option<String>, line: usize) {
        let mut path = written.to_vec();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let here = self.here();
        let absolute = match path.first().map(String::as_str) {
            Some("crate") => Some(inside(self.package, &path[1..])),
            Some("self") => Some([&here, &path[1..]].concat()),
            Some("super") => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                here.len().checked_sub(ups).map(|stays| [&here[..stays], &path[ups..]].concat())
            }
            Some(first) if self.library.has_child(&here, first) => {
                Some([&here, &path[..]].concat())
            }
            Some(first) if Package::of_crate(first).is_some() => {
                Package::of_crate(first).map(|package| inside(package, &path[1..]))
            }
            // A path that starts with any other name is in another crate.
            _ if name.is_some() => Some(vec!["::".to_owned()]),
            _ => return,
        };
        let written = path.join("::");
        let is_re_export = self.is_re_export;
        self.found.push(Import { written, line, is_re_export, absolute, name, module: here });
    }
}

/// The path in the library of a path from the root of a package.
fn inside(package: Package, path: &[String]) -> Vec<String> {
    let path = package.module(path.iter().map(String::as_str).collect());
    path.into_iter().map(str::to_owned).collect()
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
