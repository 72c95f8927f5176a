//! The scenario runs that a scenario declares.
//!
//! No server is asked, so that listing tests is cheap and always gives the same names. What the attribute leaves open (the
//! newest revision that both sides speak, the first transport of the target) is settled when the scenario run is run, and is not
//! part of its name.

use std::fmt;

use mcp_test_core::run::single::RevisionRequest;
use mcp_test_core::scenario::UserScenario;
use mcp_test_core::spec::{Revision, Revisions};
use mcp_test_core::transport::TransportKind;

use super::InvalidTest;

/// A scenario run, as far as the attribute declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeclaredRun {
    pub(super) revision: RevisionRequest,
    /// The transport; without one, the first of the target.
    pub(super) transport: Option<TransportKind>,
}

impl DeclaredRun {
    /// The declared parts, joined by `separator`; empty if nothing is declared.
    pub(super) fn label(&self, separator: &str) -> String {
        let revision = match self.revision {
            RevisionRequest::Newest => None,
            RevisionRequest::Named(revision) | RevisionRequest::Ranged(revision) => {
                Some(revision.as_str())
            }
        };
        let parts: Vec<&str> =
            revision.into_iter().chain(self.transport.map(TransportKind::as_str)).collect();
        parts.join(separator)
    }
}

impl DeclaredRun {
    /// The declared parts as in `at 2025-11-25 over duplex`; `None` if nothing is declared.
    pub(super) fn place(&self) -> Option<String> {
        let revision = match self.revision {
            RevisionRequest::Newest => None,
            RevisionRequest::Named(revision) | RevisionRequest::Ranged(revision) => {
                Some(format!("at {revision}"))
            }
        };
        let transport = self.transport.map(|transport| format!("over {transport}"));
        let parts: Vec<String> = revision.into_iter().chain(transport).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

impl fmt::Display for DeclaredRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label("::"))
    }
}

/// The scenario runs of a scenario, revision by revision; `transports` returns those of its target, and is called only for `matrix`.
pub(super) fn declared(
    scenario: &UserScenario,
    transports: impl FnOnce() -> Result<Vec<TransportKind>, InvalidTest>,
) -> Result<Vec<DeclaredRun>, InvalidTest> {
    let revisions = match scenario.revisions {
        Some(text) => revisions(text)?,
        None if scenario.matrix => Revision::ALL.into_iter().map(RevisionRequest::Ranged).collect(),
        None => vec![RevisionRequest::Newest],
    };
    let transports: Vec<Option<TransportKind>> = if !scenario.transports.is_empty() {
        let named = scenario.transports.iter().map(|word| word.parse().map(Some));
        named.collect::<Result<_, _>>().map_err(|problem| invalid("transports", &problem))?
    } else if scenario.matrix {
        transports()?.into_iter().map(Some).collect()
    } else {
        vec![None]
    };
    let scenario_run =
        |revision| transports.iter().map(move |&transport| DeclaredRun { revision, transport });
    Ok(revisions.into_iter().flat_map(scenario_run).collect())
}

/// The revisions of an option, oldest first.
fn revisions(text: &str) -> Result<Vec<RevisionRequest>, InvalidTest> {
    let mut named = Revisions::none();
    let mut ranged = Revisions::none();
    for part in text.split(',') {
        let parsed: Revisions = part.parse().map_err(|problem| invalid("revisions", &problem))?;
        // A part that is a single revision is named by itself; every other form is a range.
        match part.parse::<Revision>() {
            Ok(_) => named = named.union(parsed),
            Err(_) => ranged = ranged.union(parsed),
        }
    }
    // A revision that is also part of a range stays mandatory.
    let request = |revision| match named.contains(revision) {
        true => RevisionRequest::Named(revision),
        false => RevisionRequest::Ranged(revision),
    };
    Ok(named.union(ranged).iter().map(request).collect())
}

fn invalid(option: &'static str, problem: &dyn fmt::Display) -> InvalidTest {
    InvalidTest::Option { option, problem: problem.to_string() }
}

#[cfg(test)]
pub(super) mod tests {
    use mcp_test_core::scenario::{CallSite, UserBody};

    use super::*;

