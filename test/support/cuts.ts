// Files cut behind their tokens, as they are while somebody types them, and what is told of the rest that is not told of
// the whole file.
import type { Checker, CheckOutcome } from "../../server/src/lsp/checker";
import { sessionChecker } from "../../server/src/lsp/sessionChecker";
import { SYNTAX } from "../../server/src/lsp/standingReadings";
import type { Note } from "../../server/src/program/program";
import type { FileId, Range } from "../../server/src/protocol/source";
import { brokenPlaces } from "../../server/src/lsp/brokenTexts";
import { isShown, type Verdict } from "../../server/src/protocol/report";
import { judgeFindings } from "../../server/src/service/findings/findings";
import type { Session } from "../../server/src/service/session";
import { withText } from "../../server/src/lsp/loadWorkspace";
import { loadProjects, type Project } from "../../server/src/workspace/projects";

/** One cut of a file. */
export interface Cut {
  readonly file: string;
  /** The end of the text that is left, as offset. */
  readonly at: number;
  /** True if the whole file was read before; else the file is opened as it is. */
  readonly before: "whole" | "nothing";
  /** The state of it: an earlier reading stands, it is known to be broken, or it is a program of its own. */
  readonly state: "stands" | "broken" | "program";
  readonly verdict: Verdict;
  /** The findings that are not told of the whole file. */
  readonly more: readonly string[];
}

/** Cuts every file of a folder's project behind every `every`-th token, from the `first` on. */
export async function* cutsOf(
  session: Session,
  folder: string,
  { every, first = 0 }: { readonly every: number; readonly first?: number },
): AsyncGenerator<Cut> {
  const { projects } = await loadProjects([folder], { cwd: folder });
  for (const project of projects) {
    const whole = toldOf(await outcomeOf(freshChecker(session), project));
    for (const { file, text } of project.files) {
      const ends = endsOf(text).filter((_, index) => index % every === first % every);
      for (const at of ends) {
        for (const before of ["whole", "nothing"] as const) {
          const checker = freshChecker(session);
          if (before === "whole") await outcomeOf(checker, project);
          const outcome = await outcomeOf(
            checker,
            withText(project, file, text.slice(0, at)),
            file,
          );
          const more = [...toldOf(outcome)].filter((each) => !whole.has(each));
          yield {
            file,
            at,
            before,
            state: stateOf(outcome, file),
            verdict: outcome.report.verdict,
            more,
          };
        }
      }
    }
  }
}

function stateOf({ standing, notes }: CheckOutcome, file: FileId): Cut["state"] {
  if (standing.length > 0) return "stands";
  return brokenPlaces(notes, [file]).length > 0 ? "broken" : "program";
}

/** A checker that has read nothing, over a session that goes on. */
function freshChecker(session: Session): Checker {
  return sessionChecker(() => Promise.resolve(session));
}

function outcomeOf(checker: Checker, project: Project, open?: FileId): Promise<CheckOutcome> {
  const events = { reading: ignored, read: ignored, progress: ignored, found: ignored };
  const { level } = project.configuration;
  const { signal } = new AbortController();
  return checker.check(project, level, signal, events, open === undefined ? {} : { first: [open] });
}

function ignored(): void {
  // The verdict alone counts.
}

/** Findings, open questions and remarks on the text, without their places: these move. Of syntax nothing. */
function toldOf(outcome: CheckOutcome): ReadonlySet<string> {
  const { report } = judgeFindings(outcome.report, {
    severities: {},
    placed: outcome.suppressions,
  });
  const isSyntax = ({ code }: Note): boolean => SYNTAX.has(code);
  const broken = new Set(
    outcome.notes.filter(isSyntax).map(({ source }) => placeKey(source.file, source.range)),
  );
  const open = report.unknown.filter(
    ({ file = "", range }) => range === undefined || !broken.has(placeKey(file, range)),
  );
  return new Set([
    ...report.anomalies
      .filter((each) => isShown(each))
      .map(({ kind, transactions }) => `${kind}: ${transactions.join(", ")}`),
    ...open.map(({ reason, transactions }) => `open: ${transactions.join(", ")}: ${reason}`),
    ...outcome.notes
      // A comment for us has a syntax of its own, and remarks on it stand in it.
      .filter((note) => !isSyntax(note) && !note.code.startsWith("annotation-"))
      .map(({ code, message }) => `${code}: ${message}`),
  ]);
}

function placeKey(file: string, { start, end }: Range): string {
  return [file, start.line, start.character, end.line, end.character].join(":");
}

/** Ends of tokens: of words, and of single signs; the last one is the file. */
function endsOf(text: string): readonly number[] {
  const ends = [...text.matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)].map(
    ({ 0: token, index }) => index + token.length,
  );
  return ends.slice(0, -1);
}
