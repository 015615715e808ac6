// Functions on texts.
import { textOf } from "../compile/operators";
import { regularExpression } from "../compile/patterns";
import { failure } from "../sqlError";
import { mysqlText } from "../values/cast";
import { collationKey, foldsCase } from "../values/compare";
import { rescale, toDecimal } from "../values/decimal";
import { wireText } from "../values/format";
import { isNumericValue } from "../values/wholes";
import { bytesOfHex, bytesOfText, hexOfBytes, textOfBytes } from "../../frontend/sql/text/bytes";
import { isNumeric } from "../values/types";
import { isList, type SqlValue } from "../values/value";
import { isPostgres, type Node } from "../compile/node";
import { md5, sha1, sha256 } from "./digests";
import {
  computeNode,
  integer,
  only,
  plain,
  tableOf,
  text,
  type FunctionTable,
  type MakeCall,
} from "./define";

const characters = (value: string): readonly string[] => Array.from(value);

const regexpLike = plain(
  "bool",
  ["text", "text", "text"],
  ([value, pattern, flags], _env, { dialect }) => {
    const marks = text(flags);
    const isFolded = foldsCase(dialect) ? !marks.includes("c") : marks.includes("i");
    return regularExpression(text(pattern), isFolded).test(text(value));
  },
  { least: 2 },
);

