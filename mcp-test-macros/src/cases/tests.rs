//! The tests for a file of cases, and the errors.

use std::fs;

use syn::Item;

use super::*;

/// A package with these files.
fn package(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    root
}

fn expanded(input: &str, files: &[(&str, &str)]) -> TokenStream {
    let root = package(files);
    cases(input.parse().expect("tokens"), root.path())
}

/// The `#[test]`s of an expansion, each with the reason why it is ignored.
fn tests(input: &str, files: &[(&str, &str)]) -> String {
    let file: syn::File = syn::parse2(expanded(input, files)).expect("items");
    let mut lines = Vec::new();
    below(&file.items, "", &mut lines);
    lines.join("\n")
}

fn below(items: &[Item], path: &str, lines: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                let (_, items) = module.content.as_ref().expect("an inline module");
                below(items, &format!("{path}{}::", module.ident), lines);
            }
            Item::Fn(function) if !path.is_empty() => {
                let ignored = function.attrs.iter().find(|it| it.path().is_ident("ignore"));
                let ignored = ignored.map(|it| quote!(#it).to_string()).unwrap_or_default();
                lines.push(format!("{path}{} {ignored}", function.sig.ident).trim_end().to_owned());
            }
            _ => {}
        }
    }
}

/// The errors, each with the tokens it points at.
fn mistakes(input: &str, files: &[(&str, &str)]) -> String {
    let root = package(files);
    let input: TokenStream = input.parse().expect("tokens");
    let mut errors = Errors::default();
    let arguments = options::read(input, &mut errors);
    let contract =
        arguments.as_ref().and_then(|arguments| options::validate(arguments, &mut errors));
    if let Some(contract) = contract
        && let Err(mistake) = self::files(&contract, root.path())
    {
        errors.at(contract.pattern, mistake.replace(&*root.path().to_string_lossy(), "[root]"));
    }
    errors.lines()
}

const CALCULATOR: &str = "\
# The first one has a comment above it.
case: Adds two numbers
in: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"case\": \"of an argument\"}}
---
_tags: [slow, division]
case: 'Divides: 3 / 2'
---
---
case: Adds two numbers
_skip: it does so already
";

const CONTRACTS: [(&str, &str); 3] = [
    ("contracts/calculator.yaml", CALCULATOR),
    (
        "contracts/match.yml",
        "in: {method: ping}\n--- \n# nothing\n...\n---\ncase: 2 + 2\n_tags: slow",
    ),
    ("contracts/empty/notes.txt", "case: Not a case"),
];

