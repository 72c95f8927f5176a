//! Parses the arguments of `cases!`: the files, then options like those of `#[mcp_scenario]`.

use std::time::Duration;

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

use super::names;
use crate::attr;
use crate::model::{Errors, ParsedOption};
use crate::validate::{crate_path, options};

const OPTIONS: [&str; 15] = [
    "target",
    "client",
    "name",
    "revisions",
    "transports",
    "timeout",
    "baseline",
    "tags",
    "skip_tags",
    "inputs",
    "given",
    "allow_commands",
    "allow_skip",
    "strict",
    "crate",
];

/// Options that only apply to a server under test.
const SERVER_ONLY: [&str; 4] = ["target", "transports", "given", "allow_commands"];

/// The arguments as they were parsed.
pub(super) struct Arguments {
    pattern: LitStr,
    options: Vec<ParsedOption>,
}

/// The valid arguments.
pub(super) struct Contract<'a> {
    pub(super) pattern: &'a LitStr,
    pub(super) krate: Path,
    /// The name of the module.
    pub(super) module: String,
    pub(super) options: Options<'a>,
}

/// The options of a contract.
#[derive(Default)]
pub(super) struct Options<'a> {
    name: Option<String>,
    pub(super) target: Option<&'a Expr>,
    pub(super) client: Option<&'a Expr>,
    /// As [`crate::model::Options::revisions`].
    pub(super) revisions: Option<String>,
    pub(super) transports: Vec<&'static str>,
    pub(super) timeout: Option<Duration>,
    pub(super) baseline: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) skip_tags: Vec<String>,
    pub(super) inputs: Option<&'a Expr>,
    pub(super) given: Option<&'a Expr>,
    pub(super) allow_commands: bool,
    pub(super) allow_skip: bool,
    pub(super) strict: bool,
}

impl Contract<'_> {
    /// Whether a case with these tags is a test.
    pub(super) fn wants(&self, case_tags: &[String]) -> bool {
        let among = |selected: &[String]| selected.iter().any(|tag| case_tags.contains(tag));
        let Options { tags, skip_tags, .. } = &self.options;
        (tags.is_empty() || among(tags)) && !among(skip_tags)
    }
}

/// The files and the options that can be parsed; others are errors.
pub(super) fn read(input: TokenStream, errors: &mut Errors) -> Option<Arguments> {
    let parts = |input: ParseStream<'_>| {
        let expected = "expected the files, in quotes: `cases!(\"contracts/*.yaml\")`";
        if !input.peek(LitStr) {
            return Err(syn::Error::new(input.span(), expected));
        }
        let pattern: LitStr = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok((pattern, input.parse::<TokenStream>()?))
    };
    match parts.parse2(input) {
        Ok((pattern, rest)) => Some(Arguments { pattern, options: attr::options(rest, errors) }),
        Err(error) => {
            errors.push(error);
            None
        }
    }
}

/// The values of the options, and the first of duplicates; `None` if there are errors.
pub(super) fn validate<'a>(arguments: &'a Arguments, errors: &mut Errors) -> Option<Contract<'a>> {
    let Arguments { pattern, options: parsed } = arguments;
    let once = options::each_once(parsed, &OPTIONS, errors);
    if once.iter().any(|option| option.name == "client") {
        for option in once.iter().filter(|option| SERVER_ONLY.iter().any(|of| option.name == of)) {
            let name = &option.name;
            errors.at(name, format!("`{name}` only applies to servers, but `client` is given"));
        }
    }
    let options = options_of(once, errors);
    let module = options.name.clone().unwrap_or_else(|| names::name_for_pattern(&pattern.value()));
    let contract = Contract { pattern, krate: crate_path(parsed), module, options };
    errors.is_empty().then_some(contract)
}

fn options_of<'a>(parsed: Vec<&'a ParsedOption>, errors: &mut Errors) -> Options<'a> {
    let mut all = Options::default();
    for option in parsed {
        match option.name.to_string().as_str() {
            "target" => all.target = options::value(option, "my_server", errors),
            "client" => all.client = options::value(option, "my_client", errors),
            "name" => all.name = name(option, errors),
            "revisions" => all.revisions = options::revisions_of(option, errors),
            "transports" => all.transports = options::transports(option, errors),
            "timeout" => all.timeout = options::timeout_of(option, errors),
            "baseline" => {
                let example = "\"tests/known-failures.yml\"";
                all.baseline =
                    options::string(option, "expected a path", example, errors).map(LitStr::value);
            }
            "tags" => all.tags = tags(option, errors),
            "skip_tags" => all.skip_tags = tags(option, errors),
            "inputs" => all.inputs = options::value(option, "[(\"name\", \"value\")]", errors),
            "given" => all.given = options::value(option, "my_states", errors),
            "allow_commands" => all.allow_commands = options::flag(option, errors),
            "allow_skip" => all.allow_skip = options::flag(option, errors),
            "strict" => all.strict = options::flag(option, errors),
            // Read by `crate_path`.
            _ => options::check_crate(option, errors),
        }
    }
    all
}

/// The name of the module.
fn name(option: &ParsedOption, errors: &mut Errors) -> Option<String> {
    let value = options::value(option, "over_http", errors)?;
    let name = match value {
        Expr::Path(path) => path.path.get_ident().map(Ident::to_string),
        _ => None,
    };
    if name.is_none() {
        errors.at(value, "expected a name for the module of the tests: `name = over_http`");
    }
    name
}

/// A list of tags, none of which is empty.
fn tags(option: &ParsedOption, errors: &mut Errors) -> Vec<String> {
    let expected = "expected a list of tags";
    let Some(list) = options::list(option, expected, "[\"fast\"]", errors) else {
        return Vec::new();
    };
    let example = format!("`{} = [\"fast\"]`", option.name);
    // No tags would select every case, or none; neither is likely to be meant.
    if list.elems.is_empty() {
        errors.at(list, format!("{expected}: {example}"));
    }
    let mut tags = Vec::new();
    for element in &list.elems {
        match element {
            Expr::Lit(ExprLit { lit: Lit::Str(tag), .. }) if !tag.value().is_empty() => {
                tags.push(tag.value());
            }
            other => errors.at(other, format!("expected a tag, in quotes: {example}")),
        }
    }
    tags
}
