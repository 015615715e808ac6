// Names that are legal and seldom: what objects of JavaScript answer to, words of SQL, built-in types and functions,
// letters of other scripts, the longest names, signs.
import type { Random } from "../servers/random";

/** In letters, digits and underscores, in lower case and no words that SQL or TypeScript reserves: names anywhere. */
const PLAIN = [
  ...["constructor", "prototype", "length", "name", "watch", "apply", "call", "bind", "arguments_"],
  ...[
    "text",
    "date",
    "count",
    "now",
    "sum",
    "json",
    "uuid",
    "money",
    "point",
    "lower",
    "data",
    "value_",
  ],
  ...["größe", "ключ", "数量", "ñandú", "z".repeat(63), "größe_".repeat(7)],
];

/** Names of variables in psql; quoted in SQL. */
const WORDS = [
  ...PLAIN,
  ...Object.getOwnPropertyNames(Object.prototype),
  ...[
    "select",
    "table",
    "user",
    "order",
    "group",
    "from",
    "where",
    "integer",
    "null",
    "true",
    "end",
    "begin",
  ],
  ...[
    "then",
    "toJSON",
    "Text",
    "ID",
    "int4",
    "varchar",
    "nextval",
    "exists",
    "coalesce",
    "found",
    "old",
    "new",
  ],
];

/** Names between quotes, in SQL alone. */
const QUOTED = [
  ...WORDS,
  ...[
    "1",
    "0",
    "-1",
    "a.b",
    "a b",
    "it's",
    'a"b',
    "a/b",
    "%2F",
    "a[1]",
    "n.length",
    "-- x",
    "/* x",
    "$1",
    "a,b",
  ],
  ...[";", ":x", "(a)", "\\x", "a+b", "😀", "a#1", "T1", "@a", "?", "a|b", "a=1"],
];

export type Spelling = "plain" | "word" | "quoted";

const POOLS: Readonly<Record<Spelling, readonly string[]>> = {
  plain: PLAIN,
  word: WORDS,
  quoted: QUOTED,
};

/**
 * Another name for each of these, no two of which are equal in any case of letters. Where the pool is too small the others
 * get a number behind them.
 */
export function naming(
  words: readonly string[],
  spelling: Spelling,
  random: Random,
  isFree: (name: string) => boolean,
): ReadonlyMap<string, string> {
  const pool = [...random.shuffled(POOLS[spelling])].filter(isFree);
  const taken = new Set(words);
  const fresh = (at: number): string => {
    for (const name of pool.splice(0)) {
      const isNew = !taken.has(name.toLowerCase());
      taken.add(name.toLowerCase());
      if (!isNew) continue;
      pool.push(...random.shuffled(POOLS[spelling]).filter((each) => isFree(each)));
      return name;
    }
    return `constructor_${String(at)}`;
  };
  return new Map(words.map((word, at) => [word, fresh(at)]));
}
