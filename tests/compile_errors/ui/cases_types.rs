//! Values that are not a target or a client are reported as that, and so are two modules with the same name. Any file works,
//! because its content is read when a test runs.

mcp_test::cases!("Cargo.toml", target = 5, name = of_a_number);

mcp_test::cases!("Cargo.toml", client = 5, name = of_a_client);

mcp_test::cases!("Cargo.toml", name = twice);
mcp_test::cases!("Cargo.toml", name = twice);

fn main() {}
