//! The examples that come with an official schema are examples of our shapes too.

use std::fs;

use mcp_test::json;
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas};

use crate::document;

/// How many files of examples there are at least; that the folder is empty is no agreement.
const EXAMPLES: usize = 100;

/// An example that is none by the text: what was read, without how long it may be kept. The official schema takes it for
/// an `InputRequiredResult`, which it lets be without all that such a result is for.
const LOOSE: &str = "read-resource-result-response.json";

#[test]
fn each_example_has_the_shape_it_is_an_example_of() {
    let revision = Revision::V2026_07_28;
    let Some(folder) = document::folder() else { return };
    let folder = folder.join(revision.as_str()).join("examples");
    let mut judged = 0;
    let mut wrong = String::new();
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
                if authority == Authority::Text && path.ends_with(LOOSE) {
                    assert!(!shape.is_valid(&value), "{LOOSE} is an example by the text, too");
                    continue;
                }
                for violation in shape.violations(&value) {
                    wrong += &format!("{}, by {authority:?}: {violation}\n", path.display());
                }
                assert!(shape.is_valid(&value) || !wrong.is_empty(), "{}", path.display());
            }
            judged += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(judged >= EXAMPLES, "only {judged} examples in {}", folder.display());
}
