// Application code in a real VS Code: the anomaly of a TypeScript function is marked in its SQL, told by the hover, the
// lens and the panel in the user's own words, stays while other functions are half typed, and goes with a lock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWorkbench, type Workbench } from "./workbench";

const OPTIONS = { workspace: "test/e2e/workspaces/flights", file: "booking.ts" };

/** The line of reserve's read, from 1, and the columns within its SQL and behind it. */
const READ = { line: 6, column: 45, end: 79 };

test("an anomaly of a TypeScript function, from its squiggle to its fix", async () => {
  await inWorkbench("code", OPTIONS, async (workbench) => {
    const { page } = workbench;
    const squiggle = workbench.squiggles("error").first();
    await squiggle.waitFor();
    await workbench.lens("1 anomaly at PostgreSQL READ COMMITTED - show").waitFor();
    const rows = await workbench.problems("(lost update)");
    await rows.first().waitFor();
    await workbench.screenshot("code-1-problems");
    await page.keyboard.press("Control+J");

    await workbench.focusEditor("booking.ts");
    await workbench.goTo(READ.line, READ.column);
    await workbench.run("Show or Focus Hover");
    await page.locator(".monaco-hover", { hasText: "Lost update" }).first().waitFor();
    await workbench.screenshot("code-2-hover");
    await page.keyboard.press("Escape");

    await workbench.run("Isolens: Show Anomaly");
    const panel = workbench.webview();
    await panel.locator(".subtitle", { hasText: "lost update" }).waitFor();
    const told = panel.getByRole("option");
    await told.first().waitFor();
    const steps = (await told.allInnerTexts()).join("\n");
    assert.match(steps, /SELECT free FROM flight WHERE id = \$1/u);
    assert.match(steps, /UPDATE flight SET free = \$2 WHERE id = \$1/u);
    await workbench.screenshot("code-3-panel");

    await halfTyped(workbench);
    await workbench.screenshot("code-4-half-typed");

    await workbench.focusEditor("booking.ts");
    await workbench.goTo(READ.line, READ.end);
    await page.keyboard.type(" FOR UPDATE");
    await panel.locator(".notice.gone").waitFor();
    await squiggle.waitFor({ state: "detached" });
    await workbench.lens("1 anomaly at").waitFor({ state: "detached" });
    await workbench.screenshot("code-5-fixed");
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

/** Begins another function at the end of the file: what was found above it stays. */
async function halfTyped(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await workbench.focusEditor("booking.ts");
  await page.keyboard.press("Control+End");
  await page.keyboard.type('export const count = () => transaction((c) => c.query("SELECT ');
  await workbench.lens("1 anomaly at PostgreSQL READ COMMITTED - show").waitFor();
  await workbench.squiggles("error").first().waitFor();
}
