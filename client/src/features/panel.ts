// The panel beside the editor: keeps one page on one anomaly and up to date with the findings.
import { Uri, ViewColumn, commands, window } from "vscode";
import type { WebviewPanel, Disposable } from "vscode";
import type {
  AnomalyPayload,
  Call,
  PanelHost,
  PanelPage,
  PanelState,
  PanelStatus,
  PanelTab,
  Place,
  ServerStatus,
} from "../../../server/src/protocol/requests";
import { panelHtml } from "./panelHtml";
import type { Reveal } from "./reveal";
import type { ServerClient } from "./serverClient";

export interface Panel extends Disposable {
  /** Shows an anomaly, opening the panel when there is none. */
  open(id: string, tab: PanelTab): Promise<void>;
  move(to: "next" | "previous" | "first" | "last"): void;
  focus(): void;
}

/** Also the value of the context key `activeWebviewPanelId`. */
const VIEW_TYPE = "isolens.anomaly";
/** Of the panel while it shows no anomaly. */
const TITLE = "Isolens";

export function createPanel(extension: Uri, server: ServerClient, reveal: Reveal): Panel {
  let view: WebviewPanel | undefined;
  let id = "";
  let tab: PanelTab | undefined;
  let last: AnomalyPayload | undefined;
  let status: ServerStatus | undefined;

  function post(call: Call<PanelPage>): void {
    void view?.webview.postMessage(call);
  }

  function show(state: PanelState): void {
    post({ method: "show", params: state });
  }

  /** Fetches the anomaly again and shows what became of it. */
  async function update(): Promise<void> {
    if (!view) return;
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
      view.title = payload.title;
      show({ kind: "anomaly", payload, ...(tab && { tab }) });
      tab = undefined;
    } else if (busy()) show({ kind: "loading", status: statusOf(status) });
    else if (last) show({ kind: "gone", last, status: statusOf(status) });
    else show(await stateWithoutAnomaly());
  }

  /** Nothing found is said only where nothing is undecided. */
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

  /** A message from the page; the page is ours, and an unknown method is ignored. */
  async function receive(call: Call<PanelHost>): Promise<void> {
    switch (call.method) {
      case "ready":
        return update();
      case "reveal":
        return reveal.show(call.params.places, { takeFocus: call.params.takeFocus });
      case "open":
        id = call.params.id;
        return update();
      case "run":
        await commands.executeCommand(call.params.command);
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
        id = last?.anomaly.id ?? "";
        adopt(restored);
        return Promise.resolve();
      },
    }),
    server.onStatus((now) => {
      const wasBusy = busy();
      status = now;
      if (wasBusy !== busy() || id === "") updateLogged();
    }),
    server.onFindings(updateLogged),
    window.onDidChangeTextEditorSelection(({ textEditor, selections, kind }) => {
      const [selection] = selections;
      // Selections that the panel made itself have no kind.
      if (kind === undefined || !selection || !view) return;
      const { active } = selection;
      const place: Place = {
        uri: textEditor.document.uri.toString(),
        range: { start: active, end: active },
      };
      post({ method: "locate", params: place });
    }),
  ];

  return {
    async open(asked, wanted) {
      id = asked;
      tab = wanted;
      if (view) {
        view.reveal(undefined, false);
        await update();
        return;
      }
      adopt(
        window.createWebviewPanel(VIEW_TYPE, TITLE, ViewColumn.Beside, { enableScripts: true }),
      );
    },
    move(to) {
      post({ method: "move", params: { to } });
    },
    focus() {
      view?.reveal(undefined, false);
    },
    dispose() {
      view?.dispose();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function statusOf(status: ServerStatus | undefined): PanelStatus {
  if (!status) return { level: { name: "", label: "" }, anomalies: 0 };
  const { level, anomalies, progress } = status;
  return { level, anomalies, ...(progress && { progress }) };
}

/** What the page remembered before a reload; anything else is forgotten. */
function payloadOfMemory(memory: unknown): AnomalyPayload | undefined {
  if (typeof memory !== "object" || memory === null || !("state" in memory)) return undefined;
  const { state } = memory;
  if (typeof state !== "object" || state === null || !("payload" in state)) return undefined;
  // The page stored it through its typed memory; only the presence of the state is in doubt.
  return state.payload as AnomalyPayload;
}
