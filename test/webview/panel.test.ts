// The panel's page on recorded anomalies: what it says, what its keys and clicks do, and that it fits every theme.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import type { Call, PanelHost, PanelState } from "../../server/src/protocol/requests";
import { openBrowser } from "../support/browser";
import { openPanel, recorded, type Recording } from "./panelPage";
import { THEMES } from "./themes";

let browser: Browser;

before(async () => {
  browser = await openBrowser();
});

after(async () => {
  await browser.close();
});

const RECORDINGS: readonly Recording[] = [
  "lostUpdate",
  "writeSkew",
  "readOnly",
  "dirtyRead",
  "long",
  "longFork",
];

/** The places of the last call to reveal, as "line focus". */
function lastReveal(calls: readonly Call<PanelHost>[]): string {
  const last = calls.findLast((call) => call.method === "reveal");
  if (last?.method !== "reveal") return "none";
  const lines = last.params.places.map((place) => String(place.range.start.line)).join(",");
  return last.params.takeFocus ? `${lines} focus` : lines;
}

describe("the panel", () => {
  it("says what happened in the title, the facts and the steps", async () => {
    const { page } = await openPanel(browser, recorded("lostUpdate"));
    assert.equal(
      await page.locator("h1").innerText(),
      "130 taken out of 100, the balance of account 1",
    );
    const facts = await page.locator(".chip").allInnerTexts();
    assert.deepEqual(
      facts.map((fact) => fact.replace(/^\S\s*/u, "")),
      [
        "the final state differs",
        "executed and confirmed",
        "prevented at PostgreSQL REPEATABLE READ, SERIALIZABLE",
      ],
    );
    assert.equal(await page.getByRole("option").count(), 4);
    assert.match(
      await page.getByRole("option").nth(3).innerText(),
      /T1's write, which is now lost/,
    );
    await page.close();
  });

  it("steps by keys, tells the editor each step, and gives it the keyboard on Enter", async () => {
    const panel = await openPanel(browser, recorded("lostUpdate"));
    const press = (key: string) => panel.page.keyboard.press(key);
    await press("ArrowDown");
    assert.deepEqual(await panel.selected(), ["1"]);
    await press("ArrowDown");
    assert.deepEqual(await panel.selected(), ["2"]);
    await press("End");
    assert.deepEqual(await panel.selected(), ["4"]);
    assert.equal(lastReveal(await panel.calls()), "14");
    await press("ArrowUp");
    await press("Enter");
    assert.deepEqual(await panel.selected(), ["3"]);
    assert.equal(lastReveal(await panel.calls()), "14 focus");
    await press("Home");
    assert.equal(lastReveal(await panel.calls()), "10");
    await press("Escape");
    assert.deepEqual(await panel.selected(), []);
    assert.equal(lastReveal(await panel.calls()), "");
    await panel.page.close();
  });

  it("has one selection over steps, schedule, cycle and values", async () => {
    const { page, selected } = await openPanel(browser, recorded("lostUpdate"));
    await page.locator(".schedule .card").nth(2).click();
    assert.deepEqual(await selected(), ["3"]);
    assert.equal(await page.locator(".values .now b").innerText(), "40");
    await page.keyboard.press("2");
    assert.equal(await page.locator(".operation.selected").count(), 1);
    await page.keyboard.press("ArrowDown");
    assert.match((await page.locator(".operation.selected").textContent()) ?? "", /←\s30/u);
    await page.keyboard.press("1");
    assert.equal(await page.locator(".values .now b").innerText(), "30");
    await page.close();
  });

  it("selects both statements of an edge that is clicked", async () => {
    const panel = await openPanel(browser, recorded("lostUpdate"));
    await panel.page.getByRole("tab", { name: "Cycle" }).click();
    await panel.page
      .getByRole("button", { name: /^ww dependency/ })
      .locator(".pill")
      .click();
    assert.deepEqual(await panel.selected(), ["3", "4"]);
    assert.equal(lastReveal(await panel.calls()), "14,14");
    const pressed = panel.page.locator('.edge[aria-pressed="true"]');
    assert.equal(await pressed.count(), 1);
    await panel.page.close();
  });

  it("can be used whole with the keyboard alone", async () => {
    const panel = await openPanel(browser, recorded("readOnly"));
    const { page } = panel;
    const focused = () =>
      page.evaluate(
        () =>
          document.activeElement?.getAttribute("aria-label") ??
          document.activeElement?.textContent ??
          "",
      );
    await page.getByRole("tab", { name: "Schedule" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "Cycle");
    const reached: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      await page.keyboard.press("Tab");
      reached.push(await focused());
    }
    const edges = new Set(reached.filter((label) => /^\w\w dependency: /u.test(label)));
    assert.equal(edges.size, 3);
    await page.locator(".cycle .edge").first().focus();
    await page.keyboard.press("Enter");
    assert.deepEqual(await panel.selected(), ["6", "7"]);
    await page.keyboard.press("?");
    assert.ok(await page.getByRole("dialog").isVisible());
    await page.keyboard.press("Escape");
    assert.deepEqual(
      await panel.selected(),
      ["6", "7"],
      "the key closed the list and nothing else",
    );
    await page.close();
  });

  it("reads its selection aloud", async () => {
    const { page } = await openPanel(browser, recorded("lostUpdate"));
    await page.keyboard.press("ArrowDown");
    assert.equal(
      await page.locator(".sr-only[aria-live]").innerText(),
      "Step 1 of 4. T1 reads account[1].balance = 100, because T2 has written nothing here yet.",
    );
    const schedule = page.getByRole("img", { name: /^Schedule: T1 reads account/ });
    assert.equal(await schedule.count(), 1);
    await page.close();
  });

  it("compares the run with every serial order", async () => {
    const { page } = await openPanel(browser, recorded("lostUpdate"));
    await page.keyboard.press("3");
    const rows = page.getByRole("row");
    assert.equal(await rows.count(), 4);
    assert.match(await page.locator(".serial .own").innerText(), /committed/);
    assert.ok((await page.locator(".serial .differs").count()) > 0);
    await page.close();
  });

  it("draws both sides of a dirty read, and takes back what is rolled back", async () => {
    const { page } = await openPanel(browser, recorded("dirtyRead"));
    const now = () => page.locator(".values .now").textContent();
    for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    assert.equal(await now(), "-1T1");
    await page.keyboard.press("ArrowDown");
    assert.equal(await now(), "0T1rolled back");
    await page.keyboard.press("2");
    assert.deepEqual(await page.locator(".cycle .box .lane-name").allTextContents(), [
      "T1 TryOrder",
      "T2 Look",
    ]);
    assert.equal(await page.locator(".cycle .edge.wr .pill").count(), 1);
    await page.close();
  });

  it("obeys its host: moves, tabs, and the place of the cursor", async () => {
    const panel = await openPanel(browser, recorded("lostUpdate"));
    await panel.call({ method: "move", params: { to: "last" } });
    assert.deepEqual(await panel.selected(), ["4"]);
    await panel.call({ method: "tab", params: { tab: "cycle" } });
    assert.ok(await panel.page.getByRole("tabpanel", { name: "Cycle" }).isVisible());
    const at = { line: 10, character: 5 };
    const before = (await panel.calls()).length;
    await panel.call({
      method: "locate",
      params: { uri: "file:///example/bank.sql", range: { start: at, end: at } },
    });
    assert.deepEqual(await panel.selected(), ["1"]);
    assert.equal((await panel.calls()).length, before, "the editor is not told what it said");
    await panel.page.close();
  });

  it("keeps the selection when the same anomaly comes again, and says when it is old or gone", async () => {
    const state = recorded("lostUpdate");
    const panel = await openPanel(browser, state);
    await panel.page.keyboard.press("End");
    const payload = { ...state.payload, stale: true };
    await panel.call({ method: "show", params: { kind: "anomaly", payload } });
    assert.deepEqual(await panel.selected(), ["4"]);
    assert.match(await panel.page.locator(".notice").innerText(), /being checked again/);
    await panel.screenshot("panel-stale");
    const status = { level: payload.level, anomalies: 2 };
    await panel.call({ method: "show", params: { kind: "gone", last: payload, status } });
    assert.match(await panel.page.locator(".notice").innerText(), /Not found any more/);
    await panel.page.getByRole("button", { name: "Show another" }).click();
    assert.deepEqual((await panel.calls()).at(-1), {
      method: "run",
      params: { command: "isolens.showAnomaly" },
    });
    await panel.page.close();
  });

  it("leads to the other anomalies of the check", async () => {
    const panel = await openPanel(browser, recorded("lostUpdate"));
    await panel.page.getByRole("button", { name: /^Next anomaly/ }).click();
    assert.deepEqual((await panel.calls()).at(-1), { method: "open", params: { id: "b2" } });
    assert.ok(await panel.page.getByRole("button", { name: /^Previous anomaly/ }).isDisabled());
    await panel.page.close();
  });
});

