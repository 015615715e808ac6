// The assumptions of a check's answers beyond the program text, as the report lists them.
import { readAssumptionName } from "../../analysis/encoding/assumptions";
import { expressionText } from "../../analysis/explain/expressionText";
import type { Program } from "../../program/program";
import type { Assumption, Unknown } from "../../protocol/report";
import type { SourceRange } from "../../protocol/source";
import type { TupleSolver } from "../search/tupleSolver";

/** Assumption names with the transactions whose answers rest on them. */
export type AssumedBy = ReadonlyMap<string, ReadonlySet<number>>;

/** Wraps a solver to record what its answers assume. */
export function recordAssumptions(solve: TupleSolver): {
  readonly solve: TupleSolver;
  readonly assumed: AssumedBy;
} {
  const assumed = new Map<string, Set<number>>();
  return {
    assumed,
    solve: async (tuple, levels, signal, effort) => {
      const answer = await solve(tuple, levels, signal, effort);
      if (answer.kind === "solved")
        for (const name of answer.results.flatMap((result) => result.assumed ?? [])) {
          const members = assumed.get(name) ?? new Set<number>();
          for (const member of tuple.members) members.add(member);
          assumed.set(name, members);
        }
      return answer;
    },
  };
}

/** The assumptions of the report, sorted by kind and text. */
export function reportAssumptions(program: Program, assumed: AssumedBy): readonly Assumption[] {
  const all = [...assumed].flatMap(([name, members]): readonly Assumption[] => {
    const read = readAssumptionName(name);
    const described = read && describe(program, read);
    if (!described) return [];
    const { source, ...rest } = described;
    const transactions = [...members]
      .sort((a, b) => a - b)
      .flatMap((member) => program.transactions[member]?.id ?? []);
    return [{ ...rest, ...(source && { file: source.file, range: source.range }), transactions }];
  });
  const place = ({ kind, text }: Assumption): string => `${String(KINDS.indexOf(kind))} ${text}`;
  return all.sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

const KINDS: readonly Assumption["kind"][] = [
  "invariant",
  "counter",
  "check",
  "distinct",
  "rollbacks",
  "refusals",
  "recorded",
];

/** Results that stay open because they rest on an invariant that is not preserved. */
export function unsafeAssumptions(
  assumptions: readonly Assumption[],
  unsafe: ReadonlyMap<string, string>,
): readonly Unknown[] {
  return assumptions.flatMap((assumption): readonly Unknown[] => {
    const why = assumption.kind === "invariant" ? unsafe.get(assumption.text) : undefined;
    if (why === undefined) return [];
    const { file, range, transactions } = assumption;
    return [
      {
        reason: `that nothing more was found ${why}`,
        transactions,
        ...(file !== undefined && { file }),
        ...(range && { range }),
      },
    ];
  });
}

type Described = Omit<Assumption, "file" | "range" | "transactions"> & {
  readonly source?: SourceRange | undefined;
};

function describe(
  program: Program,
  read: NonNullable<ReturnType<typeof readAssumptionName>>,
): Described | undefined {
  switch (read.kind) {
    case "invariant": {
      const found = program.invariants?.find(({ text }) => text === read.text);
      const kind = found?.origin === "inferred" ? "counter" : "invariant";
      return { kind, text: read.text, source: found?.source };
    }
    case "rollbacks":
      return { kind: "rollbacks", text: "the server rolls back none of the transactions" };
    case "check": {
      const table = program.schema.tables.find(({ name }) => name === read.of);
      const check = table?.checks[read.index];
      return check && { kind: "check", text: expressionText(check), source: table?.source };
    }
    case "precondition": {
      const transaction = program.transactions.find(({ id }) => id === read.of);
      const condition = transaction?.preconditions[read.index];
      if (!transaction || !condition) return undefined;
      const isDistinct = condition.kind === "comparison" && condition.operator === "<>";
      return {
        kind: isDistinct ? "distinct" : "invariant",
        text: `${expressionText(condition)} in ${transaction.name}`,
        source: transaction.header,
      };
    }
  }
}
