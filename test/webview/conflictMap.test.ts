// The map of transactions: which pairs it tells, its geometry, and what clicks and keys do.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { conflictsOf } from "../../webview/src/model/conflicts";
import { layoutMap } from "../../webview/src/model/mapLayout";
import { openBrowser } from "../support/browser";
import { file, mapOf, race, SHOP, transaction } from "./mapState";
import { openPanel } from "./panelPage";
import { THEMES } from "./themes";

const transactions = SHOP.flatMap((each) => each.transactions);

describe("conflicts", () => {
  it("are pairs that share a table which one of them writes, those that race first", () => {
    assert.deepEqual(
      conflictsOf(transactions).map(({ between, tables, state }) => [
        between.map((index) => transactions[index]?.name).join(" "),
        tables.join(" "),
        state,
      ]),
      [
        ["placeOrder correctStock", "item", "racing"],
        ["useCoupon useCoupon", "coupon", "racing"],
        ["cancelOrder cancelOrder", "orders", "open"],
        ["cancelOrder listOrders", "orders", "open"],
        ["placeOrder placeOrder", "item orders", "settled"],
        ["placeOrder cancelOrder", "orders", "settled"],
        ["placeOrder listOrders", "orders", "settled"],
        ["correctStock correctStock", "item", "settled"],
      ],
    );
  });

  it("are open where an anomaly could not be executed, also if both are decided otherwise", () => {
    const doubt = { ...race("1", "Perhaps", ["a", "a"]), unconfirmed: true };
    const [own] = conflictsOf([transaction("a", 0, ["t*"], { races: [doubt] })]);
    assert.equal(own?.state, "open");
  });

  it("with itself are told of those alone that take part twice", () => {
    const both = race("1", "Both", ["a", "b"]);
    const states = conflictsOf([
      transaction("a", 0, ["t*"], { races: [both] }),
      transaction("b", 1, ["t"], { races: [both] }),
    ]).map(({ between, state }) => `${between.join()} ${state}`);
    assert.deepEqual(states, ["0,1 racing", "0,0 settled"]);
  });
});

describe("the geometry of the map", () => {
  for (const width of [306, 656, 1140])
    it(`keeps everything within ${String(width)} pixels, and no two names on one another`, () => {
      const layout = layoutMap(SHOP, conflictsOf(transactions), width, 6.9);
      const [left, right] = layout.columns;
      for (const { label } of layout.rows) assert.ok(left + 16 + label.length * 6.9 < right, label);
      for (const { label } of layout.tables) assert.ok(right + label.length * 6.9 <= width, label);
      for (const column of [layout.tables, [...layout.rows, ...layout.headings]]) {
        const ys = column.map(({ y }) => y).toSorted((a, b) => a - b);
        assert.ok(
          ys.every((y, index) => index === 0 || y - (ys[index - 1] ?? 0) >= 20),
          ys.join(),
        );
        assert.ok((ys.at(-1) ?? 0) < layout.height);
      }
      const numbers = layout.arcs.flatMap(({ path }) => path.match(/-?[\d.]+/gu) ?? []).map(Number);
      assert.ok(numbers.length > 0);
      const drawn = layout.arcs.map(({ path }) => leftmost(path));
      assert.ok(Math.min(...drawn) >= 0, drawn.join());
    });

  it("leaves out tables that nobody writes", () => {
    const layout = layoutMap(SHOP, conflictsOf(transactions), 700, 6.9);
    assert.deepEqual(
      layout.tables.map(({ name }) => name),
      ["orders", "item", "coupon"],
    );
  });
});

describe("the map of transactions", () => {
  let browser: Browser;

  before(async () => {
    browser = await openBrowser();
  });

  after(async () => {
    await browser.close();
  });

  it("says how many pairs race, tells those of what is selected, and keeps that when findings come", async () => {
    const { page, call, calls } = await openPanel(browser, mapOf(SHOP));
    assert.match(
      await page.locator(".map").innerText(),
      /5 transactions\. .* 2 race, 2 are not decided, nothing was found for 4\./u,
    );
    await page.getByRole("button", { name: "placeOrder", exact: true }).press("Enter");
    const told = async (): Promise<readonly string[]> => page.locator(".pairs li").allInnerTexts();
    const pairs = [
      /^≠\s*correctStock, by item: Stock of item 7 is -2$/u,
      /^✓\s*another run of itself, by item, orders: nothing found$/u,
      /^✓\s*cancelOrder, by orders: nothing found$/u,
      /^✓\s*listOrders, by orders: nothing found$/u,
    ];
    const before = await told();
    assert.equal(before.length, pairs.length);
    pairs.forEach((each, index) => {
      assert.match(before[index] ?? "", each);
    });
    await call({ method: "show", params: mapOf([...SHOP, file("more.ts", [])]) });
    assert.deepEqual(await told(), before);
    await page.getByRole("button", { name: "Show its text" }).click();
    await page.getByRole("button", { name: "Stock of item 7 is -2", exact: true }).click();
    const said = (await calls()).filter(({ method }) => method !== "ready");
    assert.deepEqual(
      said.map(({ method }) => method),
      ["reveal", "open"],
    );
    await page.close();
  });

  it("opens the anomaly of an arc by the keyboard", async () => {
    const { page, calls } = await openPanel(browser, mapOf(SHOP), { width: 350 });
    await page.getByRole("button", { name: /useCoupon races with itself/u }).press("Enter");
    assert.deepEqual((await calls()).at(-1), { method: "open", params: { id: "2b" } });
    await page.close();
  });

  it("draws of many transactions those that race, and all when asked", async () => {
    const many = file(
      "many.sql",
      Array.from({ length: 60 }, (_, index) => transaction(`t${String(index)}`, index, ["orders"])),
    );
    const { page } = await openPanel(browser, mapOf([...SHOP, many]));
    const drawn = page.locator(".transaction");
    assert.equal(await drawn.count(), 3);
    await page.getByRole("button", { name: "All 65 transactions" }).click();
    assert.equal(await drawn.count(), 65);
    await page.close();
  });

  for (const theme of THEMES)
    for (const width of [350, 1184])
      it(`fits ${String(width)} pixels in ${theme}`, async () => {
        const panel = await openPanel(browser, mapOf(SHOP), { theme, width });
        const overflow = await panel.page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(overflow <= 0, String(overflow));
        await panel.page.getByRole("button", { name: "placeOrder", exact: true }).click();
        await panel.screenshot(`map-${theme}-${String(width)}`);
        await panel.page.close();
      });
});

/** The leftmost point of a curve, near enough. */
function leftmost(path: string): number {
  const [x = 0, , a = 0, , b = 0, , c = 0] = (path.match(/-?[\d.]+/gu) ?? []).map(Number);
  const points = Array.from({ length: 41 }, (_, n) => {
    const t = n / 40;
    return (1 - t) ** 3 * x + 3 * (1 - t) ** 2 * t * a + 3 * (1 - t) * t * t * b + t ** 3 * c;
  });
  return Math.min(...points);
}
