//! A tool as it was listed, and its two schemas.

use std::sync::OnceLock;

use super::{TimeBudget, demanded};
use crate::check::{Blame, Cause, Finding};
use crate::expect::{Mismatch, words};
use crate::json::{Object, Pointer, Value};
use crate::json_schema::{CompileError, Limits, Validator};
use crate::spec::{Requirement, Revision};

/// How many mismatches of one value are reported.
const REPORTED: usize = 6;

/// The first revision with a default dialect, JSON Schema 2020-12 (SEP-1613).
const DIALECT_SINCE: Revision = Revision::V2025_11_25;

/// Its name.
const PREFERRED_DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The other common dialects, which a schema of an older revision may be in.
const OLDER_DIALECTS: [&str; 2] =
    ["http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema#"];

/// A tool as it was listed.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    input: Option<Schema>,
    output: Option<Schema>,
}

/// One of its schemas.
#[derive(Debug)]
struct Schema {
    member: &'static str,
    requirement: &'static Requirement,
    schema: Value,
    /// The result of compiling it, when that was first needed.
    compiled: OnceLock<Result<Validator, CompileError>>,
}

/// What a list says of a tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listing<'a> {
    pub(super) name: &'a str,
    input: Option<&'a Value>,
    output: Option<&'a Value>,
}

impl<'a> Listing<'a> {
    /// A tool with a name, and with what of its schemas may be one.
    pub(super) fn read(tool: &'a Value) -> Option<Self> {
        let schema = |member| tool.get(member).filter(|schema| schema.is_object());
        let name = tool.get("name")?.as_str()?;
        Some(Self { name, input: schema("inputSchema"), output: schema("outputSchema") })
    }

    /// How many schemas it has.
    pub(super) fn schemas(&self) -> usize {
        self.each_schema().count()
    }

    /// Its schemas.
    pub(super) fn each_schema(&self) -> impl Iterator<Item = &'a Value> {
        self.input.into_iter().chain(self.output)
    }

    /// The rules by which its schemas are judged.
    pub(super) fn tested(
        &self,
        revision: Revision,
    ) -> impl Iterator<Item = &'static Requirement> + use<> {
        let input = self.input.map(|_| Requirement::TOOLS_DEFINITION_INPUT_SCHEMA_VALID);
        let own = input
            .into_iter()
            .chain(self.output.map(|_| Requirement::TOOLS_DEFINITION_OUTPUT_SCHEMA_VALID));
        let of_any = [Requirement::BASE_SCHEMA_VALID, Requirement::BASE_SCHEMA_PREFER_2020_12];
        let has_any = self.each_schema().next().is_some() && revision >= DIALECT_SINCE;
        own.chain(of_any.into_iter().filter(move |_| has_any))
    }

    /// The tool, to be kept.
    pub(super) fn to_tool(self) -> Tool {
        let schema = |schema: Option<&Value>, member, requirement| {
            let schema = schema?.clone();
            Some(Schema { member, requirement, schema, compiled: OnceLock::new() })
        };
        Tool {
            name: self.name.to_owned(),
            input: schema(
                self.input,
                "inputSchema",
                Requirement::TOOLS_DEFINITION_INPUT_SCHEMA_VALID,
            ),
            output: schema(
                self.output,
                "outputSchema",
                Requirement::TOOLS_DEFINITION_OUTPUT_SCHEMA_VALID,
            ),
        }
    }
}

impl Tool {
    /// Whether a list says the same of it.
    pub(super) fn is_same(&self, listing: &Listing<'_>) -> bool {
        fn schema(schema: &Option<Schema>) -> Option<&Value> {
            schema.as_ref().map(|it| &it.schema)
        }
        [schema(&self.input), schema(&self.output)] == [listing.input, listing.output]
    }

    /// What is wrong with its schemas; `place` is where it is in the message.
    pub(super) fn problems(
        &self,
        place: &Pointer,
        revision: Revision,
        budget: &mut TimeBudget,
    ) -> Vec<Finding> {
        let schemas = || self.input.iter().chain(&self.output);
        let problems = schemas().filter_map(|schema| match schema.compiled(revision, budget) {
            Some(Ok(_)) => None,
            Some(Err(error)) => Some(self.problem(schema, error, place, revision)),
            None => {
                budget.leave_out(|| self.beyond_bounds(schema));
                None
            }
        });
        let mut problems: Vec<Finding> = problems.collect();
        if revision >= DIALECT_SINCE {
            problems.extend(schemas().find_map(|schema| self.other_dialect(schema)));
        }
        problems
    }

