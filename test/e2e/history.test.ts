// A recorded run in a real VS Code: the lens offers to check it, the operations are marked, the panel tells why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWorkbench } from "./workbench";

const OPTIONS = { workspace: "test/data/histories", file: "lost-update.txt" };

test("from a recorded history to its counterexample", async () => {
  await inWorkbench("history", OPTIONS, async (workbench) => {
    const { page } = workbench;
    const lens = page.locator(".codelens-decoration");
    await workbench.clickLens("Check history");
    const verdict = "violates parallel snapshot isolation: lost update";
    await workbench.statusItem(verdict).waitFor();
    await workbench.squiggles("warning").first().waitFor();
    const panel = workbench.webview();
    await panel.locator("h1", { hasText: /^Lost update between T2 and T3/ }).waitFor();
    await panel.locator(".cycle .edge.rw .pill").first().waitFor();
    assert.equal(await panel.getByRole("tab").count(), 2);
    await workbench.screenshot("history-1-cycle");
    await panel.locator("details.expansion summary").first().click();
    await workbench.screenshot("history-2-reasons");
    await page.keyboard.press("1");
    await panel.locator(".schedule .card").first().waitFor();
    await workbench.screenshot("history-3-schedule");

    // An edit makes what was said of the run void.
    await workbench.focusEditor("lost-update.txt");
    await lens.getByText(verdict).waitFor();
    await workbench.goTo(8, 1);
    await page.keyboard.type("r(2,200,1,4)\n");
    await lens.getByText("Check history").waitFor();
    await workbench.squiggles("warning").first().waitFor({ state: "detached" });
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
