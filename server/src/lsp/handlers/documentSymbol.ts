import { DocumentSymbol, SymbolKind } from "vscode-languageserver/node";
import type { Checks } from "../checks";
import { nameRange } from "../nameRange";
import { anomaliesOf } from "../results";
import { findFile, projectKey, type ServerState } from "../serverState";
import { linesOf } from "../significantText";

/** The transactions of a document, each with the number of its anomalies. Linear in the report. */
export async function handleDocumentSymbol(
  state: ServerState,
  checks: Checks,
  uri: string,
): Promise<DocumentSymbol[]> {
  await checks.loaded();
  const asked = findFile(state, uri);
  if (asked) await checks.transactionsKnown(projectKey(asked.project));
  const found = findFile(state, uri);
  const result = found && state.results.get(projectKey(found.project));
  if (!found || !result) return [];
  const lines = linesOf(state.documents.get(uri)?.getText() ?? "");
  return result.report.transactions
    .filter(({ file }) => file === found.file)
    .map((transaction) => {
      const { name, range } = transaction;
      const count = anomaliesOf(result, transaction).length;
      const told = count === 0 ? "" : count === 1 ? "1 anomaly" : `${String(count)} anomalies`;
      return DocumentSymbol.create(name, told, SymbolKind.Function, range, nameRange(lines, range));
    });
}
