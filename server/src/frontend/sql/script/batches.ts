// Statement boundaries of SQL Server, which needs no semicolons: a line that starts with a statement's first word begins a statement,
// unless the previous one continues there. IF and WHILE extend over what they govern.

/** A statement while its words are scanned. */
export interface Batch {
  first: string;
  last: string;
  readonly seen: Set<string>;
  parentheses: number;
  /** The number of open CASE expressions. */
  cases: number;
  phase: "plain" | "condition" | "body" | "block" | "done";
  /** The depth of BEGIN ... END under IF or WHILE. */
  blocks: number;
}

/** The state before the first word. */
export function startBatch(): Batch {
  return {
    first: "",
    last: "",
    seen: new Set(),
    parentheses: 0,
    cases: 0,
    phase: "plain",
    blocks: 0,
  };
}

const STARTERS = new Set(
  (
    "select insert update delete merge declare set begin commit rollback save exec execute if while print return " +
    "throw raiserror truncate create alter drop end else use goto waitfor"
  ).split(" "),
);

/** True if a word begins the next statement; otherwise it is added to this one. `after` is the following text. */
export function startsNext(
  batch: Batch,
  word: string,
  isLineStart: boolean,
  after: string,
): boolean {
  if (batch.first !== "" && begins(batch, word, isLineStart)) return true;
  takeWord(batch, word, after);
  return false;
}

function begins(batch: Batch, word: string, isLineStart: boolean): boolean {
  if (batch.phase === "done") return word !== "else";
  if (batch.phase === "condition" || batch.phase === "block") return false;
  if (!isLineStart || !STARTERS.has(word)) return false;
  if (batch.phase === "body" && word === "else") return false;
  return !goesOn(batch, word);
}

function goesOn(batch: Batch, word: string): boolean {
  const { first, last, seen } = batch;
  if (batch.parentheses > 0 || batch.cases > 0) return true;
  if (/^(union|all|except|intersect|as|exists|in|for|on|then|not)$/.test(last)) return true;
  const hasSource = ["values", "select", "exec", "execute"].some((each) => seen.has(each));
  const isMain = /^(select|insert|update|delete|merge)$/.test(word);
  if (first === "with" && isMain) {
    return (
      !["insert", "update", "delete", "merge"].some((each) => seen.has(each)) && !seen.has("select")
    );
  }
  if (first === "create" || first === "alter") return word === "select" && !seen.has("select");
  if (word === "select" || word === "exec" || word === "execute")
    return seen.has("insert") && !hasSource;
  if (word === "set") return seen.has("update") && !seen.has("set");
  return first === "merge" && isMain;
}

function takeWord(batch: Batch, word: string, after: string): void {
  const isBlock =
    word === "begin" && !/^\s*(tran|transaction|distributed|try|catch)\b/i.test(after);
  if (batch.first === "") {
    batch.first = word;
    if (word === "if" || word === "while") batch.phase = "condition";
  } else if (batch.phase === "condition" && batch.parentheses === 0 && STARTERS.has(word)) {
    batch.phase = isBlock ? "block" : "body";
    batch.blocks = isBlock ? 1 : 0;
    batch.seen.clear();
  } else if (batch.phase === "block") {
    if (isBlock) batch.blocks++;
    else if (word === "end" && batch.cases === 0 && --batch.blocks === 0) batch.phase = "done";
  } else if (word === "else" && batch.cases === 0 && batch.phase !== "plain") {
    batch.phase = "condition";
  }
  if (word === "case") batch.cases++;
  if (word === "end" && batch.cases > 0) batch.cases--;
  batch.seen.add(word);
  batch.last = word;
}

/** Adds a symbol to the statement. */
export function takeSymbol(batch: Batch, symbol: string): void {
  if (symbol === "(") batch.parentheses++;
  if (symbol === ")" && batch.parentheses > 0) batch.parentheses--;
  batch.last = symbol;
}

/** True if a semicolon ends the statement; `after` is the following text. */
export function endsBatch(batch: Batch, after: string): boolean {
  if (batch.phase === "block") return false;
  return batch.phase !== "body" || !/^\s*else\b/i.test(after);
}
