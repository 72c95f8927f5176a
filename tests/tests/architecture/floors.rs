//! The floors: who may import from whom, read from the table in the crate docs.
//!
//! A path is followed from where it stands (`super`, inline modules) and through the re-exports and macros of the front
//! door, so that there is no way around the table. Paths that hide where they lead are refused.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, Violation, Word};

/// The root's modules that belong to no floor: they only hand out what is in the rooms.
const FRONT_DOOR: [&str; 4] = ["lib", "prelude", "__private", "private"];

/// The floor table, and what the front door hands out under which name.
pub(crate) struct House {
    /// Each room with its floor and its line in the table.
    floors: BTreeMap<String, (usize, usize)>,
    /// Absolute path of a re-export, and what it stands for.
    re_exports: BTreeMap<Vec<String>, Vec<String>>,
    /// The items that the root itself defines.
    items: BTreeSet<String>,
    /// Each exported macro and its room.
    macros: BTreeMap<String, String>,
}

/// Where an absolute path leads.
enum Leads {
    Room(String),
    /// To the root's own items, or to another crate.
    Nowhere,
    Unknown,
}

/// A path as it was written, and from the crate's root.
struct Import {
    written: String,
    absolute: Option<Vec<String>>,
    name: String,
    container: Vec<String>,
    line: usize,
}

impl House {
    pub(crate) fn read(library: &[Source]) -> Self {
        let mut house = Self {
            floors: BTreeMap::new(),
            re_exports: BTreeMap::new(),
            items: BTreeSet::new(),
            macros: BTreeMap::new(),
        };
        for file in library {
            let Some(module) = file.module() else {
                continue;
            };
            if module.is_empty() {
                house.floors = table(file.text());
                assert!(!house.floors.is_empty(), "{} has no floor table", file.path());
                house.items = root_items(file.words());
            }
            for name in exported_macros(file.words()) {
                let room = module.first().copied().unwrap_or("lib");
                house.macros.insert(name, room.to_owned());
            }
        }
        for file in library {
            let module = file.module().unwrap_or_default();
            if file.module().is_some()
                && module.first().is_none_or(|name| FRONT_DOOR.contains(name))
            {
                for import in imports(file.words(), &module, true) {
                    let Some(absolute) = import.absolute else {
                        continue;
                    };
                    let mut name = import.container;
                    name.push(import.name);
                    house.re_exports.insert(name, absolute);
                }
            }
        }
        house
    }

    /// The table must name the rooms that exist, all of them, and nothing else.
    pub(crate) fn table_against(&self, library: &[Source]) -> Vec<Violation> {
        let mut violations = Vec::new();
        let mut rooms: BTreeMap<&str, &Source> = BTreeMap::new();
        for file in library {
            let first = file.module().and_then(|module| module.first().copied());
            if let Some(room) = first.filter(|room| !FRONT_DOOR.contains(room)) {
                rooms.entry(room).or_insert(file);
            }
        }
        let root =
            library.iter().find(|file| file.module().is_some_and(|module| module.is_empty()));
        let root = root.expect("the library has a lib.rs");
        for (room, (_, line)) in &self.floors {
            if !rooms.contains_key(room.as_str()) {
                let wrong = format!("the floor table has `{room}`, which is no room");
                violations.push(root.violation(*line, wrong, "take it out, or add the room"));
            }
        }
        for (room, file) in rooms {
            if !self.floors.contains_key(room) {
                let wrong = format!("`{room}` is not in the floor table");
                violations.push(file.violation(1, wrong, "a row for it in the crate docs"));
            }
        }
        violations
    }

    /// What a file imports from its own floor or a higher one, or from nobody knows where.
    pub(crate) fn imports_upwards(&self, file: &Source) -> Vec<Violation> {
        let module = file.module().unwrap_or_default();
        let Some((&room, (floor, _))) =
            module.first().and_then(|room| Some((room, self.floors.get(*room)?)))
        else {
            return Vec::new();
        };
        let mut violations = Vec::new();
        for import in imports(file.words(), &module, false) {
            let leads =
                import.absolute.as_deref().map_or(Leads::Unknown, |path| self.follow(path, 0));
            let (from, right) = match leads {
                Leads::Nowhere => continue,
                Leads::Room(other) if other == room => continue,
                Leads::Room(other) => match self.floors.get(&other) {
                    Some((below, _)) if below < floor => continue,
                    Some((above, _)) => (
                        format!(" from `{other}` (floor {above})"),
                        format!(
                            "only from floors below {floor}, so move what is needed down, or hand it in"
                        ),
                    ),
                    None => (
                        format!(" from `{other}`, which has no floor"),
                        "a row in the floor table".to_owned(),
                    ),
                },
                Leads::Unknown => (
                    ", of which the floor cannot be told".to_owned(),
                    "name the room: `crate::<room>::<item>`".to_owned(),
                ),
            };
            let wrong = format!("`{room}` (floor {floor}) imports `{}`{from}", import.written);
            violations.push(file.violation(import.line, wrong, right));
        }
        violations
    }

    /// Follows re-exports, up to a depth that no honest one has.
    fn follow(&self, path: &[String], depth: usize) -> Leads {
        let Some(first) = path.first().filter(|_| depth < 8) else {
            return Leads::Unknown;
        };
        if self.floors.contains_key(first) {
            return Leads::Room(first.clone());
        }
        for length in (1..=path.len()).rev() {
            if let Some(target) = self.re_exports.get(&path[..length]) {
                return match target.first().map(String::as_str) {
                    Some("::") => Leads::Nowhere,
                    _ => self.follow(target, depth + 1),
                };
            }
        }
        match path {
            [name] if self.items.contains(name) => Leads::Nowhere,
            [name] => {
                self.macros.get(name).map_or(Leads::Unknown, |room| Leads::Room(room.clone()))
            }
            _ => Leads::Unknown,
        }
    }
}

