//! Every mistake in `cases!` is reported at once, at its tokens.

mcp_test::cases!();

mcp_test::cases!(contracts);

mcp_test::cases!("contracts/*.yaml" target = my_server);

mcp_test::cases!("/contracts/*.yaml");

mcp_test::cases!(
    "contracts/*.yaml",
    targt = my_server,
    strict = true,
    name = "over_http",
    tags = "fast",
    skip_tags = [slow],
    timeout = "5 parsecs",
    revisions = "2025-06-81",
    transports = [htpp],
    inputs,
    strict
);

mcp_test::cases!("contracts/*.yaml", client = my_client, target = my_server, given = my_states);

fn main() {}