    /// A WARNING if a schema names another dialect than the one that is preferred.
    fn other_dialect(&self, schema: &Schema) -> Option<Finding> {
        let named = schema.schema.get("$schema")?.as_str()?;
        if named.trim_end_matches('#') == PREFERRED_DIALECT {
            return None;
        }
        let rule = Requirement::BASE_SCHEMA_PREFER_2020_12;
        // One cause for all tools, since one library writes their schemas.
        let finding = Finding::peer("the schema of a tool is in another dialect than 2020-12")
            .expected(format!("{PREFERRED_DIALECT:?}, or no `$schema`"))
            .got(format!(
                "{:?} in the `{}` of tool `{}`",
                words::excerpt(named),
                schema.member,
                self.shown()
            ))
            .requires(rule)
            .caused_by(Cause::for_requirement(rule));
        Some(finding.should())
    }

    fn problem(
        &self,
        schema: &Schema,
        error: &CompileError,
        place: &Pointer,
        revision: Revision,
    ) -> Finding {
        let member = schema.member;
        let there = place.clone().member(member).join(error.pointer());
        let CompileError::Invalid { expected, got, dialect, .. } = error else {
            let unjudged = match error {
                CompileError::LimitExceeded { .. } => self.beyond_bounds(schema),
                // A schema that mcp-test cannot judge by does not count against the server.
                _ => self.unjudged(Blame::Peer, schema).should(),
            };
            return unjudged.got(error.to_string());
        };
        let headline =
            format!("the `{member}` of tool `{}` is not a valid {dialect}", self.shown());
        let finding = Finding::peer(headline).expected(format!("`{there}` is {expected}")).got(got);
        let finding = demanded(finding, schema.requirement, revision);
        match revision >= DIALECT_SINCE {
            true => finding.requires(Requirement::BASE_SCHEMA_VALID),
            false => finding,
        }
    }

    /// What is beyond the bounds of mcp-test: nobody is to blame, but a verdict without it would be one on a part.
    fn beyond_bounds(&self, schema: &Schema) -> Finding {
        self.unjudged(Blame::Environment, schema)
    }

    fn unjudged(&self, blame: Blame, schema: &Schema) -> Finding {
        let (member, name) = (schema.member, self.shown());
        Finding::new(blame, format!("nothing was judged by the `{member}` of tool `{name}`"))
            .expected("a JSON Schema that mcp-test can judge by, within its bounds")
    }

