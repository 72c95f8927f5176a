//! Every mistake in the signature of the function is reported at once, and causes no second error in its body.

use mcp_test::prelude::*;

async fn nothing() -> Result<()> {
    Ok(())
}

#[mcp_scenario]
fn neither_async_nor_context() {
    nothing().await?;
    let _ = ctx;
    Ok(())
}

#[mcp_scenario]
async fn by_value(ctx: Ctx) -> Result<()> {
    needs_it_mutable(ctx);
    Ok(())
}

#[mcp_scenario]
async fn shared(ctx: &Ctx) -> Result<()> {
    needs_it_mutable(ctx);
    Ok(())
}

#[mcp_scenario]
async fn taken_apart(Ctx { .. }: &mut Ctx) -> Result<()> {
    Ok(())
}

#[mcp_scenario]
async fn too_many(ctx: &mut Ctx, name: &str, count: usize) -> Result<()> {
    let _ = (ctx, name, count);
    Ok(())
}

#[mcp_scenario]
async fn generic<T>(ctx: &mut Ctx) -> Result<()>
where
    T: Default,
{
    let _ = (ctx, T::default());
    Ok(())
}

#[mcp_scenario]
async unsafe extern "C" fn dangerous(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario]
async fn unit(ctx: &mut Ctx) -> () {
    let _ = ctx;
}

struct Suite;

impl Suite {
    #[mcp_scenario]
    async fn method(&mut self) -> Result<()> {
        Ok(())
    }
}

fn needs_it_mutable(_: &mut Ctx) {}

fn main() {}
