//! `mcp-test server`, `check` and `client`: from what is asked for to a plan, and from its run to reports and an exit code.

mod reports;

use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use self::reports::Reports;
use super::args::{RunArgs, RunOptions};
use super::error::CliError;
use super::output;
use super::signal::unless_signalled;
use crate::expect::words;
use crate::report::{Rerun, Secrets};
use crate::run::{
    self, Baseline, ExitCode, Plan, RunEvent, SchemaSource, Selection, Tested, UsageError,
};
use crate::scenario::{Leg, Profile, Scenario, Surroundings};
use crate::transport::CarrierKind;

/// Which of the commands it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `server`: as the official suite does it.
    Server,
    /// `check`: by the specification.
    Check,
    /// `client`: as the official suite does it.
    Client,
    /// `cases run`: a server, by cases.
    CasesRun,
    /// `cases verify-client`: a client, by cases.
    CasesVerifyClient,
}

impl Kind {
    const fn command(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Check => "check",
            Self::Client => "client",
            Self::CasesRun => "cases run",
            Self::CasesVerifyClient => "cases verify-client",
        }
    }

    const fn profile(self) -> Profile {
        match self {
            Self::Server | Self::Client => Profile::Official,
            Self::Check | Self::CasesRun | Self::CasesVerifyClient => Profile::Adaptive,
        }
    }

    const fn leg(self) -> Leg {
        match self {
            Self::Server | Self::Check | Self::CasesRun => Leg::Server,
            Self::Client | Self::CasesVerifyClient => Leg::Client,
        }
    }
}

/// Scenarios to choose from that are not built in.
#[derive(Default)]
pub(super) struct Own {
    /// The scenarios.
    pub(super) scenarios: Vec<&'static Scenario>,
    /// What has to be around the target for them.
    pub(super) surroundings: Option<Surroundings>,
    /// The arguments that choose them, for a shell, without what is secret in them.
    pub(super) words: Vec<String>,
}

/// What is to be done.
pub(super) struct Job<'a> {
    /// The command.
    pub(super) kind: Kind,
    /// How it is to be done.
    pub(super) options: &'a RunOptions,
    /// The scenarios to choose from, if not the built-in ones.
    pub(super) own: Option<Own>,
    /// What is tested.
    pub(super) tested: Tested,
    /// By which transports.
    pub(super) carriers: Vec<CarrierKind>,
    /// What no report may show.
    pub(super) secrets: Secrets,
    /// The arguments that choose what is tested, for a shell, without what is secret in them.
    pub(super) words: Vec<String>,
    /// Whether a person ends the run by a signal: then it has ended as it should, whatever came of it.
    pub(super) by_hand: bool,
}

/// A runtime for everything that this process does.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)
}

/// Tests a server; gives the exit code.
pub(super) fn of_server(kind: Kind, args: &RunArgs) -> Result<u8, CliError> {
    let chosen = args.target.choose(kind.command(), &|name| std::env::var(name).ok())?;
    // Which of the two an URL speaks it does not say itself: over the older one where that is asked for.
    let target = match args.carriers.contains(&CarrierKind::Sse) {
        true => chosen.target.also_over_sse(),
        false => chosen.target,
    };
    conduct(&Job {
        kind,
        options: &args.run,
        own: None,
        tested: target.into(),
        carriers: args.carriers.clone(),
        secrets: chosen.secrets,
        words: chosen.words,
        by_hand: false,
    })
}

/// Does it; gives the exit code.
pub(super) fn conduct(job: &Job<'_>) -> Result<u8, CliError> {
    let plan = plan(job)?;
    let mut reports = Reports::new(job, &plan)?;
    if plan.cells.is_empty() {
        let told = reports.nothing_to_play()?;
        return if job.own.is_none() { Ok(told) } else { Err(CliError::NoCase) };
    }
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut on = |event: RunEvent| reports.event(event);
        let run = run::run(&plan, &mut on);
        if job.by_hand { Ok(run.await) } else { unless_signalled(run).await }
    });
    // Code of an in-process server may block a thread for good.
    runtime.shutdown_background();
    match ended {
        Err(signal) => reports.interrupted(signal),
        Ok(_) if job.by_hand => reports.finish().map(|_| ExitCode::Passed.number()),
        Ok(_) => reports.finish(),
    }
}

