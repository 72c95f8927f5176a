//! What is told of a run: on the screen, in files, and at its end.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::args::Format;
use super::super::error::CliError;
use super::super::output;
use super::super::record::Record;
use super::super::signal::Signal;
use super::{Job, Kind, rerun, what};
use crate::report::{
    About, Console, Json, Progress, ReportError, ResultFiles, Secrets, View, failure, rows,
};
use crate::run::{Baseline, ExitCode, Plan, RunEvent, Summary, Verdict};
use crate::scenario::Profile;

/// Everything that is told of a run.
pub(super) struct Reports {
    files: Option<ResultFiles>,
    screen: Screen,
    /// Nobody reads standard output any more.
    unread: bool,
    progress: Option<Progress<Box<dyn Write>>>,
    secrets: Secrets,
    /// Where what is said is recorded.
    record: Option<Record>,
    /// Where to write what failed, and what was known to fail before.
    baseline: Option<(PathBuf, Option<Baseline>)>,
    /// What is said at the end.
    notes: Vec<String>,
    /// Standard output is for the checks of the one scenario, as JSON and nothing else.
    bare: bool,
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
    pub(super) fn new(job: &Job<'_>, plan: &Plan) -> Result<Self, CliError> {
        let (kind, args) = (job.kind, job.options);
        let target = job.tested.label();
        let bare = kind == Kind::Client && args.verbose && args.scenarios.len() == 1;
        let out: Box<dyn Write> =
            if bare { Box::new(anstream::stderr()) } else { Box::new(anstream::stdout()) };
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
        let record = args.record.as_deref().map(Record::to).transpose()?;
        let screen = match args.format {
            Format::Json => Screen::Json(Json::new(Box::new(io::stdout()), about)),
            Format::Human => Screen::Console(Console::new(
                out,
                View {
                    leg: kind.leg(),
                    target,
                    what: what(job, plan),
                    profile: plan.profile,
                    single: args.scenarios.len() == 1,
                    brief: kind.profile() == Profile::Adaptive,
                    verbose: args.verbose,
                    results: args.output_dir.clone(),
                    rerun: rerun(job),
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
            secrets: job.secrets.clone(),
            record,
            baseline,
            notes: Vec::new(),
            bare,
            summary: Summary::of(plan),
            broken: None,
        };
        if let Screen::Console(console) = &mut reports.screen {
            let written = console.inapplicable(&plan.inapplicable);
            reports.shown(written);
        }
        reports.progress(Progress::paint);
        Ok(reports)
    }

    pub(super) fn event(&mut self, event: RunEvent) {
        let mut event = self.secrets.mask_event(event);
        match &mut event {
            RunEvent::Finished(outcome) => {
                self.summary.take(outcome);
                if let Some(record) = &mut self.record {
                    record.outcome(outcome);
                }
            }
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
        if let (true, RunEvent::Finished(outcome)) = (self.bare, event)
            && let Err(error) = output::print(&format!("{}\n", rows(&outcome.checks).pretty()))
        {
            self.broken.get_or_insert(error);
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
    pub(super) fn interrupted(mut self, signal: Signal) -> Result<u8, CliError> {
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
    pub(super) fn nothing_to_play(mut self) -> Result<u8, CliError> {
        if matches!(self.screen, Screen::Json(_)) || self.files.is_some() {
            self.event(RunEvent::Ended(self.summary.clone()));
        }
        if let Screen::Console(console) = &mut self.screen {
            let written = console.left_out();
            self.shown(written);
        }
        self.finish()
    }

    /// With a baseline written, everything that failed is expected from now on; what could not be run is not known to.
    fn write_baseline(&mut self, summary: &mut Summary) {
        let Some((path, previous)) = &self.baseline else { return };
        if summary.lines.is_empty() {
            self.notes.push("No baseline is written: nothing was run".to_owned());
            return;
        }
        match fs::write(path, Baseline::text(&summary.results, previous.as_ref())) {
            Ok(()) => {
                self.notes.push(format!("Baseline written to {}", path.display()));
                let left_out = left_out(summary);
                summary.exit = match left_out.as_slice() {
                    [] => ExitCode::Passed,
                    ids => {
                        let note =
                            format!("It leaves out what could not be run: {}", ids.join(", "));
                        self.notes.push(note);
                        ExitCode::NotRun
                    }
                };
            }
            Err(source) => {
                let path = path.clone();
                self.broken.get_or_insert(CliError::Write { path, source });
            }
        }
    }

    /// What is said at the end, as far as it is known.
    #[cfg(test)]
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(super) fn finish(mut self) -> Result<u8, CliError> {
        self.progress(Progress::clear);
        match self.record.take().map(Record::write) {
            Some(Ok(told)) => self.notes.push(told),
            Some(Err(error)) => drop(self.broken.get_or_insert(error)),
            None => {}
        }
        self.notes.iter().for_each(|note| output::note(note));
        if let Some(error) = self.broken {
            return Err(error);
        }
        Ok(self.summary.exit.number())
    }
}

/// The scenarios that could not be run, at least not in all cells.
fn left_out(summary: &Summary) -> Vec<&'static str> {
    let lines = summary.lines.iter().filter(|line| line.verdict == Verdict::NotRun);
    let mut ids: Vec<_> = lines.map(|line| line.cell.scenario.id).collect();
    ids.dedup();
    ids
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
