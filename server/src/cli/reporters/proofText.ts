// The proof of a report for people: the argument step by step, or the obstacles.
import type { LevelTrial, ProofDependency, ProofObstacle, ProofReport } from "../../protocol/proof";
import type { LevelReport } from "../../protocol/report";
import { listText } from "../../analysis/explain/words";
import type { TextStyle } from "./anomalyText";
import { placeText } from "./anomalyText";
import { hangingText } from "./wrap";

/** The lines of a proof, without a trailing empty one. */
export function proofLines(proof: ProofReport, style: TextStyle): readonly string[] {
  const wrapped = (prefix: string, text: string): readonly string[] =>
    hangingText(prefix, text, style.columns);
  if (proof.status === "proved") {
    const steps = proof.steps.flatMap(({ text }, at) => wrapped(`  ${String(at + 1)}. `, text));
    const lemmas = proof.lemmas.map((each) => wrapped("     - ", each)).flat();
    const needed = lemmas.length > 0 ? ["  It needs, and was proved:", ...lemmas] : [];
    return [style.paint.strong(headline(proof)), ...steps, ...needed];
  }
  const shown = proof.obstacles.slice(0, MOST);
  const rest = proof.obstacles.length - shown.length;
  const more = rest > 0 ? [`  and ${String(rest)} more; --format json lists all`] : [];
  return [
    style.paint.strong(headline(proof)),
    ...shown.flatMap((each) => obstacleLines(each, wrapped)),
    ...more,
  ];
}

/** The sufficient levels, a line for each part of the program. */
export function sufficientLines(
  { sufficient = [], anomalies, level }: Pick<LevelReport, "sufficient" | "anomalies" | "level">,
  columns: number,
): readonly string[] {
  return sufficient.flatMap(({ transactions, level: weakest, tried }) => {
    const whom = sufficient.length > 1 ? `For ${listText(transactions)} ` : "";
    const open = undecidedText(tried, weakest);
    if (weakest === undefined)
      return hangingText(
        "",
        `${whom === "" ? "No" : `${whom}no`} level of the table is proved to suffice.${open}`,
        columns,
      );
    const others = tried
      .filter((each) => each.status === "proved" && each.level !== weakest)
      .map((each) => each.level);
    const also = others.length > 0 ? `; also ${listText(others)}` : "";
    const here = anomalies.filter(
      (each) =>
        each.status === "confirmed" &&
        each.transactions.some((name) => transactions.includes(name)),
    ).length;
    const gone =
      here > 0 && weakest !== level
        ? ` There ${here === 1 ? "the anomaly goes" : `the ${String(here)} anomalies go`}.`
        : "";
    return hangingText(
      "",
      `${whom === "" ? "The" : `${whom}the`} weakest level that is proved to suffice is ${weakest}${also}.${gone}${open}`,
      columns,
    );
  });
}

/** Levels with unfinished proofs that might suffice as well. */
function undecidedText(tried: readonly LevelTrial[], weakest: string | undefined): string {
  const at = tried.findIndex(({ level }) => level === weakest);
  const open = tried
    .slice(0, at < 0 ? tried.length : at)
    .filter(({ undecided }) => undecided)
    .map(({ level }) => level);
  if (open.length === 0) return "";
  return ` Whether ${listText(open)} ${open.length === 1 ? "suffices" : "suffice"} was not decided: ${open.length === 1 ? "its proof" : "their proofs"} did not come to an end; a longer --budget may help.`;
}

/** Limit of printed chains: more add little. */
const MOST = 3;

function headline({ status, scheme }: ProofReport): string {
  switch (status) {
    case "proved":
      return `Proved for any number of transactions (${scheme ?? "level"}):`;
    case "blocked":
      return "No proof for any number of transactions:";
    case "unknown":
      return "The proof for any number of transactions did not come to an end:";
  }
}

function obstacleLines(
  { chain, dependencies, reason, advice, file, range }: ProofObstacle,
  wrapped: (prefix: string, text: string) => readonly string[],
): readonly string[] {
  const place = file !== undefined && range ? `${placeText({ file, range })}: ` : "";
  const first = chain.length > 0 ? `${chain.join(" -> ")}: ${reason}` : `${place}${reason}`;
  return [
    ...wrapped("  ", first),
    ...dependencies.flatMap((each) => wrapped("    ", dependencyText(each))),
    ...(advice === undefined ? [] : wrapped("    ", advice)),
  ];
}

const VERBS: Readonly<Record<ProofDependency["dependency"], string>> = {
  wr: "is read by",
  ww: "is overwritten by",
  rw: "may miss",
  so: "comes before",
};

function dependencyText({ dependency, table, from, to }: ProofDependency): string {
  return `${table}: ${endText(from)} ${VERBS[dependency]} ${endText(to)}`;
}

function endText({ transaction, file, range, text }: ProofDependency["from"]): string {
  const short = text.replaceAll(/\s+/gu, " ");
  const cut = short.length > 60 ? `${short.slice(0, 57)}...` : short;
  return `${transaction} (${placeText({ file, range })}: ${cut})`;
}