fn plan(job: &Job<'_>) -> Result<Plan, CliError> {
    let (kind, args) = (job.kind, job.options);
    let profile = args.profile.unwrap_or(kind.profile());
    let revisions = args.revisions.iter().flat_map(|revisions| revisions.iter());
    let selection = Selection {
        scenarios: args.scenarios.clone(),
        suite: args.suite,
        revisions: revisions.collect(),
        carriers: job.carriers.clone(),
        force: args.force,
        one_revision: job.own.is_some(),
    };
    let tested = job.tested.clone();
    let plan = match &job.own {
        None => Plan::build(tested, profile, &selection)
            .map_err(|error| CliError::selection(error, kind.leg(), args.suite))?,
        Some(own) => {
            let scenarios = own.scenarios.iter().copied();
            Plan::build_from(scenarios, tested, profile, &selection)
                .map_err(|error| CliError::selection_of_cases(error, kind.leg()))?
                .surroundings(own.surroundings.clone())
        }
    };
    let jobs =
        args.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let plan = if job.by_hand {
        plan.timeout(Duration::MAX)
    } else {
        plan.jobs(jobs).timeout(args.timeout)
    };
    let plan = plan.schemas(SchemaSource::load(&args.schemas.schemas)?);
    let Some(file) = &args.expected_failures else { return Ok(plan) };
    let wrong = |error| CliError::selection(UsageError::Baseline(error), kind.leg(), None);
    let baseline = Baseline::read(file).map_err(wrong)?;
    for warning in baseline.vet_among(&plan.scenarios, kind.leg(), profile).map_err(wrong)? {
        output::warn(&warning);
    }
    Ok(plan.baseline(baseline))
}

/// What is run, for the first line.
fn what(job: &Job<'_>, plan: &Plan) -> String {
    let args = job.options;
    if job.own.is_some() {
        let noun = if job.kind == Kind::CasesRun { "case" } else { "file" };
        return match args.scenarios.is_empty() {
            true => words::count(plan.scenarios.len(), noun),
            false => format!("selected {noun}s"),
        };
    }
    if !args.scenarios.is_empty() {
        return "selected scenarios".to_owned();
    }
    match (args.suite, plan.profile) {
        (Some(suite), _) => format!("{} suite", suite.name(plan.target.leg())),
        (None, Profile::Official) => "active suite".to_owned(),
        (None, profile) => format!("{profile} check"),
    }
}

fn rerun(job: &Job<'_>) -> Rerun {
    let Job { kind, options, .. } = job;
    let mut before = vec!["mcp-test".to_owned()];
    before.extend(kind.command().split(' ').map(str::to_owned));
    before.extend(job.own.iter().flat_map(|own| own.words.iter().cloned()));
    let profile = options.profile.filter(|profile| *profile != kind.profile());
    if let Some(profile) = profile.filter(|_| job.own.is_none()) {
        before.extend(["--profile".to_owned(), profile.to_string()]);
    }
    for schema in &options.schemas.schemas {
        before.extend(["--schema".to_owned(), schema.to_string()]);
    }
    if options.force {
        before.push("--force".to_owned());
    }
    let names_carrier = job.tested.carriers().len() > 1;
    let chooses = if *kind == Kind::CasesRun { "--case" } else { "--scenario" };
    Rerun { before, chooses, after: job.words.clone(), names_carrier }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::super::args::{Args, Command};
    use super::*;
    use crate::run::{Summary, Verdict};
    use crate::server::reference::everything;
    use crate::transport::Fault;

    /// Ends a run of `ping`, whose summary is changed before, with a baseline to be written.
    fn ended(change: impl FnOnce(&mut Summary)) -> (u8, Vec<String>, String) {
        let out = tempfile::tempdir().expect("a directory");
        let path = out.path().join("known.yml");
        let words = ["mcp-test", "check", "--reference", "--scenario", "ping", "--write-baseline"];
        let words = words.into_iter().map(Into::into).chain([path.clone().into_os_string()]);
        let Command::Check(args) = Args::try_parse_from(words).expect("arguments").command else {
            panic!("another command");
        };
        let job = Job {
            kind: Kind::Check,
            options: &args.run,
            own: None,
            tested: everything().faults([Fault::reply_error("ping", -32603)]).target().into(),
            carriers: Vec::new(),
            secrets: Secrets::default(),
            words: vec!["--reference".to_owned()],
            by_hand: false,
        };
        let plan = plan(&job).expect("a plan");
        let runtime = runtime().expect("a runtime");
        let mut summary = runtime.block_on(run::run(&plan, &mut |_| {}));
        assert_eq!(summary.exit, ExitCode::Failed);
        change(&mut summary);
        let mut reports = Reports::new(&job, &plan).expect("reports");
        reports.event(RunEvent::Ended(summary));
        let notes =
            reports.notes().iter().map(|note| note.replace(&*path.to_string_lossy(), "[file]"));
        let notes = notes.collect();
        let code = reports.finish().expect("a code");
        (code, notes, fs::read_to_string(&path).unwrap_or_default())
    }

    #[test]
    fn a_baseline_holds_what_failed() {
        let (code, notes, text) = ended(|_| {});
        assert_eq!((code, notes), (0, vec!["Baseline written to [file]".to_owned()]));
        assert!(text.ends_with("server:\n  - ping:ping\n"), "{text}");
    }

    #[test]
    fn what_could_not_be_run_is_told_beside_the_baseline() {
        let (code, notes, _) = ended(|summary| {
            summary.lines[0].verdict = Verdict::NotRun;
        });
        assert_eq!((code, notes[1].as_str()), (3, "It leaves out what could not be run: ping"));
        let (code, notes, text) = ended(|summary| {
            summary.lines.clear();
            summary.exit = ExitCode::NotRun;
        });
        assert_eq!((code, notes), (3, vec!["No baseline is written: nothing was run".to_owned()]));
        assert_eq!(text, "");
    }
}
