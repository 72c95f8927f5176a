//! Cases as scenarios: who plans, plays, compares with a baseline and reports learns nothing of YAML.

mod options;
mod window;

use std::sync::Arc;

pub use self::options::PlayOptions;
use super::hooks::{CommandsRefused, Hooks, PATIENCE, Permit, has_hooks, permit};
use super::play::roles::{Line, Role, roles};
use super::play::{Ended, GOES_ON, UNEXPECTED, checked, play};
use super::{Case, CaseFile, Cases, InputError, Values};
use crate::check::Finding;
use crate::clock::Deadline;
use crate::scenario::{Body, CheckSpec, Ctx, Leg, Proofs, Scenario, Surroundings};
use crate::server::reference::everything;
use crate::spec::Revisions;

/// Why cases cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// They want to run commands, and may not.
    #[error(transparent)]
    Commands(#[from] CommandsRefused),
    /// They ask for values that are not given, or that are of another kind.
    #[error(transparent)]
    Inputs(#[from] InputError),
}

/// The cases as scenarios that test a server, in order: for [`Plan::build_from`](crate::run::Plan::build_from).
///
/// The id of a scenario is that of its case, and there is a check for each `out` under its key. A scenario stays in memory
/// until the process ends, and with it the file of its case.
///
/// # Errors
///
/// If cases that are wanted need commands that are not allowed, or inputs that are not given.
pub fn scenarios(
    cases: &Cases,
    options: &PlayOptions,
) -> Result<Vec<&'static Scenario>, PlayError> {
    let made = scripts(cases, options)?.into_iter().map(|script| {
        let script: &'static Script = Box::leak(Box::new(script));
        &*Box::leak(Box::new(script.scenario()))
    });
    Ok(made.collect())
}

/// What the commands of the first of these cases bring up that has some: a server that cannot be reached before is likely to be
/// among it.
///
/// # Errors
///
/// As for [`scenarios`].
pub fn surroundings(
    cases: &Cases,
    options: &PlayOptions,
) -> Result<Option<Surroundings>, PlayError> {
    let scripts = scripts(cases, options)?;
    let first = scripts.into_iter().find(|script| script.is_played() && script.has_hooks());
    let first = first.map(Arc::new);
    Ok(first.map(|script| {
        Surroundings::new(move || {
            let script = Arc::clone(&script);
            async move {
                let hooks = script.hooks(&script.values()?)?;
                let running = hooks.before(Deadline::never()).await?;
                Ok(async move {
                    // The case itself says what goes wrong there.
                    let _ = running.after(Deadline::after(PATIENCE)).await;
                })
            }
        })
    }))
}

/// What is played for each case that is selected.
fn scripts(cases: &Cases, options: &PlayOptions) -> Result<Vec<Script>, PlayError> {
    let only = cases.iter().any(|(_, case)| case.settings.only);
    let options = Arc::new(options.clone());
    let mut scripts: Vec<Script> = Vec::new();
    for file in &cases.files {
        let of_file = file.cases.iter().enumerate();
        let window = window::of_file(file);
        for (number, _) in of_file.filter(|(_, case)| options.selects(case, only)) {
            scripts.push(Script::new(file, number, window, Arc::clone(&options)));
        }
    }
    let played = || scripts.iter().filter(|script| script.is_played());
    let needed =
        || played().flat_map(|script| script.chain.iter().map(|case| (&script.file, case)));
    let permit = permit(needed(), options.commands)?;
    options.inputs.check(needed())?;
    for script in &mut scripts {
        script.permit = script.is_played().then_some(permit);
    }
    Ok(scripts)
}

/// The messages of a case by itself.
fn lines_of<'a>(file: &'a CaseFile, case: &'a Case) -> impl Iterator<Item = Line<'a>> {
    case.messages.iter().map(move |message| Line { file, case, message, own: true })
}

/// The revisions at which a case of a file makes sense, with those that it goes on from.
pub(super) fn window(file: &Arc<CaseFile>, number: usize, asked: bool) -> Revisions {
    let of_file = if asked { None } else { window::of_file(file) };
    let script = Script::new(file, number, of_file, Arc::default());
    let lines = script.lines();
    window::revisions(&lines, &roles(&lines), of_file)
}

/// What is played for a case.
struct Script {
    file: Arc<CaseFile>,
    /// The case, and before it those that it goes on from.
    chain: Vec<Arc<Case>>,
    /// The revisions that the cases of the file name.
    window: Option<Revisions>,
    options: Arc<PlayOptions>,
    /// Whether its commands may be run.
    permit: Option<Permit>,
}

impl Script {
    fn new(
        file: &Arc<CaseFile>,
        number: usize,
        window: Option<Revisions>,
        options: Arc<PlayOptions>,
    ) -> Self {
        let chain = file.until(number).to_vec();
        Self { file: Arc::clone(file), chain, window, options, permit: None }
    }

    fn case(&self) -> &Case {
        &self.chain[self.chain.len() - 1]
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let last = self.chain.len() - 1;
        let of_case = |(at, case)| {
            lines_of(&self.file, case).map(move |line| Line { own: at == last, ..line })
        };
        self.chain.iter().map(Arc::as_ref).enumerate().flat_map(of_case).collect()
    }

