//! The layers, read from the tables in `ARCHITECTURE.md`: which modules may import from which.

use std::collections::{BTreeMap, BTreeSet};

use crate::modules::{Library, Target};
use crate::source::{Package, Source, Violation};

/// A table of layers: for the modules of the crate, or for the submodules of one module.
pub(crate) struct Layers {
    path: String,
    /// The module whose submodules the table lists; `None` for the crate.
    of: Option<String>,
    /// Each module with its layer and its line in the table.
    rows: BTreeMap<String, (usize, usize)>,
    /// The package of each module, if the table has one.
    packages: BTreeMap<String, String>,
}

/// Modules of the root that do not belong to a layer, because they only re-export or document items of others.
const ROOT: [&str; 3] = ["prelude", "__private", "guide"];

impl Layers {
    /// The table of the library, headed `| layer | modules | package |`.
    pub(crate) fn of_crate(path: &str, text: &str) -> Self {
        Self::read(path, text, "| layer | modules | package |", None)
    }

    /// The table of a module, headed `| layer in `module` | modules |`.
    pub(crate) fn inside(path: &str, text: &str, module: &str) -> Self {
        Self::read(path, text, &format!("| layer in `{module}` | modules |"), Some(module))
    }

    fn read(path: &str, text: &str, heading: &str, of: Option<&str>) -> Self {
        let (mut rows, mut packages) = (BTreeMap::new(), BTreeMap::new());
        let lines = text.lines().enumerate().skip_while(|(_, line)| line.trim() != heading);
        for (number, line) in lines.skip(2).take_while(|(_, line)| line.starts_with('|')) {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let layer = cells.next().and_then(|cell| cell.parse().ok());
            let layer =
                layer.unwrap_or_else(|| panic!("{path}:{}: no number of a layer", number + 1));
            let modules = cells.next().unwrap_or_default().split_whitespace();
            let package = cells.next();
            for module in modules.map(|module| module.trim_matches('`').to_owned()) {
                packages.extend(package.map(|package| (module.clone(), package.to_owned())));
                rows.insert(module, (layer, number + 1));
            }
        }
        assert!(!rows.is_empty(), "{path} has no table headed `{heading}`");
        Self { path: path.to_owned(), of: of.map(str::to_owned), rows, packages }
    }

