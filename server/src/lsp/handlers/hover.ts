import type { Hover } from "vscode-languageserver/node";
import { findLevel } from "../../isolation/levels";
import { ownEntry } from "../../protocol/dictionary";
import { outsideAdvice } from "../../protocol/outside";
import { refusalAdvice } from "../../protocol/refusalAdvice";
import { partnersText } from "../../protocol/cause";
import type { Anomaly, ReportTransaction, Step } from "../../protocol/report";
import type { Position } from "../../protocol/source";
import { describeKind } from "../anomalies";
import type { Fixes } from "../fixes";
import { holds } from "../editRange";
import { anomaliesOf, firstOfCauses, isFaded, toldAnomalies, type ProjectResult } from "../results";
import { definedIn, findFile, projectKey, type ServerState } from "../serverState";
import { toHover } from "../toLsp";

/**
 * On a statement of an anomaly: its effect in the witness and the kind's definition. On a transaction's first line: its level, its
 * precision, and its anomalies. Does not repeat the diagnostic. Whoever reads it may ask for a fix next: the search begins.
 */
export function handleHover(
  state: ServerState,
  fixes: Fixes,
  uri: string,
  position: Position,
): Hover | null {
  const found = findFile(state, uri);
  const result = found && state.results.get(projectKey(found.project));
  if (!found || !result) return null;
  return (
    statementHover(state, fixes, result, found.file, position) ??
    transactionHover(state, result, found.file, position)
  );
}

function statementHover(
  state: ServerState,
  fixes: Fixes,
  result: ProjectResult,
  file: string,
  position: Position,
): Hover | null {
  const at = (step: Step): boolean => step.file === file && holds(step.range, position);
  const anomalies = firstOfCauses(
    toldAnomalies(result.report).filter((each) => each.steps.some(at)),
  );
  const [first] = anomalies;
  const range = first?.steps.find(at)?.range;
  if (!range) return null;
  fixes.ahead(result, first);
  const parts = anomalies.slice(0, MOST).map((anomaly) => {
    const { title, definition } = describeKind(anomaly.kind);
    const lines = anomaly.steps.flatMap((step, index) =>
      at(step) ? [`- step ${String(index + 1)}: **${step.instance}** ${escape(step.effect)}`] : [],
    );
    return [
      `**${title}** of ${namesText(anomaly)}${racesText(result, anomaly)}${showLink(state, anomaly)}`,
      lines.join("\n"),
      `*${escape(definition)}* ${preventedText(result, anomaly)}`,
    ].join("\n\n");
  });
  const rest = anomalies.length - MOST;
  if (rest > 0) parts.push(`and ${String(rest)} more`);
  return toHover(parts.join("\n\n---\n\n"), range);
}

/** Limit of anomalies per hover. */
const MOST = 3;

function transactionHover(
  state: ServerState,
  result: ProjectResult,
  file: string,
  position: Position,
): Hover | null {
  const transaction = result.report.transactions.find(
    (each) =>
      each.file === file && holds(each.range, position) && each.range.start.line === position.line,
  );
  if (!transaction) return null;
  const anomalies = firstOfCauses(anomaliesOf(result, transaction));
  const lines = [
    `**${escape(transaction.name)}** runs at ${levelText(result, transaction)}.`,
    PRECISION[transaction.precision],
    ...anomalies.map((anomaly) => {
      const stale = isFaded(result, anomaly) ? " (edited since)" : "";
      return `- ${escape(anomaly.title)}${stale}${showLink(state, anomaly)}`;
    }),
    ...assumingText(result, transaction),
  ];
  return toHover(lines.join("\n\n"), transaction.range);
}

/** Assumptions of the results for a transaction. */
function assumingText({ report }: ProjectResult, { name }: ReportTransaction): readonly string[] {
  const own = report.assumptions.filter(({ transactions }) => transactions.includes(name));
  if (own.length === 0) return [];
  const items = own.map(
    ({ kind, text }) => `- \`${text}\`${kind === "counter" ? " (inferred)" : ""}`,
  );
  return [`Assuming:\n${items.join("\n")}`];
}

const PRECISION: Readonly<Record<ReportTransaction["precision"], string>> = {
  exact: "Every statement is read exactly.",
  over: "A condition or value was weakened: what depends on it may be missed, or may not be able to happen.",
  approx: "Some statements are known by their tables only.",
  opaque: "The effect of some statements is unknown.",
};

function levelText(result: ProjectResult, transaction: ReportTransaction): string {
  const name = ownEntry(result.report.levels.perTransaction, transaction.name) ?? result.level.name;
  const label = findLevel(name, definedIn(result.project))?.label ?? name;
  const basis = result.report.basis?.find(({ level }) => level === name);
  const rests = basis && basis.evidence !== "axioms" ? ` (${basis.text})` : "";
  return name === result.level.name ? `${label}${rests}` : `${label}${rests}, its own level`;
}

function namesText(anomaly: Anomaly): string {
  return anomaly.transactions.map((name) => `\`${name}\``).join(", ");
}

function racesText({ report }: ProjectResult, { cause }: Anomaly): string {
  const own = report.causes?.find(({ id }) => id === cause);
  return own && own.anomalies.length > 1 ? `, which races with ${escape(partnersText(own))}` : "";
}

function preventedText({ project }: ProjectResult, anomaly: Anomaly): string {
  const labels = anomaly.preventedBy.map(
    (name) => findLevel(name, definedIn(project))?.label ?? name,
  );
  if (labels.length === 0)
    return (
      refusalAdvice(anomaly) ??
      outsideAdvice(anomaly) ??
      "No other level of this family prevents it."
    );
  return `Prevented at ${labels.join(", ")}.`;
}

function showLink(state: ServerState, anomaly: Anomaly): string {
  if (state.options.commandLinks !== true) return "";
  const argument = encodeURIComponent(JSON.stringify([{ ids: [anomaly.id] }]));
  return ` - [show](command:isolens.showAnomaly?${argument})`;
}

function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|]/gu, "\\$&");
}
