//! The golden snapshots of a user's scenario: the conversation, compared by insta in the user's file.

use crate::check::{Demand, Finding};

/// Compares a text with the snapshot of this name, as `insta::assert_snapshot!` written in the user's file would.
#[doc(hidden)]
pub type GoldenFn = fn(name: &str, text: &str);

/// What a golden snapshot is called and shows, for [`Ctx::assert_golden_with`](crate::scenario::Ctx::assert_golden_with).
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::prelude::*;
///
/// async fn lists_its_tools(ctx: &mut Ctx) -> Result<()> {
///     ctx.list_tools().await?.assert_tool("add");
///     ctx.assert_golden_with(GoldenOptions::new().named("with caching hints").in_full());
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct GoldenOptions {
    /// The name beside that of the scenario; empty without one.
    pub(super) name: String,
    pub(super) in_full: bool,
}

impl GoldenOptions {
    /// The options of [`Ctx::assert_golden`](crate::scenario::Ctx::assert_golden).
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the snapshot, beside the scenario.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Also shows what only the era of the revision adds: the protocol's own members of `_meta`, cache hints
    /// (`ttlMs`, `cacheScope`), `"resultType": "complete"`, and the headers of MCP.
    pub fn in_full(mut self) -> Self {
        self.in_full = true;
        self
    }
}

/// How the snapshots of one run are compared.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Golden {
    /// The name of the scenario.
    pub scenario: &'static str,
    /// What distinguishes the run from the scenario's others, if there are any.
    pub run: Option<String>,
    /// The names that this run has used.
    pub used: Vec<String>,
    /// Compares it, in the user's crate.
    pub compare: GoldenFn,
    /// Whether mcp-test shows differences, because insta does not.
    pub shows_differences: bool,
}

impl Golden {
    /// The name of a snapshot: `adds_two_numbers-after-the-change@2025-11-25-duplex`; an error if the run has used it.
    pub(super) fn name(&mut self, given: &str) -> Result<String, Finding> {
        let words = given.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        // The hyphen cannot be part of a function's name, so that two scenarios never have one snapshot.
        let mut name = self.scenario.replace("::", "-");
        words.for_each(|word| name.extend(["-", word]));
        // Some file systems ignore case.
        let used = name.to_lowercase();
        if self.used.contains(&used) {
            let twice = Finding {
                demand: Demand::Snapshot,
                ..Finding::test(match given.trim() {
                    "" => "the scenario has compared the conversation with its snapshot before"
                        .to_owned(),
                    given => format!("the scenario has another snapshot of the name `{given}`"),
                })
            };
            return Err(twice.hint(
                "each snapshot of a scenario needs a name of its own, and case and punctuation do not count: \
                 `ctx.assert_golden_of(\"after the change\")`",
            ));
        }
        self.used.push(used);
        Ok(match &self.run {
            Some(run) => format!("{name}@{run}"),
            None => name,
        })
    }
}

/// What is wrong with a snapshot: the payload of the panic of [`Ctx::assert_golden`](crate::scenario::Ctx::assert_golden).
#[derive(Debug)]
pub struct SnapshotMismatch {
    /// What is wrong, in one sentence.
    headline: String,
    /// The difference, or the whole text of a new snapshot; `None` if insta has shown it.
    difference: Option<String>,
    /// What to do about it.
    hint: Option<String>,
}

impl SnapshotMismatch {
    /// The mismatch as a finding.
    pub(crate) fn finding(&self) -> Finding {
        let finding = Finding {
            demand: Demand::Snapshot,
            hint: self.hint.clone(),
            ..Finding::test(self.headline.as_str())
        };
        match &self.difference {
            Some(difference) => finding.excerpt(difference.as_str()),
            None => finding,
        }
    }
}

#[cfg(feature = "golden")]
pub(super) mod differences {
    //! The comparison by insta, and the differences where insta does not show them.

    use std::cell::Cell;
    use std::io;
    use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::{Arc, Mutex, Once, PoisonError};

    use insta::{Comparator, Settings, Snapshot};
    use similar::TextDiff;

    use super::{GoldenFn, SnapshotMismatch};
    use crate::expect::words::panic_text;

    thread_local! {
        /// Whether insta compares a snapshot on this thread.
        static IS_COMPARING: Cell<bool> = const { Cell::new(false) };
    }

