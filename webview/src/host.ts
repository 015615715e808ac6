// The page's side of its host: inside VS Code the editor, in a plain browser a recorded state. No other file knows which.
import type {
  Call,
  PanelHost,
  PanelMemory,
  PanelPage,
  PanelState,
} from "../../server/src/protocol/requests";

export interface Host {
  send(call: Call<PanelHost>): void;
  /** Calls of the page by its host; registered once. */
  onCall(receive: (call: Call<PanelPage>) => void): void;
  /** The state that was remembered before a reload. */
  recall(): PanelMemory | undefined;
  remember(memory: PanelMemory): void;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The editor when the page runs in one, else the page's recording. */
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
    // Written by `remember` below and by nobody else.
    recall: () => api.getState() as PanelMemory | undefined,
    remember: (memory) => {
      api.setState(memory);
    },
  };
}

/**
 * Answers `ready` with the state in the element `#recording` (JSON). Calls become events `isolens-call` of the
 * window, and events `isolens-page` are taken as calls of the host, so that a test can play the host.
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
        // Whoever opens the page in a plain browser answers for the recording.
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