    /// A place in a package that does not exist.
    pub(in crate::harness) const fn call_site(module_path: &'static str, line: u32) -> CallSite {
        CallSite { module_path, file: "tests/calculator.rs", line, column: 10, manifest_dir: "" }
    }

    /// A scenario that does nothing.
    pub(in crate::harness) const fn scenario() -> UserScenario {
        UserScenario {
            name: "works",
            site: call_site("calculator", 12),
            revisions: None,
            transports: &[],
            matrix: false,
            allow_skip: false,
            ignored: None,
            timeout: None,
            known: Vec::new,
            golden: None,
            setup: None,
            body: UserBody::Server {
                target: None,
                run: |_| Box::pin(async { Ok(()) }),
                teardown: None,
            },
            run_test: crate::harness::run_test,
        }
    }

    fn labels(scenario: &UserScenario) -> Vec<String> {
        let transports = || Ok(vec![TransportKind::Duplex, TransportKind::Router]);
        let scenario_runs = declared(scenario, transports).expect("valid options");
        scenario_runs.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn by_default_there_is_one_scenario_run_without_a_label() {
        let transports = || panic!("the target is not made");
        let scenario_runs = declared(&scenario(), transports).expect("valid options");
        assert_eq!(
            scenario_runs,
            [DeclaredRun { revision: RevisionRequest::Newest, transport: None }]
        );
        assert_eq!(scenario_runs[0].to_string(), "");
    }

    #[test]
    fn a_place_has_the_declared_parts() {
        let place = |revision, transport| DeclaredRun { revision, transport }.place();
        let (newest, named) =
            (RevisionRequest::Newest, RevisionRequest::Named(Revision::V2025_11_25));
        assert_eq!(place(newest, None), None);
        assert_eq!(place(newest, Some(TransportKind::Http)).as_deref(), Some("over http"));
        assert_eq!(place(named, None).as_deref(), Some("at 2025-11-25"));
        let both = place(named, Some(TransportKind::Duplex));
        assert_eq!(both.as_deref(), Some("at 2025-11-25 over duplex"));
    }

    #[test]
    fn labels_have_the_declared_parts() {
        let revisions = UserScenario { revisions: Some("2025-06-18..2025-11-25"), ..scenario() };
        assert_eq!(labels(&revisions), ["2025-06-18", "2025-11-25"]);
        let transports = UserScenario { transports: &["http", "duplex"], ..scenario() };
        assert_eq!(labels(&transports), ["http", "duplex"]);
        let both = UserScenario { transports: &["http"], ..revisions };
        assert_eq!(labels(&both), ["2025-06-18::http", "2025-11-25::http"]);
    }

    #[test]
    fn a_matrix_has_every_revision_over_every_transport_within_the_options() {
        let matrix = UserScenario { matrix: true, ..scenario() };
        assert_eq!(labels(&matrix).len(), 2 * Revision::ALL.len());
        let narrowed = UserScenario {
            matrix: true,
            revisions: Some("2025-11-25.."),
            transports: &["router"],
            ..scenario()
        };
        assert_eq!(labels(&narrowed), ["2025-11-25::router", "2026-07-28::router"]);
    }

    #[test]
    fn only_a_revision_named_by_itself_is_mandatory() {
        let requested = revisions("2025-03-26,2025-06-18..2025-11-25").expect("valid");
        let expected = [
            RevisionRequest::Named(Revision::V2025_03_26),
            RevisionRequest::Ranged(Revision::V2025_06_18),
            RevisionRequest::Ranged(Revision::V2025_11_25),
        ];
        assert_eq!(requested, expected);
        assert!(
            revisions("all")
                .expect("valid")
                .iter()
                .all(|it| matches!(it, RevisionRequest::Ranged(_)))
        );
    }

    #[test]
    fn an_error_names_the_option() {
        let wrong = UserScenario { transports: &["http2"], ..scenario() };
        let error = declared(&wrong, || Ok(Vec::new())).expect_err("an invalid transport");
        insta::assert_snapshot!(error, @"transports of `#[mcp_scenario]`: unknown transport `http2`; expected duplex, stdio, http, router or sse");
    }
}
