// The page's side of its host: VS Code, or a recorded state in a plain browser. Only this file distinguishes them.
import type {
  Call,
  PanelHost,
  PanelMemory,
  PanelPage,
  PanelState,
} from "../../server/src/protocol/requests";

export interface Host {
  send(call: Call<PanelHost>): void;
  /** Receives the host's calls; registered once. */
  onCall(receive: (call: Call<PanelPage>) => void): void;
  /** The state remembered across a reload. */
  recall(): PanelMemory | undefined;
  remember(memory: PanelMemory): void;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The editor if the page runs in one, else the page's recording. */
export function openHost(): Host {
  return typeof acquireVsCodeApi === "function" ? vscodeHost(acquireVsCodeApi()) : recordedHost();
}

function vscodeHost(api: VsCodeApi): Host {
  return {
    send: (call) => {
      api.postMessage(call);
    },
    onCall: (receive) => {
      window.addEventListener("message", (event: MessageEvent<Call<PanelPage>>) => {
        receive(event.data);
      });
    },
    // Only `remember` below writes it.
    recall: () => api.getState() as PanelMemory | undefined,
    remember: (memory) => {
      api.setState(memory);
    },
  };
}

/**
 * Answers `ready` with the state in the element `#recording` (JSON). Calls become `isolens-call` events of the window, and `isolens-page`
 * events are handled as host calls, so that a test can play the host.
 */
function recordedHost(): Host {
  let receive: (call: Call<PanelPage>) => void = () => undefined;
  window.addEventListener("isolens-page", (event) => {
    if (event instanceof CustomEvent) receive(event.detail as Call<PanelPage>);
  });
  return {
    send: (call) => {
      window.dispatchEvent(new CustomEvent("isolens-call", { detail: call }));
      const recording = document.getElementById("recording")?.textContent;
      if (call.method === "ready" && recording) {
        // The recording of a page in a plain browser is trusted.
        receive({ method: "show", params: JSON.parse(recording) as PanelState });
      }
    },
    onCall: (handler) => {
      receive = handler;
    },
    recall: () => undefined,
    remember: () => undefined,
  };
}
