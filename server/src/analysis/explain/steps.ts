// The executed steps as lines of an explanation. A commit directly after its transaction's last statement is merged into it.
import type { Level } from "../../isolation/levels";
import type { Program, Transaction } from "../../program/program";
import type { Step, StepCall, StepCell } from "../../protocol/report";
import type { CallPlace } from "../../program/statement";
import type { SourceRange } from "../../protocol/source";
import type { CellAccess, Execution, ExecutedStep } from "../../store/execution";
import { becauseOf } from "./because";
import { effectOf } from "./effect";

/** One step per executed statement, in the order of the schedule; all views render these. */
export function stepsOf(
  program: Program,
  transactionOf: (instance: string) => string,
  levelOf: (step: ExecutedStep) => Level,
  execution: Execution,
  cycle: readonly number[],
): readonly Step[] {
  const byId = new Map(program.transactions.map((each) => [each.id, each]));
  return execution.steps.flatMap((step, index): Step[] => {
    if (endsPrevious(execution, index) || answersLock(execution, index)) return [];
    const commits = step.commits === true || endsPrevious(execution, index + 1);
    const effect = effectOf(step);
    const place = placeOf(step, byId.get(transactionOf(step.instance)));
    return [
      {
        instance: step.instance,
        file: place.source?.file ?? "",
        range: place.source?.range ?? NOWHERE,
        text: place.text,
        effect: commits ? `${effect}, commits` : effect,
        because: becauseOf(execution, cycle, levelOf, index),
        statement: step.statement,
        commits: commits || step.statement === "commit",
        reads: step.reads.map(cellOf),
        writes: step.writes.map(cellOf),
        ...(step.waitedFor !== undefined && { waitedFor: step.waitedFor }),
        ...(step.source?.through && { through: step.source.through.map(callOf) }),
      },
    ];
  });
}

const NOWHERE = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** True if the step at `index` is a commit right after the last statement of the same instance. */
function endsPrevious(execution: Execution, index: number): boolean {
  const step = execution.steps[index];
  const previous = execution.steps[index - 1];
  return (
    step?.statement === "commit" &&
    previous?.instance === step.instance &&
    typeof previous.statement === "number"
  );
}

/** True if a step only returns the answer of a request for a lock, which the step before it says. */
function answersLock({ steps }: Execution, index: number): boolean {
  const [step, previous, next] = [steps[index], steps[index - 1], steps[index + 1]];
  if (step?.source?.kind !== "select" || step.source.query.relations.length > 0) return false;
  if (step.commits === true || next?.statement === "commit") return false;
  const isRequest = previous?.source?.kind === "lock" && previous.source.granted !== undefined;
  return (
    isRequest &&
    previous.instance === step.instance &&
    previous.source.source.file === step.source.source.file &&
    previous.source.source.range.start.line === step.source.source.range.start.line
  );
}

function placeOf(
  step: ExecutedStep,
  transaction: Transaction | undefined,
): { readonly source: SourceRange | undefined; readonly text: string } {
  if (step.source) return { source: step.source.source, text: step.source.text };
  const text = step.statement === "rollback" ? "ROLLBACK" : "COMMIT";
  return { source: transaction?.header, text };
}

function callOf({ name, kind, source }: CallPlace): StepCall {
  return { name, ...(kind && { kind }), file: source.file, range: source.range };
}

function cellOf(cell: CellAccess): StepCell {
  return {
    table: cell.table,
    key: cell.key,
    column: cell.column,
    value: cell.value,
    ...(cell.before !== undefined && { before: cell.before }),
    ...(cell.writer !== undefined && { writer: cell.writer }),
  };
}