    /// The module in the table to which a file belongs.
    fn module_of<'a>(&self, file: &'a Source) -> Option<&'a str> {
        let module = file.module()?;
        match &self.of {
            None => module.first().copied().filter(|name| !ROOT.contains(name)),
            Some(of) => module.get(1).copied().filter(|_| module[0] == of.as_str()),
        }
    }

    /// Finds modules that are not in the table or in another package than there, and rows without a module.
    pub(crate) fn compared_with(&self, library: &Library<'_>) -> Vec<Violation> {
        let mut files: BTreeMap<&str, &Source> = BTreeMap::new();
        for file in library.files().iter().filter(|file| !file.is_tests()) {
            if let Some(module) = self.module_of(file) {
                files.entry(module).or_insert(file);
            }
        }
        let gone = self.rows.iter().filter(|(module, _)| !files.contains_key(module.as_str()));
        let mut violations: Vec<Violation> = gone
            .map(|(module, (_, line))| Violation {
                path: self.path.clone(),
                line: *line,
                wrong: format!("the table has `{module}`, which is not a module"),
                right: "remove it, or add the module".to_owned(),
            })
            .collect();
        for (module, file) in files {
            if !self.rows.contains_key(module) {
                let wrong = format!("`{module}` has no layer");
                violations.push(file.violation(1, wrong, format!("a row for it in {}", self.path)));
            }
            let package = file.package().map(Package::name);
            if let Some(known) = self.packages.get(module).filter(|it| Some(&***it) != package) {
                let wrong = format!("`{module}` is not in the package `{known}`");
                violations.push(file.violation(1, wrong, format!("its package in {}", self.path)));
            }
        }
        violations
    }

    /// Finds imports of a file from its own layer or a higher one, or through a path that hides the layer, like a glob.
    pub(crate) fn imports_upwards(&self, library: &Library<'_>, file: &Source) -> Vec<Violation> {
        // Inside a module, tests may use all submodules, to test them together.
        if self.of.is_some() && file.is_tests() {
            return Vec::new();
        }
        // The files of the root belong to no layer.
        let Some((module, (layer, _))) =
            self.module_of(file).and_then(|module| Some((module, self.rows.get(module)?)))
        else {
            return Vec::new();
        };
        let unknown = || {
            let right = "name the module: `crate::<module>::<item>`";
            (", whose layer is unknown".to_owned(), right.to_owned())
        };
        let mut violations = Vec::new();
        for import in library.imports(file, file.tokens()) {
            let target =
                import.absolute.as_deref().map_or(Target::Unknown, |path| library.follow(path));
            let (from, right) = match target {
                Target::Outside => continue,
                Target::File(other) => match self.module_of(other) {
                    Some(other) if other == module => continue,
                    None if !import.written.ends_with('*') => continue,
                    None => unknown(),
                    Some(other) => match self.rows.get(other) {
                        Some((below, _)) if below < layer => continue,
                        Some((above, _)) => (
                            format!(" from `{other}` (layer {above})"),
                            format!(
                                "only from layers below {layer}, so move what is needed down, or pass it in"
                            ),
                        ),
                        None => (
                            format!(" from `{other}`, which has no layer"),
                            format!("a row in {}", self.path),
                        ),
                    },
                },
                // The table of the crate reports it already.
                Target::Unknown if self.of.is_some() => continue,
                Target::Unknown => unknown(),
            };
            let wrong = format!("`{module}` (layer {layer}) imports `{}`{from}", import.written);
            violations.push(file.violation(import.line, wrong, right));
        }
        violations
    }
}

/// Finds files that import one another, directly or indirectly.
///
/// Tests and re-exports do not count, nor do imports of a submodule from its parent modules, of which it is a part.
pub(crate) fn cycles(library: &Library<'_>) -> Vec<Violation> {
    let mut imports: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for file in library.files().iter().filter(|file| !file.is_tests()) {
        for import in library.imports(file, &file.tokens_without_tests()) {
            let Some(path) = import.absolute.filter(|_| !import.is_re_export) else { continue };
            if let Target::File(target) = library.follow(&path)
                && target.path() != file.path()
                && !is_inside(file, target)
                && !target.is_tests()
            {
                let note = format!("line {}: `{}`", import.line, import.written);
                imports.entry(file.path()).or_default().entry(target.path()).or_insert(note);
            }
        }
    }
    let reachable: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|&file| (file, reachable_from(file, &imports))).collect();
    let in_cycle =
        |from: &str, to: &str| reachable.get(to).is_some_and(|files| files.contains(from));
    let mut violations = Vec::new();
    for (&from, targets) in &imports {
        for (&to, note) in targets.iter().filter(|(to, _)| in_cycle(from, to)) {
            violations.push(Violation {
                path: from.to_owned(),
                line: 1,
                wrong: format!("imports {to} ({note}), which imports it in turn"),
                right: "move what both need to a file of its own".to_owned(),
            });
        }
    }
    violations
}

/// Whether the module of `file` is a submodule of that of `target`.
fn is_inside(file: &Source, target: &Source) -> bool {
    let (file, target) = (file.module().unwrap_or_default(), target.module().unwrap_or_default());
    file.starts_with(&target)
}

fn reachable_from<'a>(
    file: &'a str,
    imports: &BTreeMap<&'a str, BTreeMap<&'a str, String>>,
) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![file];
    while let Some(file) = next.pop() {
        for &target in imports.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(target) {
                next.push(target);
            }
        }
    }
    reached
}
