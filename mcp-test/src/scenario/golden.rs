//! The golden snapshot of a user's scenario: what was said, compared by insta, expanded in the user's file.

use super::Ctx;
use super::user::GoldenFn;
use crate::assert::golden;

/// How the snapshot of one cell is compared.
#[derive(Debug, Clone)]
pub struct Golden {
    /// The name of the snapshot.
    pub name: String,
    /// What compares it, in the user's crate.
    pub compare: GoldenFn,
    /// Whether differences are shown here, because insta is told to be quiet.
    pub shows_differences: bool,
}

/// What is wrong with a snapshot: the payload of the panic of [`Ctx::assert_golden`].
#[derive(Debug)]
pub struct Differences(pub String);

impl Ctx {
    /// The context of a scenario with a golden snapshot.
    #[must_use]
    pub fn with_golden(mut self, golden: Option<Golden>) -> Self {
        self.golden = golden;
        self
    }

    /// Compares the conversation so far with the snapshot of the scenario.
    ///
    /// The snapshot reads like a play: who said what to whom, in order. What differs from run to run (sessions, ids,
    /// ports, times, tokens) stands in `[brackets]`. It is accepted and rejected with `cargo insta review`.
    ///
    /// ```ignore
    /// #[mcp_scenario]
    /// async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
    ///     ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    ///     ctx.assert_golden();
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If the conversation is not the one of the snapshot, or there is none yet; on the second call in one scenario,
    /// which has one snapshot; and outside of an `#[mcp_scenario]` with the feature `golden`.
    #[track_caller]
    pub fn assert_golden(&mut self) {
        let Some(Golden { name, compare, shows_differences }) = self.golden.take() else {
            panic!(
                "there is no snapshot to compare with: `assert_golden` works once in each `#[mcp_scenario]`, \
                 with the feature `golden` of mcp-test"
            );
        };
        let text = golden(&self.trace());
        #[cfg(feature = "golden")]
        differences::tell(&name, &text, compare, shows_differences);
        #[cfg(not(feature = "golden"))]
        {
            let _ = shows_differences;
            compare(&name, &text);
        }
    }
}

#[cfg(feature = "golden")]
mod differences {
    //! Letting insta compare, and showing the differences where insta does not.

    use std::io;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::{Arc, Mutex, PoisonError};

    use insta::{Comparator, Settings, Snapshot};
    use similar::TextDiff;

    use super::{Differences, GoldenFn};

    /// Compares as another comparator does, and keeps what the snapshot says.
    struct Reading {
        compare: Box<dyn Comparator>,
        before: Arc<Mutex<Option<String>>>,
    }

    impl Comparator for Reading {
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

    pub(super) fn tell(name: &str, text: &str, compare: GoldenFn, shows_differences: bool) {
        let before = Arc::default();
        let mut settings = Settings::clone_current();
        let reading =
            Reading { compare: settings.comparator().dyn_clone(), before: Arc::clone(&before) };
        settings.set_comparator(Box::new(reading));
        let compared = settings.bind(|| {
            // Held meanwhile, so that what insta prints stays in one piece among the output of other threads.
            let _output = io::stdout().lock();
            catch_unwind(AssertUnwindSafe(|| compare(name, text)))
        });
        if compared.is_err() {
            let before = before.lock().unwrap_or_else(PoisonError::into_inner).take();
            let now = shows_differences.then_some(text);
            // insta has announced its panic; what goes on is the same one, knowing more.
            resume_unwind(Box::new(Differences(difference(name, before.as_deref(), now))));
        }
    }

    /// What a person has to know of a snapshot that does not match; `now` if it is not shown by insta.
    fn difference(name: &str, before: Option<&str>, now: Option<&str>) -> String {
        let why = match before {
            Some(_) => format!("the conversation is not the one of the snapshot `{name}`"),
            None => format!("there is no snapshot `{name}` yet"),
        };
        match (now, before) {
            (None, _) => format!("{why}; insta has shown the difference above"),
            (Some(now), None) => format!("{why}; this was said:\n{now}"),
            (Some(now), Some(before)) => {
                let (before, now) = (format!("{}\n", before.trim()), format!("{}\n", now.trim()));
                let lines = TextDiff::from_lines(&before, &now);
                let lines = lines
                    .unified_diff()
                    .context_radius(3)
                    .header("snapshot", "this run")
                    .to_string();
                format!("{why}:\n{lines}")
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_difference_shows_the_lines_around_it() {
            let before = "1  client → server  ping\n2  client ← server  result {}\n";
            let now = "1  client → server  ping\n2  client ← server  error -32601\n";
            insta::assert_snapshot!(difference("pings", Some(before), Some(now)));
            insta::assert_snapshot!(difference("pings", None, Some(now)));
            insta::assert_snapshot!(difference("pings", Some(before), None));
        }
    }
}
