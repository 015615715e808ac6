// DDL by PostgreSQL's own grammar: the tables and views that a list of definitions leaves behind.
import type { Node } from "libpg-query";
import type { Note } from "../../../../program/program";
import type { Table } from "../../../../program/schema";
import { sourceIn, type SqlPiece } from "../../lowering";
import { mayDefine } from "../../definitionFilter";
import { kindOf, stringsOf, tableName } from "../ast";
import type { PgParser } from "../pgParser";
import { currentSchemaAt } from "../../text/currentSchema";
import { viewKey, withReferences } from "../../relationNames";
import { withRelationNames } from "../relationNames";
import {
  defineRule,
  defineTrigger,
  switchTriggers,
  type Trigger,
} from "../triggers/triggerDefinitions";
import { hasNoMeaning } from "../inertDefinitions";
import type { Query } from "../../../../program/expression";
import { change, nameSpace, recordLoss, say, type DefinitionLoss, type State } from "./schemaState";
import { defineCollation } from "./collations";
import { replayBlock } from "./doBlocks";
import { defineDomain } from "./domains";
import { changeEnumeration, defineEnumeration, renameEnumeration } from "./enumerations";
import { definePolicy, noPolicies, policiesInForce, switchPolicies, type Policy } from "./policies";
import { createFromQuery } from "./tableFromQuery";
import { alterTable, drop, rename, uniqueIndex } from "./tableChanges";
import { createTable } from "./tableDefinition";
import { moveTable, nameOfDefined, renameSchema } from "./renameTable";
import { viewQuery } from "./views";

export interface PgSchemaReading {
  readonly tables: readonly Table[];
  readonly triggers?: readonly Trigger[];
  readonly policies?: readonly Policy[];
  readonly notes: readonly Note[];
  /** Parts of definitions beyond the tables, notes or not: a default that is not known, an option that is not looked at. */
  readonly losses: readonly DefinitionLoss[];
  /** The query of the view of that name, over the given tables. */
  readonly view: (name: string, table: (name: string) => Table | undefined) => Query | undefined;
}

/** The tables that the definitions leave, replayed in order. Never fails: what cannot be read is noted. */
export function readPgSchema(pieces: readonly SqlPiece[], parser: PgParser): PgSchemaReading {
  const [first] = pieces;
  if (first === undefined) return { tables: [], notes: [], losses: [], view: () => undefined };
  const state: State = {
    tables: new Map(),
    shared: new Set(),
    views: new Map(),
    types: new Map(),
    domains: new Map(),
    loose: new Set(),
    collations: new Map(),
    takes: new Map(),
    policies: noPolicies(),
    triggers: new Map(),
    notes: [],
    losses: [],
    names: new WeakMap(),
    piece: first,
    schema: undefined,
  };
  for (const piece of pieces) {
    state.piece = piece;
    state.schema = currentSchemaAt(piece.lines, piece.start);
    if (mayDefine(piece.sql)) {
      replayBlock(state, parser, (node) => {
        replay(node, state);
      });
      continue;
    }
    if (!DEFINITION.test(piece.sql)) continue;
    const parsed = parser.parse(piece.sql);
    if (!parsed.ok) {
      const source = sourceIn(piece, parsed.offset, parsed.offset + 1);
      const message = `PostgreSQL cannot read this definition: ${parsed.message}.`;
      state.notes.push({ severity: "error", code: "syntax", message, source });
      continue;
    }
    for (const { node } of parsed.statements) replay(node, state);
  }
  const { tables, views, triggers, notes, losses } = state;
  return {
    tables: withReferences([...tables.values()], "postgres"),
    triggers: [...triggers.values()],
    policies: policiesInForce(state.policies),
    notes,
    losses,
    view: (name, table) => viewQuery(name, views, table, []),
  };
}

/** Data and statements of other kinds are not parsed: a dump may hold megabytes of them. */
const DEFINITION = /^\s*(--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(create|alter|drop)\b/i;

function replay(written: Node, state: State): void {
  if ("CreateStmt" in written) {
    createTable(written.CreateStmt, state);
    return;
  }
  const node = withRelationNames(written, nameSpace(state));
  if ("AlterTableStmt" in node) {
    const { relation, cmds = [], objtype } = node.AlterTableStmt;
    if (objtype !== "OBJECT_TABLE") return;
    for (const each of cmds) {
      const { subtype = "", name = "" } = "AlterTableCmd" in each ? each.AlterTableCmd : {};
      switchTriggers(tableName(relation), subtype, name, state.triggers);
      switchPolicies(tableName(relation), subtype, state.policies);
    }
    change(state, relation, (table) =>
      cmds.reduce<Table>(
        (result, each) =>
          "AlterTableCmd" in each ? alterTable(result, each.AlterTableCmd, state) : result,
        table,
      ),
    );
  } else if ("IndexStmt" in node) uniqueIndex(node.IndexStmt, state);
  else if ("DropStmt" in node) drop(node.DropStmt.removeType, node.DropStmt.objects ?? [], state);
  else if ("RenameStmt" in node) {
    const { renameType, relation, subname = "", newname = "" } = node.RenameStmt;
    if (renameType === "OBJECT_TYPE") renameEnumeration(node.RenameStmt, state);
    else if (renameType === "OBJECT_SCHEMA") renameSchema(subname, newname, state);
    else rename(renameType, relation, subname, newname, state);
  } else if ("AlterObjectSchemaStmt" in node) {
    const { objectType, relation, newschema } = node.AlterObjectSchemaStmt;
    const table = state.tables.get(tableName(relation));
    if (objectType === "OBJECT_TABLE" && newschema !== undefined && table !== undefined)
      moveTable(table, newschema, state);
  } else if ("ViewStmt" in node) {
    const { view, query, aliases } = node.ViewStmt;
    if (query !== undefined && "SelectStmt" in query) {
      const { piece } = state;
      const own = "ViewStmt" in written ? written.ViewStmt.view : view;
      const schema = own?.schemaname ?? state.schema;
      const named = { name: tableName(own), schema };
      nameOfDefined(named, state);
      state.views.set(viewKey(named, "postgres"), {
        select: query.SelectStmt,
        columns: stringsOf(aliases),
        schema,
        piece,
      });
    }
  } else if ("CreateTableAsStmt" in node) {
    const { into } = "CreateTableAsStmt" in written ? written.CreateTableAsStmt : {};
    createFromQuery(node.CreateTableAsStmt, into?.rel, state);
  } else if ("CreateEnumStmt" in node) {
    defineEnumeration(node.CreateEnumStmt, state);
  } else if ("AlterEnumStmt" in node) {
    changeEnumeration(node.AlterEnumStmt, state);
  } else if ("DefineStmt" in node && node.DefineStmt.kind === "OBJECT_COLLATION") {
    defineCollation(node.DefineStmt, state);
  } else if ("CreateDomainStmt" in node) {
    defineDomain(node.CreateDomainStmt, state);
  } else if ("CreateTrigStmt" in node) {
    defineTrigger(node.CreateTrigStmt, state.piece, state.triggers);
  } else if ("RuleStmt" in node) {
    say(state, `The rule ${node.RuleStmt.rulename ?? ""} is not analysed.`, "rule");
    defineRule(node.RuleStmt, state.piece, state.triggers);
  } else if ("CreatePolicyStmt" in node) {
    definePolicy(node.CreatePolicyStmt, state.piece, state.policies);
  } else if (!hasNoMeaning(node)) recordLoss(state, kindOf(node));
}