    /// Runs a comparison by insta; the error is the text of its panic, which no panic hook prints: its backtrace would be that of
    /// insta and the runner.
    fn catch_quietly(compare: impl FnOnce()) -> Result<(), String> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                // The thread-local may be gone if the panic happens while the thread ends.
                if !matches!(IS_COMPARING.try_with(Cell::get), Ok(true)) {
                    before(info);
                }
            }));
        });
        IS_COMPARING.set(true);
        let compared = catch_unwind(AssertUnwindSafe(compare));
        IS_COMPARING.set(false);
        compared.map_err(|payload| panic_text(&*payload).to_owned())
    }

    /// Compares as another comparator does, and keeps the text of the snapshot.
    ///
    /// insta passes the old snapshot to nobody but its comparator.
    struct RecordingComparator {
        compare: Box<dyn Comparator>,
        before: Arc<Mutex<Option<String>>>,
    }

    impl Comparator for RecordingComparator {
        fn matches(&self, reference: &Snapshot, test: &Snapshot) -> bool {
            let text = reference.as_text().map(ToString::to_string);
            *self.before.lock().unwrap_or_else(PoisonError::into_inner) = text;
            self.compare.matches(reference, test)
        }

        fn matches_fully(&self, reference: &Snapshot, test: &Snapshot) -> bool {
            self.matches(reference, test) && self.compare.matches_fully(reference, test)
        }

        fn dyn_clone(&self) -> Box<dyn Comparator> {
            Box::new(Self { compare: self.compare.dyn_clone(), before: Arc::clone(&self.before) })
        }
    }

    pub(in crate::scenario) fn compare_with(
        name: &str,
        text: &str,
        compare: GoldenFn,
        shows_differences: bool,
    ) {
        let before = Arc::default();
        let mut settings = Settings::clone_current();
        let comparator = settings.comparator().dyn_clone();
        let comparator = RecordingComparator { compare: comparator, before: Arc::clone(&before) };
        settings.set_comparator(Box::new(comparator));
        let compared = settings.bind(|| {
            // Locked meanwhile, so that the output of other threads does not interrupt insta's.
            let _output = io::stdout().lock();
            catch_quietly(|| compare(name, text))
        });
        if let Err(panic) = compared {
            let before = before.lock().unwrap_or_else(PoisonError::into_inner).take();
            let now = shows_differences.then_some(text);
            resume_unwind(Box::new(mismatch(name, &panic, before.as_deref(), now)));
        }
    }

    /// The mismatch of a snapshot, for which insta panics with a text; `now` is the new text if insta does not show it.
    fn mismatch(
        name: &str,
        panic: &str,
        before: Option<&str>,
        now: Option<&str>,
    ) -> SnapshotMismatch {
        // insta also panics if it cannot read or write a snapshot, for example. Its usual text adds nothing to ours.
        if !panic.starts_with("snapshot assertion") {
            let headline = format!("insta cannot compare the snapshot `{name}`: {panic}");
            return SnapshotMismatch { headline, difference: None, hint: None };
        }
        let headline = match before {
            Some(_) => format!("the conversation differs from the snapshot `{name}`"),
            None => format!("there is no snapshot `{name}` yet"),
        };
        let shown = if now.is_none() { "insta has shown it above; " } else { "" };
        let hint = format!(
            "{shown}accept it with `cargo insta review`, or without cargo-insta with `INSTA_UPDATE=always cargo test`"
        );
        let difference = now.map(|now| match before {
            None => now.to_owned(),
            Some(before) => {
                // Both end with one line break: `similar` would mark a missing one as another difference.
                let (before, now) = (format!("{}\n", before.trim()), format!("{}\n", now.trim()));
                let lines = TextDiff::from_lines(&before, &now);
                lines.unified_diff().context_radius(3).header("snapshot", "this run").to_string()
            }
        });
        SnapshotMismatch { headline, difference, hint: Some(hint) }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_difference_shows_the_lines_around_it() {
            let before = "1  client → server  ping\n2  client ← server  result {}\n";
            let now = "1  client → server  ping\n2  client ← server  error -32601\n";
            let shown = |before, now| {
                let panic = "snapshot assertion for 'pings' failed in line 3";
                mismatch("pings", panic, before, now).finding().to_string()
            };
            insta::assert_snapshot!(shown(Some(before), Some(now)));
            insta::assert_snapshot!(shown(None, Some(now)));
            insta::assert_snapshot!(shown(Some(before), None));
        }

        #[test]
        fn what_else_makes_insta_panic_is_shown() {
            let panic = catch_quietly(|| panic!("the disk is full")).expect_err("a panic");
            let finding = mismatch("pings", &panic, None, None).finding();
            insta::assert_snapshot!(finding, @"insta cannot compare the snapshot `pings`: the disk is full");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden(run: Option<&str>) -> Golden {
        Golden {
            scenario: "adds",
            run: run.map(ToOwned::to_owned),
            used: Vec::new(),
            compare: |_, _| {},
            shows_differences: false,
        }
    }

    #[test]
    fn a_snapshot_is_named_after_the_scenario_its_own_name_and_the_run() {
        let mut one = golden(None);
        let mut name = |given| one.name(given).expect("a new name");
        assert_eq!(name(""), "adds");
        assert_eq!(name("after the change"), "adds-after-the-change");
        assert_eq!(name("../größer/: 2"), "adds-größer-2");
        let mut several = golden(Some("2025-11-25-duplex"));
        let mut name = |given| several.name(given).expect("a new name");
        assert_eq!(name(""), "adds@2025-11-25-duplex");
        assert_eq!(name("later"), "adds-later@2025-11-25-duplex");
    }

    #[test]
    fn a_name_is_used_once() {
        let mut golden = golden(None);
        let mut twice = |first: &str, second: &str| {
            golden.name(first).expect("a new name");
            golden.name(second).expect_err("a used name").to_string()
        };
        insta::assert_snapshot!(twice("", " "), @r#"
        the scenario has compared the conversation with its snapshot before
          hint: each snapshot of a scenario needs a name of its own, and case and punctuation do not count: `ctx.assert_golden_of("after the change")`
        "#);
        insta::assert_snapshot!(twice("after the change", "After the change!"), @r#"
        the scenario has another snapshot of the name `After the change!`
          hint: each snapshot of a scenario needs a name of its own, and case and punctuation do not count: `ctx.assert_golden_of("after the change")`
        "#);
    }
}
