// Conversion of our values to those of the Language Server Protocol, with fromLsp.ts the only place that does so.
import {
  CodeActionKind,
  DiagnosticSeverity,
  DiagnosticTag,
  MarkupKind,
  type CodeAction,
  type CodeLens,
  type Diagnostic,
  type TextEdit as LspTextEdit,
  type DiagnosticRelatedInformation,
  type Hover,
  type InlayHint,
} from "vscode-languageserver/node";
import { KINDS } from "../analysis/explain/kinds/kinds";
import type { Note } from "../program/program";
import { DOCUMENTATION, pageOfKind } from "../protocol/documentation";
import type { Fix } from "../protocol/fixes";
import type { HistoryViolation } from "../protocol/history";
import {
  placedBreaches,
  type Anomaly,
  type FindingSeverity,
  type Step,
  type Unknown,
} from "../protocol/report";
import type { Position, Range } from "../protocol/source";
import { visible } from "../protocol/controlCharacters";
import type { ConfigurationProblem } from "../workspace/configuration";

const SOURCE = "isolens";

/** One squiggle: the message, the kind as code with its documentation, the steps as numbered related places. */
export function anomalyDiagnostic(
  anomaly: Anomaly,
  range: Range,
  uriOf: (file: string) => string,
): Diagnostic {
  return {
    range,
    severity: FINDING_SEVERITY[anomaly.reportedAs ?? "warning"],
    code: anomaly.kind,
    codeDescription: { href: pageOfKind(anomaly.kind) },
    source: SOURCE,
    message: visible(anomaly.message),
    relatedInformation: [
      ...relatedSteps(anomaly.steps, uriOf),
      ...placedBreaches(anomaly).map(({ file, range: stated, text }) => ({
        location: { uri: uriOf(file), range: stated },
        message: visible(text),
      })),
    ],
    data: { anomaly: anomaly.id },
  };
}

/** The page of a violation in a recorded run; some kinds only exist there. */
function pageOf(kind: string): string {
  const name = kind.replace(/-realtime$/u, "");
  return KINDS.some((each) => each.name === name)
    ? pageOfKind(name)
    : `${DOCUMENTATION}/README.md#in-recorded-runs-alone`;
}

/** Open questions are information: never silent, never an accusation. */
export function unknownDiagnostic(unknown: Unknown, range: Range): Diagnostic {
  return {
    range,
    severity: DiagnosticSeverity.Information,
    code: "unknown",
    codeDescription: { href: pageOfKind("unknown") },
    source: SOURCE,
    message: visible(unknown.reason),
  };
}

/** A diagnostic of an earlier text, until a new verdict replaces it. */
export function asOutdated(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, tags: [DiagnosticTag.Unnecessary] };
}

/** A remark, shown at `range`. */
export function noteDiagnostic(note: Note, range: Range): Diagnostic {
  return {
    range,
    severity: NOTE_SEVERITY[note.severity],
    code: note.code,
    source: SOURCE,
    message: visible(note.message),
    // Useless parts are faded, and in no list of problems.
    ...(USELESS.has(note.code) && {
      severity: DiagnosticSeverity.Hint,
      tags: [DiagnosticTag.Unnecessary],
    }),
  };
}

const USELESS: ReadonlySet<string> = new Set(["suppression-unused", "suppression-repeated"]);

export function configurationDiagnostic(problem: ConfigurationProblem): Diagnostic {
  return {
    range: problem.range,
    severity: NOTE_SEVERITY[problem.severity],
    code: "configuration",
    source: SOURCE,
    message: visible(problem.message),
  };
}

/**
 * The operations of a counterexample: the read that closes the cycle has the message and links to the others, which get diagnostics too.
 */
export function historyDiagnostics(
  violation: HistoryViolation,
  id: string,
  uriOf: (file: string) => string | undefined,
): readonly { readonly uri: string; readonly diagnostic: Diagnostic }[] {
  const closing = violation.edges.at(-1);
  const transaction = closing?.type === "rw" ? closing.from : violation.transactions[0];
  const all = violation.story.flatMap(({ name, operations }) =>
    operations.flatMap(({ kind, key, text, place }) => {
      const uri = uriOf(place.file);
      if (uri === undefined || place.line === undefined) return [];
      const onCycle = closing?.key === undefined || key === closing.key;
      const isMain = name === transaction && kind === "read" && onCycle;
      return [{ uri, range: wholeLine(place.line), text: `${name} ${text}`, isMain }];
    }),
  );
  const related = all.map(({ uri, range, text }, at) => ({
    location: { uri, range },
    message: visible(`${String(at + 1)}/${String(all.length)} ${text}`),
  }));
  const main = Math.max(
    0,
    all.findIndex(({ isMain }) => isMain),
  );
  return all.map(({ uri, range, text }, at) => ({
    uri,
    diagnostic: {
      range,
      severity: at === main ? DiagnosticSeverity.Warning : DiagnosticSeverity.Information,
      code: violation.kind,
      codeDescription: { href: pageOf(violation.kind) },
      source: SOURCE,
      message: visible(at === main ? violation.message : `${text} (${violation.title})`),
      relatedInformation: at === main ? related : related.slice(main, main + 1),
      data: { anomaly: id },
    },
  }));
}

