//! The reports of a run: terminal output, result files, recording, and notes at the end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_test_core::failure_report;
use mcp_test_core::files;
use mcp_test_core::run::{
    Baseline, Comparison, ExitCode, MaskedEvent, Plan, RunEvent, Summary, Verdict,
};
use mcp_test_core::scenario::Profile;

use super::ci_reports::ci_reports;
use super::{RunCommand, RunRequest, rerun, selection_label};
use crate::common_args::Format;
use crate::error::CliError;
use crate::output;
use crate::record::Record;
use crate::report::{
    Console, ConsoleOptions, Json, Progress, ReportError, Reporter, ResultFiles, RunInfo, Secrets,
    rows, wrap_lines,
};
use crate::sign_in::SignInSession;
use crate::signal::Signal;
use crate::workflow_commands;

/// All reports of a run.
pub(super) struct Reports {
    /// The result files, what is printed, and the reports for CI, in this order: annotations follow the text that explains them.
    reporters: Vec<Box<dyn Reporter>>,
    /// Whether the run is complete, and reported.
    has_ended: bool,
    progress: Option<Progress<Box<dyn Write>>>,
    secrets: Secrets,
    /// Signing in, which asks somebody at the terminal.
    sign_in: Option<Arc<SignInSession>>,
    /// The recording of the conversations.
    record: Option<Record>,
    /// The path of the new baseline, and the previous baseline.
    baseline: Option<(PathBuf, Option<Baseline>)>,
    /// The expected failures.
    expected: Option<Baseline>,
    /// The notes that are printed at the end.
    notes: Vec<String>,
    /// Whether standard output contains only the checks of the single scenario, as JSON.
    checks_to_stdout: bool,
    /// The state of the run so far.
    summary: Summary,
    /// The first error of a report.
    error: Option<CliError>,
}

/// What is printed: the document, or the report for people.
fn printed(
    request: &RunRequest<'_>,
    plan: &Plan,
    info: RunInfo,
    checks_to_stdout: bool,
) -> io::Result<Box<dyn Reporter>> {
    let (command, args) = (request.command, request.options);
    if args.common.format == Format::Json {
        // JSON has no colours, so nothing has to be stripped from it.
        let out = workflow_commands::disarmed_json(Box::new(output::stdout()));
        return Ok(Box::new(Json::new(out, info)));
    }
    let out = workflow_commands::disarmed(match checks_to_stdout {
        true => Box::new(output::stderr()),
        false => Box::new(output::stdout()),
    });
    let options = ConsoleOptions {
        tested_side: command.tested_side(),
        target: info.target,
        selection: selection_label(request, plan),
        profile: plan.profile,
        single: args.scenarios.len() == 1,
        // The official suite shows every scenario; `check` and runs of cases only those that need attention.
        brief: command.default_profile() == Profile::Adaptive || plan.profile != Profile::Official,
        verbose: args.common.verbose,
        coverage: args.coverage,
        results: args.common.output_dir.clone(),
        timestamps: !args.common.no_timestamps,
        rerun: rerun(request),
    };
    let mut console = Console::new(out, options);
    console.inapplicable(&plan.inapplicable)?;
    Ok(Box::new(console))
}