#[test]
fn every_case_is_a_test_of_its_own() {
    insta::assert_snapshot!(tests("\"contracts/*.y*ml\"", &CONTRACTS), @r#"
    contracts_y_ml::calculator::adds_two_numbers
    contracts_y_ml::calculator::divides_3_2
    contracts_y_ml::calculator::adds_two_numbers_2 # [ignore = "it does so already"]
    contracts_y_ml::match_::case_1
    contracts_y_ml::match_::case_2_2
    contracts_y_ml::every_case_is_a_test
    "#);
}

#[test]
fn a_directory_selects_its_yaml_files() {
    insta::assert_snapshot!(tests("\"contracts\", tags = [\"slow\"]", &CONTRACTS), @"
    contracts::calculator::divides_3_2
    contracts::match_::case_2_2
    contracts::every_case_is_a_test
    ");
}

#[test]
fn a_single_file_needs_no_module_of_its_own() {
    insta::assert_snapshot!(tests("\"contracts/match.yml\"", &CONTRACTS), @"
    contracts_match::case_1
    contracts_match::case_2_2
    contracts_match::every_case_is_a_test
    ");
}

#[test]
fn a_client_is_tested_by_file() {
    insta::assert_snapshot!(tests("\"contracts/*.y*\", name = x, client = f, skip_tags = [\"slow\"]", &CONTRACTS[..2]), @"
    x::calculator
    x::match_
    x::every_case_is_a_test
    ");
}

#[test]
fn tags_select_cases() {
    insta::assert_snapshot!(tests("\"contracts/*.yaml\", tags = [\"slow\"], name = over_http", &CONTRACTS), @"
    over_http::calculator::divides_3_2
    over_http::every_case_is_a_test
    ");
    insta::assert_snapshot!(tests("\"contracts/*.yml\", skip_tags = [\"slow\", \"other\"]", &CONTRACTS), @"
    contracts::match_::case_1
    contracts::every_case_is_a_test
    ");
}

#[test]
fn only_ignores_the_other_cases() {
    let files =
        [("a/x.yaml", "case: one\n---\ncase: two\n_only: true"), ("a/y.yaml", "case: three")];
    insta::assert_snapshot!(tests("\"a/*.yaml\"", &files), @r#"
    a::x::one # [ignore = "another case has `_only`"]
    a::x::two
    a::y::three # [ignore = "another case has `_only`"]
    a::every_case_is_a_test
    "#);
}

#[test]
fn names_are_unique_rust_identifiers() {
    let files = [
        (
            "a/x-y.yaml",
            "case: Fn\n---\ncase: fn\n---\ncase: Größe\n---\ncase: 東京\n---\ncase: every case is a test",
        ),
        ("a/x_y.yaml", "case: one"),
        ("a/b/x.y.yaml", "case: [one]"),
        ("a/every case is a test.yaml", "case: one"),
    ];
    insta::assert_snapshot!(tests("\"a/**/*.yaml\"", &files), @"
    a::b_x_y::case_1
    a::every_case_is_a_test_2::one
    a::x_y::fn_
    a::x_y::fn_2
    a::x_y::gr_e
    a::x_y::case_4
    a::x_y::every_case_is_a_test
    a::x_y_2::one
    a::every_case_is_a_test
    ");
}

#[test]
fn a_file_that_is_not_yaml_is_left_to_the_test_that_reads_it() {
    let files =
        [("a.yaml", "case: one\n---\ncase: two\n  in: ]\n---\ncase: three"), ("b.yaml", "")];
    assert_eq!(tests("\"a.yaml\"", &files), "a::one\na::every_case_is_a_test");
    assert_eq!(tests("\"b.yaml\"", &files), "b::every_case_is_a_test");
}

#[test]
fn the_registration_is_complete() {
    let input = r#""contracts/*.yml", target = || my_server(1), revisions = "2025-06-18 ..", transports = [http],
        timeout = "5s", baseline = "known.yml", inputs = [("a", 1)], tags = ["slow"], skip_tags = ["b"], given = states, allow_commands, allow_skip, strict,
        crate = crate::renamed"#;
    let tokens = expanded(input, &CONTRACTS).to_string();
    let dense = tokens.replace(' ', "");
    for part in [
        "static__mcp_cases_contracts:crate::renamed::__private::UserCases=",
        "files:&[crate::renamed::__private::CasesFile{path:\"contracts/match.yml\",titles:&[::core::option::Option::None,::core::option::Option::Some(\"2+2\")]}]",
        "crate::renamed::__private::CaseTest{name:\"match_::case_2_2\",file:0,case:::core::option::Option::Some(1),ignored:::core::option::Option::None}",
        "CasesPeer::Server(||crate::renamed::__private::IntoTarget::into_target(||my_server(1)))",
        "revisions:::core::option::Option::Some(\"2025-06-18..\"),transports:&[\"http\"],",
        "tags:&[\"slow\"],skip_tags:&[\"b\"],",
        "inputs:::core::option::Option::Some(||crate::renamed::__private::case_inputs([(\"a\",1)])),",
        "given:::core::option::Option::Some(||crate::renamed::__private::IntoGiven::into_given(states)),",
        "allow_commands:true,allow_skip:true,strict:true,",
        "include_bytes!(::core::concat!(::core::env!(\"CARGO_MANIFEST_DIR\"),\"/contracts/match.yml\"))",
        "submit!{crate::renamed::__private::RegisteredCases(&__mcp_cases_contracts)}",
        "fncase_2_2(){super::super::__mcp_run_contracts(::core::option::Option::Some(0));}",
    ] {
        assert!(dense.contains(part), "{part} is not in {dense}");
    }
}

#[test]
fn every_error_points_at_its_tokens() {
    let mistakes = [
        "",
        "contracts",
        "\"contracts/*.yaml\" target = f",
        "\"\"",
        "\"/contracts/*.yaml\"",
        "\"contracts/empty\"",
        "\"contract/*.yaml\"",
        "\"contracts/calculater.yaml\"",
        "\"contracts/[.yaml\"",
        "\"contracts/*.yaml\", targt = f, target, strict = true, strict, colour",
        "\"contracts/*.yaml\", name = \"over_http\", tags = \"fast\", skip_tags = [1, \"\"], baseline = 5",
        "\"contracts/*.yaml\", client = f, target = g, given = h, transports = [http]",
        "\"contracts/*.yaml\", revisions = \"2025-06-81\", timeout = \"5\", inputs, crate = 1",
    ]
    .map(|input| mistakes(input, &CONTRACTS));
    insta::assert_snapshot!(mistakes.join("\n"), @r#"
     -> expected the files, in quotes: `cases!("contracts/*.yaml")`
    contracts -> expected the files, in quotes: `cases!("contracts/*.yaml")`
    target -> expected `,`
    "" -> expected the path of a file, or a pattern: "contracts/*.yaml"
    "/contracts/*.yaml" -> `/contracts/*.yaml` is absolute: write the path relative to the `Cargo.toml` of the package
    "contracts/empty" -> no `*.yaml` or `*.yml` in `contracts/empty` below [root]
    "contract/*.yaml" -> no file matches `contract/*.yaml` below [root]
    "contracts/calculater.yaml" -> no file `contracts/calculater.yaml` below [root]
    "contracts/[.yaml" -> `contracts/[.yaml` is not a valid pattern: invalid range pattern
    targt -> unknown option `targt`: did you mean `target`?
    strict -> duplicate option `strict`
    colour -> unknown option `colour`: expected one of `target`, `client`, `name`, `revisions`, `transports`, `timeout`, `baseline`, `tags`, `skip_tags`, `inputs`, `given`, `allow_commands`, `allow_skip`, `strict`, `crate`
    target -> `target` needs a value: `target = my_server`
    true -> `strict` takes no value: write it alone, or leave it out
    "over_http" -> expected a name for the module of the tests: `name = over_http`
    "fast" -> expected a list of tags: `tags = ["fast"]`
    1 -> expected a tag, in quotes: `skip_tags = ["fast"]`
    "" -> expected a tag, in quotes: `skip_tags = ["fast"]`
    5 -> expected a path: `baseline = "tests/known-failures.yml"`
    target -> `target` only applies to servers, but `client` is given
    given -> `given` only applies to servers, but `client` is given
    transports -> `transports` only applies to servers, but `client` is given
    "2025-06-81" -> unknown revision "2025-06-81": did you mean "2025-06-18"?
    "5" -> a timeout is a whole number with its unit, `ms`, `s` or `m`: "500ms", "5s"
    inputs -> `inputs` needs a value: `inputs = [("name", "value")]`
    1 -> expected a path: `crate = path::to::mcp_test`
    "#);
}
