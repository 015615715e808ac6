// Reads an axiom as users write it: `forall w, q, p. so(q, p) & vis(w, q) => vis(w, p)`. The grammar, loosest first:
//   formula  = ("forall" | "exists") variables "." formula | iff
//   variables = name [":" ("statement" | "transaction")] {"," ...}
//   iff = implies {"<=>" implies};  implies = or ["=>" formula];  or = and {"|" and};  and = not {"&" not}
//   not = "!" not | formula that begins with a quantifier | "(" formula ")" | "true" | "false"
//       | relation "(" name {"," name} ")" | name ("=" | "!=") name
import { dictionary } from "../protocol/dictionary";
import { ruleOf } from "./formula";
import type { Formula, Relation, WrittenAxiom } from "./formula";

/** An error in an axiom; offsets are UTF-16, from the start of its text. */
export interface AxiomProblem {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** The unknown name, and similar known ones. */
  readonly unknown?: {
    readonly what: string;
    readonly written: string;
    readonly known: readonly string[];
  };
}

export type AxiomResult =
  | { readonly ok: true; readonly axiom: WrittenAxiom }
  | { readonly ok: false; readonly problem: AxiomProblem };

/** The axiom of a text, or its first error. */
export function parseAxiom(text: string): AxiomResult {
  const reader: Reader = { text, tokens: tokensOf(text), at: 0, scope: [], made: 0 };
  try {
    const formula = readFormula(reader, 0);
    const rest = peek(reader);
    if (rest.kind !== "end") throw expected(reader, "the end, or one of & | => <=>");
    return { ok: true, axiom: { text, formula, concerns: concernsOf(formula) } };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ok: false, problem: error.problem };
  }
}

type Sort = "statement" | "transaction";

/** The relations' arguments; `either` is a statement, or a transaction (for all or some of its statements). */
const RELATIONS = dictionary<readonly (Sort | "either")[]>({
  vis: ["either", "either"],
  ar: ["either", "either"],
  so: ["either", "either"],
  po: ["statement", "statement"],
  st: ["either", "either"],
  in: ["statement", "transaction"],
  conflict: ["either", "either"],
  samekey: ["either", "either"],
  write: ["either"],
});

/** Other spellings of operators and words. */
const SPELLINGS = dictionary<string>({
  and: "&",
  "&&": "&",
  "∧": "&",
  or: "|",
  "||": "|",
  "∨": "|",
  not: "!",
  "¬": "!",
  implies: "=>",
  "->": "=>",
  "⇒": "=>",
  "→": "=>",
  iff: "<=>",
  "<->": "<=>",
  "⇔": "<=>",
  "↔": "<=>",
  "<>": "!=",
  "≠": "!=",
  "==": "=",
  "∀": "forall",
  "∃": "exists",
});

const WORDS = new Set(["forall", "exists", "true", "false"]);

/** The nesting limit of formulas. */
const DEEPEST = 60;

interface Token {
  readonly kind: "name" | "symbol" | "end";
  /** The canonical spelling of symbols and words. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Variable {
  readonly name: string;
  readonly sort: Sort;
}

interface Reader {
  readonly text: string;
  readonly tokens: readonly Token[];
  at: number;
  /** Innermost last. */
  readonly scope: Variable[];
  /** The number of variables generated for statements of a transaction. */
  made: number;
}

/** Aborts the recursive descent; does not leave this file. */
class Problem extends Error {
  constructor(readonly problem: AxiomProblem) {
    super(problem.message);
  }
}

function readFormula(reader: Reader, depth: number): Formula {
  if (depth > DEEPEST) throw problemAt(peek(reader), "the formula is nested too deeply");
  const { text: word } = peek(reader);
  if (word !== "forall" && word !== "exists") return readIff(reader, depth);
  reader.at += 1;
  const before = reader.scope.length;
  do readVariable(reader);
  while (takes(reader, ","));
  demand(reader, ".", '"." or "," after the variables');
  const body = readFormula(reader, depth + 1);
  const bound = reader.scope.splice(before);
  return bound.reduceRight(
    (inner: Formula, { name }) => ({ kind: word, variable: name, body: inner }),
    body,
  );
}

function readVariable(reader: Reader): void {
  const token = peek(reader);
  if (token.kind !== "name" || WORDS.has(token.text)) throw expected(reader, "a variable's name");
  if (Object.hasOwn(RELATIONS, token.text)) {
    throw problemAt(token, `"${token.text}" is a relation and cannot be a variable`);
  }
  if (reader.scope.some(({ name }) => name === token.text)) {
    throw problemAt(token, `the variable "${token.text}" is bound already`);
  }
  reader.at += 1;
  let sort: Sort = "statement";
  if (takes(reader, ":")) {
    const { text } = peek(reader);
    if (text !== "statement" && text !== "transaction") {
      throw expected(reader, '"statement" or "transaction"');
    }
    sort = text;
    reader.at += 1;
  }
  reader.scope.push({ name: token.text, sort });
}

