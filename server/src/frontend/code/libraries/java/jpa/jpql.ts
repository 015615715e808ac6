// JPQL as SQL: entities become tables, paths columns, relations joins. One pass finds what names stand for, one writes.
import type { Value } from "../../../values";
import {
  valueFragment,
  givenList,
  quoteIdentifier,
  raw,
  joinFragments,
  sequence,
  type Fragment,
} from "../../builders/draft";
import type { Tools } from "../../library";
import { columnOf, keysOf, type ModelRelation } from "../../orm/model";
import { heldIn, modelOfRow, orNull } from "../../orm/entityColumns";
import { entityOf, isJpaModel, type JpaModel } from "./entities";

export interface QueryNames {
  readonly entity: (name: string) => JpaModel | undefined;
  /** By name, or by position as text. */
  readonly parameter: (name: string) => Value | undefined;
  readonly tools: Tools;
}

export interface Translated {
  readonly verb: "select" | "update" | "delete";
  readonly text: Fragment;
  readonly models: readonly JpaModel[];
  /** The entity whose rows it gives, and what its table is called. */
  readonly entity?: { readonly model: JpaModel; readonly alias: string };
  /** It asks for one row by this key. */
  readonly key?: Value;
  readonly hasJoin: boolean;
}

const TOKEN = /'(?:[^']|'')*'|:\w+|\?\d*|\d+(?:\.\d+)?[LlDdFf]?|#\{[^}]*\}|[A-Za-z_][\w$]*(?:\s*\.\s*[A-Za-z_][\w$]*)*|<>|!=|<=|>=|\|\||[^\s]/gu; // prettier-ignore

/** Part that is not translated, as a call or in two words. */
const UNREAD = /^(?:size|index|type|treat|key|value|entry|function|member|empty|object|union|intersect|except|with|listagg)$/iu; // prettier-ignore

const KEYWORDS = /^(?:select|distinct|from|as|where|and|or|not|in|between|like|ilike|is|null|exists|group|by|having|order|asc|desc|case|when|then|else|end|nulls|first|last|all|any|some|escape|set|update|delete|join|left|right|inner|outer|cross|on|fetch|true|false|limit|offset|new|count|sum|avg|min|max)$/iu; // prettier-ignore

interface Source {
  readonly model: JpaModel;
  readonly alias: string;
}

/** Undefined where it is not understood. Linear in the text. */
export function translateJpql(jpql: string, names: QueryNames): Translated | undefined {
  const tokens = [...jpql.matchAll(TOKEN)].map(([token]) => token.replaceAll(/\s+/gu, ""));
  const verb = /^(?:select|from)$/iu.test(tokens[0] ?? "") ? "select" : tokens[0]?.toLowerCase();
  if (verb !== "select" && verb !== "update" && verb !== "delete") return undefined;
  const translation = new Translation(tokens, verb, names);
  return translation.run();
}

/** The state of one translation. */
class Translation {
  private readonly sources = new Map<string, Source>();
  private readonly joins: Fragment[] = [];
  private readonly implicit = new Map<string, Source>();
  private isRead = true;
  private at = 0;
  /** Where the joins stand that paths need: they are known when all is written. */
  private joinsAt: number | undefined;
  private readonly out: (string | Fragment)[] = [];

  constructor(
    private readonly tokens: readonly string[],
    private readonly verb: Translated["verb"],
    private readonly names: QueryNames,
  ) {}

  run(): Translated | undefined {
    this.findSources();
    const entity = this.selected();
    const parts = this.written(entity);
    if (!this.isRead || !parts) return undefined;
    const key = entity && this.keyAsked(entity);
    const hasJoin = this.joins.length > 0 || this.tokens.some((token) => /^join$/iu.test(token));
    return {
      verb: this.verb,
      text: parts,
      models: [...this.sources.values(), ...this.implicit.values()].map(({ model }) => model),
      ...(entity && { entity }),
      ...(key && { key }),
      hasJoin,
    };
  }

