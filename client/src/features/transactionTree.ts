// The tree view: files, their transactions with verdicts, and the anomalies of each.
import {
  Disposable,
  EventEmitter,
  Range,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  commands,
  window,
} from "vscode";
import type { Command, TreeDataProvider, TreeView } from "vscode";
import type {
  Place,
  TransactionVerdict,
  TreeAnomaly,
  TreeFile,
  TreeTransaction,
} from "../../../server/src/protocol/requests";
import type { ServerClient } from "./serverClient";
import { plural } from "./words";

/** The transactions that the view lists. */
type Filter = "all" | "anomalies" | "undecided";

type Node =
  | { readonly kind: "file"; readonly file: TreeFile }
  | { readonly kind: "transaction"; readonly file: TreeFile; readonly transaction: TreeTransaction }
  | { readonly kind: "anomaly"; readonly parent: TreeTransaction; readonly anomaly: TreeAnomaly }
  | { readonly kind: "undecided"; readonly parent: TreeTransaction; readonly reason: string };

const VIEW = "isolens.transactions";
/** The view's context keys, used by the welcome text and the commands. */
const FILTER = "isolens.transactionsFilter";

export function registerTransactionTree(server: ServerClient): Disposable {
  const changed = new EventEmitter<undefined>();
  let files: readonly TreeFile[] = [];
  let filter: Filter = "all";
  let reading: Promise<readonly TreeFile[]> | undefined;
  /** The level chosen by a command; the configured one if absent. */
  let chosen: string | undefined;

  const provider: TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: itemOf,
    getChildren: async (node) => {
      if (node) return childrenOf(node, filter);
      reading ??= server.request("isolens/tree", {});
      try {
        files = await reading;
      } catch (error) {
        // The view is unchanged; the status item shows that the server is gone.
        server.log.warn(`the view of transactions was not read: ${String(error)}`);
        reading = undefined;
      }
      describe(view, files, filter);
      return files
        .filter((file) => shownOf(file, filter).length > 0 || isSkipped(file, filter))
        .map((file): Node => ({ kind: "file", file }));
    },
  };
  const view = window.createTreeView(VIEW, { treeDataProvider: provider, showCollapseAll: true });
  const refresh = (): void => {
    reading = undefined;
    changed.fire(undefined);
  };
  const filterBy = (next: Filter): void => {
    filter = next;
    void commands.executeCommand("setContext", FILTER, next);
    refresh();
  };
  return Disposable.from(
    changed,
    view,
    server.onFindings(gathered(refresh)),
    server.onRunning(refresh),
    server.onStatus((status) => {
      chosen = status.chosen ? status.level.name : undefined;
    }),
    commands.registerCommand("isolens.refreshTransactions", async () => {
      await checkAgain(server, chosen);
      refresh();
    }),
    commands.registerCommand("isolens.filterTransactions", async () => {
      const picked = await window.showQuickPick(
        FILTERS.map(({ value, ...item }) => ({ ...item, value, picked: value === filter })),
        { title: "Show transactions", placeHolder: "Which ones?" },
      );
      if (picked) filterBy(picked.value);
    }),
    commands.registerCommand("isolens.showAllTransactions", () => {
      filterBy("all");
    }),
    commands.registerCommand("isolens.goToFinding", async (node?: unknown) => {
      const place = placeOf(node);
      if (place) await openPlace(place);
    }),
  );
}

const FILTERS: readonly {
  readonly value: Filter;
  readonly label: string;
  readonly detail: string;
}[] = [
  {
    value: "all",
    label: "$(list-tree) All",
    detail: "Every transaction, suppressed findings as well",
  },
  {
    value: "anomalies",
    label: "$(warning) With anomalies",
    detail: "Those with an anomaly that is told",
  },
  {
    value: "undecided",
    label: "$(question) Undecided",
    detail: "Those about which something stays open",
  },
];

/** Checks what is in scope, or everything if nothing is open, at the level in force. */
async function checkAgain(server: ServerClient, level: string | undefined): Promise<void> {
  try {
    await server.request("isolens/check", level === undefined ? {} : { level });
  } catch (error) {
    server.log.error(`check: ${String(error)}`);
    window.setStatusBarMessage("Isolens: the check failed, see the output", 8000);
  }
}

