// The whole way of a user in a real VS Code: squiggle, Problems, a level from the palette, the panel with its figures,
// an edge that leads to its statement, and an edit that makes the anomaly go.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWorkbench, type Workbench } from "./workbench";

const OPTIONS = { workspace: "test/apps/bank", file: "bank.sql" };

/** The line of `SELECT balance INTO bal` in withdraw, from 1. */
const READ = 11;

test("from the squiggle to the fix", async () => {
  await inWorkbench("flow", OPTIONS, async (workbench) => {
    const { page } = workbench;
    await workbench.squiggles("error").first().waitFor();
    await workbench.statusItem("PostgreSQL READ COMMITTED").first().waitFor();
    const rows = await workbench.problems("(lost update)");
    await rows.first().waitFor();
    await workbench.lens("at PostgreSQL READ COMMITTED - show").waitFor();
    await workbench.screenshot("flow-1-problems");
    await page.keyboard.press("Control+J");

    await checkAt(workbench, "PostgreSQL SERIALIZABLE");
    await workbench.squiggles("error").first().waitFor({ state: "detached" });
    await workbench.lens("at PostgreSQL SERIALIZABLE").waitFor();
    await workbench.screenshot("flow-2-serializable");
    await checkAt(workbench, "PostgreSQL READ COMMITTED");
    await workbench.squiggles("error").first().waitFor();
    await workbench.lens("at PostgreSQL READ COMMITTED - show").waitFor();

    await showLostUpdate(workbench);
    const panel = workbench.webview();
    await panel.locator("h1", { hasText: /is lost, the balance of account 1 ends at/ }).waitFor();
    await panel.locator(".schedule .card").first().waitFor();
    await workbench.screenshot("flow-3-schedule");

    // The keyboard is in the panel: it steps, and the editor follows without taking the focus.
    await page.keyboard.press("ArrowDown");
    await panel.locator('[role=option][aria-selected="true"]').first().waitFor();
    await page.locator(".editor-instance .selected-text").first().waitFor();
    await page.keyboard.press("2");
    const edge = panel.locator(".cycle .edge.rw .pill").first();
    await edge.click();
    await panel.locator('.edge[aria-pressed="true"]').waitFor();
    await workbench.screenshot("flow-4-edge");
    // Where the cursor stands is told of the editor that has the keyboard.
    await workbench.focusEditor("bank.sql");
    const selection = workbench.statusItem(new RegExp(`Ln ${String(READ)}, .*selected`));
    await selection.first().waitFor();

    // Enter gives the keyboard to the editor.
    await panel.getByRole("option").first().click();
    await page.keyboard.press("Enter");
    await page.locator(".editor-instance .monaco-editor.focused").waitFor();

    await fix(workbench);
    await panel.locator(".notice.gone").waitFor();
    await workbench.screenshot("flow-5-fixed");
    const remaining = await workbench.problems(/withdraw overwrites .*another withdraw/);
    await remaining.first().waitFor({ state: "detached" });
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

/** `Isolens: Check at Isolation Level...` with a level picked. */
async function checkAt(workbench: Workbench, level: string): Promise<void> {
  await workbench.focusEditor("bank.sql");
  await workbench.run("Isolens: Check at Isolation Level");
  await workbench.choice(level).first().click();
  await workbench.statusItem(level).first().waitFor();
}

/** `Isolens: Show Anomaly` with the cursor on the finding, so that nothing is asked. */
async function showLostUpdate(workbench: Workbench): Promise<void> {
  await workbench.focusEditor("bank.sql");
  await workbench.goTo(READ, 5);
  await workbench.run("Isolens: Show Anomaly");
  await workbench.webview().locator("h1").waitFor();
}

/** Turns the read of withdraw into a locking one. */
async function fix(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await workbench.goTo(READ, 1);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type(" FOR UPDATE");
}
