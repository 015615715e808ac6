// The witness of an anomaly on the changed program in one sentence: who waits for whom, what it then reads, and how it ends.
import { shownEdges, type Anomaly } from "../../protocol/report";
import { ownEntry } from "../../protocol/dictionary";
import type { ExecutedStep } from "../../store/execution";
import type { TurnsRun } from "../../store/turns";
import { cellsText, listText } from "../explain/words";

/** The sentence, without a full stop. */
export function nowText(anomaly: Anomaly, { execution, aborted, isRefused }: TurnsRun): string {
  const names = instanceNames(anomaly);
  const nameOf = (instance: string): string => names.get(instance) ?? instance;
  const { steps, outcome } = execution;
  const telling = tellingColumns(anomaly);
  const parts: string[] = [];
  const told = new Set<string>();
  for (const step of steps) {
    if (step.waitedFor === undefined || told.has(step.instance)) continue;
    told.add(step.instance);
    const found = foundText(step, telling);
    const then = found === "" ? "" : `, then ${found}`;
    const end = endText(ownEntry(outcome.status, step.instance) ?? "");
    parts.push(`${nameOf(step.instance)} waits for ${nameOf(step.waitedFor)}${then} and ${end}`);
  }
  for (const { instance, code } of aborted) {
    told.add(instance);
    parts.push(
      code === DUPLICATE
        ? `${nameOf(instance)} is refused by the key`
        : `the server ends ${nameOf(instance)} with ${ownCode(outcome.status, instance) ?? code}, to be run again`,
    );
  }
  if (isRefused) parts.push("the server ends one of them with 40001, to be run again");
  for (const [instance, status] of Object.entries(outcome.status)) {
    if (told.has(instance) || !status.startsWith("rolled back")) continue;
    parts.push(`${nameOf(instance)} ${endText(status)}`);
  }
  const text =
    parts.length > 0
      ? listText(parts)
      : `${listText([...names.values()])} end as one after the other would`;
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}

/** "the first withdraw", "the second withdraw"; names that occur once stay as they are. */
function instanceNames({ witness }: Anomaly): ReadonlyMap<string, string> {
  const all = witness.instances.map(({ transaction }) => transaction);
  return new Map(
    witness.instances.map(({ instance, transaction }, at) => {
      const isOnly = all.filter((each) => each === transaction).length === 1;
      const nth = all.slice(0, at).filter((each) => each === transaction).length;
      return [instance, isOnly ? transaction : `the ${ORDINALS[nth] ?? "next"} ${transaction}`];
    }),
  );
}

/** The code that the product gives to a refusal: MariaDB's 1020 is no 40001 for its clients. */
function ownCode(
  status: TurnsRun["execution"]["outcome"]["status"],
  instance: string,
): string | undefined {
  return /^rolled back: (\d\w+)/u.exec(ownEntry(status, instance) ?? "")?.[1];
}

/** SQLSTATE of a duplicate key. */
const DUPLICATE = "23505";

const ORDINALS = ["first", "second", "third", "fourth"];

/** Columns that the anomaly is about; the row's other columns would be noise. */
function tellingColumns(anomaly: Anomaly): ReadonlySet<string> {
  const edges = shownEdges(anomaly);
  return new Set(edges.flatMap(({ table, columns }) => columns.map((name) => `${table}.${name}`)));
}

function foundText(
  { reads, writes, affected, source }: ExecutedStep,
  telling: ReadonlySet<string>,
): string {
  if (source?.kind === "update" || source?.kind === "delete")
    return affected === 0 ? "changes no row" : "goes on from what is there by then";
  const seen = cellsText(reads.filter(({ table, column }) => telling.has(`${table}.${column}`)));
  if (seen !== "") return `finds ${seen}`;
  return writes.length > 0 ? "" : "goes on";
}

function endText(status: string): string {
  const why = /^rolled back: (.*)$/su.exec(status)?.[1];
  return why === undefined ? "commits" : `gives up (${why})`;
}
