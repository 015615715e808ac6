// The view of transactions and the quick fix that suppresses, in a real VS Code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWorkbench } from "./workbench";

const OPTIONS = { workspace: "test/apps/bank", file: "bank.sql" };

test("the view lists transactions, leads to their anomalies and can be filtered", async () => {
  await inWorkbench("transactions", OPTIONS, async (workbench) => {
    const { page } = workbench;
    await workbench.squiggles("error").first().waitFor();
    await workbench.run("Focus on Transactions View");
    const tree = page.locator(".pane-body .monaco-list[aria-label^='Transactions']").first();
    const row = (text: string | RegExp) => tree.locator(".monaco-list-row", { hasText: text });
    await row(/withdraw.*anomal/u)
      .first()
      .waitFor();
    await row(/balance_of.*nothing found/u).waitFor();
    assert.match(
      (await row(/withdraw.*anomal/u)
        .first()
        .getAttribute("aria-label")) ?? "",
      /^withdraw, \d+ anomal/u,
    );
    await workbench.screenshot("transactions-1-view");

    // By keyboard: open a transaction, go to its first anomaly, and show it.
    await workbench.clickRow(row(/withdraw.*anomal/u).first());
    await workbench.run("Focus on Transactions View");
    await tree.locator(".monaco-list-row.focused").first().waitFor();
    // Until the view has the keyboard, keys go elsewhere.
    const list = await tree.elementHandle();
    await page.waitForFunction((view) => view?.contains(document.activeElement) === true, list);
    await page.keyboard.press("ArrowRight");
    await row(/is lost/u)
      .first()
      .waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await workbench.webview().locator("h1").waitFor();

    await workbench.run("Isolens: Filter Transactions");
    await workbench.choice("With anomalies").first().click();
    await row(/balance_of/u).waitFor({ state: "detached" });
    await workbench.screenshot("transactions-2-filtered");
    await workbench.run("Isolens: Show All Transactions");
    await row(/balance_of/u).waitFor();
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

test("a quick fix writes the comment that suppresses", async () => {
  await inWorkbench("suppress", OPTIONS, async (workbench) => {
    const { page } = workbench;
    // Rows and lines move until the check has ended.
    await workbench.checked(53);
    const rows = await workbench.problems("withdraw overwrites");
    await rows.first().waitFor();
    const before = await rows.count();
    await workbench.focusEditor("bank.sql");
    await workbench.goTo(11, 3);
    await page.keyboard.press("Control+.");
    // Fixes stand before it.
    const suppress = page.locator(".action-widget .monaco-list-row", {
      hasText: "Suppress lost-update here",
    });
    await suppress.first().waitFor();
    await workbench.screenshot("suppress-0-actions");
    while ((await suppress.and(page.locator(".focused")).count()) === 0)
      await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".view-line", { hasText: "@isolens ignore lost-update --" }).waitFor();
    await page.waitForFunction(
      (most) =>
        [...document.querySelectorAll(".markers-panel .monaco-list-row")].filter((row) =>
          row.textContent.includes("withdraw overwrites"),
        ).length < most,
      before,
    );
    await workbench.screenshot("suppress-1-comment");
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