/// The rows of `| floor | modules |`: each room with its floor and line.
fn table(text: &str) -> BTreeMap<String, (usize, usize)> {
    let mut floors = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let Some(row) = line.strip_prefix("//! |") else {
            continue;
        };
        let mut cells = row.split('|').map(str::trim);
        let (Some(floor), Some(rooms)) =
            (cells.next().and_then(|cell| cell.parse().ok()), cells.next())
        else {
            continue;
        };
        for room in rooms.split_whitespace() {
            floors.insert(
                room.trim_matches('`').trim_end_matches(".rs").to_owned(),
                (floor, number + 1),
            );
        }
    }
    floors
}

/// The types, traits and functions that the root defines itself.
fn root_items(words: &[Word]) -> BTreeSet<String> {
    let mut depth = 0;
    let mut items = BTreeSet::new();
    for pair in words.windows(2) {
        match pair[0].text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "type" | "struct" | "enum" | "trait" | "fn" | "const" if depth == 0 => {
                items.insert(pair[1].text.clone());
            }
            _ => {}
        }
    }
    items
}

fn exported_macros(words: &[Word]) -> Vec<String> {
    let mut exported = false;
    let mut names = Vec::new();
    for at in 0..words.len() {
        match words[at].text.as_str() {
            "macro_export" => exported = true,
            "macro_rules" if exported => {
                names.extend(words.get(at + 2).map(|name| name.text.clone()));
                exported = false;
            }
            _ => {}
        }
    }
    names
}

/// Every path of a file that leads through its own crate. At the front door, also those that begin with a plain name.
fn imports(words: &[Word], module: &[&str], front_door: bool) -> Vec<Import> {
    let mut scanner =
        Scanner { words, at: 0, inline: Vec::new(), module, front_door, found: Vec::new() };
    scanner.scan();
    scanner.found
}

struct Scanner<'a> {
    words: &'a [Word],
    at: usize,
    /// The inline modules around, with the depth of braces at which each ends.
    inline: Vec<(String, usize)>,
    module: &'a [&'a str],
    front_door: bool,
    found: Vec<Import>,
}

impl Scanner<'_> {
    fn text(&self, ahead: usize) -> &str {
        self.words.get(self.at + ahead).map_or("", |word| word.text.as_str())
    }

    fn scan(&mut self) {
        let mut depth = 0;
        while self.at < self.words.len() {
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
                    self.at += 1;
                    self.tree(Vec::new());
                    continue;
                }
                "crate" | "mcp_test" | "super" | "self"
                    if self.text(1) == "::" && !self.continues() =>
                {
                    self.path();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether the word is in the middle of a path.
    fn continues(&self) -> bool {
        self.at > 0 && self.words[self.at - 1].text == "::"
    }

    /// A path in the midst of code.
    fn path(&mut self) {
        let line = self.words[self.at].line;
        let mut path = vec![self.text(0).to_owned()];
        self.at += 1;
        while self.text(0) == "::" && is_name(self.text(1)) {
            path.push(self.text(1).to_owned());
            self.at += 2;
        }
        self.leaf(&path, None, line);
    }

    /// A tree of imports, after the word `use`, a comma or an opening brace.
    fn tree(&mut self, mut path: Vec<String>) {
        if self.text(0) == "::" {
            path.push("::".to_owned());
            self.at += 1;
        }
        loop {
            let line = self.words.get(self.at).map_or(0, |word| word.line);
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
                    return self.leaf(&path, None, line);
                }
                name if is_name(name) => {
                    path.push(name.to_owned());
                    self.at += 1;
                    match self.text(0) {
                        "::" => self.at += 1,
                        "as" => {
                            let alias = self.text(1).to_owned();
                            self.at += 2;
                            return self.leaf(&path, Some(alias), line);
                        }
                        _ => return self.leaf(&path, None, line),
                    }
                }
                // A placeholder of a macro: what it stands for is scanned where it is written.
                _ => {
                    self.at += 1;
                    return;
                }
            }
        }
    }

    fn leaf(&mut self, written: &[String], alias: Option<String>, line: usize) {
        let mut path = written.to_vec();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let container: Vec<String> = self
            .module
            .iter()
            .map(|&name| name.to_owned())
            .chain(self.inline.iter().map(|(name, _)| name.clone()))
            .collect();
        let name = alias.or_else(|| path.last().cloned()).unwrap_or_default();
        let mut here = container.clone();
        let absolute = match path.first().map(String::as_str) {
            Some("crate" | "mcp_test") => Some(path[1..].to_vec()),
            Some("self") => Some(here.into_iter().chain(path[1..].iter().cloned()).collect()),
            Some("super") => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let stays = here.len().checked_sub(ups);
                stays.map(|stays| {
                    here.truncate(stays);
                    here.into_iter().chain(path[ups..].iter().cloned()).collect()
                })
            }
            Some(first) if self.front_door => {
                let inner = first != "::" && here.is_empty();
                Some(if inner { path.clone() } else { vec!["::".to_owned()] })
            }
            _ => return,
        };
        self.found.push(Import { written: path.join("::"), absolute, name, container, line });
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