function readIff(reader: Reader, depth: number): Formula {
  let left = readImplies(reader, depth);
  while (takes(reader, "<=>")) left = { kind: "iff", left, right: readImplies(reader, depth) };
  return left;
}

function readImplies(reader: Reader, depth: number): Formula {
  const left = readChain(reader, depth, "|");
  if (!takes(reader, "=>")) return left;
  if (depth > DEEPEST) throw problemAt(peek(reader), "the formula is nested too deeply");
  const { text } = peek(reader);
  const right =
    text === "forall" || text === "exists"
      ? readFormula(reader, depth + 1)
      : readImplies(reader, depth + 1);
  return { kind: "implies", left, right };
}

/** `a & b & c` or `a | b | c`. */
function readChain(reader: Reader, depth: number, operator: "&" | "|"): Formula {
  const next = (): Formula =>
    operator === "|" ? readChain(reader, depth, "&") : readNot(reader, depth);
  const first = next();
  const operands = [first];
  while (takes(reader, operator)) operands.push(next());
  return operands.length === 1 ? first : { kind: operator === "&" ? "and" : "or", operands };
}

function readNot(reader: Reader, depth: number): Formula {
  if (depth > DEEPEST) throw problemAt(peek(reader), "the formula is nested too deeply");
  if (takes(reader, "!")) return { kind: "not", operand: readNot(reader, depth + 1) };
  const token = peek(reader);
  if (token.text === "forall" || token.text === "exists") return readFormula(reader, depth + 1);
  if (takes(reader, "(")) {
    const inner = readFormula(reader, depth + 1);
    demand(reader, ")", '")"');
    return inner;
  }
  if (token.kind !== "name") throw expected(reader, "a relation, a quantifier or a parenthesis");
  reader.at += 1;
  if (token.text === "true" || token.text === "false") {
    return { kind: "constant", value: token.text === "true" };
  }
  if (peek(reader).text === "(") return readRelation(reader, token);
  if (Object.hasOwn(RELATIONS, token.text)) throw expected(reader, `"(" after ${token.text}`);
  return readEquality(reader, token);
}

function readRelation(reader: Reader, named: Token): Formula {
  const takesSorts = Object.hasOwn(RELATIONS, named.text) ? RELATIONS[named.text] : undefined;
  if (takesSorts === undefined) throw unknownName(named, "relation", Object.keys(RELATIONS));
  reader.at += 1;
  const given: { readonly token: Token; readonly variable: Variable }[] = [];
  do {
    const token = peek(reader);
    given.push({ token, variable: readName(reader) });
  } while (takes(reader, ","));
  demand(reader, ")", '")" or ","');
  const count = takesSorts.length;
  if (given.length !== count) {
    const many = count === 1 ? "one variable" : `${String(count)} variables`;
    throw problemAt(named, `${named.text} takes ${many}, and has ${String(given.length)}`);
  }
  takesSorts.forEach((sort, at) => {
    const own = given[at];
    if (own === undefined || sort === "either" || own.variable.sort === sort) return;
    const { name, sort: is } = own.variable;
    const hint = sort === "transaction" ? `; bind it as "${name}: transaction"` : "";
    const message = `"${name}" is a ${is}, and ${named.text} wants a ${sort} here${hint}`;
    throw problemAt(own.token, message);
  });
  const [a, b] = given.map(({ variable }) => variable);
  return a === undefined ? TRUTH : relate(reader, named.text, a, b ?? a);
}

function readEquality(reader: Reader, first: Token): Formula {
  reader.at -= 1;
  const left = readName(reader);
  const unequal = takes(reader, "!=");
  if (!unequal && !takes(reader, "=")) {
    throw expected(reader, `"(", "=" or "!=" after "${first.text}"`);
  }
  const token = peek(reader);
  const right = readName(reader);
  if (left.sort !== right.sort) {
    const message = `"${left.name}" is a ${left.sort} and "${right.name}" is a ${right.sort}`;
    throw problemAt(token, `${message}; only two of a kind can be the same`);
  }
  const equal = plain(left.sort === "transaction" ? "st" : "eq", left.name, right.name);
  return unequal ? { kind: "not", operand: equal } : equal;
}

function readName(reader: Reader): Variable {
  const token = peek(reader);
  if (token.kind !== "name" || WORDS.has(token.text)) throw expected(reader, "a variable");
  const variable = reader.scope.find(({ name }) => name === token.text);
  const names = reader.scope.map(({ name }) => name);
  if (variable === undefined) throw unknownName(token, "variable", names);
  reader.at += 1;
  return variable;
}

