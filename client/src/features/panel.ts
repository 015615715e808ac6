// The panel beside the editor: shows one anomaly and keeps it up to date with the findings.
import { Range, Uri, ViewColumn, WorkspaceEdit, commands, env, window, workspace } from "vscode";
import type { WebviewPanel, Disposable } from "vscode";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { Fix } from "../../../server/src/protocol/fixes";
import type { Position } from "../../../server/src/protocol/source";
import type {
  AnomalyPayload,
  Call,
  FixesAnswer,
  PanelCommand,
  PanelHost,
  PanelPage,
  PanelReplay,
  PanelState,
  PanelStatus,
  PanelTab,
  Place,
  ServerStatus,
} from "../../../server/src/protocol/requests";
import { exportFigure } from "./exportFigure";
import { panelHtml } from "./panelHtml";
import type { Reveal } from "./reveal";
import type { ServerClient } from "./serverClient";

export interface Panel extends Disposable {
  /** Shows an anomaly, opening the panel if necessary. */
  open(id: string, tab: PanelTab): Promise<void>;
  /** Shows the map of all transactions, opening the panel when there is none. */
  openMap(): Promise<void>;
  move(to: "next" | "previous" | "first" | "last"): void;
  focus(): void;
  /** The shown anomaly, while the panel has the focus. */
  current(): readonly string[] | undefined;
  /** Shows the replay of an anomaly on a real server. */
  replayed(replay: PanelReplay): void;
}

/** Also the value of the context key `activeWebviewPanelId`. */
const VIEW_TYPE = "isolens.anomaly";
/** The panel's title without an anomaly. */
const TITLE = "Isolens";
const MAP_TITLE = "Isolens: Map of Transactions";
/** Fixes are asked for again so many times, about a second each. */
const MOST_TURNS = 20;

function isAboutOne(command: PanelCommand): boolean {
  return ["isolens.reproduce", "isolens.createTest", "isolens.copyScript"].includes(command);
}

