//! One cell, from the unmet need to the verdict.

mod visit;

use std::time::Duration;

use super::outcome::STDERR_LINES;
use super::schema_valid::{Said, schema_valid, together};
use super::{Cell, Outcome, Plan, Tested};
use crate::check::{
    Blame, Check, Finding, Origin, Severity, ShapeJudgement, Status, TOOL_SCHEMAS, ToolJudgement,
    WELL_FORMED,
};
use crate::clock::{self, Deadline, Stopwatch};
use crate::json::Value;
use crate::scenario::{
    Body, Carriers, CheckSpec, Ctx, Ended, Inventory, Profile, Run, Setup, TASK,
};
use crate::spec::Era;
use crate::trace::{Trace, What};
use crate::transport::{Left, Target};

/// The id of the check that replaces those of a scenario which was not over in time, as officially.
pub(super) const TIMEOUT: &str = "scenario-timeout";

/// How long the official client of the stateless era waits for one reply.
const OFFICIAL_PATIENCE: Duration = Duration::from_secs(10);

/// What the pre-flight learnt for one cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// What the peer offers.
    pub(super) inventory: Inventory,
    /// Why the cell cannot be played: the peer does not speak its revision.
    pub(super) unspoken: Option<String>,
}

/// Plays one cell.
pub(super) async fn play(plan: &Plan, cell: Cell, known: Known) -> Outcome {
    let profile = plan.profile.at(cell.scenario, cell.revision);
    let stage = Stage { plan, cell, profile, started: clock::utc_now(), watch: Stopwatch::start() };
    if profile != Profile::Official {
        let unspoken = known.unspoken.filter(|_| !cell.scenario.opens);
        let unmet = unspoken.or_else(|| {
            cell.scenario.needs.iter().find_map(|need| need.unmet(&known.inventory, cell.revision))
        });
        if let Some(reason) = unmet {
            return stage.without_playing(&reason);
        }
    }
    match (&plan.target, cell.scenario.body) {
        (Tested::Server(target), Body::Server(body)) => {
            stage.played(target, body, known.inventory).await
        }
        (Tested::Client(client), Body::Client { serve, judge }) => {
            stage.visited(client, serve, judge).await
        }
        (tested, _) => {
            let leg = tested.leg();
            stage.without_playing(&format!("this scenario does not test a {leg}"))
        }
    }
}

/// What came of a scenario, before the checks that every scenario gets.
struct Parts {
    checks: Vec<Check>,
    trace: Trace,
    judged: Vec<Finding>,
    shapes: ShapeJudgement,
    tools: ToolJudgement,
    left: Option<Left>,
}

struct Stage<'a> {
    plan: &'a Plan,
    cell: Cell,
    profile: Profile,
    started: String,
    watch: Stopwatch,
}

