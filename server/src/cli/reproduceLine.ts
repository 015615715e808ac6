// The command line that repeats a check: other commands need it to find an anomaly that `check` found, without stored state.
import { durationText } from "../workspace/duration";
import type { CommonArguments } from "./commonArguments";

/** Paths and options as typed, for one of the requested levels. */
export function againText(args: CommonArguments, level: string): string {
  const { maxTransactions, unroll, budget, configurationFile, nodePath } = args;
  const options: readonly (readonly [string, string | undefined])[] = [
    ["level", args.levels.length > 0 ? level : undefined],
    ["max-transactions", maxTransactions?.toString()],
    ["unroll", unroll?.toString()],
    ["budget", budget === undefined ? undefined : durationText(budget)],
    ["config", configurationFile],
    ["node-path", nodePath],
  ];
  return [
    // An argument that begins with a hyphen would be an option.
    ...args.paths.map((each) => quoted(each.startsWith("-") ? `./${each}` : each)),
    ...options.flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name} ${quoted(value)}`],
    ),
    ...(args.prove === true ? ["--prove"] : []),
  ].join(" ");
}

/** One word for a shell. */
function quoted(text: string): string {
  if (/^[\w./:@%+=,-]+$/u.test(text)) return text;
  return /["$`\\!]/u.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
