//! What is no target and no client is told as that, and so are two that would be called the same. Any file will do: what is in
//! it is read when a test runs.

mcp_test::cases!("Cargo.toml", target = 5, name = of_a_number);

mcp_test::cases!("Cargo.toml", client = 5, name = of_a_client);

mcp_test::cases!("Cargo.toml", name = twice);
mcp_test::cases!("Cargo.toml", name = twice);

fn main() {}