    fn shown(&self) -> std::borrow::Cow<'_, str> {
        words::excerpt(&self.name)
    }

    /// What is wrong with the arguments that it is called with.
    pub(super) fn called(
        &self,
        arguments: Option<&Value>,
        revision: Revision,
        budget: &mut TimeBudget,
    ) -> Vec<Finding> {
        let Some(schema) = &self.input else { return Vec::new() };
        let none = Value::Object(Object::new());
        let place = Pointer::root().member("params").member("arguments");
        let headline = || {
            let name = self.shown();
            format!(
                "tool `{name}` was called with arguments that do not conform to its `inputSchema`"
            )
        };
        // `arguments` is optional in `tools/call`; without it the tool is called with an empty object.
        let arguments = arguments.unwrap_or(&none);
        self.reported(schema, arguments, &place, revision, budget, |mismatch| {
            Finding::mismatch(headline(), mismatch).should()
        })
    }

    /// Whether it promises something of this result.
    pub(super) fn promises(&self, result: &Value) -> bool {
        self.output.is_some() && is_promised(result)
    }

    /// What is wrong with the structured content that it returns.
    pub(super) fn returned(
        &self,
        result: &Value,
        revision: Revision,
        budget: &mut TimeBudget,
    ) -> Vec<Finding> {
        let Some(schema) = &self.output else { return Vec::new() };
        if !is_promised(result) {
            return Vec::new();
        }
        let name = self.shown();
        let place = Pointer::root().member("result").member("structuredContent");
        let Some(content) = result.get("structuredContent") else {
            let headline =
                format!("tool `{name}` has an `outputSchema`, and returned no structured content");
            let finding =
                Finding::peer(headline).expected(format!("`{place}` is present")).got("nothing");
            return vec![demanded(
                finding,
                Requirement::TOOLS_STRUCTURED_PRESENT_WITH_OUTPUT_SCHEMA,
                revision,
            )];
        };
        let headline = || {
            format!(
                "tool `{name}` returned structured content that does not conform to its `outputSchema`"
            )
        };
        self.reported(schema, content, &place, revision, budget, |mismatch| {
            let conforms = Requirement::TOOLS_STRUCTURED_CONFORMS_OUTPUT_SCHEMA;
            demanded(Finding::mismatch(headline(), mismatch), conforms, revision)
        })
    }

    /// Where a value does not conform to a schema; nothing where that cannot be reported.
    fn reported(
        &self,
        schema: &Schema,
        value: &Value,
        place: &Pointer,
        revision: Revision,
        budget: &mut TimeBudget,
        finding: impl Fn(&Mismatch) -> Finding,
    ) -> Vec<Finding> {
        if value.is_object() && schema.accepts_every_object() {
            return Vec::new();
        }
        let validator = match schema.compiled(revision, budget) {
            Some(Ok(validator)) if !budget.is_spent() => validator,
            // Its listing has reported that.
            Some(Err(_)) => return Vec::new(),
            Some(Ok(_)) | None => {
                budget.leave_out(|| self.beyond_bounds(schema));
                return Vec::new();
            }
        };
        match budget.time(|| validator.mismatches(value)) {
            Ok(mismatches) => {
                let reported = mismatches.into_iter().take(REPORTED);
                reported.map(|mismatch| finding(&mismatch.within(place.clone()))).collect()
            }
            Err(unfinished) => vec![self.beyond_bounds(schema).got(unfinished.to_string())],
        }
    }
}

impl Schema {
    /// Whether it is the common schema of a tool without parameters. The first schema that is compiled takes a millisecond or more.
    fn accepts_every_object(&self) -> bool {
        let mut members = self.schema.as_object().into_iter().flat_map(Object::iter);
        members.all(|(name, value)| match name {
            "type" => value.as_str() == Some("object"),
            "properties" => value.as_object().is_some_and(Object::is_empty),
            _ => false,
        })
    }

    /// The result of compiling it; `None` if there is no budget left to do so.
    fn compiled(
        &self,
        revision: Revision,
        budget: &mut TimeBudget,
    ) -> Option<&Result<Validator, CompileError>> {
        if self.compiled.get().is_none() && !budget.compiles() {
            return None;
        }
        let compile = || self.compiled.get_or_init(|| compile(&self.schema, revision));
        Some(budget.time(compile))
    }
}

/// Compiles the schema of a tool: in the dialect that it names, or that the revision means.
pub(crate) fn compile(schema: &Value, revision: Revision) -> Result<Validator, CompileError> {
    let limits = Limits::default();
    let compiled = Validator::compile(schema, &limits);
    let is_open = revision < DIALECT_SINCE && schema.get("$schema").is_none();
    match compiled {
        // Before 2025-11-25 no dialect is the default, so a schema is valid if it is valid in any common one.
        Err(CompileError::Invalid { .. }) if is_open => {
            let mut older = OLDER_DIALECTS.into_iter().filter_map(|dialect| {
                let mut schema = schema.clone();
                schema.set("/$schema", dialect.into());
                Validator::compile(&schema, &limits).ok()
            });
            older.next().map_or(compiled, Ok)
        }
        compiled => compiled,
    }
}

/// Whether a result is one of which the schema promises something: complete, and not an error.
fn is_promised(result: &Value) -> bool {
    // An interim result and one with a `task` (2025-11-25) precede the result of the tool itself.
    let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("complete");
    let is_error = result.get("isError").and_then(Value::as_bool) == Some(true);
    result.is_object() && kind == "complete" && !is_error && result.get("task").is_none()
}