/** A relation of statements, lifted for transactions. */
function relate(reader: Reader, relation: string, a: Variable, b: Variable): Formula {
  switch (relation) {
    case "in":
    case "st":
      return plain("st", a.name, b.name);
    case "so": {
      const before = plain("so", a.name, b.name);
      if (a.sort === "statement" && b.sort === "statement") return before;
      const same = plain("st", a.name, b.name);
      return { kind: "and", operands: [before, { kind: "not", operand: same }] };
    }
    case "po":
      return plain("po", a.name, b.name);
    case "vis":
    case "ar":
      return lifted(reader, "forall", relation, [a, b]);
    case "conflict":
    case "samekey":
      return lifted(reader, "exists", relation, [a, b]);
    case "write":
      return lifted(reader, "exists", relation, [a]);
    default:
      throw new Error(`the relation ${relation} is not in the table`);
  }
}

/** The relation over all, or some, statements of the transaction variables. */
function lifted(
  reader: Reader,
  quantifier: "forall" | "exists",
  relation: Relation,
  variables: readonly Variable[],
): Formula {
  const members: Formula[] = [];
  const bound: string[] = [];
  const names = variables.map(({ name, sort }) => {
    if (sort === "statement") return name;
    reader.made += 1;
    const member = `${name}${MEMBER}${String(reader.made)}`;
    members.push(plain("st", member, name));
    bound.push(member);
    return member;
  });
  const related: Formula = { kind: "relation", relation, arguments: names };
  if (bound.length === 0) return related;
  const body: Formula =
    quantifier === "forall"
      ? { kind: "implies", left: { kind: "and", operands: members }, right: related }
      : { kind: "and", operands: [...members, related] };
  return bound.reduceRight(
    (inner: Formula, variable) => ({ kind: quantifier, variable, body: inner }),
    body,
  );
}

/** Separates a transaction's name from a statement number; no name contains it. */
const MEMBER = "'";

const TRUTH: Formula = { kind: "constant", value: true };

function plain(relation: Relation, a: string, b: string): Formula {
  return { kind: "relation", relation, arguments: [a, b] };
}

/** See `WrittenAxiom.concerns`. */
function concernsOf(formula: Formula): readonly string[] {
  const { variables, conclusion } = ruleOf(formula);
  const heads = conclusion.kind === "and" ? conclusion.operands : [conclusion];
  const looking = heads.flatMap((each) =>
    each.kind === "relation" && each.relation === "vis" ? each.arguments.slice(1) : [],
  );
  return looking.length === heads.length ? [...new Set(looking)] : variables;
}

function peek(reader: Reader): Token {
  const end = reader.text.length;
  return reader.tokens[reader.at] ?? { kind: "end", text: "", start: end, end };
}

function takes(reader: Reader, symbol: string): boolean {
  if (peek(reader).kind === "end" || peek(reader).text !== symbol) return false;
  reader.at += 1;
  return true;
}

function demand(reader: Reader, symbol: string, what: string): void {
  if (!takes(reader, symbol)) throw expected(reader, what);
}

function expected(reader: Reader, what: string): Problem {
  const token = peek(reader);
  const found =
    token.kind === "end"
      ? "the axiom ends"
      : `"${reader.text.slice(token.start, token.end)}" stands there`;
  return problemAt(token, `expected ${what}, and ${found}`);
}

function problemAt({ start, end }: Token, message: string): Problem {
  return new Problem({ message, start, end });
}

function unknownName(token: Token, what: string, known: readonly string[]): Problem {
  const { text: written, start, end } = token;
  const message = `there is no ${what} "${written}"`;
  return new Problem({ message, start, end, unknown: { what, written, known } });
}

/** Names, and symbols of one to three characters. Any other character becomes a symbol that no rule accepts. */
function tokensOf(text: string): readonly Token[] {
  const pattern = /[\p{L}_][\p{L}\p{N}_]*|<=>|<->|=>|->|==|!=|<>|&&|\|\||\S/gu;
  return [...text.matchAll(pattern)].map((match) => {
    const [written] = match;
    const isName = /^[\p{L}_]/u.test(written);
    const known = isName ? written.toLowerCase() : written;
    const respelled = Object.hasOwn(SPELLINGS, known) ? SPELLINGS[known] : undefined;
    const spelled = respelled ?? (WORDS.has(known) ? known : written);
    const kind = isName && respelled === undefined ? "name" : "symbol";
    return { kind, text: spelled, start: match.index, end: match.index + written.length };
  });
}
