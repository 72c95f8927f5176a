//! What every source file of the workspace keeps to, and that each of these rules can fail.
//!
//! The floor table is read from the crate docs of `mcp-test`, which is where people read it too.

mod floors;
mod source;
mod style;

use floors::House;
use source::{Source, Violation};

/// Fails with every violation, one per line.
fn nothing_in(violations: &[Violation]) {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} places break the rule:\n{}", lines.len(), lines.join("\n"));
}

/// A rule on single files, over the whole workspace.
fn everywhere(rule: fn(&Source) -> Vec<Violation>) {
    let workspace = source::workspace();
    assert!(workspace.len() > 100, "only {} files were found", workspace.len());
    nothing_in(&workspace.iter().flat_map(rule).collect::<Vec<_>>());
}

#[test]
fn a_room_imports_only_from_lower_floors() {
    let library = source::library();
    let house = House::read(library);
    nothing_in(&library.iter().flat_map(|file| house.imports_upwards(file)).collect::<Vec<_>>());
}

#[test]
fn every_room_has_a_floor_and_every_floor_its_rooms() {
    let library = source::library();
    nothing_in(&House::read(library).table_against(library));
}

#[test]
fn every_file_says_what_it_is_for() {
    everywhere(style::begins_with_docs);
}

#[test]
fn no_file_is_too_long() {
    everywhere(style::is_short);
}

#[test]
fn time_comes_from_the_clock() {
    everywhere(style::takes_time_from_clock);
}

#[test]
fn the_environment_is_read_at_the_doors() {
    everywhere(style::reads_environment_at_doors);
}

#[test]
fn nothing_is_left_to_do() {
    everywhere(style::leaves_nothing_to_do);
}

#[test]
fn no_room_is_named_after_nothing() {
    everywhere(style::has_a_telling_name);
}

mod each_rule_can_fail {
    use super::*;