impl Reports {
    pub(super) fn new(
        request: &RunRequest<'_>,
        plan: &Plan,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, CliError> {
        let options = &request.options.common;
        let info = RunInfo {
            command: request.command.name(),
            target: request.secrets.mask(&request.target.label()),
            profile: plan.profile,
            suite: plan.suite,
            requirements: plan.requirements,
            inapplicable: plan.inapplicable.clone(),
            coverage: request.options.coverage.then_some(request.command.tested_side()),
        };
        // Each file is checked before the run: a long one would otherwise be lost at its end.
        let mut reporters: Vec<Box<dyn Reporter>> = Vec::new();
        if let Some(out) = &options.output_dir {
            let files = output_dir(out, info.clone())?.timestamps(!options.no_timestamps);
            reporters.push(Box::new(files));
        }
        let ci = ci_reports(request, &info, variable)?;
        if let Some(path) = &options.write_baseline {
            files::check_replaceable(path)
                .map_err(CliError::unwritable("--write-baseline", path))?;
        }
        let record = options.record.as_deref().map(Record::to).transpose()?;
        let checks_to_stdout = prints_only_checks(request);
        // A line that is rewritten would hide the URL that somebody has to open.
        let has_line = request.command != RunCommand::Authorization;
        let progress = (has_line && output::stderr_is_terminal())
            .then(|| Progress::new(Box::new(output::terminal_line()) as Box<dyn Write>));
        let mut summary = Summary::of(plan);
        summary.target.clone_from(&info.target);
        let mut reports = Self {
            reporters,
            has_ended: false,
            progress,
            secrets: request.secrets.clone(),
            sign_in: request.sign_in.clone(),
            record,
            baseline: options.write_baseline.clone().map(|path| (path, plan.baseline.clone())),
            expected: plan.baseline.clone(),
            notes: Vec::new(),
            checks_to_stdout,
            summary,
            error: None,
        };
        match printed(request, plan, info, checks_to_stdout) {
            Ok(printed) => reports.reporters.push(printed),
            Err(error) => reports.note_unwritten(error.into()),
        }
        reports.reporters.extend(ci);
        reports.update_progress(Progress::paint);
        Ok(reports)
    }

    pub(super) fn event(&mut self, mut event: RunEvent) {
        if let RunEvent::Ended(summary) = &mut event {
            // Before the summary is reported, because a new baseline changes its exit code.
            self.write_baseline(summary);
        }
        // Before anything else, because the recording must not contain the secrets either.
        let event = self.mask(event);
        match &*event {
            RunEvent::Finished(outcome) => {
                self.summary.take(outcome);
                if let Some(record) = &mut self.record {
                    record.outcome(outcome);
                }
            }
            RunEvent::Ended(summary) => {
                self.summary = summary.clone();
                self.has_ended = true;
            }
            _ => {}
        }
        self.report(&event);
    }

    /// The event without secrets; a summary gets the problems that were collected from such outcomes.
    fn mask(&self, event: RunEvent) -> MaskedEvent {
        self.secrets.mask_event(event, &self.summary.problems)
    }

    fn report(&mut self, event: &MaskedEvent) {
        self.update_progress(|progress| {
            progress.event(event);
            // What is printed next must not be appended to the status line.
            progress.clear()
        });
        // On standard error in every format: a person has to see why nothing was run.
        if let RunEvent::PreflightFailed { finding, tried } = &**event {
            let text =
                failure_report::format_preflight_failure(&self.summary.target, finding, *tried);
            output::error(&match self.summary.profile {
                Profile::Official => text,
                // The word before it takes part of the first line.
                _ => wrap_lines(&format!("error: {text}")).split_off("error: ".len()),
            });
        }
        self.each_reporter(|reporter| reporter.event(event));
        if let (true, RunEvent::Finished(outcome)) = (self.checks_to_stdout, &**event)
            && let Err(error) = output::print(&workflow_commands::disarm_json(&format!(
                "{}\n",
                rows(&outcome.checks).pretty()
            )))
        {
            self.error.get_or_insert(error);
        }
        self.update_progress(Progress::paint);
    }

    /// Lets each reporter work. The run goes on without what cannot be written; `finish` returns the first error.
    fn each_reporter(
        &mut self,
        mut work: impl FnMut(&mut dyn Reporter) -> Result<(), ReportError>,
    ) {
        let mut errors = Vec::new();
        self.reporters.retain_mut(|reporter| match work(reporter.as_mut()) {
            Ok(()) => true,
            Err(error) => {
                // What is printed is of no use without its beginning; a later file may still be written.
                let is_kept = matches!(error, ReportError::Write { .. });
                errors.push(error);
                is_kept
            }
        });
        errors.into_iter().for_each(|error| self.note_unwritten(error));
    }

    fn note_unwritten(&mut self, error: ReportError) {
        let error = match error {
            ReportError::Output(error) => match output::tolerate(Err(error)) {
                // A reader such as `head` may have seen enough; files and the recording are still written.
                Ok(_) => return,
                Err(error) => CliError::Stdout(error),
            },
            error => error.into(),
        };
        self.error.get_or_insert(error);
    }

    /// Shows on the status line how the time passes.
    pub(super) fn tick(&mut self) {
        self.update_progress(Progress::paint);
    }

    /// Whether a report needs the end of the run even if there is nothing to print.
    fn needs_end(&self) -> bool {
        self.reporters.iter().any(|reporter| reporter.needs_end())
    }

    /// Updates the status line, and drops it on an error: it is a convenience, not a report.
    fn update_progress(
        &mut self,
        work: impl FnOnce(&mut Progress<Box<dyn Write>>) -> io::Result<()>,
    ) {
        // The person who is asked reads something else.
        if self.sign_in.as_ref().is_some_and(|sign_in| sign_in.is_asking()) {
            return;
        }
        self.progress.take_if(|progress| work(progress).is_err());
    }

    /// Reports an interrupted run to files and JSON; the official console has printed everything already.
    pub(super) fn interrupted(mut self, signal: Signal) -> Result<u8, CliError> {
        if self.has_ended {
            // The report was printed, and only programs were still being ended.
            return self.finish();
        }
        self.update_progress(Progress::clear);
        output::note("interrupted: the run is not complete");
        // A brief report is printed at the end only.
        if self.needs_end() || self.summary.profile != Profile::Official {
            let mut summary = self.summary.clone();
            summary.interrupted = Some(signal.exit());
            // What was not run may show the known violations that did not occur so far.
            summary.known.note_incomplete();
            summary.baseline = self.expected.as_ref().map(|baseline| {
                // What passed so far may fail in a scenario run that is missing.
                Comparison { stale: Vec::new(), ..baseline.compare(&summary.results) }
            });
            let event = self.mask(RunEvent::Ended(summary));
            self.report(&event);
        }
        // The signal decides, whatever has failed so far.
        self.finish().map(|_| signal.exit())
    }

    /// Reports that no selected scenario is applicable, which is not a failure officially.
    pub(super) fn nothing_to_run(mut self) -> Result<u8, CliError> {
        if self.needs_end() {
            self.event(RunEvent::Ended(self.summary.clone()));
        }
        self.each_reporter(|reporter| reporter.nothing_to_run());
        self.finish()
    }

    /// Writes the baseline, after which everything that failed is expected; what could not be run is unknown.
    fn write_baseline(&mut self, summary: &mut Summary) {
        let Some((path, previous)) = &self.baseline else { return };
        if summary.lines.is_empty() {
            // An empty baseline would replace one that may still be right.
            self.notes.push("No baseline written: nothing was run".to_owned());
            return;
        }
        match files::replace(path, Baseline::text(&summary.results, previous.as_ref())) {
            Ok(()) => {
                self.notes.push(format!("Baseline written to {}", path.display()));
                summary.exit = match not_run(summary).as_slice() {
                    [] => ExitCode::Passed,
                    ids => {
                        let note = format!(
                            "It does not contain the scenarios that could not be run: {}",
                            ids.join(", ")
                        );
                        self.notes.push(note);
                        ExitCode::NotRun
                    }
                };
            }
            Err(error) => drop(self.error.get_or_insert(CliError::write(path)(error))),
        }
    }

    /// The notes so far.
    #[cfg(test)]
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(super) fn finish(mut self) -> Result<u8, CliError> {
        self.update_progress(Progress::clear);
        // A recording is written even if a report failed, so that a long run is not lost.
        match self.record.take().map(Record::write) {
            Some(Ok(note)) => self.notes.push(note),
            Some(Err(error)) => drop(self.error.get_or_insert(error)),
            None => {}
        }
        self.notes.iter().for_each(|note| output::note(note));
        if let Some(error) = self.error {
            return Err(error);
        }
        Ok(self.summary.exit.number())
    }
}

/// The scenarios of which at least one scenario run could not be run.
fn not_run(summary: &Summary) -> Vec<&str> {
    let lines = summary.lines.iter().filter(|line| line.verdict == Verdict::NotRun);
    let mut ids: Vec<_> = lines.map(|line| &*line.scenario_run.scenario.id).collect();
    // The scenario runs of a scenario follow one another.
    ids.dedup();
    ids
}

/// Whether standard output contains only the checks, as JSON: so does the official suite for a single client scenario.
fn prints_only_checks(request: &RunRequest<'_>) -> bool {
    let args = request.options;
    request.command == RunCommand::Client
        && args.common.verbose
        && args.scenarios.len() == 1
        // The document has the checks, too.
        && args.common.format != Format::Json
}

/// Creates the directory for the results, and checks before the run that it is writable.
fn output_dir(out: &Path, info: RunInfo) -> Result<ResultFiles, CliError> {
    let files = ResultFiles::create(out, info).map_err(|error| match error {
        ReportError::Write { path, source } => {
            CliError::Unwritable { option: "--output-dir", path, source }
        }
        error => error.into(),
    })?;
    files::check_replaceable(&out.join("summary.json"))
        .map_err(CliError::unwritable("--output-dir", out))?;
    Ok(files)
}
