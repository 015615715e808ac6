// Tools of libraries on the state at hand.
import type { Library, Tools } from "../libraries/library";
import type { Value } from "../values";
import { conditionOf, expressionOf } from "./values/convert";
import { truthFromOutside } from "./values/outside";
import { emitStatement } from "./sql/emitStatement";
import { heldNamesOf } from "./values/exactTypes";
import { itemsOf, listOf, recordOf } from "./lists/collections";
import { firstElements } from "./lists/fragments";
import { spelledOut } from "./lists/conditionalAppend";
import { declaredFacts } from "./calls/declarations";
import { settle } from "./calls/awaits";
import { eachItem } from "./lists/iteration";
import { binary } from "./values/operators";
import { firstRow, memberOf, optionalMember, requireHolds, setMember } from "./values/member";
import { knowing } from "./values/presence";
import { mayFail } from "./errors/failures";
import { firstWhere, isItem, rowsWhere } from "./lists/rowSearch";
import { runSql } from "./sql/sqlText";
import { within } from "./fork";
import { bornNow, collectCommands, emit, lose, newConnection, type State } from "./state";
import {
  beginTransaction,
  commitTransaction,
  isOpen,
  inTransaction,
  rollbackTransaction,
  writeChanges,
} from "./transactions/transactions";

const NOWHERE = { start: 0, end: 0 };

/** The tools of a library. */
export function toolsOf(state: State, library: Library): Tools {
  const known = state.tools.get(library);
  if (known) return known;
  const made = makeTools(state, library);
  state.tools.set(library, made);
  return made;
}

function makeTools(state: State, library: Library): Tools {
  const { workspace } = state;
  return {
    dialect: workspace.dialect,
    table: workspace.table,
    models: workspace.models,
    sql: (connection, text, parameters, source) =>
      runSql(state, connection, text, parameters, source),
    statement: (connection, draft, source) => emitStatement(state, connection, draft, source),
    emit: (command) => {
      emit(state, command);
    },
    collected: (run) => ({ kind: "sequence", commands: collectCommands(state, run) }),
    fresh: (prefix) => (prefix === "r" ? state.ids.result() : state.ids.fresh(prefix)),
    connection: (isPool) => newConnection(state, isPool),
    isOpen: (connection) => isOpen(state, connection),
    isMaking: () => state.making > 0,
    file: () => state.frame.file,
    begin: (connection, { source, ...options }) => {
      const place = source ?? state.here;
      beginTransaction(state, connection, { ...options, source: place });
    },
    commit: (connection, source) => {
      commitTransaction(state, connection, source);
    },
    rollback: (connection, source) => {
      rollbackTransaction(state, connection, source);
    },
    committed: (connection, source) => {
      writeChanges(state, connection, { source });
    },
    inTransaction: (connection, options, run) => inTransaction(state, connection, options, run),
    require: (condition, why, source) => {
      requireHolds(state, condition, why, source);
      knowing(state, condition, true);
    },
    mayFail: (name, source) => mayFail(state, name, source),
    decidedOutside: (what) => truthFromOutside(state, what),
    evaluate: (expression, scope) => {
      const frame = { ...state.frame, file: scope.module.file };
      return within(state, { frame }, () => state.evaluator.expression(state, scope, expression));
    },
    module: (file) => workspace.modules.moduleOf(file),
    declared: (declaration) => declaredFacts(state, library, declaration),
    top: (file) => workspace.moduleScope(file)?.scope,
    call: (callee, args, source) =>
      state.evaluator.call(state, callee, args, {
        span: state.evaluator.span(state, source),
        isNew: false,
        typeArguments: [],
        name: "callback",
      }),
    settle: (value) => settle(state, value),
    expression: (value) => expressionOf(state, value),
    condition: (value) => conditionOf(state, value),
    isSame: (left, right) => conditionOf(state, binary(state, "===", left, right)),
    field: (value, property) => optionalMember(state, value, property, NOWHERE),
    member: (value, property) => memberOf(state, value, property, NOWHERE),
    assign: (value, property, written) => {
      setMember(state, value, property, written);
    },
    fields: (value) => fieldsOf(state, value),
    either: (condition, then, otherwise) =>
      state.evaluator.branches(
        state,
        condition,
        then,
        otherwise,
        state.evaluator.span(state, state.here),
      ),
    items: itemsOf,
    spelledOut: (value) => spelledOut(state, value),
    those: (rows, test) => rowsWhere(rows, test),
    firstOf: (rows, test) => firstWhere(state, rows, test),
    isAmong: (operand, list) => isItem(state, operand, list),
    members: (value) => itemsOf(value) ?? firstElements(state, value),
    each: (list, source, run) => {
      eachItem(state, list, state.evaluator.span(state, source), run);
    },
    object: (fields) => recordOf(state, fields),
    list: (items) => listOf(state, items),
    rows: (result, columns, data) => ({
      kind: "rows",
      result,
      columns,
      data,
      born: bornNow(state),
      assigned: new Map(),
    }),
    firstRow: (rows) =>
      rows.kind === "rows" ? firstRow(rows) : memberOf(state, rows, "0", NOWHERE),
    handle: (path, data, connection) => ({
      kind: "handle",
      library,
      path,
      data,
      ...(connection && { connection }),
    }),
    lose: (reason, source, effect) => {
      lose(state, reason, source, effect);
    },
  };
}

function fieldsOf(state: State, value: Value): ReadonlyMap<string, Value> | undefined {
  const names = heldNamesOf(value);
  if (!names) return undefined;
  return new Map(names.map((name) => [name, memberOf(state, value, name, NOWHERE)]));
}
