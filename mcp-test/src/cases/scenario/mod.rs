//! Cases as scenarios: who plans, plays, compares with a baseline and reports learns nothing of YAML.

mod window;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::play::roles::{Line, Role, roles};
use super::play::{Ended, GOES_ON, UNEXPECTED, checked, play};
use super::{Case, CaseFile, Cases, Values};
use crate::json::Value;
use crate::scenario::{Body, CheckSpec, Ctx, Leg, Proofs, Scenario};
use crate::server::reference::everything;
use crate::spec::Revisions;

/// How cases are played against a server.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PlayOptions {
    /// The values of `_inputs`.
    pub inputs: BTreeMap<String, Value>,
    /// Only cases with one of these tags, if there are any.
    pub tags: Vec<String>,
    /// No cases with one of these tags.
    pub skip_tags: Vec<String>,
    /// Certain revisions are asked for: then a case is not held to the revision that other cases of its file name.
    pub asked_revisions: bool,
}

impl PlayOptions {
    /// Gives a name of `_inputs` its value.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.inputs.insert(name.into(), value.into());
        self
    }

    /// Whether a case has the tags that are asked for. While one of the cases says `_only`, the others are not played.
    fn selects(&self, case: &Case, only: bool) -> bool {
        let has = |tags: &[String]| tags.iter().any(|tag| case.settings.tags.contains(tag));
        (!only || case.settings.only)
            && (self.tags.is_empty() || has(&self.tags))
            && !has(&self.skip_tags)
    }
}

/// The cases as scenarios that test a server, in order: for [`Plan::build_from`](crate::run::Plan::build_from).
///
/// The id of a scenario is that of its case, and there is a check for each `out` under its key. A scenario stays in memory
/// until the process ends, and with it the file of its case.
#[must_use]
pub fn scenarios(cases: &Cases, options: &PlayOptions) -> Vec<&'static Scenario> {
    let only = cases.iter().any(|(_, case)| case.settings.only);
    let options = Arc::new(options.clone());
    let mut made: Vec<&'static Scenario> = Vec::new();
    for file in &cases.files {
        let of_file = file.cases.iter().enumerate();
        for (number, _) in of_file.filter(|(_, case)| options.selects(case, only)) {
            let script: &'static Script =
                Box::leak(Box::new(Script::new(file, number, Arc::clone(&options))));
            made.push(Box::leak(Box::new(script.scenario())));
        }
    }
    made
}

/// The messages of a case by itself.
fn lines_of<'a>(file: &'a CaseFile, case: &'a Case) -> impl Iterator<Item = Line<'a>> {
    case.messages.iter().map(move |message| Line { file, case, message, own: true })
}

/// The revisions at which a case of a file makes sense, with those that it goes on from.
pub(super) fn window(file: &Arc<CaseFile>, number: usize, asked: bool) -> Revisions {
    let script = Script::new(file, number, Arc::default());
    let lines = script.lines();
    window::revisions(&lines, &roles(&lines), file, asked)
}

/// What is played for a case.
struct Script {
    file: Arc<CaseFile>,
    /// The case, and before it those that it goes on from.
    chain: Vec<Arc<Case>>,
    options: Arc<PlayOptions>,
}

impl Script {
    fn new(file: &Arc<CaseFile>, number: usize, options: Arc<PlayOptions>) -> Self {
        let first = file.cases[..=number].iter().rposition(|case| !case.settings.continues);
        let chain = file.cases[first.unwrap_or(0)..=number].to_vec();
        Self { file: Arc::clone(file), chain, options }
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

    fn values(&self) -> Values {
        let mut values = Values::of(self.chain.iter().map(Arc::as_ref));
        for case in &self.chain {
            for input in &case.settings.inputs {
                if let Some(value) = self.options.inputs.get(&input.name) {
                    values.set(&input.name, value.clone());
                }
            }
        }
        values
    }

    fn scenario(&'static self) -> Scenario {
        let lines = self.lines();
        let roles = roles(&lines);
        let case = self.case();
        let revisions = window::revisions(&lines, &roles, &self.file, self.options.asked_revisions);
        let carriers = window::carriers(&lines);
        let opens = case.settings.bare || self.chain[0].settings.bare;
        let opens = opens || roles.iter().any(Role::opens);
        let disturbs = self.chain.iter().any(|case| {
            let settings = &case.settings;
            !(settings.before.is_empty() && settings.after.is_empty() && settings.given.is_empty())
        });
        Scenario {
            id: &case.id,
            title: leak(case.title()),
            doc: leak(case.comments.join("\n")),
            leg: Leg::Server,
            revisions,
            official: None,
            carriers,
            needs: &[],
            disturbs: disturbs.then_some("what its commands change"),
            timeout: case.settings.timeout,
            opens,
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
        let lines = self.lines();
        let why = match play(ctx, &lines, self.values()).await {
            Ok(()) => return,
            Err(Ended::Told(headline)) => headline,
            Err(Ended::Untold(finding)) => {
                let headline = finding.headline.clone();
                let id = ctx.unmade().next().map_or(UNEXPECTED, |spec| spec.id);
                ctx.check(id).fail(finding);
                headline
            }
        };
        ctx.skip_the_rest(&format!("not reached: {why}"));
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