  /** Entities of the names behind FROM, UPDATE, DELETE and JOIN. */
  private findSources(): void {
    const { tokens } = this;
    tokens.forEach((token, at) => {
      const before = tokens[at - 1] ?? "";
      const isStart = /^(?:from|update|join|fetch|delete)$/iu.test(before) || this.isListed(at);
      if (!isStart || /^(?:from|fetch)$/iu.test(token)) return;
      const next = /^as$/iu.test(tokens[at + 1] ?? "") ? tokens[at + 2] : tokens[at + 1];
      const isAlias = next !== undefined && /^[A-Za-z_]\w*$/u.test(next) && !KEYWORDS.test(next);
      const alias = isAlias ? next : `#${token}`;
      const model = this.modelOf(token);
      if (model) this.sources.set(alias, { model, alias: isAlias ? next : "" });
      else this.isRead = false;
    });
  }

  /** True if the name follows a comma of FROM. */
  private isListed(at: number): boolean {
    if (this.tokens[at - 1] !== ",") return false;
    const before = this.tokens.slice(0, at).findLast((each) => /^(?:from|where|select|set|by|on|\()$/iu.test(each)); // prettier-ignore
    return /^from$/iu.test(before ?? "");
  }

  private modelOf(token: string): JpaModel | undefined {
    const [first = "", ...rest] = token.split(".");
    const source = this.sources.get(first);
    if (!source || rest.length === 0) return this.names.entity(token);
    return rest.reduce<JpaModel | undefined>((model, name) => {
      const relation = model?.relations.find(({ property }) => property === name);
      const target = relation?.target();
      return isJpaModel(target) ? target : undefined;
    }, source.model);
  }

  /** The entity that a SELECT is of. */
  private selected(): Source | undefined {
    const { tokens } = this;
    if (this.verb !== "select") return undefined;
    if (/^from$/iu.test(tokens[0] ?? "")) return [...this.sources.values()][0];
    const start = /^distinct$/iu.test(tokens[1] ?? "") ? 2 : 1;
    return /^from$/iu.test(tokens[start + 1] ?? "") ? this.sources.get(tokens[start] ?? "") : undefined; // prettier-ignore
  }

  /** The value in `alias.id = :value`, where that is all that is asked. */
  private keyAsked({ model, alias }: Source): Value | undefined {
    const at = this.tokens.findIndex((token) => /^where$/iu.test(token));
    const [path = "", equal, given = "", ...more] = this.tokens.slice(at + 1);
    const [key, ...others] = keysOf(model);
    if (at === -1 || others.length > 0 || equal !== "=" || more.length > 0) return undefined;
    const isKey = path === `${alias}.${key?.property ?? ""}` || path === `${alias}.id`;
    return isKey && /^[:?]/u.test(given) ? this.names.parameter(given.slice(1)) : undefined;
  }

  private written(entity: Source | undefined): Fragment | undefined {
    const { tokens } = this;
    let depth = 0;
    while (this.at < tokens.length && this.isRead) {
      const token = tokens[this.at] ?? "";
      if (token === "(") depth += 1;
      if (token === ")") depth -= 1;
      const isMain = depth === 0;
      if (isMain && /^(?:where|group|having|order|limit|offset|set)$/iu.test(token)) this.endFrom();
      this.token(token, entity, isMain);
    }
    this.out.splice(this.joinsAt ?? this.out.length, 0, ...this.joins);
    return this.isRead ? sequence(...this.out.flatMap((part) => [part, " "])) : undefined;
  }

  /** The joins that paths need stand behind the tables. */
  private endFrom(): void {
    this.joinsAt ??= this.out.length;
  }

  private token(token: string, entity: Source | undefined, isMain: boolean): void {
    const { tokens, out } = this;
    const next = tokens[this.at + 1] ?? "";
    this.at += 1;
    if (UNREAD.test(token) && (next === "(" || /^(?:member|empty)$/iu.test(token))) {
      this.isRead = false;
      return;
    }
    if (/^select$/iu.test(token) && this.at === 1 && entity) {
      if (/^distinct$/iu.test(next)) this.at += 1;
      this.at += 1;
      out.push("SELECT", this.columnsOf(entity));
      return;
    }
    if (/^from$/iu.test(token)) {
      if (this.at === 1 && entity) out.push("SELECT", this.columnsOf(entity));
      out.push("FROM");
      this.table(isMain);
      while (tokens[this.at] === "," && this.isListed(this.at + 1)) {
        this.at += 1;
        out.push(",");
        this.table(isMain);
      }
      return;
    }
    if (/^(?:update|delete)$/iu.test(token)) {
      out.push(/^update$/iu.test(token) ? "UPDATE" : "DELETE FROM");
      if (/^from$/iu.test(next)) this.at += 1;
      this.table(isMain);
      return;
    }
    if (/^join$/iu.test(token)) {
      this.join();
      return;
    }
    if (/^new$/iu.test(token)) {
      // `new a.b.C(x, y)` has the values in brackets.
      const start = this.at + 1;
      const end = this.closing(start);
      const inner = tokens.slice(start + 1, end);
      this.at = end + 1;
      for (const each of inner) out.push(this.word(each));
      return;
    }
    if (token === ":" || token === "?" || /^[:?]\w+$/u.test(token)) {
      this.parameter(token.slice(1));
      return;
    }
    if (/^set$/iu.test(token) && this.verb === "update") {
      out.push("SET");
      return;
    }
    out.push(this.word(token));
  }

  private closing(from: number): number {
    let depth = 0;
    for (let at = from; at < this.tokens.length; at++) {
      if (this.tokens[at] === "(") depth += 1;
      if (this.tokens[at] === ")" && --depth === 0) return at;
    }
    this.isRead = false;
    return this.tokens.length;
  }

  /** A table with its alias, which a change without others needs none of. */
  private table(isMain: boolean): void {
    const name = this.tokens[this.at] ?? "";
    this.at += 1;
    if (/^as$/iu.test(this.tokens[this.at] ?? "")) this.at += 1;
    const alias = this.tokens[this.at] ?? "";
    const source = this.sources.get(alias) ?? this.sources.get(`#${name}`);
    if (!source) {
      this.isRead = false;
      return;
    }
    if (source.alias !== "") this.at += 1;
    const table = quoteIdentifier(source.model.table, this.names.tools.dialect);
    const isBare = source.alias === "" || (this.verb !== "select" && isMain);
    this.out.push(isBare ? table : `${table} AS ${this.quote(source.alias)}`);
  }

  private join(): void {
    const { tokens } = this;
    if (/^fetch$/iu.test(tokens[this.at] ?? "")) this.at += 1;
    const path = tokens[this.at] ?? "";
    this.at += 1;
    if (/^as$/iu.test(tokens[this.at] ?? "")) this.at += 1;
    const word = tokens[this.at] ?? "";
    const joined = this.sources.get(word) ?? this.sources.get(`#${path}`);
    if (!joined) {
      this.isRead = false;
      return;
    }
    const alias = joined.alias === "" ? path.replaceAll(".", "_") : joined.alias;
    if (joined.alias !== "") this.at += 1;
    const [first = "", property = "", ...more] = path.split(".");
    const owner = this.sources.get(first);
    const relation = owner?.model.relations.find((each) => each.property === property);
    const isOn = /^(?:on|with)$/iu.test(tokens[this.at] ?? "");
    const table = `${quoteIdentifier(joined.model.table, this.names.tools.dialect)} AS ${this.quote(alias)}`;
    if (owner && relation && more.length === 0) {
      const on = this.condition(owner, relation, { ...joined, alias });
      if (on === undefined) {
        this.isRead = false;
        return;
      }
      this.out.push("JOIN", table, "ON", on);
      if (!isOn) return;
      this.at += 1;
      this.out.push("AND");
    } else if (isOn && !path.includes(".")) this.out.push("JOIN", table);
    else this.isRead = false;
  }

  /** How the rows of a relation are found. */
  private condition(owner: Source, relation: ModelRelation, other: Source): string | undefined {
    const [own] = keysOf(owner.model);
    const [key] = keysOf(other.model);
    const back = other.model.relations.find(({ property }) => property === relation.inverse);
    const theirs = relation.theirs ?? back?.column;
    if (!own || !key) return undefined;
    if (relation.column !== undefined) {
      return `${this.column(other.alias, key.column)} = ${this.column(owner.alias, relation.column)}`;
    }
    return theirs === undefined
      ? undefined
      : `${this.column(other.alias, theirs)} = ${this.column(owner.alias, own.column)}`;
  }

  private column(alias: string, column: string): string {
    const own = quoteIdentifier(column, this.names.tools.dialect);
    return alias === "" || (this.verb !== "select" && this.mainAlias() === alias)
      ? own
      : `${this.quote(alias)}.${own}`;
  }

  private mainAlias(): string {
    return [...this.sources.values()][0]?.alias ?? "";
  }

  private quote(alias: string): string {
    return quoteIdentifier(alias, this.names.tools.dialect);
  }

  private columnsOf({ model, alias }: Source): string {
    return model.columns
      .filter(({ isHidden }) => isHidden !== true)
      .map(({ column }) => this.column(alias, column))
      .join(", ");
  }

  /** A word outside of FROM: a path, a keyword, a function, a constant. */
  private word(token: string): string {
    if (!/^[A-Za-z_]/u.test(token)) return token === "!=" ? "<>" : token.replace(/^(\d.*)[LlDdFf]$/u, "$1"); // prettier-ignore
    const [first = "", ...rest] = token.split(".");
    const source = this.sources.get(first);
    if (source) return this.path(source, rest);
    if (rest.length > 0) {
      const last = rest.at(-1) ?? "";
      if (/^[A-Z][A-Z0-9_]*$/u.test(last)) return `'${last}'`;
      this.isRead = false;
      return "";
    }
    if (/^local$/iu.test(token)) return "";
    if (/^(?:datetime|instant)$/iu.test(token)) return "CURRENT_TIMESTAMP";
    const bare = this.sources.size === 1 ? [...this.sources.values()][0] : undefined;
    const isOwn = bare?.alias === "" && (columnOf(bare.model, token) ?? bare.model.relations.find(({ property }) => property === token)); // prettier-ignore
    if (bare && isOwn) return this.path(bare, [token]);
    return token.toUpperCase();
  }

  private path({ model, alias }: Source, names: readonly string[]): string {
    const [name, ...rest] = names;
    const [key] = keysOf(model);
    if (name === undefined || (name === "id" && rest.length === 0 && !columnOf(model, "id"))) {
      return key ? this.column(alias, key.column) : this.unread();
    }
    const relation = model.relations.find(({ property }) => property === name);
    if (!relation) {
      const column = model.columns.find(({ property }) => property === name);
      return column && rest.length === 0 ? this.column(alias, column.column) : this.unread();
    }
    const target = relation.target();
    if (!isJpaModel(target)) return this.unread();
    const isKey = rest.length === 0 || (rest.length === 1 && rest[0] === keysOf(target)[0]?.property); // prettier-ignore
    if (isKey && relation.column !== undefined) return this.column(alias, relation.column);
    return relation.isMany ? this.unread() : this.path(this.joined(model, alias, relation, target), rest); // prettier-ignore
  }

  /** The table that a path leads to, joined once. */
  private joined(
    model: JpaModel,
    alias: string,
    relation: ModelRelation,
    target: JpaModel,
  ): Source {
    const name = `${alias}_${relation.property}`;
    const known = this.implicit.get(name);
    if (known) return known;
    const made: Source = { model: target, alias: name };
    this.implicit.set(name, made);
    const on = this.condition({ model, alias }, relation, made);
    if (on === undefined || this.verb !== "select") this.isRead = false;
    const table = `${quoteIdentifier(target.table, this.names.tools.dialect)} AS ${this.quote(name)}`;
    this.joins.push(raw(`JOIN ${table} ON ${on ?? ""}`));
    return made;
  }

  private unread(): string {
    this.isRead = false;
    return "";
  }

  private parameter(name: string): void {
    const { tools } = this.names;
    const value = this.names.parameter(name === "" ? "1" : name);
    if (!value) {
      this.isRead = false;
      return;
    }
    const [first, second] = [this.tokens[this.at - 2] ?? "", this.tokens[this.at - 3] ?? ""];
    const isInBrackets = first === "(" && /^in$/iu.test(second);
    if (!isInBrackets && !/^in$/iu.test(first)) {
      this.out.push(valueFragment(scalarOf(value, tools)));
      return;
    }
    const items = tools.members(value);
    const list = items ? joinFragments(items.map((item) => valueFragment(scalarOf(item, tools))), ", ") : givenList(value); // prettier-ignore
    const isEmpty = items?.length === 0;
    this.out.push(isInBrackets ? list : sequence("(", isEmpty ? "NULL" : list, ")"));
  }
}

/** A value as the column of it: of a row or object its key. */
export function scalarOf(value: Value, tools: Tools): Value {
  const model = modelOfRow(value) ?? (value.kind === "object" && value.class ? entityOf({ kind: "class", ...value.class }, tools) : undefined); // prettier-ignore
  const [key] = model ? keysOf(model) : [];
  if (key) return heldIn(value, key.property ?? key.column, tools);
  return orNull(value);
}