export function createPanel(extension: Uri, server: ServerClient, reveal: Reveal): Panel {
  let view: WebviewPanel | undefined;
  let id = "";
  /** The map is shown, and no anomaly. */
  let isMap = false;
  let tab: PanelTab | undefined;
  let last: AnomalyPayload | undefined;
  let status: ServerStatus | undefined;
  let fixes: FixesAnswer | undefined;
  let searches = 0;
  let follows = false;

  /** Makes an anomaly what is shown, or the map. */
  function showNext(anomaly: string | undefined): void {
    isMap = anomaly === undefined;
    id = anomaly ?? "";
  }

  /** Brings the panel to the front with what is to be shown. */
  async function bringToFront(): Promise<void> {
    if (view) {
      view.reveal(undefined, false);
      await update();
      return;
    }
    adopt(window.createWebviewPanel(VIEW_TYPE, TITLE, ViewColumn.Beside, { enableScripts: true }));
  }

  function post(call: Call<PanelPage>): void {
    void view?.webview.postMessage(call);
  }

  function show(state: PanelState): void {
    post({ method: "show", params: state });
  }

  /** Fetches the anomaly again and shows its current state. */
  async function update(): Promise<void> {
    if (!view) return;
    if (isMap) {
      const files = await server.request("isolens/tree", {});
      if (!isMap) return;
      view.title = MAP_TITLE;
      show({ kind: "map", files, status: statusOf(status) });
      return;
    }
    if (id === "") {
      view.title = TITLE;
      show(await stateWithoutAnomaly());
      return;
    }
    const asked = id;
    const payload = await server.request("isolens/anomaly", { id: asked });
    if (asked !== id) return;
    if (payload) {
      last = payload;
      findFixes(payload).catch((error: unknown) => {
        server.log.warn(`the fixes of an anomaly were not found: ${String(error)}`);
      });
      view.title = payload.title;
      show({ kind: "anomaly", payload, ...(tab && { tab }) });
      tab = undefined;
    } else if (busy()) show({ kind: "loading", status: statusOf(status) });
    else if (last) show({ kind: "gone", last, status: statusOf(status) });
    else show(await stateWithoutAnomaly());
  }

  /** Requests fixes until all are known, or another anomaly is shown. */
  async function findFixes({ anomaly, stale, recorded }: AnomalyPayload): Promise<void> {
    searches += 1;
    const own = searches;
    if (stale || recorded || anomaly.status !== "confirmed") {
      fixes = undefined;
      post({ method: "fixes", params: { id: anomaly.id, report: null } });
      return;
    }
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const report = await server.request("isolens/fixes", { id: anomaly.id });
      if (own !== searches || !view) return;
      fixes = report ?? undefined;
      post({ method: "fixes", params: { id: anomaly.id, report } });
      if (!report?.isPartial) return;
    }
  }

  async function applyFix(number: number): Promise<void> {
    const shown = fixes?.fixes[number];
    const versions = versionsOfDocuments();
    // The text may have changed since the fix was shown, so fixes are requested again.
    const now = await server.request("isolens/fixes", { id });
    const fix = now?.fixes.find(({ kind, title }) => kind === shown?.kind && title === shown.title);
    const edit = now && fix && editOf(fix, now.uris);
    const isSame = JSON.stringify(versionsOfDocuments()) === JSON.stringify(versions);
    if (!edit || !isSame || !(await workspace.applyEdit(edit)))
      window.setStatusBarMessage("Isolens: the text has changed since this fix was found", 8000);
  }

  /** Shows the anomaly at the cursor, if there is one. */
  async function followTo(uri: string, position: Position): Promise<void> {
    const [nearest] = await server.request("isolens/anomalies", { uri, position });
    if (!nearest || nearest.near === "elsewhere" || nearest.id === id || !follows) return;
    const { anomaly } = last ?? {};
    // A step of the shown anomaly is at this place as well.
    if (
      nearest.near === "transaction" &&
      nearest.transactions.some((name) => anomaly?.transactions.includes(name))
    )
      return;
    showNext(nearest.id);
    await update();
  }

  /** "Nothing found" is only reported if nothing is undecided. */
  async function stateWithoutAnomaly(): Promise<PanelState> {
    const now = statusOf(status);
    if (busy()) return { kind: "loading", status: now };
    const summaries = await server.request("isolens/summaries", {});
    const unknown = summaries.flatMap((each) => each.unknown);
    const told = summaries.flatMap(({ proof }) => proof ?? []);
    const proofs = told.length > 0 && { proofs: told };
    return now.anomalies === 0 && unknown.length > 0
      ? { kind: "unknown", unknown, status: now, ...proofs }
      : { kind: "empty", status: now, ...proofs };
  }

  function updateLogged(): void {
    update().catch((error: unknown) => {
      server.log.error(`panel: ${String(error)}`);
    });
  }

  function busy(): boolean {
    return status?.health === "busy";
  }

  /** Handles a message from the page, which is ours; unknown methods are ignored. */
  async function receive(call: Call<PanelHost>): Promise<void> {
    switch (call.method) {
      case "ready":
        // A reloaded page does not follow the cursor.
        follows = false;
        return update();
      case "reveal":
        return reveal.show(call.params.places, { takeFocus: call.params.takeFocus });
      case "open":
        showNext(call.params.id);
        return update();
      case "openMap":
        showNext(undefined);
        return update();
      case "run":
        if (call.params.command === "isolens.openDocumentation") {
          if (last?.documentation !== undefined)
            await env.openExternal(Uri.parse(last.documentation));
        } else if (isAboutOne(call.params.command)) {
          await commands.executeCommand(call.params.command, { ids: [id] });
        } else await commands.executeCommand(call.params.command);
        return;
      case "applyFix":
        return applyFix(call.params.fix);
      case "export":
        return exportFigure(call.params, last?.anomaly.kind ?? "anomaly");
      case "follow":
        follows = call.params.on;
    }
  }

  function adopt(created: WebviewPanel): void {
    view = created;
    created.webview.options = {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(extension, "dist")],
    };
    created.iconPath = Uri.joinPath(extension, "client", "media", "panel.svg");
    created.webview.onDidReceiveMessage((call: Call<PanelHost>) => {
      receive(call).catch((error: unknown) => {
        server.log.error(`panel ${call.method}: ${String(error)}`);
      });
    });
    created.onDidDispose(() => {
      if (view !== created) return;
      view = undefined;
      reveal.clear();
    });
    created.webview.html = panelHtml(created.webview, extension);
  }

  const subscriptions = [
    window.registerWebviewPanelSerializer(VIEW_TYPE, {
      deserializeWebviewPanel: (restored, memory: unknown) => {
        view?.dispose();
        last = payloadOfMemory(memory);
        showNext(isMapMemory(memory) ? undefined : (last?.anomaly.id ?? ""));
        adopt(restored);
        return Promise.resolve();
      },
    }),
    server.onStatus((now) => {
      const wasBusy = busy();
      status = now;
      if (wasBusy !== busy() || (id === "" && !isMap)) updateLogged();
    }),
    server.onFindings(updateLogged),
    window.onDidChangeTextEditorSelection(({ textEditor, selections, kind }) => {
      const [selection] = selections;
      // Selections made by the panel itself have no kind.
      if (kind === undefined || !selection || !view) return;
      const { active } = selection;
      const place: Place = {
        uri: textEditor.document.uri.toString(),
        range: { start: active, end: active },
      };
      post({ method: "locate", params: place });
      if (follows)
        followTo(place.uri, place.range.start).catch((error: unknown) => {
          server.log.warn(`the panel did not follow the cursor: ${String(error)}`);
        });
    }),
  ];

  return {
    open(asked, wanted) {
      showNext(asked);
      tab = wanted;
      return bringToFront();
    },
    openMap() {
      showNext(undefined);
      return bringToFront();
    },
    move(to) {
      post({ method: "move", params: { to } });
    },
    focus() {
      view?.reveal(undefined, false);
    },
    current: () => (view?.active === true && id !== "" ? [id] : undefined),
    replayed(replay) {
      post({ method: "replayed", params: replay });
    },
    dispose() {
      view?.dispose();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function versionsOfDocuments(): readonly (readonly [string, number])[] {
  return workspace.textDocuments.map(({ uri, version }) => [uri.toString(), version]);
}

/** All edits of a fix; undefined if a document is unknown. */
function editOf({ edits }: Fix, uris: FixesAnswer["uris"]): WorkspaceEdit | undefined {
  const edit = new WorkspaceEdit();
  for (const { file, range, newText, creates } of edits) {
    const uri = ownEntry(uris, file);
    if (uri === undefined) return undefined;
    const { start, end } = range;
    const place = new Range(start.line, start.character, end.line, end.character);
    if (creates) edit.createFile(Uri.parse(uri));
    edit.replace(Uri.parse(uri), place, newText);
  }
  return edit;
}

function statusOf(status: ServerStatus | undefined): PanelStatus {
  if (!status) return { level: { name: "", label: "" }, anomalies: 0 };
  const { level, anomalies, progress } = status;
  return { level, anomalies, ...(progress && { progress }) };
}

/** True if the page showed the map before a reload. */
function isMapMemory(memory: unknown): boolean {
  const state = stateOfMemory(memory);
  return state !== undefined && "kind" in state && state.kind === "map";
}

/** Payload that the page remembered before a reload; anything else is forgotten. */
function payloadOfMemory(memory: unknown): AnomalyPayload | undefined {
  const state = stateOfMemory(memory);
  // The page stored it through its typed memory; only the presence of the payload is in doubt.
  return state && "payload" in state ? (state.payload as AnomalyPayload) : undefined;
}

function stateOfMemory(memory: unknown): object | undefined {
  if (typeof memory !== "object" || memory === null || !("state" in memory)) return undefined;
  const { state } = memory;
  return typeof state === "object" && state !== null ? state : undefined;
}