impl Stage<'_> {
    /// The declared checks say why nothing was played: SKIPPED, or FAILURE in profile `strict`.
    fn without_playing(self, reason: &str) -> Outcome {
        let checks = declared(self.cell)
            .filter(|spec| spec.always)
            .map(|spec| match self.profile {
                Profile::Strict => {
                    let mut row = failed(spec, Finding::peer(reason));
                    row.message = Some(format!("Not testable: {reason}"));
                    row.untestable = true;
                    row
                }
                Profile::Official | Profile::Adaptive => skipped(spec, reason),
            })
            .collect();
        self.outcome(checks, Trace::default())
    }

    async fn played(self, target: &Target, body: &Run, inventory: Inventory) -> Outcome {
        let mut ctx = Ctx::new(self.setup(target, inventory), Some(self.cell.scenario));
        let playing = body(&mut ctx);
        let ending = clock::within(Deadline::after(self.timeout()), playing).await;
        let Ended { mut checks, trace, judged, shapes, tools, unexamined, .. } = ctx.end().await;
        match ending {
            Err(_) => checks = vec![self.timed_out(&trace)],
            Ok(Err(finding)) if self.is_officially_a_timeout(&trace) => {
                checks = vec![timeout_row(finding)];
            }
            Ok(Err(finding)) => blame_the_rest(self.cell, &mut checks, &finding),
            Ok(Ok(())) => {
                for finding in unexamined {
                    checks.push(Check::from_finding(self.cell.scenario.id, Origin::Own, finding));
                }
                complain_about_the_rest(self.cell, &mut checks);
            }
        }
        self.concluded(Parts { checks, trace, judged, shapes, tools, left: None })
    }

    /// Adds the checks that every scenario gets.
    fn concluded(self, parts: Parts) -> Outcome {
        let Parts { mut checks, trace, judged, shapes, tools, left } = parts;
        if checks.is_empty() {
            let finding = Finding::harness("the scenario ended without making a check");
            checks.push(Check::from_finding(self.cell.scenario.id, Origin::Official, finding));
        }
        let said = Said { trace: &trace, judged: &judged, shapes: &shapes };
        checks.extend(schema_valid(self.cell.scenario, self.profile, &said));
        checks.extend(tool_schemas(&tools));
        checks.push(well_formed(&judged, &trace));
        let outcome = self.outcome(checks, trace);
        let Some(left) = left else { return outcome };
        let stderr_tail = last_lines(&left.stderr);
        Outcome { left: Some(left), stderr_tail, ..outcome }
    }

    fn setup(&self, target: &Target, inventory: Inventory) -> Setup {
        Setup {
            target: target.clone(),
            carrier: self.cell.carrier,
            revision: self.cell.revision,
            profile: self.profile,
            limits: self.plan.limits,
            timeout: self.request_timeout(),
            until: Deadline::after(self.nearly()),
            inventory,
            schemas: self.plan.schemas.clone(),
        }
    }

    fn timed_out(&self, trace: &Trace) -> Check {
        let last = trace.events.iter().rev().find_map(|event| match &event.what {
            What::DeadlineFired { awaited } => Some(awaited.clone()),
            _ => None,
        });
        let mut finding = Finding::peer("the scenario was not over in time")
            .expected(format!("an end within {}", clock::in_words(self.timeout())));
        if let Some(awaited) = last {
            finding = finding.got(format!("a wait for {awaited}"));
        }
        timeout_row(finding)
    }

    /// Whether a request without a reply is a time-out of the whole scenario, as it is where the official client waits
    /// longer than the scenario may last: that of the handshake, and every one that makes requests by hand.
    fn is_officially_a_timeout(&self, trace: &Trace) -> bool {
        let waits_longer = self.cell.revision.era() == Era::Handshake
            || self.cell.scenario.carriers == Carriers::StreamableHttp
            || self.timeout() < OFFICIAL_PATIENCE;
        self.profile == Profile::Official && waits_longer && trace.deadline_fired()
    }

    /// How long one request may take.
    fn request_timeout(&self) -> Duration {
        match (self.profile, self.cell.revision.era()) {
            (Profile::Official, Era::Stateless) => self.nearly().min(OFFICIAL_PATIENCE),
            _ => self.nearly(),
        }
    }

    /// How long the scenario may take.
    fn timeout(&self) -> Duration {
        self.plan.timeout_of(self.cell.scenario)
    }

    /// A little less than the scenario may take, so that the finding can say what was awaited.
    fn nearly(&self) -> Duration {
        self.timeout() - self.timeout() / 10
    }

    fn outcome(self, checks: Vec<Check>, trace: Trace) -> Outcome {
        Outcome {
            verdict: Outcome::judge(&self.cell, self.profile, &checks),
            cell: self.cell,
            profile: self.profile,
            checks,
            stderr_tail: trace.stderr_tail(STDERR_LINES),
            exited: None,
            left: None,
            trace,
            started: self.started,
            elapsed: self.watch.elapsed(),
        }
    }
}

fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.len().saturating_sub(STDERR_LINES);
    lines[first..].iter().map(|line| (*line).to_owned()).collect()
}

fn declared(cell: Cell) -> impl Iterator<Item = &'static CheckSpec> {
    cell.scenario.checks_at(cell.revision)
}

fn unmade(cell: Cell, checks: &[Check]) -> Vec<&'static CheckSpec> {
    declared(cell).filter(|spec| !checks.iter().any(|check| check.id == spec.id)).collect()
}

