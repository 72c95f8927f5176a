//! The examples that come with the official schema are valid by our shapes.

use std::fs;

use mcp_test::json;
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas};

use crate::document;

/// The minimum number of example files, so that an empty folder does not pass.
const MIN_EXAMPLES: usize = 100;

/// An example that is invalid by the text, because its result of `resources/read` has no cache hints. The official schema
/// accepts it as an `InputRequiredResult`, whose members are all optional there.
const INVALID_BY_TEXT: &str = "read-resource-result-response.json";

#[test]
#[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
fn every_official_example_is_valid_by_our_shape() {
    let revision = Revision::V2026_07_28;
    let folder = document::folder();
    let folder = folder.join(revision.as_str()).join("examples");
    let mut tested = 0;
    let mut violations = String::new();
    for definition in fs::read_dir(&folder).expect("a folder with examples") {
        let definition = definition.expect("a folder for each definition");
        let name = definition.file_name().to_string_lossy().into_owned();
        for file in fs::read_dir(definition.path()).expect("a folder with files") {
            let path = file.expect("a file").path();
            let text = fs::read(&path).expect("a file that can be read");
            let value = json::Value::parse(&text).expect("an example in JSON").value;
            for authority in [Authority::Text, Authority::Schema] {
                let shape = Schemas::ours().definition(&name, revision, authority);
                let shape = shape.unwrap_or_else(|| panic!("no shape {name}"));
                if authority == Authority::Text && path.ends_with(INVALID_BY_TEXT) {
                    assert!(!shape.is_valid(&value), "{INVALID_BY_TEXT} is valid by the text, too");
                    continue;
                }
                for violation in shape.violations(&value) {
                    violations += &format!("{}, by {authority:?}: {violation}\n", path.display());
                }
                assert!(shape.is_valid(&value) || !violations.is_empty(), "{}", path.display());
            }
            tested += 1;
        }
    }
    assert!(violations.is_empty(), "{violations}");
    assert!(tested >= MIN_EXAMPLES, "only {tested} examples in {}", folder.display());
}