/** A remark on a client program: at its place, or at its beginning. */
export function explorationDiagnostic(
  severity: Note["severity"],
  message: string,
  range: Range | undefined,
): Diagnostic {
  const start = { line: 0, character: 0 };
  return {
    range: range ?? { start, end: start },
    severity: NOTE_SEVERITY[severity],
    code: "client-program",
    source: SOURCE,
    message: visible(message),
  };
}

/** A message about a line of a recorded run, such as a fault. */
export function historyFaultDiagnostic(message: string, line: number): Diagnostic {
  return {
    range: wholeLine(line),
    severity: DiagnosticSeverity.Error,
    code: "history",
    source: SOURCE,
    message: visible(message),
  };
}

/** Lines of histories count from 1; a character beyond the end of the line means its end. */
function wholeLine(line: number): Range {
  return { start: { line: line - 1, character: 0 }, end: { line: line - 1, character: 1000 } };
}

export function toHover(markdown: string, range: Range): Hover {
  return { contents: { kind: MarkupKind.Markdown, value: visible(markdown) }, range };
}

/** An edit of one document as a quick fix of a diagnostic. */
export function toQuickFix(
  title: string,
  uri: string,
  edit: { readonly range: Range; readonly newText: string },
  diagnostic: Diagnostic,
): CodeAction {
  return {
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    edit: { changes: { [uri]: [{ range: edit.range, newText: edit.newText }] } },
  };
}

/** A verified fix as an action: its edits of all documents, undone in one step. */
export function toFixAction(
  fix: Fix,
  diagnostics: readonly Diagnostic[],
  placeOf: (file: string) => { readonly uri: string; readonly version: number | null },
  options: { readonly isVersioned: boolean; readonly isPreferred: boolean },
): CodeAction {
  const byFile = new Map<string, LspTextEdit[]>();
  for (const { file, range, newText } of fix.edits)
    byFile.set(file, [...(byFile.get(file) ?? []), { range, newText }]);
  const created = fix.edits.flatMap(({ file, creates }) => (creates ? [file] : []));
  const documents = [...byFile].map(([file, edits]) => ({ ...placeOf(file), edits }));
  return {
    title: visible(fix.title),
    kind: CodeActionKind.QuickFix,
    diagnostics: [...diagnostics],
    isPreferred: options.isPreferred,
    edit: options.isVersioned
      ? {
          documentChanges: [
            ...created.map((file) => ({ kind: "create" as const, uri: placeOf(file).uri })),
            ...documents.map(({ uri, version, edits }) => ({
              textDocument: { uri, version },
              edits,
            })),
          ],
        }
      : { changes: Object.fromEntries(documents.map(({ uri, edits }) => [uri, edits])) },
  };
}

/** An action that shows the explanation of a diagnostic's anomalies. */
export function toShowAction(
  command: string,
  ids: readonly string[],
  diagnostic: Diagnostic,
): CodeAction {
  const title = "Show how this comes about";
  return {
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    command: { title, command, arguments: [{ ids }] },
  };
}

/** A disabled action with the reason. */
export function toDisabledFix(reason: string, diagnostics: readonly Diagnostic[]): CodeAction {
  return {
    title: "No fix could be verified",
    kind: CodeActionKind.QuickFix,
    diagnostics: [...diagnostics],
    disabled: { reason: visible(reason) },
  };
}

/** A lens above a transaction; without arguments it is plain text. */
export function toCodeLens(
  title: string,
  range: Range,
  show: { readonly command: string; readonly ids: readonly string[] } | undefined,
): CodeLens {
  const start = { line: range.start.line, character: 0 };
  return {
    range: { start, end: start },
    command: show
      ? { title: visible(title), command: show.command, arguments: [{ ids: show.ids }] }
      : { title: visible(title), command: "" },
  };
}

const NOTE_SEVERITY: Readonly<Record<Note["severity"], DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
};

const FINDING_SEVERITY: Readonly<Record<FindingSeverity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
  off: DiagnosticSeverity.Hint,
};

/** True for steps at the same place. */
function samePlace(a: Step, b: Step): boolean {
  const [one, other] = [a.range.start, b.range.start];
  return a.file === b.file && one.line === other.line && one.character === other.character;
}

function relatedSteps(
  steps: readonly Step[],
  uriOf: (file: string) => string,
): DiagnosticRelatedInformation[] {
  return steps.flatMap((step, index) => {
    if (step.file === "") return [];
    const because = step.because === "" ? "" : ` (${step.because})`;
    const number = `${String(index + 1)}/${String(steps.length)}`;
    // Each statement is shown once, at its first occurrence.
    const isFirst = steps.findIndex((each) => samePlace(each, step)) === index;
    const calls = isFirst ? (step.through ?? []) : [];
    return [
      {
        location: { uri: uriOf(step.file), range: step.range },
        message: visible(`${number} ${step.instance} ${step.effect}${because}`),
      },
      ...calls.map(({ name, kind, file, range }) => ({
        location: { uri: uriOf(file), range },
        message: visible(
          kind === "trigger"
            ? `${number} by way of the trigger ${name}, which fires here`
            : `${number} by way of ${name}(), which is called here`,
        ),
      })),
    ];
  });
}

/** A hint whose tooltip names all partners, and how to turn hints off. */
export function toInlayHint(position: Position, label: string, partners: string): InlayHint {
  const tooltip = `Isolens: this read may miss writes of ${visible(partners)}. The setting isolens.inlayHints.enabled shows these hints.`;
  return { position, label: visible(label), paddingLeft: true, tooltip };
}
