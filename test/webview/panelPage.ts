// The panel's page in a plain browser: opened on a recording in a theme, with its calls of the host written down.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import type { Call, PanelHost, PanelPage, PanelState } from "../../server/src/protocol/requests";
import { patience, resultFile, root } from "../support/browser";
import { themeClass, themeStyle, type ThemeKind } from "./themes";

export type Recording = "lostUpdate" | "readOnly" | "writeSkew" | "dirtyRead" | "long" | "longFork";

export interface OpenedPanel {
  readonly page: Page;
  /** Calls of the host since the page was opened. */
  calls(): Promise<readonly Call<PanelHost>[]>;
  /** Acts as the host. */
  call(call: Call<PanelPage>): Promise<void>;
  /** Texts of the steps that are marked as selected. */
  selected(): Promise<readonly string[]>;
  screenshot(name: string): Promise<void>;
}

/** The state of a recording: made by hand after the examples, in the form that the server sends. */
export function recorded(name: Recording): Extract<PanelState, { kind: "anomaly" }> {
  const file = path.join(root, "test", "webview", "recordings", `${name}.json`);
  // Our own file; the page would fail on anything else.
  return JSON.parse(readFileSync(file, "utf8")) as Extract<PanelState, { kind: "anomaly" }>;
}

export async function openPanel(
  browser: Browser,
  state: PanelState,
  options: { readonly theme?: ThemeKind; readonly width?: number; readonly height?: number } = {},
): Promise<OpenedPanel> {
  const viewport = { width: options.width ?? 1184, height: options.height ?? 820 };
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(patience);
  await page.setContent(html(state, options.theme ?? "dark"));
  await page.locator("main > *").first().waitFor();
  return {
    page,
    calls: () => page.evaluate("window.calls"),
    call: (call) =>
      page
        .evaluate(
          (detail) => window.dispatchEvent(new CustomEvent("isolens-page", { detail })),
          call,
        )
        .then(() => undefined),
    selected: () => page.locator('[role=option][aria-selected="true"] .number').allInnerTexts(),
    screenshot: async (name) => {
      await page.screenshot({ path: resultFile(`${name}.png`) });
    },
  };
}

/** `__name` is what the test loader puts into functions that are sent to the page. */
function html(state: PanelState, theme: ThemeKind): string {
  const script = readFileSync(path.join(root, "dist", "webview.js"), "utf8");
  const style = readFileSync(path.join(root, "dist", "webview.css"), "utf8");
  const recording = JSON.stringify(state).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Isolens</title><style>${themeStyle(theme)}</style><style>${style}</style></head>
  <body class="${themeClass(theme)}">
    <div id="panel"></div>
    <script type="application/json" id="recording">${recording}</script>
    <script>window.__name = (named) => named; window.calls = []; window.addEventListener("isolens-call", (e) => window.calls.push(e.detail));</script>
    <script>${script.replaceAll("</script", "<\\/script")}</script>
  </body>
</html>`;
}
