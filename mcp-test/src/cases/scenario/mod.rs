//! Cases as scenarios: planning, baselines and reports do not depend on YAML.

mod options;
mod window;

pub use self::options::PlayOptions;

use std::sync::Arc;

use mcp_test_core::check::Finding;
use mcp_test_core::clock::Deadline;
use mcp_test_core::expect::words;
use mcp_test_core::scenario::{
    Body, CheckSpec, Ctx, Kind, Prerequisites, Scenario, Shared, TestedSide,
};
use mcp_test_core::spec::Revisions;

use super::hooks::{self, CommandsRefused, Hooks, Permit, has_hooks, permit};
use super::play::roles::{CaseLine, Role, roles};
use super::play::{Ended, GOES_ON, UNEXPECTED, checked_lines, play};
use super::{Case, CaseFile, Cases, InputError, Values};

/// Why cases cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// They have commands, which are not allowed.
    #[error(transparent)]
    Commands(#[from] CommandsRefused),
    /// They need inputs that are missing or of another type.
    #[error(transparent)]
    Inputs(#[from] InputError),
}

/// The cases as scenarios that test a server, in order: for [`Plan::build`](mcp_test_core::run::Plan::build).
///
/// The id of a scenario is that of its case, and there is a check for each `out` under its key.
///
/// # Errors
///
/// If a selected case needs commands that are not allowed, or inputs that are missing.
pub fn scenarios(cases: &Cases, options: &PlayOptions) -> Result<Vec<Shared<Scenario>>, PlayError> {
    let scripts = scripts(cases, options)?.into_iter().map(Arc::new);
    Ok(scripts.map(|script| script.scenario().into()).collect())
}

/// The processes of the first selected case that has `_before` commands: they are likely to start the server, which cannot be
/// reached earlier.
///
/// # Errors
///
/// As for [`scenarios`].
pub fn prerequisites(
    cases: &Cases,
    options: &PlayOptions,
) -> Result<Option<Prerequisites>, PlayError> {
    let scripts = scripts(cases, options)?;
    let first = scripts.into_iter().find(|script| script.is_played() && script.has_hooks());
    let first = first.map(Arc::new);
    Ok(first.map(|script| {
        Prerequisites::new(move |authority| {
            let script = Arc::clone(&script);
            async move {
                let hooks = script.hooks(&script.values()?)?.server(authority);
                let running = hooks.before(Deadline::never()).await?;
                Ok(async move {
                    // If this fails, the case itself reports it when it is played.
                    let _ = running.after(Deadline::after(hooks::TIMEOUT)).await;
                })
            }
        })
    }))
}

/// A played case for each selected one.
fn scripts(cases: &Cases, options: &PlayOptions) -> Result<Vec<Script>, PlayError> {
    // In any file, and whether tags select it or not.
    let only = cases.iter().any(|(_, case)| case.settings.only);
    let options = Arc::new(options.clone());
    let mut scripts: Vec<Script> = Vec::new();
    for file in &cases.files {
        let of_file = file.cases.iter().enumerate();
        let window = window::file_window(file);
        for (number, _) in of_file.filter(|(_, case)| options.selects(case, only)) {
            scripts.push(Script::new(file, number, window, Arc::clone(&options)));
        }
    }
    // What is not played needs neither a permission nor inputs.
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

/// The messages of a single case.
fn lines_of<'a>(file: &'a CaseFile, case: &'a Case) -> impl Iterator<Item = CaseLine<'a>> {
    case.messages.iter().map(move |message| CaseLine { file, case, message, own: true })
}

/// The revisions at which a case applies, with those that it continues.
pub(super) fn window(file: &Arc<CaseFile>, number: usize, asked: bool) -> Revisions {
    // Revisions that the user chose take precedence over those that other cases name.
    let of_file = if asked { None } else { window::file_window(file) };
    let script = Script::new(file, number, of_file, Arc::default());
    let lines = script.lines();
    window::revisions(&lines, &roles(&lines), of_file)
}

/// A case as it is played.
struct Script {
    file: Arc<CaseFile>,
    /// The case, after those that it continues.
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
        let chain = file.conversation_until(number).to_vec();
        Self { file: Arc::clone(file), chain, window, options, permit: None }
    }

    fn case(&self) -> &Case {
        &self.chain[self.chain.len() - 1]
    }

    fn lines(&self) -> Vec<CaseLine<'_>> {
        let last = self.chain.len() - 1;
        let of_case = |(at, case)| {
            lines_of(&self.file, case).map(move |line| CaseLine { own: at == last, ..line })
        };
        self.chain.iter().map(Arc::as_ref).enumerate().flat_map(of_case).collect()
    }

    /// Why the case is skipped, if it is.
    fn skipped(&self) -> Option<String> {
        let before = &self.chain[..self.chain.len() - 1];
        let before = before.iter().find_map(|case| {
            let why = case.settings.skip.as_ref()?;
            Some(format!("it continues `{}`, which is skipped: {why}", case.id))
        });
        self.case().settings.skip.clone().or(before)
    }

    /// Whether the case is selected, and not skipped.
    fn is_played(&self) -> bool {
        let wanted = &self.options.cases;
        (wanted.is_empty() || wanted.contains(&self.case().id)) && self.skipped().is_none()
    }

    /// The values of names at the beginning.
    fn values(&self) -> Result<Values, Finding> {
        let chain = self.chain.iter().map(Arc::as_ref);
        self.options.inputs.values(chain).map_err(|error| Finding::test(error.to_string()))
    }

    /// What happens before and after the case.
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

    fn scenario(self: Arc<Self>) -> Scenario {
        let lines = self.lines();
        let roles = roles(&lines);
        let case = self.case();
        let of_file = self.window.filter(|_| !self.options.asked_revisions);
        let revisions = window::revisions(&lines, &roles, of_file);
        let transports = window::transports(&lines);
        let opens = case.settings.bare || self.chain[0].settings.bare;
        let opens = opens || roles.iter().any(Role::is_initialize);
        let script = Arc::clone(&self);
        let body = Body::server(move |ctx| {
            let script = Arc::clone(&script);
            Box::pin(async move {
                script.play(ctx).await;
                Ok(())
            })
        });
        Scenario {
            title: case.title().into(),
            doc: case.comments.join("\n").into(),
            revisions,
            transports,
            // Commands may change files and ports that other cases use.
            exclusive: self.has_hooks().then_some("what its commands change"),
            timeout: case.settings.timeout,
            opens,
            checks: checks(&lines, &roles).into(),
            file: self.file.path.clone().into(),
            ..Scenario::dynamic(Kind::Case, TestedSide::Server, case.id.clone(), body)
        }
    }

    async fn play(&self, ctx: &mut Ctx) {
        if let Some(reason) = self.skipped() {
            return ctx.skip_the_rest(&reason);
        }
        let why = match self.play_with_hooks(ctx).await {
            Ok(()) => return,
            Err(Ended::Reported(headline)) => headline,
            Err(Ended::InvalidTest(reason)) => return ctx.skip_the_rest(&reason),
            Err(Ended::Unreported(finding)) => {
                let headline = finding.headline.clone();
                // The first check not made yet belongs to the message that was not reached.
                let id = ctx.unmade().next().map_or(UNEXPECTED.into(), |spec| spec.id.clone());
                ctx.check(&id).fail(finding);
                headline
            }
        };
        ctx.skip_the_rest(&format!("not reached: {why}"));
    }

    /// Plays the conversation, with its hooks.
    async fn play_with_hooks(&self, ctx: &mut Ctx) -> Result<(), Ended> {
        let values = self.values()?;
        let lines = self.lines();
        if !self.has_hooks() {
            return play(ctx, &lines, values).await;
        }
        let hooks = self.hooks(&values)?.server(ctx.authority());
        if let Some(state) = hooks.unsupported_state() {
            return Err(Ended::InvalidTest(format!(
                "nothing sets up the state `{state}`: use `--given-command`, or in Rust `given`"
            )));
        }
        // Each command has its own limit, and the runner has one for the whole case.
        let running = hooks.before(Deadline::never()).await?;
        let ending = play(ctx, &lines, values).await;
        let after = running.after(Deadline::after(hooks::TIMEOUT)).await;
        // The failure of the case comes first: that of a command after it may only follow from it.
        ending?;
        Ok(after?)
    }
}