export const TEXTS: FunctionTable = tableOf({
  "lower lcase": plain("text", ["text"], ([value]) => text(value).toLowerCase()),
  "upper ucase": plain("text", ["text"], ([value]) => text(value).toUpperCase()),
  "char_length character_length": plain(
    "int4",
    ["text"],
    ([value]) => characters(text(value)).length,
  ),
  length: plain("int4", ["text"], ([value], _env, compiler) =>
    isPostgres(compiler) ? characters(text(value)).length : bytesOf(text(value)).length,
  ),
  octet_length: plain("int4", ["text"], ([value]) => bytesOf(text(value)).length),
  concat,
  concat_ws: concatWs,
  "substring substr mid": [
    plain("text", ["text", "int4", "int4"], ([value, from, count], _env, compiler) =>
      substring(text(value), integer(from), integer(count), isPostgres(compiler)),
    ),
    plain("text", ["text", "int4"], ([value, from], _env, compiler) =>
      substring(text(value), integer(from), undefined, isPostgres(compiler)),
    ),
    plain("text", ["text", "text"], ([value, pattern]) => {
      const found = regularExpression(text(pattern), false).find(text(value));
      return found?.[1] ?? found?.[0] ?? null;
    }),
  ],
  left: plain("text", ["text", "int4"], ([value, count]) => {
    const all = characters(text(value));
    const most = integer(count);
    return all.slice(0, most < 0 ? Math.max(0, all.length + most) : most).join("");
  }),
  right: plain("text", ["text", "int4"], ([value, count]) => {
    const all = characters(text(value));
    const most = integer(count);
    const from = most < 0 ? -most : Math.max(0, all.length - most);
    return all.slice(from).join("");
  }),
  "trim btrim": trimming(true, true),
  ltrim: trimming(true, false),
  rtrim: trimming(false, true),
  replace: plain("text", ["text", "text", "text"], ([value, from, to]) =>
    text(from) === "" ? text(value) : text(value).replaceAll(text(from), () => text(to)),
  ),
  reverse: plain("text", ["text"], ([value]) => [...text(value)].reverse().join("")),
  repeat: plain("text", ["text", "int4"], ([value, count]) =>
    repeated(text(value), integer(count)),
  ),
  space: plain("text", ["int4"], ([count]) => repeated(" ", integer(count))),
  "position strpos": plain("int4", ["text", "text"], ([value, part], _env, compiler) =>
    placeOf(text(value), text(part), 0, isPostgres(compiler)),
  ),
  instr: only(
    "mysql",
    plain("int8", ["text", "text"], ([value, part]) => placeOf(text(value), text(part), 0, false)),
  ),
  locate: only(
    "mysql",
    plain(
      "int8",
      ["text", "text", "int8"],
      ([part, value, from]) =>
        placeOf(text(value), text(part), Math.max(0, integer(from ?? 1) - 1), false),
      { least: 2 },
    ),
  ),
  lpad: plain("text", ["text", "int4", "text"], padding("left"), { least: 2 }),
  rpad: plain("text", ["text", "int4", "text"], padding("right"), { least: 2 }),
  initcap: plain("text", ["text"], ([value]) =>
    text(value)
      .toLowerCase()
      .replace(/[\p{L}\p{N}]+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
  ),
  ascii: plain("int4", ["text"], ([value]) => text(value).codePointAt(0) ?? 0),
  chr: plain("text", ["int4"], ([code]) => String.fromCodePoint(integer(code))),
  md5: plain("text", ["text"], ([value]) => md5(bytesOf(text(value)))),
  "sha1 sha": only(
    "mysql",
    plain("text", ["text"], ([value]) => sha1(bytesOf(text(value)))),
  ),
  sha2: only(
    "mysql",
    plain("text", ["text", "int8"], ([value, bits]) => {
      if (integer(bits) !== 256 && integer(bits) !== 0)
        throw failure(
          "badArgument",
          "SHA2 with other than 256 bits is not supported by this store",
        );
      return sha256(bytesOf(text(value)));
    }),
  ),
  hex: only("mysql", hexOf()),
  unhex: only(
    "mysql",
    plain("bytea", ["text"], ([value]) => {
      const digits = text(value);
      const even = digits.length % 2 === 0 ? digits : `0${digits}`;
      return /^[0-9a-f]*$/i.test(even) ? textOfBytes(bytesOfHex(even)) : null;
    }),
  ),
  split_part: plain("text", ["text", "text", "int4"], ([value, mark, at]) => {
    const parts = text(mark) === "" ? [text(value)] : text(value).split(text(mark));
    if (integer(at) === 0) throw failure("badArgument", "field position must not be zero");
    return parts.at(integer(at) > 0 ? integer(at) - 1 : integer(at)) ?? "";
  }),
  substring_index: plain("text", ["text", "text", "int8"], ([value, mark, count]) => {
    const parts = text(value).split(text(mark));
    const most = integer(count);
    return (most >= 0 ? parts.slice(0, most) : parts.slice(most)).join(text(mark));
  }),
  translate: plain("text", ["text", "text", "text"], ([value, from, to]) => {
    const targets = characters(text(to));
    const sources = characters(text(from));
    return characters(text(value))
      .map((each) => {
        const at = sources.indexOf(each);
        return at < 0 ? each : (targets[at] ?? "");
      })
      .join("");
  }),
  regexp_replace: [
    only(
      "postgres",
      plain(
        "text",
        ["text", "text", "text", "text"],
        ([value, pattern, by, flags]) => {
          const marks = text(flags);
          const expression = regularExpression(text(pattern), marks.includes("i"));
          const written = text(by);
          return expression.replace(text(value), marks.includes("g"), (groups) =>
            written.replace(/\\([\\&\d])/g, (_, mark: string) =>
              mark === "\\" ? mark : (groups[mark === "&" ? 0 : Number(mark)] ?? ""),
            ),
          );
        },
        { least: 3 },
      ),
    ),
    only(
      "mysql",
      plain("text", ["text", "text", "text"], ([value, pattern, by]) =>
        regularExpression(text(pattern), true).replace(text(value), true, (groups) =>
          text(by).replace(
            /\\(.)|\$(\d)/gs,
            (_, escaped?: string, place?: string) => escaped ?? groups[Number(place)] ?? "",
          ),
        ),
      ),
    ),
  ],
  regexp_like: (args, compiler, call) =>
    // MariaDB knows the operator alone.
    compiler.dialect === "mariadb" ? undefined : regexpLike(args, compiler, call),
  starts_with: plain("bool", ["text", "text"], ([value, part]) =>
    text(value).startsWith(text(part)),
  ),
  quote_ident: plain("text", ["text"], ([value]) =>
    /^[a-z_][a-z0-9_$]*$/.test(text(value))
      ? text(value)
      : `"${text(value).replaceAll('"', '""')}"`,
  ),
  quote_literal: plain("text", ["text"], ([value]) => `'${text(value).replaceAll("'", "''")}'`),
  strcmp: only(
    "mysql",
    plain("int8", ["text", "text"], ([left, right]) => {
      const [a, b] = [collationKey(text(left)), collationKey(text(right))];
      return a < b ? -1 : a > b ? 1 : 0;
    }),
  ),
  field: only(
    "mysql",
    plain(
      "int8",
      ["text", "text"],
      ([value, ...others]) =>
        value === null
          ? 0
          : others.findIndex(
              (each) => each !== null && collationKey(text(each)) === collationKey(text(value)),
            ) + 1,
      { repeats: true, takesNull: true },
    ),
  ),
  elt: only(
    "mysql",
    plain(
      "text",
      ["int8", "text"],
      ([at, ...others]) => (at === null ? null : (others[integer(at) - 1] ?? null)),
      {
        repeats: true,
        takesNull: true,
      },
    ),
  ),
  find_in_set: only(
    "mysql",
    plain("int8", ["text", "text"], ([value, list]) =>
      text(list) === ""
        ? 0
        : text(list)
            .split(",")
            .findIndex((each) => collationKey(each) === collationKey(text(value))) + 1,
    ),
  ),
  array_to_string: plain(
    "text",
    ["text[]", "text", "text"],
    ([list, mark, missing]) =>
      list !== undefined && isList(list)
        ? list
            .map((each) => each ?? missing ?? null)
            .filter((each) => each !== null)
            .map((each) => text(each))
            .join(text(mark))
        : null,
    { least: 2 },
  ),
  string_to_array: plain("text[]", ["text", "text"], ([value, mark]) =>
    text(value) === "" ? [] : text(value).split(text(mark)),
  ),
});

const bytesOf = bytesOfText;

const LONGEST = 10_000_000;

function repeated(value: string, count: number): string {
  if (value.length * count > LONGEST) throw failure("badArgument", "requested length too large");
  return value.repeat(Math.max(0, count));
}

function concat(...[args, compiler]: Parameters<MakeCall>): ReturnType<MakeCall> {
  if (args.length === 0) return undefined;
  if (isPostgres(compiler)) {
    const nodes = args.map((node) => shownNode(node));
    return computeNode("text", nodes, compiler, (values) => values.map(text).join(""), true);
  }
  return computeNode("text", args, compiler, (values) =>
    values.map((value, at) => mysqlText(value, args[at]?.type ?? "text")).join(""),
  );
}

/** concat() writes truth values as one letter. */
function shownNode(node: Node): Node {
  if (node.type !== "bool") return textOf(node);
  return { ...node, type: "text", run: (env) => wireText(node.run(env), "bool") };
}

function concatWs(...[args, compiler]: Parameters<MakeCall>): ReturnType<MakeCall> {
  if (args.length < 2) return undefined;
  return computeNode(
    "text",
    args.map((node) => (isPostgres(compiler) ? shownNode(node) : node)),
    compiler,
    ([mark = null, ...values]) =>
      mark === null
        ? null
        : values
            .map((value, at) =>
              value === null ? null : mysqlText(value, args[at + 1]?.type ?? "text"),
            )
            .filter((value) => value !== null)
            .join(text(mark)),
    true,
  );
}

/** Positions count from one; from a negative one on MySQL counts from the end. */
function substring(
  value: string,
  from: number,
  count: number | undefined,
  postgres: boolean,
): string {
  const all = characters(value);
  if (postgres) {
    if (count !== undefined && count < 0)
      throw failure("badSubstring", "negative substring length not allowed");
    const end = count === undefined ? all.length : from - 1 + count;
    return all.slice(Math.max(0, from - 1), Math.max(0, end)).join("");
  }
  if (from === 0 || (count ?? 1) <= 0) return "";
  const start = from > 0 ? from - 1 : all.length + from;
  if (start < 0) return "";
  return all.slice(start, count === undefined ? undefined : start + count).join("");
}

function placeOf(value: string, part: string, from: number, exact: boolean): number {
  const [all, wanted] = exact ? [value, part] : [value.toLowerCase(), part.toLowerCase()];
  const at = all.indexOf(wanted, from);
  return at < 0 ? 0 : characters(value.slice(0, at)).length + 1;
}

function padding(side: "left" | "right"): (args: readonly SqlValue[]) => SqlValue {
  return ([value, length, fill]) => {
    const all = characters(text(value));
    const most = integer(length);
    if (most > LONGEST) throw failure("badArgument", "requested length too large");
    if (all.length >= most) return all.slice(0, Math.max(0, most)).join("");
    const by = characters(fill === undefined ? " " : text(fill));
    if (by.length === 0) return all.join("");
    const added = Array.from({ length: most - all.length }, (_, at) => by[at % by.length] ?? "");
    return side === "left" ? [...added, ...all].join("") : [...all, ...added].join("");
  };
}

/** TRIM removes any of the given characters in PostgreSQL, and the given text in MySQL. */
function trimming(atStart: boolean, atEnd: boolean): MakeCall {
  return plain(
    "text",
    ["text", "text"],
    ([value, what], _env, compiler) => {
      const mark = what === undefined ? " " : text(what);
      let result = text(value);
      if (mark === "") return result;
      if (isPostgres(compiler)) {
        const set = new Set(characters(mark));
        const all = characters(result);
        let from = 0;
        let to = all.length;
        while (atStart && from < to && set.has(all[from] ?? "")) from++;
        while (atEnd && to > from && set.has(all[to - 1] ?? "")) to--;
        return all.slice(from, to).join("");
      }
      while (atStart && result.startsWith(mark)) result = result.slice(mark.length);
      while (atEnd && result.endsWith(mark)) result = result.slice(0, -mark.length);
      return result;
    },
    { least: 1 },
  );
}

function hexOf(): MakeCall {
  return (args, compiler) => {
    const [first] = args;
    if (first === undefined || args.length > 1) return undefined;
    return computeNode("text", [first], compiler, ([value = null]) =>
      isNumeric(first.type)
        ? hexNumber(value)
        : hexOfBytes(bytesOf(mysqlText(value, first.type))).toUpperCase(),
    );
  };
}

/** The digits of a whole number; negative ones as 64 bits. */
function hexNumber(value: SqlValue): string {
  const units = isNumericValue(value) ? rescale(toDecimal(value), 0).units : 0n;
  return BigInt.asUintN(64, units).toString(16).toUpperCase();
}