/** Throttles updates: findings arrive one by one during a check, and the view is read a few times a second at most. */
function gathered(action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      action();
    }, 150);
  };
}

function describe(view: TreeView<Node>, files: readonly TreeFile[], filter: Filter): void {
  const transactions = files.flatMap((file) => file.transactions);
  const ids = new Set(
    transactions.flatMap(({ anomalies }) => anomalies.filter(isTold).map(({ id }) => id)),
  );
  const levels = [...new Set(files.map(({ level }) => level.label))];
  view.description = levels.length === 1 ? (levels[0] ?? "") : "";
  view.badge = ids.size > 0 ? { value: ids.size, tooltip: plural(ids.size, "anomaly") } : undefined;
  const shown = files.flatMap((file) => shownOf(file, filter)).length;
  const some = FILTERS.find(({ value }) => value === filter)?.detail.toLowerCase() ?? "";
  view.message =
    filter === "all" || transactions.length === 0
      ? ""
      : `${String(shown)} of ${plural(transactions.length, "transaction")}: ${some}`;
}

function shownOf({ transactions }: TreeFile, filter: Filter): readonly TreeTransaction[] {
  switch (filter) {
    case "all":
      return transactions;
    case "anomalies":
      return transactions.filter(({ anomalies }) => anomalies.some(isTold));
    case "undecided":
      return transactions.filter(({ undecided }) => undecided.length > 0);
  }
}

/** Files that could not be read are open questions. */
function isSkipped({ skipped }: TreeFile, filter: Filter): boolean {
  return skipped !== undefined && filter !== "anomalies";
}

function isTold({ suppressed, severity }: TreeAnomaly): boolean {
  return suppressed === undefined && severity !== "off";
}

function childrenOf(node: Node, filter: Filter): Node[] | undefined {
  switch (node.kind) {
    case "file":
      return shownOf(node.file, filter).map((transaction): Node => ({
        kind: "transaction",
        file: node.file,
        transaction,
      }));
    case "transaction": {
      const parent = node.transaction;
      const found = parent.anomalies.filter((each) => filter === "all" || isTold(each));
      return [
        ...found.map((anomaly) => ({ kind: "anomaly", parent, anomaly }) as const),
        ...parent.undecided.map((reason) => ({ kind: "undecided", parent, reason }) as const),
      ];
    }
    case "anomaly":
    case "undecided":
      return undefined;
  }
}

function itemOf(node: Node): TreeItem {
  switch (node.kind) {
    case "file":
      return fileItem(node.file);
    case "transaction":
      return transactionItem(node.transaction);
    case "anomaly":
      return anomalyItem(node);
    case "undecided":
      return undecidedItem(node);
  }
}

function fileItem(file: TreeFile): TreeItem {
  const item = new TreeItem(Uri.parse(file.uri), TreeItemCollapsibleState.Expanded);
  const found = new Set(
    file.transactions.flatMap(({ anomalies }) => anomalies.filter(isTold).map(({ id }) => id)),
  );
  const counts = [
    ...(file.project === "" ? [] : [file.project]),
    ...(file.skipped === undefined ? [plural(file.transactions.length, "transaction")] : []),
    ...(found.size > 0 ? [plural(found.size, "anomaly")] : []),
  ];
  item.id = `${file.project} ${file.uri}`;
  item.iconPath = ThemeIcon.File;
  item.description = file.skipped ?? counts.join(", ");
  item.tooltip =
    file.skipped === undefined
      ? `${file.name}: ${String(file.exact)} of ${plural(file.statements, "statement")} read exactly, at ${file.level.label}`
      : `${file.name}: ${file.skipped}`;
  item.contextValue = "file";
  if (file.transactions.length === 0) item.collapsibleState = TreeItemCollapsibleState.None;
  return item;
}

interface Look {
  readonly icon: string;
  readonly colour?: string;
  readonly words: string;
}