    fn lines(violations: &[Violation]) -> String {
        violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// A house of three floors with a re-export, a macro and the front door's private part.
    fn house() -> (House, Vec<Source>) {
        let lib = "\
//! | floor | modules |
//! |---|---|
//! | 0 | `json` `clock` |
//! | 1 | `wire` |
//! | 2 | `cli` |
pub mod json; pub mod clock; pub mod wire; pub mod cli; pub mod prelude;
pub type Result<T = ()> = std::result::Result<T, ()>;
pub use cli::Arguments;
pub use crate::wire::{Id, id::{Kind as IdKind}};
pub mod __private { pub use crate::cli::run; pub use inventory; pub use crate::__golden as golden; }
";
        let files = vec![
            Source::made_up("mcp-test/src/lib.rs", lib),
            Source::made_up("mcp-test/src/prelude.rs", "pub use crate::cli::Arguments;"),
            Source::made_up("mcp-test/src/json/mod.rs", "mod value;"),
            Source::made_up("mcp-test/src/clock.rs", ""),
            Source::made_up(
                "mcp-test/src/wire/mod.rs",
                "#[macro_export] macro_rules! __golden { () => {} }",
            ),
            Source::made_up("mcp-test/src/cli.rs", ""),
        ];
        (House::read(&files), files)
    }

    fn upwards(path: &str, text: &str) -> String {
        lines(&house().0.imports_upwards(&Source::made_up(path, text)))
    }

    #[test]
    fn what_a_room_may_import() {
        let text = r#"
            //! `crate::cli` in a comment is none, nor is it in "crate::cli::x".
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
        assert_eq!(upwards("mcp-test/src/bin/mcp-test.rs", "use mcp_test::cli::main;"), "");
    }

    #[test]
    fn a_higher_floor() {
        insta::assert_snapshot!(upwards("mcp-test/src/json/value.rs", "\nuse crate::cli::Arguments;\nuse mcp_test::wire::Id;"), @"
        mcp-test/src/json/value.rs:2: `json` (floor 0) imports `crate::cli::Arguments` from `cli` (floor 2); right: only from floors below 0, so move what is needed down, or hand it in
        mcp-test/src/json/value.rs:3: `json` (floor 0) imports `mcp_test::wire::Id` from `wire` (floor 1); right: only from floors below 0, so move what is needed down, or hand it in
        ");
    }

    #[test]
    fn a_neighbour() {
        insta::assert_snapshot!(upwards("mcp-test/src/clock.rs", "fn now() -> crate::json::Value {}"), @"mcp-test/src/clock.rs:1: `clock` (floor 0) imports `crate::json::Value` from `json` (floor 0); right: only from floors below 0, so move what is needed down, or hand it in");
    }

    #[test]
    fn a_way_up_through_super() {
        let text = "use super::super::cli::Arguments;\nmod tests {\n mod more { use super::super::super::super::cli::Arguments; }\n}\nfn f() { super::super::cli::run() }";
        insta::assert_snapshot!(upwards("mcp-test/src/wire/id.rs", text), @"
        mcp-test/src/wire/id.rs:1: `wire` (floor 1) imports `super::super::cli::Arguments` from `cli` (floor 2); right: only from floors below 1, so move what is needed down, or hand it in
        mcp-test/src/wire/id.rs:3: `wire` (floor 1) imports `super::super::super::super::cli::Arguments` from `cli` (floor 2); right: only from floors below 1, so move what is needed down, or hand it in
        mcp-test/src/wire/id.rs:5: `wire` (floor 1) imports `super::super::cli::run` from `cli` (floor 2); right: only from floors below 1, so move what is needed down, or hand it in
        ");
    }

    #[test]
    fn a_re_export_of_the_front_door() {
        let text = "use crate::{Arguments, Id};\nuse crate::IdKind;\nuse crate::__private::run;\nuse crate::prelude::Arguments as A;";
        insta::assert_snapshot!(upwards("mcp-test/src/json/mod.rs", text), @"
        mcp-test/src/json/mod.rs:1: `json` (floor 0) imports `crate::Arguments` from `cli` (floor 2); right: only from floors below 0, so move what is needed down, or hand it in
        mcp-test/src/json/mod.rs:1: `json` (floor 0) imports `crate::Id` from `wire` (floor 1); right: only from floors below 0, so move what is needed down, or hand it in
        mcp-test/src/json/mod.rs:2: `json` (floor 0) imports `crate::IdKind` from `wire` (floor 1); right: only from floors below 0, so move what is needed down, or hand it in
        mcp-test/src/json/mod.rs:3: `json` (floor 0) imports `crate::__private::run` from `cli` (floor 2); right: only from floors below 0, so move what is needed down, or hand it in
        mcp-test/src/json/mod.rs:4: `json` (floor 0) imports `crate::prelude::Arguments` from `cli` (floor 2); right: only from floors below 0, so move what is needed down, or hand it in
        ");
    }

    #[test]
    fn a_macro_of_a_higher_floor() {
        insta::assert_snapshot!(upwards("mcp-test/src/json/mod.rs", "fn f() { crate::__golden!(); }\nmacro_rules! m { () => { $crate::__private::golden!() } }"), @"
        mcp-test/src/json/mod.rs:1: `json` (floor 0) imports `crate::__golden` from `wire` (floor 1); right: only from floors below 0, so move what is needed down, or hand it in
        mcp-test/src/json/mod.rs:2: `json` (floor 0) imports `crate::__private::golden` from `wire` (floor 1); right: only from floors below 0, so move what is needed down, or hand it in
        ");
    }

    #[test]
    fn a_path_that_hides_where_it_leads() {
        let text =
            "use crate::*;\nuse crate::prelude::*;\nuse crate as house;\nuse crate::Unheard;";
        insta::assert_snapshot!(upwards("mcp-test/src/wire/mod.rs", text), @"
        mcp-test/src/wire/mod.rs:1: `wire` (floor 1) imports `crate::*`, of which the floor cannot be told; right: name the room: `crate::<room>::<item>`
        mcp-test/src/wire/mod.rs:2: `wire` (floor 1) imports `crate::prelude::*`, of which the floor cannot be told; right: name the room: `crate::<room>::<item>`
        mcp-test/src/wire/mod.rs:3: `wire` (floor 1) imports `crate`, of which the floor cannot be told; right: name the room: `crate::<room>::<item>`
        mcp-test/src/wire/mod.rs:4: `wire` (floor 1) imports `crate::Unheard`, of which the floor cannot be told; right: name the room: `crate::<room>::<item>`
        ");
    }

    #[test]
    fn a_room_without_a_floor_and_a_floor_without_its_room() {
        let (_, mut files) = house();
        files.retain(|file| !file.path().ends_with("clock.rs"));
        files.push(Source::made_up("mcp-test/src/guard/mod.rs", ""));
        insta::assert_snapshot!(lines(&House::read(&files).table_against(&files)), @"
        mcp-test/src/lib.rs:3: the floor table has `clock`, which is no room; right: take it out, or add the room
        mcp-test/src/guard/mod.rs:1: `guard` is not in the floor table; right: a row for it in the crate docs
        ");
    }

    fn broken_by(rule: fn(&Source) -> Vec<Violation>, path: &str, text: &str) -> String {
        lines(&rule(&Source::made_up(path, text)))
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
        for door in ["mcp-test/src/clock.rs", "mcp-test/src/clock/tests.rs"] {
            assert_eq!(broken_by(rule, door, text), "");
        }
        assert_eq!(
            broken_by(rule, "mcp-test/src/run/plan.rs", "plan.timeout(limit); fn timeout(self) {}"),
            ""
        );
    }

    #[test]
    fn an_environment_that_is_read_in_between() {
        let rule = style::reads_environment_at_doors;
        let text =
            "fn f() { std::env::var(\"CI\"); env::vars_os(); env!(\"X\"); env::temp_dir(); }";
        insta::assert_snapshot!(broken_by(rule, "mcp-test/src/wire/mod.rs", text), @"
        mcp-test/src/wire/mod.rs:1: reads the environment with `env::var`; right: read it in `cli` or `harness`, and hand on what it says
        mcp-test/src/wire/mod.rs:1: reads the environment with `env::vars_os`; right: read it in `cli` or `harness`, and hand on what it says
        ");
        for door in [
            "mcp-test/src/cli/mod.rs",
            "mcp-test/src/harness.rs",
            "mcp-test/src/harness/libtest.rs",
            "tests/tests/ui.rs",
        ] {
            assert_eq!(broken_by(rule, door, text), "");
        }
    }

    #[test]
    fn files_of_tests_are_told_by_their_declaration() {
        let mut files = vec![
            Source::made_up("mcp-test/src/spec/mod.rs", "#[cfg(test)] mod official; mod method;"),
            Source::made_up("mcp-test/src/spec/official.rs", ""),
            Source::made_up("mcp-test/src/spec/official/schema.rs", ""),
            Source::made_up("mcp-test/src/spec/method.rs", ""),
            Source::made_up("mcp-test/src/wire/tests.rs", ""),
        ];
        source::mark_tests(&mut files);
        let tests: Vec<bool> = files.iter().map(Source::is_tests).collect();
        assert_eq!(tests, [false, true, true, false, true]);
    }

    #[test]
    fn something_left_to_do() {
        let rule = style::leaves_nothing_to_do;
        let text = "//! todo!()\nfn f() {\n  todo!();\n  dbg!(1);\n  \"todo!()\";\n}";
        insta::assert_snapshot!(broken_by(rule, "examples/src/lib.rs", text), @"
        examples/src/lib.rs:3: has `todo!`; right: the finished thing
        examples/src/lib.rs:4: has `dbg!`; right: the finished thing
        ");
    }

    #[test]
    fn a_name_that_says_nothing() {
        let rule = style::has_a_telling_name;
        insta::assert_snapshot!(broken_by(rule, "mcp-test/src/wire/utils.rs", ""), @"mcp-test/src/wire/utils.rs:1: is named `utils`; right: a noun that says what is in it");
        assert_ne!(broken_by(rule, "tests/tests/common/mod.rs", ""), "");
        assert_eq!(broken_by(rule, "mcp-test/src/wire/id.rs", ""), "");
    }
}