fn skipped(spec: &CheckSpec, reason: &str) -> Check {
    let mut row = spec.row(Status::Skipped);
    row.message = Some(reason.to_owned());
    row
}

fn failed(spec: &CheckSpec, mut finding: Finding) -> Check {
    let status = match finding.severity {
        Severity::Must if spec.fails => Status::Failure,
        Severity::Must | Severity::Should => Status::Warning,
    };
    let is_no_requirement =
        finding.hint.as_deref() == Some(TASK) || finding.blame == Blame::Environment;
    if finding.requirements.is_empty() && !is_no_requirement {
        finding.requirements.extend(spec.requirements.first().copied());
    }
    let mut row = spec.row(status);
    row.message = Some(finding.to_string());
    row.finding = Some(finding);
    row
}

/// A finding has ended the scenario early. The official checks that every run makes get it, as officially; those that
/// only hang on them are skipped. Where all of these were made before, it is held against the ones that remain.
fn blame_the_rest(cell: Cell, checks: &mut Vec<Check>, finding: &Finding) {
    let unmade = unmade(cell, checks);
    let carries = |spec: &&&CheckSpec| spec.always && spec.origin == Origin::Official;
    let any_carries = unmade.iter().any(|spec| carries(&spec));
    if unmade.is_empty() {
        let id = cell.scenario.id;
        checks.push(Check::from_finding(id, Origin::Official, finding.clone()));
    }
    for spec in unmade {
        checks.push(if carries(&&spec) || !any_carries {
            failed(spec, finding.clone())
        } else {
            skipped(spec, &format!("not reached: {}", finding.headline))
        });
    }
}

/// The scenario has ended by itself: then each check that every run makes has to be there.
fn complain_about_the_rest(cell: Cell, checks: &mut Vec<Check>) {
    for spec in unmade(cell, checks) {
        if spec.always {
            let finding =
                Finding::harness(format!("the scenario ended without its check `{}`", spec.id));
            checks.push(failed(spec, finding));
        }
    }
}

fn timeout_row(finding: Finding) -> Check {
    let mut row = Check::from_finding(TIMEOUT, Origin::Official, finding);
    row.name = "ScenarioTimeout".to_owned();
    row.description = "The scenario is over in time".to_owned();
    row
}

/// The check that every scenario gets from the judgement of its whole conversation.
fn well_formed(judged: &[Finding], trace: &Trace) -> Check {
    let mut row = gravest(WELL_FORMED, judged).unwrap_or_else(|| {
        if trace.exchanged() {
            return Check::new(WELL_FORMED, Origin::Own, Status::Success);
        }
        let mut row = Check::new(WELL_FORMED, Origin::Own, Status::Skipped);
        row.message = Some("the peer said nothing".to_owned());
        row
    });
    row.name = "WireWellFormed".to_owned();
    row.description =
        "Everything that the peer sent is well-formed JSON-RPC, as its transport wants it"
            .to_owned();
    row
}

/// The check of the schemas of tools, where something was judged by them.
fn tool_schemas(tools: &ToolJudgement) -> Option<Check> {
    if tools.judged == 0 {
        return None;
    }
    let good = || Check::new(TOOL_SCHEMAS, Origin::Own, Status::Success);
    let mut row = gravest(TOOL_SCHEMAS, &tools.findings).unwrap_or_else(good);
    row.name = "WireToolSchemas".to_owned();
    row.description =
        "The schemas of tools are valid JSON Schema, and what the peer sends by them conforms"
            .to_owned();
    Some(row)
}

/// One row for several findings: with the status of the gravest, and the words of the first of them.
fn gravest(id: &str, findings: &[Finding]) -> Option<Check> {
    let gravest = findings.iter().max_by_key(|finding| finding.severity)?;
    let mut row = Check::from_finding(id, Origin::Own, gravest.clone());
    if findings.len() > 1 {
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        row.message = Some(together(findings));
        row.details = Some(Value::from(serde_json::json!({ "findings": texts })));
        for id in findings.iter().flat_map(|finding| &finding.requirements) {
            if !row.requirements.contains(id) {
                row.requirements.push(id);
            }
        }
    }
    Some(row)
}
