// Makes a contradiction small: lines go as long as the server takes the program and the contradiction stays.
import type { Session } from "../../../server/src/service/session";
import { judge, type Contradiction, type Effort } from "./judge";
import { programComments, readProgram, type FuzzProgram } from "./program";
import type { Stage } from "./stage";

/** More attempts than this are not made, nor any after so many milliseconds. */
const MOST = 120;
const LONGEST = 60_000;

/** The smallest program that was found in which a contradiction of the same kind stays. */
export async function minimise(
  stage: Stage,
  session: Session,
  program: FuzzProgram,
  contradiction: Contradiction,
  effort: Effort,
): Promise<FuzzProgram> {
  const calls = contradiction.kind === "missed" ? [contradiction.calls] : program.runs.slice(0, 1);
  const end = Date.now() + LONGEST;
  let attempts = 0;
  const isOver = (): boolean => attempts >= MOST || Date.now() > end;
  const holds = async (candidate: FuzzProgram): Promise<boolean> => {
    attempts += 1;
    const { contradictions } = await judge(stage, session, candidate, effort, contradiction.order);
    return contradictions.some(({ kind }) => kind === contradiction.kind);
  };
  let best = withLines({ ...program, runs: calls }, bodyLines(program));
  if (!(await holds(best))) return program;
  for (let size = 8; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < bodyLines(best).length && !isOver();) {
      const lines = bodyLines(best);
      const left = [...lines.slice(0, at), ...lines.slice(at + size)];
      if (
        lines.slice(at, at + size).every((line) => mayGo(line, left)) &&
        (await holds(withLines(best, left)))
      )
        best = withLines(best, left);
      else at += 1;
    }
  }
  for (const row of best.init) {
    const fewer = { ...best, init: best.init.filter((each) => each !== row) };
    const candidate = withLines(fewer, bodyLines(best));
    if (!isOver() && (await holds(candidate))) best = candidate;
  }
  return best;
}

/**
 * Not what begins and ends a transaction or ends a loop or a routine, nor a gate, without which no interleaving shows anything, nor a table
 * that others name.
 */
function mayGo(line: string, left: readonly string[]): boolean {
  if (line.trim() === "/*bp*/") return false;
  if (/^\s*return\b|\bleave\b|\bexit when\b/i.test(line)) return false;
  if (/^(?:BEGIN|START TRANSACTION|COMMIT)\b/.test(line)) return false;
  const table = /^create table (\w+)/i.exec(line)?.[1];
  return table === undefined || !left.some((each) => new RegExp(`\\b${table}\\b`).test(each));
}

function bodyLines({ text }: FuzzProgram): readonly string[] {
  return text.split("\n").filter((line) => !/^-- !/.test(line) && line.trim() !== "");
}

function withLines(program: FuzzProgram, lines: readonly string[]): FuzzProgram {
  const text = [...programComments({ ...program, features: [] }), ...lines, ""].join("\n");
  return { ...readProgram(text, program.level), features: program.features };
}
