//! `mcp-test server` and `mcp-test check`: from arguments to a plan, and from its run to reports and an exit code.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use super::args::{Format, RunArgs};
use super::error::CliError;
use super::output;
use super::signal::{Signal, unless_signalled};
use super::target::Chosen;
use crate::report::{
    About, Console, Json, Progress, ReportError, Rerun, ResultFiles, Secrets, View, failure,
};
use crate::run::{self, Baseline, ExitCode, Plan, RunEvent, Selection, Summary, UsageError};
use crate::scenario::{Leg, Profile};

/// Which of the two commands it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `server`: as the official suite does it.
    Server,
    /// `check`: by the specification.
    Check,
}

impl Kind {
    const fn command(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Check => "check",
        }
    }

    const fn profile(self) -> Profile {
        match self {
            Self::Server => Profile::Official,
            Self::Check => Profile::Adaptive,
        }
    }
}

/// A runtime for everything that this process does.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)
}

/// Carries the command out; gives the exit code.
pub(super) fn conduct(kind: Kind, args: &RunArgs) -> Result<u8, CliError> {
    let chosen = args.target.choose(kind.command(), &|name| std::env::var(name).ok())?;
    let plan = plan(kind, args, &chosen)?;
    let mut reports = Reports::new(kind, args, &chosen, &plan)?;
    if plan.cells.is_empty() {
        return reports.nothing_to_play();
    }
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut on = |event: RunEvent| reports.event(event);
        unless_signalled(run::run(&plan, &mut on)).await
    });
    // Code of an in-process server may block a thread for good.
    runtime.shutdown_background();
    match ended {
        Err(signal) => reports.interrupted(signal),
        Ok(_) => reports.finish(),
    }
}

fn plan(kind: Kind, args: &RunArgs, chosen: &Chosen) -> Result<Plan, CliError> {
    let profile = args.profile.unwrap_or(kind.profile());
    let revisions = args.revisions.iter().flat_map(|revisions| revisions.iter());
    let selection = Selection {
        scenarios: args.scenarios.clone(),
        suite: args.suite,
        revisions: revisions.collect(),
        carriers: args.carriers.clone(),
        force: args.force,
    };
    let plan = Plan::build(chosen.target.clone(), profile, &selection)
        .map_err(|error| CliError::selection(error, args.suite))?;
    let jobs =
        args.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let plan = plan.jobs(jobs).timeout(args.timeout);
    let Some(file) = &args.expected_failures else { return Ok(plan) };
    let wrong = |error| CliError::selection(UsageError::Baseline(error), None);
    let baseline = Baseline::read(file).map_err(wrong)?;
    for warning in baseline.vet(Leg::Server, profile).map_err(wrong)? {
        output::warn(&warning);
    }
    Ok(plan.baseline(baseline))
}

/// Everything that is told of a run.
struct Reports {
    files: Option<ResultFiles>,
    screen: Screen,
    /// Nobody reads standard output any more.
    unread: bool,
    progress: Option<Progress<Box<dyn Write>>>,
    secrets: Secrets,
    /// Where to write what failed, and what was known to fail before.
    baseline: Option<(PathBuf, Option<Baseline>)>,
    written: Option<PathBuf>,
    /// The run as far as it has come.
    summary: Summary,
    /// The first reason why something could not be told.
    broken: Option<CliError>,
}

enum Screen {
    Console(Console<Box<dyn Write>>),
    Json(Json<Box<dyn Write>>),
}

impl Reports {
    fn new(kind: Kind, args: &RunArgs, chosen: &Chosen, plan: &Plan) -> Result<Self, CliError> {
        let target = chosen.target.label();
        let about = About {
            command: kind.command(),
            target: target.clone(),
            profile: plan.profile,
            suite: plan.suite,
            inapplicable: plan.inapplicable.clone(),
        };
        let files = match &args.output_dir {
            Some(out) => Some(output_dir(out, about.clone())?),
            None => None,
        };
        let baseline =
            args.write_baseline.as_ref().map(|path| (path.clone(), plan.baseline.clone()));
        if let Some((path, _)) = &baseline {
            output::try_file(path).map_err(CliError::unwritable("--write-baseline", path))?;
        }
        let screen = match args.format {
            Format::Json => Screen::Json(Json::new(Box::new(io::stdout()), about)),
            Format::Human => Screen::Console(Console::new(
                Box::new(anstream::stdout()),
                View {
                    target,
                    what: what(args, plan),
                    profile: plan.profile,
                    single: args.scenarios.len() == 1,
                    brief: kind == Kind::Check,
                    verbose: args.verbose,
                    results: args.output_dir.clone(),
                    rerun: rerun(kind, args, chosen),
                },
            )),
        };
        let progress = output::is_watched()
            .then(|| Progress::new(Box::new(anstream::stderr()) as Box<dyn Write>));
        let mut reports = Self {
            files,
            screen,
            unread: false,
            progress,
            secrets: chosen.secrets.clone(),
            baseline,
            written: None,
            summary: Summary::of(plan),
            broken: None,
        };
        for inapplicable in &plan.inapplicable {
            if let Screen::Console(console) = &mut reports.screen {
                let written = console.inapplicable(inapplicable);
                reports.shown(written);
            }
        }
        reports.progress(Progress::paint);
        Ok(reports)
    }

