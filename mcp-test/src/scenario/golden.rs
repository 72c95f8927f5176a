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

/// How a conversation differs from its snapshot: the payload of the panic, where insta does not show it.
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

    use insta::{Comparator, DefaultComparator, Settings, Snapshot};
    use similar::TextDiff;

    use super::{Differences, GoldenFn};

    /// Compares as insta does, and keeps what the snapshot says.
    #[derive(Clone, Default)]
    struct Reading(Arc<Mutex<Option<String>>>);

    impl Comparator for Reading {
        fn matches(&self, reference: &Snapshot, test: &Snapshot) -> bool {
            let text = reference.as_text().map(ToString::to_string);
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
            DefaultComparator.matches(reference, test)
        }

        fn matches_fully(&self, reference: &Snapshot, test: &Snapshot) -> bool {
            self.matches(reference, test) && DefaultComparator.matches_fully(reference, test)
        }

        fn dyn_clone(&self) -> Box<dyn Comparator> {
            Box::new(self.clone())
        }
    }

    pub(super) fn tell(name: &str, text: &str, compare: GoldenFn, shows_differences: bool) {
        let reading = Reading::default();
        let mut settings = Settings::clone_current();
        settings.set_comparator(Box::new(reading.clone()));
        let compared = settings.bind(|| {
            // Held meanwhile, so that what insta prints stays in one piece among the output of other threads.
            let _output = io::stdout().lock();
            catch_unwind(AssertUnwindSafe(|| compare(name, text)))
        });
        let Err(payload) = compared else { return };
        if !shows_differences {
            resume_unwind(payload);
        }
        let before = reading.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        // insta has announced its panic; what goes on is the same one, knowing more.
        resume_unwind(Box::new(Differences(difference(name, before.as_deref(), text))));
    }

    /// What a person has to know of a snapshot that does not match.
    fn difference(name: &str, before: Option<&str>, now: &str) -> String {
        let Some(before) = before else {
            return format!("there is no snapshot `{name}` yet; this was said:\n{now}");
        };
        let difference = TextDiff::from_lines(before.trim(), now.trim());
        let difference = difference.unified_diff().context_radius(3).header("snapshot", "this run").to_string();
        format!("the conversation is not the one of the snapshot `{name}`:\n{difference}")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_difference_shows_the_lines_around_it() {
            let before = "1  client → server  ping\n2  client ← server  result {}\n";
            let now = "1  client → server  ping\n2  client ← server  error -32601\n";
            insta::assert_snapshot!(difference("pings", Some(before), now));
            insta::assert_snapshot!(difference("pings", None, now));
        }
    }
}
