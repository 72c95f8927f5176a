//! The rules for all source files of the workspace, and a test for each rule that it can fail.
//!
//! The tables of layers are read from `ARCHITECTURE.md`, so that the documentation cannot differ from what is enforced.

mod layers;
mod modules;
mod page_names;
mod source;
mod style;
mod words;

use std::fs;

use layers::Layers;
use modules::Library;
use source::{Source, Violation};

const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// Panics with all violations, one per line, if there are any.
fn assert_none(violations: &[Violation]) {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} violations:\n{}", lines.len(), lines.join("\n"));
}

/// Applies a rule for single files to the whole workspace.
fn check_all_files(rule: fn(&Source) -> Vec<Violation>) {
    let workspace = source::workspace();
    // So that a wrong path to the workspace does not pass.
    assert!(workspace.len() > 100, "only {} files were found", workspace.len());
    assert_none(&workspace.iter().flat_map(rule).collect::<Vec<_>>());
}

fn tables() -> [Layers; 2] {
    let text = fs::read_to_string(source::root().join(ARCHITECTURE)).expect("ARCHITECTURE.md");
    [Layers::of_crate(ARCHITECTURE, &text), Layers::inside(ARCHITECTURE, &text, "cases")]
}

#[test]
fn a_module_imports_only_from_lower_layers() {
    let library = Library::read(source::library());
    let upwards = tables().into_iter().flat_map(|layers| {
        let files = library.files().iter();
        files.flat_map(|file| layers.imports_upwards(&library, file)).collect::<Vec<_>>()
    });
    assert_none(&upwards.collect::<Vec<_>>());
}

#[test]
fn every_module_is_in_the_table_of_layers() {
    let library = Library::read(source::library());
    assert_none(
        &tables().iter().flat_map(|layers| layers.compared_with(&library)).collect::<Vec<_>>(),
    );
}

#[test]
fn no_files_import_one_another() {
    assert_none(&layers::cycles(&Library::read(source::library())));
}

#[test]
fn the_pages_for_contributors_name_what_exists() {
    let violations = [ARCHITECTURE, "CONTRIBUTING.md"].into_iter().flat_map(|page| {
        let text = fs::read_to_string(source::root().join(page)).expect("the page");
        page_names::unknown_names(page, &text, source::library())
    });
    assert_none(&violations.collect::<Vec<_>>());
}

#[test]
fn every_file_begins_with_docs() {
    check_all_files(style::begins_with_docs);
}

#[test]
fn no_file_is_too_long() {
    check_all_files(style::is_short);
}

#[test]
fn time_comes_from_the_clock() {
    check_all_files(style::takes_time_from_clock);
}

#[test]
fn only_some_modules_read_the_environment() {
    check_all_files(style::reads_environment_where_allowed);
}

#[test]
fn no_todo_or_dbg_is_left() {
    check_all_files(style::leaves_nothing_to_do);
}

#[test]
fn no_file_has_a_vague_name() {
    check_all_files(style::has_a_meaningful_name);
}

#[test]
fn imports_have_one_style() {
    check_all_files(style::imports_in_one_style);
}

#[test]
fn words_that_have_a_plainer_form_are_not_used() {
    let mut files = source::files_below(&["."], &["rs", "md", "req", "shapes"]);
    // These files list the words themselves.
    files.retain(|(path, _)| {
        !path.starts_with("tests/tests/architecture/") && !path.starts_with('.')
    });
    assert!(files.len() > 500, "only {} files were found", files.len());
    let found = files.iter().flat_map(|(path, text)| words::listed_words(path, text));
    assert_none(&found.collect::<Vec<_>>());
}

mod each_rule_can_fail {
    use super::*;