describe("what can be done in the panel", () => {
  const state = recorded("longFork");
  const { id } = state.payload.anomaly;
  const last = async (panel: Awaited<ReturnType<typeof openPanel>>) => (await panel.calls()).at(-1);

  it("runs the commands on what is shown", async () => {
    const panel = await openPanel(browser, state);
    const buttons = panel.page.locator(".actions > button:visible");
    assert.deepEqual(await buttons.allInnerTexts(), [
      "Reproduce",
      "Create test",
      "Copy script",
      "Other level",
      "Prove",
      "Documentation",
      "Map",
      "Follow cursor",
    ]);
    for (const [label, command] of [
      ["Reproduce", "isolens.reproduce"],
      ["Prove", "isolens.prove"],
      ["Documentation", "isolens.openDocumentation"],
    ] as const) {
      await panel.page.getByRole("button", { name: label }).click();
      assert.deepEqual(await last(panel), { method: "run", params: { command } });
    }
    await panel.page.getByRole("button", { name: "Map" }).click();
    assert.deepEqual(await last(panel), { method: "openMap", params: {} });
    const follow = panel.page.getByRole("button", { name: "Follow cursor" });
    await follow.click();
    assert.deepEqual(await last(panel), { method: "follow", params: { on: true } });
    assert.equal(await follow.getAttribute("aria-pressed"), "true");
    await panel.page.close();
  });

  it("walks through the examples of one cause", async () => {
    const panel = await openPanel(browser, state);
    assert.match(await panel.page.locator(".partners").innerText(), /example 1 of 2: read_thread/u);
    await panel.page.getByRole("button", { name: "Another example: itself" }).click();
    assert.deepEqual(await last(panel), { method: "open", params: { id: "f1f1f1f1" } });
    await panel.page.close();
  });

  it("offers fixes with what they cost, and says why there are none", async () => {
    const panel = await openPanel(browser, state, { width: 350 });
    const section = panel.page.locator(".fixes");
    assert.ok(await section.isHidden());
    const fix = {
      kind: "row-lock",
      title: "Lock the row",
      edits: [],
      costs: ["others wait for its commit"],
      now: "T2 waits.",
      alsoRemoves: ["a"],
      rests: { bound: 3 },
    } as const;
    const report = { anomaly: id, fixes: [fix], advice: [], isPartial: false };
    await panel.call({ method: "fixes", params: { id, report } });
    assert.match(
      await section.innerText(),
      /Lock the row\s+T2 waits; removes 1 other anomaly as well; others wait for its commit/u,
    );
    const lead = panel.page.getByRole("button", { name: "1 fix" });
    await lead.click();
    const apply = panel.page.getByRole("button", { name: "Apply: Lock the row" });
    assert.ok(await apply.evaluate((button) => button === document.activeElement));
    await apply.click();
    assert.deepEqual(await last(panel), { method: "applyFix", params: { fix: 0 } });
    const advice = [{ kind: "row-lock", reason: "there is no row to lock" }] as const;
    const none = { ...report, fixes: [], advice };
    await panel.call({ method: "fixes", params: { id, report: none } });
    assert.match(
      await section.innerText(),
      /No edit could be verified:\s+there is no row to lock/u,
    );
    assert.ok(await lead.isHidden());
    await panel.call({ method: "fixes", params: { id: "another", report } });
    assert.match(await section.innerText(), /No edit could be verified/u);
    await panel.page.close();
  });

  it("shows what a server did beside the orders, of which many are folded", async () => {
    const panel = await openPanel(browser, state, { width: 350 });
    await panel.page.keyboard.press("3");
    const rows = panel.page.locator(".serial tbody tr:visible");
    assert.equal(await rows.count(), 7);
    await panel.page.getByRole("button", { name: "Show 18 more orders" }).click();
    assert.equal(await rows.count(), 25);
    const replay = { id, server: "PostgreSQL 15.4", verdict: "reproduced" } as const;
    await panel.page.keyboard.press("1");
    await panel.call({ method: "replayed", params: { ...replay, rows: { posts: ["1|7"] } } });
    assert.match(
      await panel.page.locator(".replay").innerText(),
      /on PostgreSQL 15\.4\s+It happened on the server as it is told here\.\s+posts\s*1\|7/iu,
    );
    await panel.page.close();
  });

  it("exports the figure and the texts", async () => {
    const panel = await openPanel(browser, state);
    const exported = async (item: string) => {
      await panel.page.locator(".menu summary").click();
      await panel.page.getByRole("button", { name: item }).click();
      await panel.page.waitForFunction("window.calls.at(-1).method === 'export'");
      const call = await last(panel);
      assert.ok(call?.method === "export");
      await panel.page.evaluate("void window.calls.push({ method: 'read' })");
      return call.params;
    };
    const svg = await exported("Figure as SVG");
    assert.equal(svg.format, "svg");
    assert.match(svg.content, /^<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/u);
    assert.doesNotMatch(svg.content, /class=|var\(/u);
    assert.match(svg.content, /<text[^>]*style="[^"]*fill: rgb[^"]*"[^>]*>T1 write_post<\/text>/u);
    const png = await exported("Figure as PNG");
    assert.equal(Buffer.from(png.content, "base64").subarray(1, 4).toString(), "PNG");
    const mermaid = await exported("Copy as Mermaid");
    assert.match(mermaid.content, /^sequenceDiagram\n/u);
    assert.match(mermaid.content, / {2}T3-->>T2: rw comments\.body\n/u);
    const markdown = await exported("Copy as Markdown");
    assert.match(markdown.content, /^### Long fork at parallel snapshot isolation\n/u);
    assert.match(markdown.content, /\n6\. \*\*T4\*\* reads posts\\\[1\\\]\.body = 0, commits/u);
    await panel.page.close();
  });
});

describe("the panel without an anomaly", () => {
  const level = { name: "postgres:read-committed", label: "PostgreSQL READ COMMITTED" };
  type WithStatus = Extract<PanelState, { readonly status: unknown }>;
  const cases: readonly (readonly [WithStatus, title: string, action: string, command: string])[] =
    [
      [
        { kind: "empty", status: { level, anomalies: 0 } },
        "Nothing found at PostgreSQL READ COMMITTED",
        "Check at another level",
        "isolens.check",
      ],
      [
        { kind: "empty", status: { level, anomalies: 3 } },
        "No anomaly is chosen",
        "Show an anomaly",
        "isolens.showAnomaly",
      ],
      [
        { kind: "loading", status: { level, anomalies: 0, progress: { done: 7, total: 31 } } },
        "Checking at PostgreSQL READ COMMITTED",
        "Cancel",
        "isolens.cancel",
      ],
      [
        {
          kind: "unknown",
          unknown: [
            { reason: "time budget of 10 s; --budget 60s tries longer", transactions: ["a"] },
          ],
          status: { level, anomalies: 0 },
        },
        "Not decided at PostgreSQL READ COMMITTED",
        "Check at another level",
        "isolens.check",
      ],
    ];
  for (const [state, title, action, command] of cases) {
    it(`says "${title}" and offers one thing to do`, async () => {
      const panel = await openPanel(browser, state, { width: 640, height: 520 });
      assert.equal(await panel.page.locator("h1").innerText(), title);
      await panel.screenshot(`panel-${state.kind}-${String(state.status.anomalies)}`);
      await panel.page.getByRole("button", { name: action }).click();
      assert.deepEqual((await panel.calls()).at(-1), { method: "run", params: { command } });
      await panel.page.close();
    });
  }
});

describe("the panel with a proof", () => {
  const level = { name: "snapshot-isolation", label: "snapshot isolation" };
  const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 9 } };
  const end = (transaction: string) => ({
    transaction,
    file: "tpcc.sql",
    range,
    text: `SELECT ${transaction}`,
  });
  const uris = { "tpcc.sql": "file:///tpcc.sql" };

  it("tells its steps and what they need", async () => {
    const proof = {
      status: "proved",
      scheme: "induction",
      steps: [{ text: "Whoever depends on pay comes later.", transactions: ["pay"] }],
      obstacles: [],
      lemmas: ["rows of d are never deleted"],
    } as const;
    const state: PanelState = {
      kind: "empty",
      status: { level, anomalies: 0 },
      proofs: [{ level, proof, uris }],
    };
    const panel = await openPanel(browser, state);
    const text = await panel.page.locator(".proof").innerText();
    assert.match(text, /Proved for any number of transactions[^]*comes later[^]*never deleted/iu);
    assert.deepEqual(await faintTexts(panel.page), []);
    await panel.page.close();
  });

  it("names the chain in its way, whose statements lead to their places", async () => {
    const dependency = {
      dependency: "rw",
      table: "orders",
      columns: ["@"],
      from: end("delivery"),
      to: end("new_order"),
    } as const;
    const proof = {
      status: "blocked",
      steps: [],
      obstacles: [
        {
          chain: ["delivery", "new_order"],
          reason: "it may come first",
          dependencies: [dependency],
          advice: "Lock what is read.",
        },
      ],
      lemmas: [],
    } as const;
    const state: PanelState = {
      kind: "empty",
      status: { level, anomalies: 0 },
      proofs: [{ level, proof, uris }],
    };
    const panel = await openPanel(browser, state);
    assert.equal(await panel.page.locator(".proof h3").innerText(), "delivery \u2192 new_order");
    await panel.page.getByRole("button", { name: /SELECT new_order/u }).click();
    assert.deepEqual((await panel.calls()).at(-1), {
      method: "reveal",
      params: { places: [{ uri: "file:///tpcc.sql", range }], takeFocus: false },
    });
    await panel.page.close();
  });
});

