// Workspace functions that touch no table: their result is a function of their arguments, or a new value each time. Decided by the words of
// their bodies; an unknown word disqualifies a function.
import { ofNode } from "../../../query/nodes";
import { isPure } from "../../../program/functions";
import type { LoweringContext } from "../lowering";
import { nameOf, tokensOf, type Token } from "../text/tokens";
import { typeText } from "./ast";
import { aggregateOf, EVALUATED_FUNCTIONS, FRESH, LENGTHS } from "./functions";
import { isHidden } from "./functionNames";
import type { RoutineDefinition, RoutineContext } from "./plpgsql/routineDefinition";
import { givesRows } from "./sets";

export interface ValueFunction {
  /** True if equal arguments give equal values; otherwise each call returns a new value. */
  readonly deterministic: boolean;
  /** True if it raises an error for some arguments. */
  readonly mayFail: boolean;
}

type Verdict = ValueFunction | undefined;

const verdictsIn = ofNode(
  (_routine: RoutineContext["routine"]) => new Map<RoutineDefinition, Verdict>(),
);

/**
 * The value of the workspace's function of that name, if it reads and changes nothing. Linear in the bodies of all functions that it calls,
 * once each.
 */
export function valueFunction(
  routine: RoutineContext["routine"],
  name: string,
  count: number,
  schema?: string,
): ValueFunction | undefined {
  const definition = routine(name, count, schema);
  if (definition === undefined) return undefined;
  const verdicts = verdictsIn(routine);
  if (verdicts.has(definition)) return verdicts.get(definition);
  // Recursive calls are decided by the rest of the function.
  verdicts.set(definition, CALCULATES);
  const verdict = read(definition, routine);
  verdicts.set(definition, verdict);
  return verdict;
}

/** The function lookups for callers. */
export function functionsOf(
  routine: RoutineContext["routine"],
): Pick<LoweringContext, "gives" | "owns"> {
  return {
    gives: (name, count, schema) => valueFunction(routine, name, count, schema),
    owns: (name, count, schema) => ownTypes(routine, name, count, schema),
  };
}

function ownTypes(
  routine: RoutineContext["routine"],
  name: string,
  count: number,
  schema: string | undefined,
): readonly string[] | undefined {
  const definition = routine(name, count, schema);
  if (definition === undefined) return undefined;
  const types = definition.arguments
    .filter((each) => each.isInput)
    .map((each) => typeText(each.type));
  // Without a search path, functions are in `public`.
  if (schema !== undefined) return (definition.schema ?? "public") === schema ? types : undefined;
  return isHidden(name, types) ? undefined : types;
}

const CALCULATES: ValueFunction = { deterministic: true, mayFail: false };
const DRAWS: ValueFunction = { deterministic: false, mayFail: false };

function read(definition: RoutineDefinition, routine: RoutineContext["routine"]): Verdict {
  const { language, isProcedure, isTrigger, returns, body } = definition;
  if (!/^(sql|plpgsql)$/.test(language) || isProcedure || isTrigger) return undefined;
  if (returns?.setof === true) return undefined;
  const tokens = tokensOf(body.text, 0, body.text.length);
  const queries = namesOfQueries(tokens, body.text);
  let { deterministic, mayFail } = CALCULATES;
  for (const [at, token] of tokens.entries()) {
    if (!isName(token)) continue;
    const next = tokens[at + 1]?.word;
    const previous = tokens[at - 1]?.word ?? "";
    if (REFUSED.has(token.word) && previous !== "raise") return undefined;
    if (token.word === "raise" && !QUIET.has(next ?? "")) mayFail = true;
    const reads = READS.has(token.word) && previous !== "distinct";
    if (reads && !readsNoTable(tokens, at + 1, queries, body.text)) return undefined;
    if (NOW.has(token.word)) deterministic = false;
    if (next !== "(" || NO_CALLS.has(token.word) || previous === "as") continue;
    // After an item in FROM: an alias with columns.
    if (previous === ")") continue;
    const name = nameOf(body.text, token);
    if (queries.has(name)) continue;
    const called = calledVerdict(name, tokens, at, body.text, routine);
    if (called === undefined) return undefined;
    deterministic &&= called.deterministic;
    mayFail ||= called.mayFail && !isConstant(tokens, at + 1);
  }
  return { deterministic, mayFail };
}

/** RAISE levels that are no errors. */
const QUIET: ReadonlySet<string> = new Set("notice debug log info warning".split(" "));

/** True if there are only constants between the parentheses. */
function isConstant(tokens: readonly Token[], open: number): boolean {
  for (let at = open + 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.word === ")") return true;
    const isPlain = token?.kind === "number" || token?.kind === "string" || token?.word === ",";
    if (!isPlain) return false;
  }
  return false;
}