/// The checks of a case: one for each awaited message, and one for unexpected messages.
fn checks(lines: &[CaseLine<'_>], roles: &[Role]) -> Vec<CheckSpec> {
    let mut checks: Vec<CheckSpec> = Vec::new();
    for at in checked_lines(lines) {
        let line = lines[at];
        let what = match &roles[at] {
            Role::ClientRequest { method, .. } => {
                format!("`{}` is answered with a result", words::name(method))
            }
            Role::ServerReply(Some(asked)) => match &roles[*asked] {
                Role::ClientRequest { method, .. } if !method.is_empty() => {
                    format!("The reply to `{}` is the one in the case", words::name(method))
                }
                _ => "The reply is the one in the case".to_owned(),
            },
            Role::ServerRequest(method, _) => {
                format!("The server sends the request `{}` as in the case", words::name(method))
            }
            Role::ServerNotification(method) => {
                format!("The server sends `{}` as in the case", words::name(method))
            }
            _ => "The server sends what the case has".to_owned(),
        };
        let key = line.message.key.as_str();
        let what = format!("{what} ({})", line.place());
        checks.push(CheckSpec::dynamic(key.to_owned(), key.to_owned(), what));
    }
    // A scenario without a check would pass vacuously.
    if checks.is_empty() {
        let what = "The server still answers after the messages of the case";
        checks.push(CheckSpec::own(GOES_ON, what, &[]));
    }
    let what = "The server sends nothing that is not in the case";
    checks.push(CheckSpec::own(UNEXPECTED, what, &[]));
    checks
}
