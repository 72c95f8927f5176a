//! What the server declares in `server/discover`.

use mcp_test_core::expect::ObjectMatcher;

use crate::scenarios::prelude::*;

/// Members of a wrapper around the settings.
const WRAPPER: [&str; 4] = ["config", "specVersion", "stability", "id"];

pub(super) fn judge(ctx: &mut Ctx, discovered: &Reply, settings: &Value) {
    let evidence = discovered.evidence().last().copied();
    let declared = Part::new("the declaration of the extension", settings, evidence);
    ctx.check("sep-2640-capability-empty-object").expect(&declared, object());
    let check = ctx.check("sep-2640-capability-declaration-inline");
    if settings.is_object() {
        check.expect(&declared, WRAPPER.into_iter().fold(object(), ObjectMatcher::without));
    } else {
        check.skip("the extension is not declared by an object");
    }
    ctx.check("sep-2640-capability-requires-resources").expect(
        discovered,
        object().member("capabilities", object().member("resources", object())),
    );
}