    /// Why the case is not played, if it is not.
    fn skipped(&self) -> Option<String> {
        let before = &self.chain[..self.chain.len() - 1];
        let before = before.iter().find_map(|case| {
            let why = case.settings.skip.as_ref()?;
            Some(format!("it goes on from `{}`, which is skipped: {why}", case.id))
        });
        self.case().settings.skip.clone().or(before)
    }

    /// Whether the case is wanted, and not skipped.
    fn is_played(&self) -> bool {
        let wanted = &self.options.cases;
        (wanted.is_empty() || wanted.contains(&self.case().id)) && self.skipped().is_none()
    }

    /// What is known before the case.
    fn values(&self) -> Result<Values, Finding> {
        let chain = self.chain.iter().map(Arc::as_ref);
        self.options.inputs.values(chain).map_err(|error| Finding::test(error.to_string()))
    }

    /// What is to happen before and after the case.
    fn hooks(&self, values: &Values) -> Result<Hooks, Finding> {
        let permit = self.permit.ok_or_else(|| {
            Finding::test("the commands of the case may not be run").expected("--allow-commands")
        })?;
        Ok(Hooks::new(permit, Arc::clone(&self.file), self.chain.clone())
            .given(self.options.given.clone())
            .values(values.clone()))
    }

    fn has_hooks(&self) -> bool {
        self.chain.iter().any(|case| has_hooks(case))
    }

    fn scenario(&'static self) -> Scenario {
        let lines = self.lines();
        let roles = roles(&lines);
        let case = self.case();
        let of_file = self.window.filter(|_| !self.options.asked_revisions);
        let revisions = window::revisions(&lines, &roles, of_file);
        let carriers = window::carriers(&lines);
        let opens = case.settings.bare || self.chain[0].settings.bare;
        let opens = opens || roles.iter().any(Role::opens);
        Scenario {
            id: &case.id,
            title: leak(case.title()),
            doc: leak(case.comments.join("\n")),
            leg: Leg::Server,
            revisions,
            official: None,
            carriers,
            needs: &[],
            disturbs: self.has_hooks().then_some("what its commands change"),
            timeout: case.settings.timeout,
            opens,
            verbatim: true,
            checks: Vec::leak(checks(&lines, &roles)),
            proofs: || Proofs { peer: || everything().into(), proofs: Vec::new() },
            file: &self.file.path,
            body: Body::server(|ctx| {
                Box::pin(async {
                    self.play(ctx).await;
                    Ok(())
                })
            }),
        }
    }

    async fn play(&self, ctx: &mut Ctx) {
        if let Some(reason) = self.skipped() {
            ctx.skip_the_rest(&reason);
            return;
        }
        let why = match self.held(ctx).await {
            Ok(()) => return,
            Err(Ended::Told(headline)) => headline,
            Err(Ended::Unplayable(reason)) => {
                return ctx.skip_the_rest(&reason);
            }
            Err(Ended::Untold(finding)) => {
                let headline = finding.headline.clone();
                let id = ctx.unmade().next().map_or(UNEXPECTED, |spec| spec.id);
                ctx.check(id).fail(finding);
                headline
            }
        };
        ctx.skip_the_rest(&format!("not reached: {why}"));
    }

    /// Holds the conversation, with what is to happen before and after it.
    async fn held(&self, ctx: &mut Ctx) -> Result<(), Ended> {
        let values = self.values()?;
        let lines = self.lines();
        if !self.has_hooks() {
            return play(ctx, &lines, values).await;
        }
        let hooks = self.hooks(&values)?;
        if let Some(state) = hooks.unattended() {
            return Err(Ended::Unplayable(format!(
                "nobody brings about the state `{state}`: give `--given-command`, or in Rust `given`"
            )));
        }
        let running = hooks.before(Deadline::never()).await?;
        let ending = play(ctx, &lines, values).await;
        let after = running.after(Deadline::after(PATIENCE)).await;
        ending?;
        Ok(after?)
    }
}

/// The checks of a case: one for each message that it awaits, and one for those that it does not.
fn checks(lines: &[Line<'static>], roles: &[Role]) -> Vec<CheckSpec> {
    let mut checks: Vec<CheckSpec> = Vec::new();
    for at in checked(lines) {
        let line = lines[at];
        let what = match &roles[at] {
            Role::Asks { method, .. } => format!("`{method}` is answered with a result"),
            Role::Replies(Some(asked)) => match &roles[*asked] {
                Role::Asks { method, .. } if !method.is_empty() => {
                    format!("The reply to `{method}` is what the case has")
                }
                _ => "The reply is what the case has".to_owned(),
            },
            Role::IsAsked(method, _) => format!("The server asks `{method}` as the case has it"),
            Role::Notifies(method) => format!("The server sends `{method}` as the case has it"),
            _ => "The server says what the case has".to_owned(),
        };
        let key = line.message.key.as_str();
        checks.push(CheckSpec::own(key, key, leak(format!("{what} ({})", line.place()))));
    }
    if checks.is_empty() {
        let what = "The server still answers after what it was told";
        checks.push(CheckSpec::own(GOES_ON, "GoesOn", what));
    }
    let what = "The server says nothing but what the case has";
    checks.push(CheckSpec::own(UNEXPECTED, "Unexpected", what));
    checks
}

/// For the life of the process, as that of the scenario.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