/** Icons by verdict: shapes distinguish them, colours only add to that. */
const LOOKS: Readonly<Record<TransactionVerdict, Look>> = {
  anomaly: { icon: "warning", colour: "list.warningForeground", words: "" },
  hidden: { icon: "eye-closed", words: "only what is suppressed or off" },
  unknown: { icon: "question", colour: "problemsInfoIcon.foreground", words: "undecided" },
  nothing: { icon: "pass", colour: "testing.iconPassed", words: "nothing found" },
  checking: { icon: "sync", words: "to be checked again" },
  cancelled: { icon: "circle-slash", words: "cancelled before it was decided" },
};

function transactionItem(transaction: TreeTransaction): TreeItem {
  const { name, verdict, anomalies, undecided, place } = transaction;
  const hasMore = anomalies.length + undecided.length > 0;
  const item = new TreeItem(
    name,
    hasMore ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None,
  );
  const { icon, colour, words } = LOOKS[verdict];
  const told = anomalies.filter(isTold).length;
  const text = verdict === "anomaly" ? plural(told, "anomaly") : words;
  item.id = `${place.uri} ${name}`;
  item.iconPath = new ThemeIcon(icon, colour === undefined ? undefined : new ThemeColor(colour));
  item.description = text;
  item.accessibilityInformation = { label: `${name}, ${text}` };
  item.contextValue = "transaction";
  item.command = openCommand(place);
  return item;
}

const SEVERITY_ICONS: Readonly<Record<TreeAnomaly["severity"], string>> = {
  error: "error",
  warning: "warning",
  information: "info",
  hint: "lightbulb",
  off: "eye-closed",
};

function anomalyItem({ parent, anomaly }: Extract<Node, { kind: "anomaly" }>): TreeItem {
  const { title, transactions, suppressed, severity, place } = anomaly;
  const item = new TreeItem(title, TreeItemCollapsibleState.None);
  const notes = [
    transactions.join(", "),
    ...(suppressed ? [suppressedText(suppressed)] : severity === "off" ? ["off"] : []),
    ...(anomaly.unconfirmed ? ["not confirmed"] : []),
    ...(anomaly.stale ? ["edited since"] : []),
  ];
  item.id = `${parent.place.uri} ${parent.name} ${anomaly.id}`;
  item.iconPath = new ThemeIcon(suppressed ? "eye-closed" : SEVERITY_ICONS[severity]);
  item.description = notes.join(" \u00b7 ");
  item.tooltip = anomaly.message;
  item.accessibilityInformation = { label: `${title} of ${notes.join(", ")}` };
  item.contextValue = "anomaly";
  // A hidden finding is in no list of anomalies, but its statement can be shown.
  item.command = isTold(anomaly)
    ? { command: "isolens.showAnomaly", title: "Show Anomaly", arguments: [{ ids: [anomaly.id] }] }
    : openCommand(place);
  return item;
}

function suppressedText({ by, reason }: NonNullable<TreeAnomaly["suppressed"]>): string {
  const what = by === "comment" ? "suppressed" : "in the baseline";
  return reason === "" ? what : `${what}: ${reason}`;
}

function undecidedItem({ parent, reason }: Extract<Node, { kind: "undecided" }>): TreeItem {
  const item = new TreeItem(reason, TreeItemCollapsibleState.None);
  item.id = `${parent.place.uri} ${parent.name} ${reason}`;
  item.iconPath = new ThemeIcon("question");
  item.tooltip = reason;
  item.accessibilityInformation = { label: `undecided: ${reason}` };
  item.contextValue = "undecided";
  item.command = openCommand(parent.place);
  return item;
}

function openCommand(place: Place): Command {
  return { command: "isolens.goToFinding", title: "Go to Statement", arguments: [place] };
}

/** The place of a node, or a place itself, as passed by the view and its menus. */
function placeOf(argument: unknown): Place | undefined {
  if (typeof argument !== "object" || argument === null) return undefined;
  if ("uri" in argument && "range" in argument) return argument as Place;
  // Menus pass the nodes created here.
  const node = argument as Node;
  switch (node.kind) {
    case "anomaly":
      return node.anomaly.place;
    case "transaction":
      return node.transaction.place;
    case "undecided":
      return node.parent.place;
    default:
      return undefined;
  }
}

async function openPlace({ uri, range: { start } }: Place): Promise<void> {
  const selection = new Range(start.line, start.character, start.line, start.character);
  await window.showTextDocument(Uri.parse(uri), { selection, preserveFocus: false });
}
