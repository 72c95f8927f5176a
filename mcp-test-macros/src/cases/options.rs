//! What is written between the parentheses of `cases!`: the files, then options as those of `#[mcp_scenario]`.

use std::time::Duration;

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

use super::names;
use crate::attr;
use crate::model::{Errors, Written};
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

/// Options that say how a server is asked, which a client under test is not.
const OF_SERVERS: [&str; 4] = ["target", "transports", "given", "allow_commands"];

/// What was written.
pub(super) struct Everything {
    pattern: LitStr,
    options: Vec<Written>,
}

/// What it means.
pub(super) struct Contract<'a> {
    pub(super) pattern: &'a LitStr,
    pub(super) krate: Path,
    /// What the module of the tests is called.
    pub(super) module: String,
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
    pub(super) fn wants(&self, tags: &[String]) -> bool {
        let among = |wanted: &[String]| wanted.iter().any(|tag| tags.contains(tag));
        (self.tags.is_empty() || among(&self.tags)) && !among(&self.skip_tags)
    }
}

/// The files and the options that can be read; what can't is an error.
pub(super) fn read(input: TokenStream, errors: &mut Errors) -> Option<Everything> {
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
        Ok((pattern, rest)) => Some(Everything { pattern, options: attr::options(rest, errors) }),
        Err(error) => {
            errors.push(error);
            None
        }
    }
}

/// What the options mean; of those that come twice, the first.
pub(super) fn validate<'a>(written: &'a Everything, errors: &mut Errors) -> Option<Contract<'a>> {
    let Everything { pattern, options: written } = written;
    let mut contract = Contract {
        pattern,
        krate: crate_path(written),
        module: names::of_pattern(&pattern.value()),
        target: None,
        client: None,
        revisions: None,
        transports: Vec::new(),
        timeout: None,
        baseline: None,
        tags: Vec::new(),
        skip_tags: Vec::new(),
        inputs: None,
        given: None,
        allow_commands: false,
        allow_skip: false,
        strict: false,
    };
    let once = options::each_once(written, &OPTIONS, errors);
    if once.iter().any(|option| option.name == "client") {
        for option in once.iter().filter(|option| OF_SERVERS.iter().any(|of| option.name == of)) {
            let name = &option.name;
            errors.at(name, format!("`{name}` goes with a server, and `client` is given"));
        }
    }
    for option in once {
        match option.name.to_string().as_str() {
            "target" => contract.target = options::value(option, "my_server", errors),
            "client" => contract.client = options::value(option, "my_client", errors),
            "name" => {
                if let Some(name) = name(option, errors) {
                    contract.module = name;
                }
            }
            "revisions" => contract.revisions = options::revisions_of(option, errors),
            "transports" => contract.transports = options::transports(option, errors),
            "timeout" => contract.timeout = options::timeout_of(option, errors),
            "baseline" => {
                let example = "\"tests/known-failures.yml\"";
                contract.baseline =
                    options::string(option, "expected a path", example, errors).map(LitStr::value);
            }
            "tags" => contract.tags = tags(option, errors),
            "skip_tags" => contract.skip_tags = tags(option, errors),
            "inputs" => {
                contract.inputs = options::value(option, "[(\"name\", \"value\")]", errors);
            }
            "given" => contract.given = options::value(option, "my_states", errors),
            "allow_commands" => contract.allow_commands = options::flag(option, errors),
            "allow_skip" => contract.allow_skip = options::flag(option, errors),
            "strict" => contract.strict = options::flag(option, errors),
            _ => options::check_crate(option, errors),
        }
    }
    errors.is_empty().then_some(contract)
}

/// The name of the module.
fn name(option: &Written, errors: &mut Errors) -> Option<String> {
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
fn tags(option: &Written, errors: &mut Errors) -> Vec<String> {
    let example = format!("`{} = [\"fast\"]`", option.name);
    let elements = match options::value(option, "[\"fast\"]", errors) {
        Some(Expr::Array(list)) if !list.elems.is_empty() => &list.elems,
        Some(other) => {
            errors.at(other, format!("expected a list of tags: {example}"));
            return Vec::new();
        }
        None => return Vec::new(),
    };
    let mut tags = Vec::new();
    for element in elements {
        match element {
            Expr::Lit(ExprLit { lit: Lit::Str(tag), .. }) if !tag.value().is_empty() => {
                tags.push(tag.value());
            }
            other => errors.at(other, format!("expected a tag, in quotes: {example}")),
        }
    }
    tags
}