    fn event(&mut self, event: RunEvent) {
        let mut event = self.secrets.mask_event(event);
        match &mut event {
            RunEvent::Finished(outcome) => self.summary.take(outcome),
            RunEvent::Ended(summary) => {
                self.write_baseline(summary);
                self.summary = summary.clone();
            }
            _ => {}
        }
        self.tell(&event);
    }

    fn tell(&mut self, event: &RunEvent) {
        if let Some(files) = &mut self.files
            && let Err(error) = files.event(event)
        {
            self.broken.get_or_insert(error.into());
        }
        self.progress(|progress| {
            progress.event(event);
            progress.clear()
        });
        if let RunEvent::PreflightFailed { finding, tried } = event {
            output::complain(&failure::of_preflight(&self.summary.target, finding, *tried));
        }
        if !self.unread {
            let written = match &mut self.screen {
                Screen::Console(console) => console.event(event),
                Screen::Json(json) => json.event(event),
            };
            self.shown(written);
        }
        self.progress(Progress::paint);
    }

    /// Does something with the status line, and gives it up if that fails: it is a comfort, not a report.
    fn progress(&mut self, work: impl FnOnce(&mut Progress<Box<dyn Write>>) -> io::Result<()>) {
        self.progress.take_if(|progress| work(progress).is_err());
    }

    fn shown(&mut self, written: io::Result<()>) {
        match output::tolerate(written) {
            Ok(read) => self.unread |= !read,
            Err(error) => {
                self.unread = true;
                self.broken.get_or_insert(CliError::Stdout(error));
            }
        }
    }

    /// What has come so far is told to those who gather it; on the screen of a person it stands already.
    fn interrupted(mut self, signal: Signal) -> Result<u8, CliError> {
        self.progress(Progress::clear);
        output::note("interrupted: the run is not complete");
        if matches!(self.screen, Screen::Json(_)) || self.files.is_some() {
            let mut summary = self.summary.clone();
            summary.interrupted = Some(signal.exit());
            if let Screen::Console(_) = self.screen {
                self.unread = true;
            }
            self.tell(&RunEvent::Ended(summary));
        }
        self.finish().map(|_| signal.exit())
    }

    /// Everything that was asked for does not exist at the revision: officially no failure.
    fn nothing_to_play(mut self) -> Result<u8, CliError> {
        if matches!(self.screen, Screen::Json(_)) || self.files.is_some() {
            self.event(RunEvent::Ended(self.summary.clone()));
        }
        self.finish()
    }

    /// With a baseline written, everything that failed is expected from now on.
    fn write_baseline(&mut self, summary: &mut Summary) {
        if summary.exit == ExitCode::NotRun || summary.lines.is_empty() {
            return;
        }
        let Some((path, previous)) = &self.baseline else { return };
        match fs::write(path, Baseline::text(&summary.results, previous.as_ref())) {
            Ok(()) => {
                self.written = Some(path.clone());
                summary.exit = ExitCode::Passed;
            }
            Err(source) => {
                let path = path.clone();
                self.broken.get_or_insert(CliError::Write { path, source });
            }
        }
    }

    fn finish(mut self) -> Result<u8, CliError> {
        self.progress(Progress::clear);
        if let Some(path) = &self.written {
            output::note(&format!("Baseline written to {}", path.display()));
        }
        if let Some(error) = self.broken {
            return Err(error);
        }
        Ok(self.summary.exit.number())
    }
}

/// Makes the directory for the results, and makes sure before the run that they can be written.
fn output_dir(out: &Path, about: About) -> Result<ResultFiles, CliError> {
    let files =
        ResultFiles::create(out, about).map_err(|ReportError::Write { path, source }| {
            CliError::Unwritable { option: "--output-dir", path, source }
        })?;
    output::try_file(&out.join("summary.json"))
        .map_err(CliError::unwritable("--output-dir", out))?;
    Ok(files)
}

/// What is run, for the first line.
fn what(args: &RunArgs, plan: &Plan) -> String {
    if !args.scenarios.is_empty() {
        return "selected scenarios".to_owned();
    }
    match (args.suite, plan.profile) {
        (Some(suite), _) => format!("{suite} suite"),
        (None, Profile::Official) => "active suite".to_owned(),
        (None, profile) => format!("{profile} check"),
    }
}

fn rerun(kind: Kind, args: &RunArgs, chosen: &Chosen) -> Rerun {
    let mut before = vec!["mcp-test".to_owned(), kind.command().to_owned()];
    if let Some(profile) = args.profile.filter(|profile| *profile != kind.profile()) {
        before.extend(["--profile".to_owned(), profile.to_string()]);
    }
    if args.force {
        before.push("--force".to_owned());
    }
    Rerun { before, after: chosen.words.clone(), names_carrier: chosen.target.carriers().len() > 1 }
}