describe("the panel's look", () => {
  for (const theme of THEMES) {
    it(`has readable text in ${theme}`, async () => {
      const panel = await openPanel(browser, recorded("lostUpdate"), { theme });
      await panel.page.keyboard.press("End");
      await panel.screenshot(`panel-${theme}-schedule`);
      assert.deepEqual(await faintTexts(panel.page), []);
      await panel.page.keyboard.press("2");
      await panel.screenshot(`panel-${theme}-cycle`);
      assert.deepEqual(await faintTexts(panel.page), []);
      await panel.page.close();
    });
  }

  for (const recording of RECORDINGS) {
    for (const width of [1184, 700, 350]) {
      it(`keeps ${recording} inside ${String(width)} pixels`, async () => {
        const panel = await openPanel(browser, recorded(recording), { width, height: 1000 });
        const name = (tab: string) => `panel-${recording}-${String(width)}-${tab}`;
        const overflow = () =>
          panel.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        const sideways = () =>
          panel.page.evaluate(() => {
            const shown = [...document.querySelectorAll(".scroll")];
            return Math.max(0, ...shown.map((each) => each.scrollWidth - each.clientWidth));
          });
        for (const [key, tab] of [
          ["1", "schedule"],
          ["2", "cycle"],
          ["3", "serial"],
        ] as const) {
          await panel.page.keyboard.press(key);
          await panel.screenshot(name(tab));
          assert.ok((await overflow()) <= 0, `${tab} is wider than the page`);
          if (tab !== "serial") assert.equal(await sideways(), 0, `${tab} scrolls sideways`);
        }
        assert.deepEqual(await spilledTexts(panel.page), []);
        await panel.page.close();
      });
    }
  }

  it("does without animations where they are not wanted", async () => {
    const level = { name: "causal", label: "causal consistency" };
    const { page } = await openPanel(browser, { kind: "loading", status: { level, anomalies: 0 } });
    const animation = () =>
      page.locator(".emblem").evaluate((emblem) => getComputedStyle(emblem).animationName);
    assert.equal(await animation(), "turn");
    await page.emulateMedia({ reducedMotion: "reduce" });
    assert.equal(await animation(), "none");
    await page.close();
  });

  it("keeps selection and edges visible in forced colours", async () => {
    const panel = await openPanel(browser, recorded("writeSkew"));
    await panel.page.emulateMedia({ forcedColors: "active" });
    await panel.page.keyboard.press("End");
    await panel.screenshot("panel-forced-colors");
    const stroke = await panel.page
      .locator(".edge .curve")
      .first()
      .evaluate((curve) => getComputedStyle(curve).stroke);
    assert.notEqual(stroke, "none");
    await panel.page.close();
  });
});

