// The Test view: each transaction is a test, which passes if nothing is found. Running one checks its project; the view keeps the history
// of runs. Off by default.
import {
  Disposable,
  Location,
  Range,
  TestMessage,
  TestRunProfileKind,
  Uri,
  tests,
  workspace,
} from "vscode";
import type { CancellationToken, TestController, TestItem, TestRunRequest } from "vscode";
import type { Place, TreeFile, TreeTransaction } from "../../../server/src/protocol/requests";
import { createTransactionFiles } from "./transactionViews";
import type { ServerClient } from "./serverClient";
import { plural } from "./words";

const SETTING = "isolens.testView.enabled";

export function registerTransactionTests(server: ServerClient): Disposable {
  const isOn = (): boolean => workspace.getConfiguration().get(SETTING, false);
  const transactions = createTransactionFiles(server, isOn);
  let controller: TestController | undefined;
  const show = (): void => {
    if (!isOn()) {
      controller?.dispose();
      controller = undefined;
      return;
    }
    controller ??= createController();
    const { items } = controller;
    const own = controller;
    items.replace(
      transactions.files().map((file) => {
        const item = own.createTestItem(file.uri, file.name, Uri.parse(file.uri));
        item.children.replace(file.transactions.map((each) => itemOf(own, file, each)));
        return item;
      }),
    );
  };

  function createController(): TestController {
    const made = tests.createTestController("isolens.transactions", "Isolens");
    const run = async (request: TestRunRequest, token: CancellationToken): Promise<void> => {
      await runTests(made, request, token);
    };
    made.createRunProfile("Check", TestRunProfileKind.Run, run, true);
    made.refreshHandler = async () => {
      await transactions.refresh();
    };
    return made;
  }

  async function runTests(
    own: TestController,
    request: TestRunRequest,
    token: CancellationToken,
  ): Promise<void> {
    const chosen = chosenItems(own, request);
    const run = own.createTestRun(request);
    for (const item of chosen) run.started(item);
    const started = Date.now();
    try {
      const uris = new Set(chosen.flatMap(({ uri }) => (uri ? [uri.toString()] : [])));
      for (const uri of uris) {
        if (token.isCancellationRequested) break;
        for (const each of await server.request("isolens/check", { uri }, token)) {
          const counts = `${plural(each.anomalies, "anomaly")} in ${plural(each.transactions, "transaction")}`;
          run.appendOutput(`${each.level.label}: ${each.verdict}, ${counts}\r\n`);
        }
      }
      const known = new Map(
        (await transactions.refresh()).flatMap((file) =>
          file.transactions.map((each) => [keyOf(file, each), each] as const),
        ),
      );
      const duration = Date.now() - started;
      for (const item of chosen) {
        const transaction = known.get(item.id);
        if (token.isCancellationRequested || !transaction) run.skipped(item);
        else
          tell(transaction, {
            passed: () => {
              run.passed(item, duration);
            },
            failed: (messages) => {
              run.failed(item, messages, duration);
            },
            open: (messages) => {
              run.errored(item, messages, duration);
            },
            skipped: () => {
              run.skipped(item);
            },
          });
      }
    } catch (error) {
      server.log.error(`tests of transactions: ${String(error)}`);
      for (const item of chosen)
        run.errored(item, new TestMessage("the check failed, see the output"));
    } finally {
      run.end();
    }
  }

  return Disposable.from(
    transactions,
    transactions.onChanged(show),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SETTING)) void transactions.refresh();
    }),
    new Disposable(() => controller?.dispose()),
  );
}

interface Outcome {
  passed(): void;
  failed(messages: TestMessage[]): void;
  open(messages: TestMessage[]): void;
  skipped(): void;
}

/** Reports the result of a test. An open question is an error, never a success. */
function tell({ verdict, anomalies, undecided, place }: TreeTransaction, run: Outcome): void {
  switch (verdict) {
    case "anomaly": {
      const told = anomalies.filter(
        ({ suppressed, severity }) => !suppressed && severity !== "off",
      );
      run.failed(told.map(({ message, place: at }) => messageAt(message, at)));
      return;
    }
    case "unknown":
      run.open(undecided.map((reason) => messageAt(reason, place)));
      return;
    case "nothing":
    case "hidden":
      run.passed();
      return;
    case "checking":
    case "cancelled":
      run.skipped();
  }
}

function messageAt(text: string, place: Place): TestMessage {
  const message = new TestMessage(text);
  message.location = new Location(Uri.parse(place.uri), rangeOf(place));
  return message;
}

/** The transactions of a run: all of them, some, or those of files. */
function chosenItems({ items }: TestController, request: TestRunRequest): readonly TestItem[] {
  const chosen: TestItem[] = [];
  const excluded = new Set(request.exclude?.map(({ id }) => id));
  const add = (item: TestItem): void => {
    if (excluded.has(item.id)) return;
    if (item.children.size === 0) chosen.push(item);
    else item.children.forEach(add);
  };
  if (request.include) request.include.forEach(add);
  else items.forEach(add);
  return chosen;
}

function itemOf(
  controller: TestController,
  file: TreeFile,
  transaction: TreeTransaction,
): TestItem {
  const { name, place } = transaction;
  const item = controller.createTestItem(keyOf(file, transaction), name, Uri.parse(place.uri));
  item.range = rangeOf(place);
  return item;
}

function keyOf({ uri }: TreeFile, { name }: TreeTransaction): string {
  return `${uri} ${name}`;
}

function rangeOf({ range: { start, end } }: Place): Range {
  return new Range(start.line, start.character, end.line, end.character);
}
