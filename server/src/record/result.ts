// Output of a recording: a file of annotated SQL for each entry point, and the tables as DDL.
import type { Protocol } from "./events";
import { entriesOf } from "./entries";
import { commandText, SECRET } from "./secrets";
import { learn } from "./learn/learn";
import type { LearntProgram } from "./learn/program";
import { numberedWords, type Glossary, type RecordedStatement } from "./statements";
import { runsOf } from "./runs";
import { writtenProgram } from "./write";

export interface LearntFile {
  readonly name: string;
  readonly text: string;
  readonly program: LearntProgram;
}

export interface LearntResult {
  readonly files: readonly LearntFile[];
  readonly runs: number;
  /** Statements that tests sent themselves, which are nobody's transactions. */
  readonly ofTests: number;
}

export interface ResultOptions {
  readonly protocol: Protocol;
  readonly glossary: Glossary;
  /** Texts are shown whatever they look like. */
  readonly showsValues?: boolean;
  /** The server's own level, as it tells it; else the product's usual one is taken for it. */
  readonly level?: string;
  readonly command?: readonly string[];
}

/** The programs behind the statements. The same statements give the same files. */
export function learntFiles(
  statements: readonly RecordedStatement[],
  options: ResultOptions,
): LearntResult {
  const { runs, ofTests } = runsOf(statements, options.level ?? USUAL_LEVEL[options.protocol]);
  const taken = new Set<string>();
  const numbered = numberedWords();
  const files = entriesOf(runs).flatMap(({ name, runs: own }): readonly LearntFile[] => {
    const program = learn(name, own, {
      protocol: options.protocol,
      reveal: (word, column) => revealed(word, column, options),
    });
    if (program === undefined) return [];
    const { command } = options;
    return [
      {
        name: fileName(name, taken),
        text: numbered(
          writtenProgram(program, command === undefined ? {} : { command: commandText(command) }),
        ),
        program,
      },
    ];
  });
  return { files, runs: runs.length, ofTests };
}

/** The level of a server whose settings nobody changed. */
export const USUAL_LEVEL: Readonly<Record<Protocol, string>> = {
  postgres: "read committed",
  mysql: "repeatable read",
};

/** Words of a program, as opposed to what people type. */
const WORD = /^[A-Za-z][A-Za-z_ -]{0,30}$/;

function revealed(
  word: string,
  column: string | undefined,
  { glossary, showsValues }: ResultOptions,
): string | undefined {
  const text = glossary.texts.get(word);
  if (text === undefined || showsValues === true) return text;
  return column !== undefined && WORD.test(text) && !SECRET.test(column) ? text : undefined;
}

function fileName(name: string, taken: Set<string>): string {
  const plain =
    name
      .replace(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/^[-.]+|[-.]+$/g, "")
      .slice(0, 60) || "transaction";
  let own = plain;
  for (let number = 2; taken.has(own.toLowerCase()) || own === "schema"; number++)
    own = `${plain}-${String(number)}`;
  taken.add(own.toLowerCase());
  return `${own}.sql`;
}