type OpenPage = Awaited<ReturnType<typeof openPanel>>["page"];

/** Visible texts whose contrast with what is painted behind them is below 3 to 1 (4.5 to 1 in high contrast). */
function faintTexts(page: OpenPage): Promise<readonly string[]> {
  return page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    if (!canvas) return ["no canvas"];
    /** Of colours painted over each other. */
    const luminance = (colors: readonly string[]): number => {
      canvas.clearRect(0, 0, 1, 1);
      for (const color of colors) {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [r = 0, g = 0, b = 0] = canvas.getImageData(0, 0, 1, 1).data;
      const [x = 0, y = 0, z = 0] = [r, g, b].map((part) => {
        const share = part / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    /** From the page to the text: backgrounds of elements, and of figures the first shape of each group. */
    const behind = (text: Element): string[] => {
      const layers: string[] = [];
      for (let at: Element | null = text; at !== null; at = at.parentElement) {
        const shape = at.querySelector(":scope > rect");
        const style = getComputedStyle(shape ?? at);
        const color = shape === null ? style.backgroundColor : style.fill;
        if (color !== "none") layers.unshift(color);
      }
      return layers;
    };
    const least = document.body.className.includes("high-contrast") ? 4.5 : 3;
    const found: string[] = [];
    for (const text of document.querySelectorAll(
      "h1, h2, p, li, code, button, summary, text, th, td, .because",
    )) {
      if (text.closest(".future, .later, :disabled, [hidden]") || !text.textContent?.trim())
        continue;
      const style = getComputedStyle(text);
      const layers = behind(text);
      const back = luminance(layers);
      const front = luminance([...layers, text instanceof SVGElement ? style.fill : style.color]);
      const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      if (ratio < least) found.push(`${text.textContent.slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
    return found;
  });
}

/** Texts of cards that reach over the right side of their card. */
function spilledTexts(page: OpenPage): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<SVGGElement>(".card, .operation")].flatMap((card) => {
      const frame = card.querySelector("rect")?.getBBox();
      if (!frame || frame.width === 0) return [];
      return [...card.querySelectorAll("text")]
        .filter((text) => text.getBBox().x + text.getBBox().width > frame.x + frame.width)
        .map((text) => text.textContent ?? "");
    }),
  );
}
