// Turns a confirmed finding into the anomaly that people see: named, explained in steps, with the cycle in the user's code.
import { findLevel } from "../../isolation/levels";
import type { Level } from "../../isolation/levels";
import { keyOfLevels, levelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { Program } from "../../program/program";
import type { Anomaly, CycleEdge } from "../../protocol/report";
import { answersText, plainTerms } from "../../protocol/witness";
import type { Confirmation, ExecutedStep, Execution } from "../../store/execution";
import type { Finding } from "../search/unit";
import type { CycleEnd } from "../../protocol/dependency";
import { withArgumentsByUse } from "./arguments";
import { breachesOf, consequenceOfBreach } from "./breaches";
import { classify } from "./kinds/kinds";
import { leftOutOf } from "./modelGaps";
import { relabel } from "./relabel";
import { consequenceOf, type Consequence } from "./consequence/consequence";
import type { Runs } from "./consequence/runs";
import { lookedUpBy, searchOf } from "./searches";
import { cycleShape, dirtyReadShape, type ShapeEdge } from "./shape";
import { stepsOf } from "./steps";
import { listText } from "./words";

/**
 * The anomaly of a finding at its levels. Instances are renamed T1, T2, ... by first action. The cycle starts with the edge that its kind's
 * definition starts with, so the diagnostic belongs at `cycle[0].from`, or at `dirtyRead.to` if a dirty read is the only evidence.
 */
export function explain(program: Program, levels: Levels, finding: Finding): Anomaly {
  const confirmation = relabel(finding.confirmation);
  return explainNamed(program, levels, { ...finding, confirmation });
}

/** As `explain`, without renaming the instances. */
export function explainNamed(program: Program, levels: Levels, finding: Finding): Anomaly {
  const { confirmation } = finding;
  const { execution, witness } = confirmation;
  const transactionOf = (instance: string): string =>
    witness.instances.find((each) => each.instance === instance)?.transaction ?? instance;
  const nameOf = (instance: string): string => {
    const id = transactionOf(instance);
    return program.transactions.find((each) => each.id === id)?.name ?? id;
  };
  const levelOf = ({ instance, level }: ExecutedStep): Level =>
    (level === undefined ? undefined : findLevel(level)) ??
    levelAt(levels, transactionOf(instance));
  const steps = execution
    ? stepsOf(program, transactionOf, levelOf, execution, confirmation.cycle)
    : [];
  const leftOut = leftOutOf(program, execution?.steps ?? [], transactionOf, levelOf);
  const { dirtyRead } = confirmation;
  const found =
    execution && dirtyRead
      ? dirtyReadShape(execution, dirtyRead)
      : execution && cycleShape(execution, confirmation.cycle, searchOf(program.schema));
  const named = found && found.edges.length > 0 ? classify(found) : undefined;
  const instances = named?.shape.instances ?? witness.instances.map((each) => each.instance);
  const transactions = instances.map(transactionOf);
  const kind = named?.kind.name ?? "serialization-anomaly";
  const outside = found ? splitInstances(found.edges).map(nameOf) : [];
  const breaches = breachesOf(program, confirmation);
  const consequence =
    consequenceOfBreach(breaches) ??
    (execution &&
      consequenceOf(runsOf(program, confirmation, execution, nameOf), confirmation.severity));
  const telling = named
    ? tellingOf(named.kind.sentence({ shape: named.shape, nameOf }), named.kind.title, consequence)
    : tellingOf(
        `possibly, ${listText([...new Set(transactions)])} together end as no order of them does; it could not be executed`,
        "not confirmed",
        undefined,
      );
  return {
    id: identity([keyOfLevels(levels), kind, ...[...transactions].sort(), ...finding.tables]),
    kind,
    severity: confirmation.severity ?? "value",
    harm: confirmation.severity === "unused" ? "unused" : (consequence?.harm ?? "returned"),
    status: confirmation.status,
    ...(confirmation.reason !== undefined && { reason: plainTerms(confirmation.reason) }),
    ...(confirmation.obstacle && { obstacle: confirmation.obstacle }),
    transactions,
    tables: finding.tables,
    cycle: dirtyRead ? [] : (named?.shape.edges.map(cycleEdge) ?? []),
    ...(dirtyRead && named?.shape.edges[0] && { dirtyRead: cycleEdge(named.shape.edges[0]) }),
    witness: {
      ...witness,
      instances: witness.instances.map((each) => {
        const transaction = program.transactions.find(({ id }) => id === each.transaction);
        return withArgumentsByUse(each, transaction, execution?.steps ?? []);
      }),
    },
    serial: confirmation.serial,
    steps,
    ...(breaches.length > 0 && { breaches }),
    ...(leftOut.length > 0 && { leftOut }),
    ...(outside.length > 0 && { outside: [...new Set(outside)].sort() }),
    ...telling,
    message: [telling.message + remark(outside), answersText(witness) ?? []].flat().join(" "),
    preventedBy: finding.preventedBy,
    allowedAt: finding.allowedAt,
  };
}

/** The message: the consequence, then the cause, then the literature's name. */
function tellingOf(
  cause: string,
  kind: string,
  consequence: Consequence | undefined,
): Pick<Anomaly, "title" | "message"> {
  const plain = kind.replace(/ \((.*)\)$/u, ": $1");
  const name = `(${plain.charAt(0).toLowerCase()}${plain.slice(1)})`;
  const title = consequence?.title;
  if (title === undefined) return { title: cause, message: `${cause} ${name}.` };
  return { title, message: `${title}: ${cause} ${name}.` };
}

/** The run and the serial orders as input of the consequence templates. */
function runsOf(
  { schema }: Program,
  { cycle, serial, witness }: Confirmation,
  { steps, dependencies, outcome }: Execution,
  nameOf: (instance: string) => string,
): Runs {
  const stale = cycle.flatMap((index) => {
    const edge = dependencies[index];
    const step = edge?.dependency === "rw" ? steps[edge.from] : undefined;
    return step ?? [];
  });
  return {
    schema,
    initial: witness.initial,
    here: outcome,
    serial: serial.map((each) => each.outcome),
    steps,
    nameOf,
    lookedUp: (table) => [...new Set(stale.flatMap((step) => lookedUpBy(step, table)))],
  };
}

/** Units that the cycle enters and leaves through different transactions. */
function splitInstances(edges: readonly ShapeEdge[]): readonly string[] {
  return edges.flatMap(({ from, to }, at) => {
    const next = edges[(at + 1) % edges.length] ?? { from };
    return to.instance === next.from.instance && to.part !== next.from.part ? [to.instance] : [];
  });
}

function remark(outside: readonly string[]): string {
  if (outside.length === 0) return "";
  const names = [...new Set(outside)].sort();
  const verb = names.length === 1 ? "is not one transaction" : "are not one transaction each";
  return ` ${listText(names)} ${verb}: others come between the statements.`;
}

function cycleEdge(edge: ShapeEdge): CycleEdge {
  return {
    dependency: edge.dependency.dependency,
    from: cycleEnd(edge.from),
    to: cycleEnd(edge.to),
    table: edge.dependency.table,
    columns: edge.dependency.columns.filter((column) => column !== "@"),
  };
}

/** A step as an end of a dependency. */
export function cycleEnd(step: ExecutedStep): CycleEnd {
  const start = { line: 0, character: 0 };
  return {
    instance: step.instance,
    file: step.source?.source.file ?? "",
    range: step.source?.source.range ?? { start, end: start },
    text: step.source?.text ?? "",
  };
}

/** FNV-1a over the parts, as eight hexadecimal digits. */
export function identity(parts: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const character of parts.join("\u0000")) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