/** Words that precede a change, a lock, or something unknown. */
const REFUSED: ReadonlySet<string> = new Set(
  (
    "insert update delete merge execute perform call copy truncate lock create alter drop notify listen do " +
    "assert grant revoke refresh commit rollback set reset current_user session_user user current_role " +
    "current_catalog current_schema found table only open fetch move exception"
  ).split(" "),
);

const READS: ReadonlySet<string> = new Set(["from", "join"]);

const NOW: ReadonlySet<string> = new Set(
  "current_timestamp current_date current_time localtime localtimestamp".split(" "),
);

/** Words before a parenthesis that are no functions. */
const NO_CALLS: ReadonlySet<string> = new Set(
  (
    "and or not in any all some values coalesce nullif greatest least exists case when then else if elsif while " +
    "select return with as on using by array row cast over filter within group union except intersect from join " +
    "where having between like ilike is distinct limit offset lateral default varchar char character numeric decimal " +
    "bit varying timestamp time interval float precision loop reverse materialized recursive is null"
  ).split(" "),
);

function calledVerdict(
  name: string,
  tokens: readonly Token[],
  at: number,
  text: string,
  routine: RoutineContext["routine"],
): Verdict {
  const before = tokens[at - 1]?.word === "." ? tokens[at - 2] : undefined;
  const schema = before === undefined ? undefined : nameOf(text, before);
  const count = argumentsIn(tokens, at + 1);
  // The workspace may overload a PostgreSQL function.
  if (ownTypes(routine, name, count, schema) !== undefined)
    return valueFunction(routine, name, count, schema);
  if (FRESH[name] !== undefined || name === "current_setting") return DRAWS;
  if (isPure(name) || EVALUATED_FUNCTIONS.has(name) || LENGTHS.has(name)) return CALCULATES;
  if (aggregateOf(name) !== undefined || givesRows(name)) return CALCULATES;
  return valueFunction(routine, name, count, schema);
}

/** The number of arguments between the parentheses. */
function argumentsIn(tokens: readonly Token[], open: number): number {
  let depth = 0;
  let commas = 0;
  for (let at = open; at < tokens.length; at++) {
    const word = tokens[at]?.word ?? "";
    if (word === "(" || word === "[") depth++;
    if (word === ")" || word === "]") depth--;
    if (word === "," && depth === 1) commas++;
    if (depth === 0) return at === open + 1 ? 0 : commas + 1;
  }
  return commas + 1;
}

/** True if FROM and JOIN name only functions, subqueries and WITH queries; or if FROM has another meaning: `extract(day from x)`. */
function readsNoTable(
  tokens: readonly Token[],
  at: number,
  queries: ReadonlySet<string>,
  text: string,
): boolean {
  let place = tokens[at]?.word === "lateral" ? at + 1 : at;
  // A name may be schema-qualified.
  while (isName(tokens[place]) && tokens[place + 1]?.word === "." && isName(tokens[place + 2]))
    place += 2;
  const token = tokens[place];
  if (token === undefined) return false;
  if (token.kind === "number" || token.kind === "string" || token.kind === "placeholder")
    return true;
  if (token.word === "(" || (isName(token) && tokens[place + 1]?.word === "("))
    return !hasComma(tokens, place);
  return isName(token) && queries.has(nameOf(text, token)) && !hasComma(tokens, place);
}

/** True if the list of relations continues, which is not examined. */
function hasComma(tokens: readonly Token[], from: number): boolean {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const word = tokens[at]?.word ?? "";
    if (word === "(") depth++;
    if (word === ")") depth--;
    if (depth < 0 || word === ";" || (depth === 0 && ENDS.has(word))) return false;
    if (depth === 0 && word === ",") return true;
  }
  return false;
}

const ENDS: ReadonlySet<string> = new Set(
  "where group order having limit union except intersect join left right full inner cross on loop into".split(
    " ",
  ),
);

/** The names that WITH gives to queries. */
function namesOfQueries(tokens: readonly Token[], text: string): ReadonlySet<string> {
  return new Set(
    tokens.flatMap((token, at) => {
      const open = tokens[at + 2]?.word;
      const isQuery = tokens[at + 1]?.word === "as" && open === "(";
      const before = tokens[at - 1]?.word ?? "";
      return isName(token) && isQuery && /^(with|recursive|,)$/.test(before)
        ? [nameOf(text, token)]
        : [];
    }),
  );
}

const isName = (token: Token | undefined): boolean =>
  token?.kind === "word" || token?.kind === "name";