    fn lines(violations: &[Violation]) -> String {
        violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    const TABLES: &str = "\
# Layers

| layer | modules | package |
|---|---|---|
| 0 | `json` `clock` | mcp-test |
| 1 | `wire` | mcp-test |
| 2 | `cli` | mcp-test |

| layer in `wire` | modules |
|---|---|
| 0 | `id` |
| 1 | `lines` `frame` |
";

    /// A library of three layers, with a re-export, a macro and the private module of the root, and with the files in `more`.
    fn library(more: &[(&str, &str)]) -> Vec<Source> {
        let lib = "\
pub mod json; pub mod clock; pub mod wire; pub mod cli; pub mod prelude;
pub type Result<T = ()> = std::result::Result<T, ()>;
pub use cli::Arguments;
pub use crate::wire::{Id, id::{Kind as IdKind}};
pub mod __private { pub use crate::cli::run; pub use inventory; pub use crate::__golden as golden; }
";
        let files = [
            ("mcp-test/src/lib.rs", lib),
            ("mcp-test/src/prelude.rs", "pub use crate::cli::Arguments;"),
            ("mcp-test/src/json/mod.rs", "mod value; pub use value::Value;"),
            ("mcp-test/src/json/value.rs", "pub struct Value;"),
            ("mcp-test/src/clock.rs", ""),
            (
                "mcp-test/src/wire/mod.rs",
                "#[macro_export] macro_rules! __golden { () => {} } pub mod id; pub use id::Id; mod lines; mod frame; pub struct Shared;",
            ),
            ("mcp-test/src/wire/id.rs", "pub struct Id; pub enum Kind {}"),
            ("mcp-test/src/wire/lines.rs", "pub fn read() {}"),
            ("mcp-test/src/wire/frame.rs", ""),
            ("mcp-test/src/cli.rs", "pub struct Arguments; pub fn run() {}"),
        ];
        let kept = files.iter().filter(|(path, _)| !more.iter().any(|(other, _)| path == other));
        kept.chain(more).map(|(path, text)| Source::new(path, text)).collect()
    }

    fn upwards_in(layers: &Layers, path: &str, text: &str) -> String {
        let files = library(&[(path, text)]);
        let library = Library::read(&files);
        let file = files.last().expect("the file itself");
        lines(&layers.imports_upwards(&library, file))
    }

    fn upwards(path: &str, text: &str) -> String {
        upwards_in(&Layers::of_crate(ARCHITECTURE, TABLES), path, text)
    }

    #[test]
    fn imports_from_lower_layers_are_allowed() {
        let text = r#"
            //! `crate::cli` in a comment does not count, nor does "crate::cli::x".
            use crate::json::{Value, number::{Number}};
            use super::{Frame, id::Id};
            use std::fmt;
            const TEXT: &str = "use crate::cli::Arguments;";
            pub(in crate::wire) fn parse() -> crate::Result<crate::clock::Deadline> { $crate::json::x!(); }
            mod tests { use super::*; use super::super::super::json::Value; fn t() { super::super::lines::parse() } }
            $crate::__private::inventory::submit!{}
        "#;
        assert_eq!(upwards("mcp-test/src/wire/frame.rs", text), "");
        assert_eq!(upwards("mcp-test/src/lib.rs", "use crate::cli::Arguments;"), "");
        assert_eq!(upwards("mcp-test/cli/src/main.rs", "use mcp_test_cli::main;"), "");
    }

    #[test]
    fn an_import_from_a_higher_layer() {
        insta::assert_snapshot!(upwards("mcp-test/src/json/value.rs", "\nuse crate::cli::Arguments;\nuse mcp_test::wire::Id;"), @"
        mcp-test/src/json/value.rs:2: `json` (layer 0) imports `crate::cli::Arguments` from `cli` (layer 2); right: only from layers below 0, so move what is needed down, or pass it in
        mcp-test/src/json/value.rs:3: `json` (layer 0) imports `mcp_test::wire::Id` from `wire` (layer 1); right: only from layers below 0, so move what is needed down, or pass it in
        ");
    }

    #[test]
    fn an_import_from_the_same_layer() {
        insta::assert_snapshot!(upwards("mcp-test/src/clock.rs", "fn now() -> crate::json::Value {}"), @"mcp-test/src/clock.rs:1: `clock` (layer 0) imports `crate::json::Value` from `json` (layer 0); right: only from layers below 0, so move what is needed down, or pass it in");
    }

    #[test]
    fn an_import_through_super() {
        let text = "use super::super::cli::Arguments;\nmod tests {\n mod more { use super::super::super::super::cli::Arguments; }\n}\nfn f() { super::super::cli::run() }";
        insta::assert_snapshot!(upwards("mcp-test/src/wire/id.rs", text), @"
        mcp-test/src/wire/id.rs:1: `wire` (layer 1) imports `super::super::cli::Arguments` from `cli` (layer 2); right: only from layers below 1, so move what is needed down, or pass it in
        mcp-test/src/wire/id.rs:3: `wire` (layer 1) imports `super::super::super::super::cli::Arguments` from `cli` (layer 2); right: only from layers below 1, so move what is needed down, or pass it in
        mcp-test/src/wire/id.rs:5: `wire` (layer 1) imports `super::super::cli::run` from `cli` (layer 2); right: only from layers below 1, so move what is needed down, or pass it in
        ");
    }

    #[test]
    fn an_import_of_a_re_export_of_the_root() {
        let text = "use crate::{Arguments, Id};\nuse crate::IdKind;\nuse crate::__private::run;\nuse crate::prelude::Arguments as A;";
        insta::assert_snapshot!(upwards("mcp-test/src/json/mod.rs", text), @"
        mcp-test/src/json/mod.rs:1: `json` (layer 0) imports `crate::Arguments` from `cli` (layer 2); right: only from layers below 0, so move what is needed down, or pass it in
        mcp-test/src/json/mod.rs:1: `json` (layer 0) imports `crate::Id` from `wire` (layer 1); right: only from layers below 0, so move what is needed down, or pass it in
        mcp-test/src/json/mod.rs:2: `json` (layer 0) imports `crate::IdKind` from `wire` (layer 1); right: only from layers below 0, so move what is needed down, or pass it in
        mcp-test/src/json/mod.rs:3: `json` (layer 0) imports `crate::__private::run` from `cli` (layer 2); right: only from layers below 0, so move what is needed down, or pass it in
        mcp-test/src/json/mod.rs:4: `json` (layer 0) imports `crate::prelude::Arguments` from `cli` (layer 2); right: only from layers below 0, so move what is needed down, or pass it in
        ");
    }

    #[test]
    fn a_macro_of_a_higher_layer() {
        insta::assert_snapshot!(upwards("mcp-test/src/json/mod.rs", "fn f() { crate::__golden!(); }\nmacro_rules! m { () => { $crate::__private::golden!() } }"), @"
        mcp-test/src/json/mod.rs:1: `json` (layer 0) imports `crate::__golden` from `wire` (layer 1); right: only from layers below 0, so move what is needed down, or pass it in
        mcp-test/src/json/mod.rs:2: `json` (layer 0) imports `crate::__private::golden` from `wire` (layer 1); right: only from layers below 0, so move what is needed down, or pass it in
        ");
    }

    #[test]
    fn an_import_that_hides_its_layer() {
        let text = "use crate::*;\nuse crate::prelude::*;\nuse crate as root;\nuse crate::Unknown;";
        insta::assert_snapshot!(upwards("mcp-test/src/wire/mod.rs", text), @"
        mcp-test/src/wire/mod.rs:1: `wire` (layer 1) imports `crate::*`, whose layer is unknown; right: name the module: `crate::<module>::<item>`
        mcp-test/src/wire/mod.rs:2: `wire` (layer 1) imports `crate::prelude::*`, whose layer is unknown; right: name the module: `crate::<module>::<item>`
        mcp-test/src/wire/mod.rs:3: `wire` (layer 1) imports `crate`, whose layer is unknown; right: name the module: `crate::<module>::<item>`
        mcp-test/src/wire/mod.rs:4: `wire` (layer 1) imports `crate::Unknown`, whose layer is unknown; right: name the module: `crate::<module>::<item>`
        ");
    }

    #[test]
    fn an_import_from_a_higher_layer_inside_a_module() {
        let layers = Layers::inside(ARCHITECTURE, TABLES, "wire");
        let text = "use super::lines::read;\nuse crate::wire::frame;\nuse super::Shared;";
        insta::assert_snapshot!(upwards_in(&layers, "mcp-test/src/wire/id.rs", text), @"
        mcp-test/src/wire/id.rs:1: `id` (layer 0) imports `super::lines::read` from `lines` (layer 1); right: only from layers below 0, so move what is needed down, or pass it in
        mcp-test/src/wire/id.rs:2: `id` (layer 0) imports `crate::wire::frame` from `frame` (layer 1); right: only from layers below 0, so move what is needed down, or pass it in
        ");
        let text = "use super::Id;\nuse crate::json::Value;";
        assert_eq!(upwards_in(&layers, "mcp-test/src/wire/lines.rs", text), "");
        let text = "use super::lines::read;";
        assert_ne!(upwards_in(&layers, "mcp-test/src/wire/frame.rs", text), "");
    }

    #[test]
    fn a_module_without_a_layer_and_a_row_without_a_module() {
        let mut files = library(&[("mcp-test/src/guard/mod.rs", "")]);
        files.retain(|file| !file.path().ends_with("clock.rs"));
        let layers = Layers::of_crate(ARCHITECTURE, TABLES);
        insta::assert_snapshot!(lines(&layers.compared_with(&Library::read(&files))), @"
        ARCHITECTURE.md:5: the table has `clock`, which is not a module; right: remove it, or add the module
        mcp-test/src/guard/mod.rs:1: `guard` has no layer; right: a row for it in ARCHITECTURE.md
        ");
    }

    #[test]
    fn modules_are_in_their_packages() {
        let layers = Layers::of_crate(
            ARCHITECTURE,
            "| layer | modules | package |\n|---|---|---|\n| 0 | `clock` `wire` | core |\n",
        );
        let files = ["mcp-test/core/src/clock.rs", "mcp-test/suite/src/wire.rs"]
            .map(|path| Source::new(path, "pub fn x() {}"));
        insta::assert_snapshot!(lines(&layers.compared_with(&Library::read(&files))), @"mcp-test/suite/src/wire.rs:1: `wire` is not in the package `core`; right: its package in ARCHITECTURE.md");
    }

    #[test]
    fn files_that_import_one_another() {
        let cycles = |more: &[(&str, &str)]| lines(&layers::cycles(&Library::read(&library(more))));
        assert_eq!(cycles(&[]), "");
        let with_parent = [
            ("mcp-test/src/wire/mod.rs", "mod id; mod frame; use id::Id; pub struct Shared;"),
            ("mcp-test/src/wire/id.rs", "pub struct Id(super::Shared);"),
        ];
        assert_eq!(cycles(&with_parent), "");
        let passed_on = [
            (
                "mcp-test/src/wire/mod.rs",
                "mod id; mod frame; pub use id::Id; pub(crate) use frame::Frame;",
            ),
            ("mcp-test/src/wire/frame.rs", "use super::Id; pub struct Frame;"),
        ];
        assert_eq!(cycles(&passed_on), "");
        let in_tests = [
            (
                "mcp-test/src/wire/id.rs",
                "pub struct Id; #[cfg(test)] mod tests { use crate::wire::lines::read; }",
            ),
            ("mcp-test/src/wire/lines.rs", "use super::Id; pub fn read() {}"),
        ];
        assert_eq!(cycles(&in_tests), "");
        let three = [
            ("mcp-test/src/wire/id.rs", "use super::lines::read; pub struct Id;"),
            ("mcp-test/src/wire/lines.rs", "pub fn read() { super::frame::write() }"),
            ("mcp-test/src/wire/frame.rs", "pub fn write(_: super::Id) {}"),
        ];
        insta::assert_snapshot!(cycles(&three), @"
        mcp-test/src/wire/frame.rs:1: imports mcp-test/src/wire/id.rs (line 1: `super::Id`), which imports it in turn; right: move what both need to a file of its own
        mcp-test/src/wire/id.rs:1: imports mcp-test/src/wire/lines.rs (line 1: `super::lines::read`), which imports it in turn; right: move what both need to a file of its own
        mcp-test/src/wire/lines.rs:1: imports mcp-test/src/wire/frame.rs (line 1: `super::frame::write`), which imports it in turn; right: move what both need to a file of its own
        ");
    }

    fn broken_by(rule: fn(&Source) -> Vec<Violation>, path: &str, text: &str) -> String {
        lines(&rule(&Source::new(path, text)))
    }

    #[test]
    fn a_file_without_docs() {
        let rule = style::begins_with_docs;
        insta::assert_snapshot!(broken_by(rule, "tests/tests/ui.rs", "use std::fmt;\n//! Late.\n"), @"tests/tests/ui.rs:1: begins with `use std::fmt;`; right: begin with `//!` and what the file is for");
        assert_eq!(broken_by(rule, "tests/tests/ui.rs", "//! What for.\n"), "");
        assert_ne!(broken_by(rule, "tests/tests/ui.rs", "//!\nuse std::fmt;"), "");
        assert_ne!(broken_by(rule, "tests/tests/ui.rs", ""), "");
    }

    #[test]
    fn a_file_that_is_too_long() {
        let rule = style::is_short;
        let of = |lines: usize| format!("//! x\n{}", "fn f() {}\n".repeat(lines - 1));
        insta::assert_snapshot!(broken_by(rule, "mcp-test/src/json/value.rs", &of(500)), @"mcp-test/src/json/value.rs:500: has 500 lines; right: fewer than 500, so split it by nouns");
        assert_eq!(broken_by(rule, "mcp-test/src/json/value.rs", &of(499)), "");
        assert_eq!(broken_by(rule, "mcp-test/src/json/tests.rs", &of(799)), "");
        insta::assert_snapshot!(broken_by(rule, "tests/tests/ui.rs", &of(800)), @"tests/tests/ui.rs:800: has 800 lines; right: fewer than 800, so split it by nouns");
    }

    #[test]
    fn time_that_does_not_come_from_the_clock() {
        let rule = style::takes_time_from_clock;
        let text = "//! sleep(1)\nuse std::time::{Duration, Instant};\nfn f() {\n  tokio::time::sleep(D);\n  SystemTime::now();\n  tokio::time::timeout(D, f);\n  thread::park_timeout(D);\n  \"sleep(1)\";\n  exec(sleep);\n}";
        insta::assert_snapshot!(broken_by(rule, "mcp-test/src/wire/mod.rs", text), @"
        mcp-test/src/wire/mod.rs:2: uses `Instant`; right: what `clock` offers for it: `Stopwatch`, `Deadline`, `within`, `quiet` or `utc_now`
        mcp-test/src/wire/mod.rs:4: uses `sleep(…)`; right: what `clock` offers for it: `Stopwatch`, `Deadline`, `within`, `quiet` or `utc_now`
        mcp-test/src/wire/mod.rs:5: uses `SystemTime`; right: what `clock` offers for it: `Stopwatch`, `Deadline`, `within`, `quiet` or `utc_now`
        mcp-test/src/wire/mod.rs:6: uses `timeout(…)`; right: what `clock` offers for it: `Stopwatch`, `Deadline`, `within`, `quiet` or `utc_now`
        mcp-test/src/wire/mod.rs:7: uses `park_timeout(…)`; right: what `clock` offers for it: `Stopwatch`, `Deadline`, `within`, `quiet` or `utc_now`
        ");
        for allowed in ["mcp-test/src/clock.rs", "mcp-test/src/clock/tests.rs"] {
            assert_eq!(broken_by(rule, allowed, text), "");
        }
        assert_eq!(
            broken_by(rule, "mcp-test/src/run/plan.rs", "plan.timeout(limit); fn timeout(self) {}"),
            ""
        );
    }

    #[test]
    fn a_module_that_reads_the_environment() {
        let rule = style::reads_environment_where_allowed;
        let text =
            "fn f() { std::env::var(\"CI\"); env::vars_os(); env!(\"X\"); env::temp_dir(); }";
        insta::assert_snapshot!(broken_by(rule, "mcp-test/src/wire/mod.rs", text), @"
        mcp-test/src/wire/mod.rs:1: reads the environment with `env::var`; right: read it in `cli` or `harness`, and pass the value on
        mcp-test/src/wire/mod.rs:1: reads the environment with `env::vars_os`; right: read it in `cli` or `harness`, and pass the value on
        ");
        for allowed in [
            "mcp-test/src/cli/mod.rs",
            "mcp-test/src/harness.rs",
            "mcp-test/src/harness/libtest.rs",
            "tests/tests/ui.rs",
        ] {
            assert_eq!(broken_by(rule, allowed, text), "");
        }
    }

    #[test]
    fn test_files_are_recognized_by_their_declaration() {
        let mut files = vec![
            Source::new("mcp-test/src/spec/mod.rs", "#[cfg(test)] mod official; mod method;"),
            Source::new("mcp-test/src/spec/official.rs", ""),
            Source::new("mcp-test/src/spec/official/schema.rs", ""),
            Source::new("mcp-test/src/spec/method.rs", ""),
            Source::new("mcp-test/src/wire/tests.rs", ""),
        ];
        source::mark_tests(&mut files);
        let tests: Vec<bool> = files.iter().map(Source::is_tests).collect();
        assert_eq!(tests, [false, true, true, false, true]);
    }

    #[test]
    fn a_todo_or_dbg() {
        let rule = style::leaves_nothing_to_do;
        let text = "//! todo!()\nfn f() {\n  todo!();\n  dbg!(1);\n  \"todo!()\";\n}";
        insta::assert_snapshot!(broken_by(rule, "examples/src/lib.rs", text), @"
        examples/src/lib.rs:3: has `todo!`; right: the finished code
        examples/src/lib.rs:4: has `dbg!`; right: the finished code
        ");
    }

    #[test]
    fn a_vague_file_name() {
        let rule = style::has_a_meaningful_name;
        insta::assert_snapshot!(broken_by(rule, "mcp-test/src/wire/utils.rs", ""), @"mcp-test/src/wire/utils.rs:1: is named `utils`; right: a noun that says what it holds");
        assert_ne!(broken_by(rule, "tests/tests/common/mod.rs", ""), "");
        assert_eq!(broken_by(rule, "mcp-test/src/wire/id.rs", ""), "");
    }

    #[test]
    fn imports_in_the_wrong_style() {
        let rule = style::imports_in_one_style;
        let path = "mcp-test/src/wire/id.rs";
        let good = "//! x\n\nuse std::fmt;\n\nuse bytes::Bytes;\nuse serde::{\n    De,\n    Ser,\n};\n\nuse super::Frame;\nuse crate::json::{Number, Value};\n\nfn f() {}\n";
        assert_eq!(broken_by(rule, path, good), "");
        let bad = "use bytes::Bytes;\nuse std::fmt;\n\nuse crate::json::{Number, value::Value};\nfn f() { super::super::g() }\nuse super::{a, b};\nuse serde::{\n    De,\n};\nuse super::Late;\n";
        insta::assert_snapshot!(broken_by(rule, path, bad), @"
        mcp-test/src/wire/id.rs:4: imports by a nested list; right: one `use` for each path, with one list of names
        mcp-test/src/wire/id.rs:5: goes up with `super::super`; right: a path from `crate`
        mcp-test/src/wire/id.rs:2: is in the wrong group of imports; right: `std`, other crates, then `crate`, `super` and `self`, with a blank line between
        mcp-test/src/wire/id.rs:7: is in the wrong group of imports; right: `std`, other crates, then `crate`, `super` and `self`, with a blank line between
        mcp-test/src/wire/id.rs:10: is in the wrong group of imports; right: `std`, other crates, then `crate`, `super` and `self`, with a blank line between
        ");
    }

    #[test]
    fn listed_words_and_phrases() {
        let code = "struct Visitor;\nlet told_by = 1;\n// A Visitor is told.\nprint(\"x told y is no valid name\");\nlet retold = untold;\n";
        insta::assert_snapshot!(lines(&words::listed_words("mcp-test/src/wire/id.rs", code)), @"
        mcp-test/src/wire/id.rs:1: has `Visitor`; right: ScriptedClient
        mcp-test/src/wire/id.rs:2: has `told`; right: reported
        mcp-test/src/wire/id.rs:4: has `is no valid`; right: is not a valid
        ");
        assert_eq!(lines(&words::listed_words("README.md", "A Visitor is told of it.")), "");
        assert_ne!(lines(&words::listed_words("README.md", "It is Held against the shape.")), "");
    }

    #[test]
    fn a_page_that_names_what_does_not_exist() {
        let library =
            [Source::new("mcp-test/src/trace/recorder.rs", "//! Records.\npub struct Recorder;")];
        let text = "`trace::recorder::Recorder`, `trace::Recorder`, `Recorder`, `trace/recorder.rs`\n\
                    `trace::Sender`, `tracing::Recorder`, `Sender`, `trace/sender.rs`\n";
        let wrong = page_names::unknown_names("PAGE.md", text, &library);
        insta::assert_snapshot!(lines(&wrong), @"
        PAGE.md:2: names `trace::Sender`, which does not exist; right: the name that the code has
        PAGE.md:2: names `tracing::Recorder`, which does not exist; right: the name that the code has
        PAGE.md:2: names `Sender`, which does not exist; right: the name that the code has
        PAGE.md:2: names `trace/sender.rs`, which does not exist; right: the name that the code has
        ");
    }
}
