// DDL of PostgreSQL's parse tree.
import type {
  AlterEnumStmt,
  AlterTableCmd,
  ColumnDef,
  Constraint,
  CreateDomainStmt,
  CreateFunctionStmt,
  CreateStmt,
  CreateTrigStmt,
  IndexStmt,
  Node,
  RenameStmt,
} from "libpg-query";
import { itemsOf, lastName, stringsOf } from "../../frontend/sql/pg/ast";
import type { SequenceOptions } from "../sequence";
import { unsupported } from "../sqlError";
import type {
  ColumnDefinition,
  ConstraintDefinition,
  DroppedKind,
  SqlDefinition,
  TableChange,
} from "../definitionTree";
import type { ReferenceAction } from "../catalog";
import { nameOf, nameOfPath } from "./relationNames";
import { expressionOf, typeOf } from "./expression";
import { queryOf } from "./recursion";

/** The definition that a node is; undefined for other statements. */
export function definitionOf(node: Node): SqlDefinition | undefined {
  if ("CreateStmt" in node) return createOf(node.CreateStmt);
  if ("IndexStmt" in node) return indexOf(node.IndexStmt);
  if ("AlterTableStmt" in node) {
    const { relation, cmds = [], missing_ok, objtype } = node.AlterTableStmt;
    if (objtype !== "OBJECT_TABLE") return { kind: "nothing", tag: "ALTER" };
    return {
      kind: "alter table",
      table: nameOf(relation),
      changes: cmds.flatMap((each) =>
        "AlterTableCmd" in each ? alterationsOf(each.AlterTableCmd) : [],
      ),
      ifExists: missing_ok === true,
    };
  }
  if ("RenameStmt" in node) {
    const { renameType, relation, subname = "", newname = "", missing_ok } = node.RenameStmt;
    const change: TableChange | undefined =
      renameType === "OBJECT_TABLE" || renameType === "OBJECT_MATVIEW"
        ? { kind: "rename", to: newname }
        : renameType === "OBJECT_COLUMN"
          ? { kind: "rename column", from: subname, to: newname }
          : renameType === "OBJECT_TABCONSTRAINT"
            ? { kind: "rename key", from: subname, to: newname }
            : undefined;
    if (change === undefined) return renamed(node.RenameStmt);
    return {
      kind: "alter table",
      table: nameOf(relation),
      changes: [change],
      ifExists: missing_ok === true,
    };
  }
  if ("DropStmt" in node) {
    const { removeType = "", objects = [], missing_ok } = node.DropStmt;
    if (removeType === "OBJECT_TRIGGER") {
      const path = stringsOf(itemsOf(objects[0]));
      const table = nameOfPath(path.slice(0, -1));
      const name = path.at(-1) ?? "";
      return { kind: "drop trigger", name, table, ifExists: missing_ok === true };
    }
    const what = DROPPED.get(removeType);
    if (what === undefined) return { kind: "nothing", tag: "DROP" };
    const names = objects.map((each) =>
      "TypeName" in each
        ? lastName(each.TypeName.names)
        : "ObjectWithArgs" in each
          ? lastName(each.ObjectWithArgs.objname)
          : what === "table" || what === "view"
            ? nameOfPath(stringsOf(itemsOf(each)))
            : (stringsOf(itemsOf(each)).at(-1) ?? ""),
    );
    const cascade = node.DropStmt.behavior === "DROP_CASCADE";
    return { kind: "drop", what, names, ifExists: missing_ok === true, cascade };
  }
  if ("ViewStmt" in node) {
    const { view, query, aliases, replace, withCheckOption } = node.ViewStmt;
    if (query === undefined || !("SelectStmt" in query)) throw unsupported("this view");
    return {
      kind: "create view",
      name: nameOf(view),
      columns: stringsOf(aliases),
      query: queryOf(query.SelectStmt),
      replace: replace === true,
      checksRows: /^(LOCAL|CASCADED)_/.test(withCheckOption ?? ""),
    };
  }
  if ("CreateSeqStmt" in node) {
    const { sequence, options, if_not_exists } = node.CreateSeqStmt;
    return {
      kind: "create sequence",
      name: nameOf(sequence),
      options: sequenceOptions(options),
      guarded: if_not_exists === true,
    };
  }
  if ("AlterSeqStmt" in node) {
    const { sequence, options, missing_ok } = node.AlterSeqStmt;
    return {
      kind: "alter sequence",
      name: nameOf(sequence),
      options: sequenceOptions(options),
      guarded: missing_ok === true,
    };
  }
  if ("AlterEnumStmt" in node) return labelChange(node.AlterEnumStmt);
  if ("CreateDomainStmt" in node) return domainOf(node.CreateDomainStmt);
  if ("CreateEnumStmt" in node) {
    return {
      kind: "create enum",
      name: lastName(node.CreateEnumStmt.typeName),
      labels: stringsOf(node.CreateEnumStmt.vals),
    };
  }
  if ("CreateTrigStmt" in node) return triggerOf(node.CreateTrigStmt);
  if ("CreateFunctionStmt" in node) return routineOf(node.CreateFunctionStmt);
  if ("RuleStmt" in node) throw unsupported("a rule");
  for (const [kind, tag] of HARMLESS)
    if (Object.hasOwn(node, kind)) return { kind: "nothing", tag };
  return undefined;
}

/** Definitions that change neither rows nor what statements do with them. */
const HARMLESS: readonly (readonly [string, string])[] = [
  ["CreateExtensionStmt", "CREATE EXTENSION"],
  ["CreateSchemaStmt", "CREATE SCHEMA"],
  ["CommentStmt", "COMMENT"],
  ["GrantStmt", "GRANT"],
  ["CreateRoleStmt", "CREATE ROLE"],
  ["AlterOwnerStmt", "ALTER"],
  ["AlterObjectSchemaStmt", "ALTER"],
  ["AlterRoleStmt", "ALTER ROLE"],
  ["DropRoleStmt", "DROP ROLE"],
  ["AlterDefaultPrivilegesStmt", "ALTER DEFAULT PRIVILEGES"],
  ["GrantRoleStmt", "GRANT ROLE"],
  ["CreateStatsStmt", "CREATE STATISTICS"],
  ["AlterDatabaseStmt", "ALTER DATABASE"],
  ["AlterDatabaseSetStmt", "ALTER DATABASE"],
];

const DROPPED: ReadonlyMap<string, DroppedKind> = new Map([
  ["OBJECT_FUNCTION", "routine"],
  ["OBJECT_PROCEDURE", "routine"],
  ["OBJECT_ROUTINE", "routine"],
  ["OBJECT_MATVIEW", "table"],
  ["OBJECT_TABLE", "table"],
  ["OBJECT_VIEW", "view"],
  ["OBJECT_INDEX", "index"],
  ["OBJECT_SEQUENCE", "sequence"],
  ["OBJECT_TYPE", "type"],
  ["OBJECT_DOMAIN", "domain"],
]);

/** A new name for what is neither table nor part of one. */
function renamed({
  renameType,
  relation,
  object,
  newname = "",
  missing_ok,
}: RenameStmt): SqlDefinition {
  const what = RENAMED.get(renameType ?? "");
  if (what === undefined) return { kind: "nothing", tag: "ALTER" };
  const from = what === "type" ? (stringsOf(itemsOf(object)).at(-1) ?? "") : nameOf(relation);
  return { kind: "rename", what, from, to: newname, ifExists: missing_ok === true };
}

const RENAMED: ReadonlyMap<string, "view" | "index" | "sequence" | "type"> = new Map([
  ["OBJECT_VIEW", "view"],
  ["OBJECT_INDEX", "index"],
  ["OBJECT_SEQUENCE", "sequence"],
  ["OBJECT_TYPE", "type"],
  ["OBJECT_DOMAIN", "type"],
]);

/** The options of a sequence in CREATE SEQUENCE, ALTER SEQUENCE and GENERATED AS IDENTITY. */
function sequenceOptions(nodes: readonly Node[] | undefined): SequenceOptions {
  const options: { -readonly [Key in keyof SequenceOptions]: SequenceOptions[Key] } = {};
  for (const node of nodes ?? []) {
    if (!("DefElem" in node)) continue;
    const { defname, arg } = node.DefElem;
    const number = wholeOf(arg);
    switch (defname) {
      case "as": {
        const type = arg !== undefined && "TypeName" in arg ? lastName(arg.TypeName.names) : "";
        options.type = type === "int2" ? "smallint" : type === "int4" ? "integer" : "bigint";
        break;
      }
      case "start":
        options.start = Number(number ?? 1n);
        break;
      case "increment":
        options.increment = Number(number ?? 1n);
        break;
      case "minvalue":
        options.least = number;
        break;
      case "maxvalue":
        options.most = number;
        break;
      case "restart":
        options.restart = number === null ? null : Number(number);
        break;
      case "cache":
        options.cache = Number(number ?? 1n);
        break;
      case "cycle":
        options.cycles = arg !== undefined && "Boolean" in arg && arg.Boolean.boolval === true;
        break;
      // Whose it is changes nothing that it gives.
      default:
    }
  }
  return options;
}

/** A whole number; null where none is said. */
function wholeOf(node: Node | undefined): bigint | null {
  if (node === undefined) return null;
  if ("Integer" in node) return BigInt(node.Integer.ival ?? 0);
  if ("Float" in node) return BigInt(node.Float.fval ?? "0");
  return null;
}

function labelChange(node: AlterEnumStmt): SqlDefinition {
  const { typeName, oldVal, newVal = "", newValNeighbor, newValIsAfter, skipIfNewValExists } = node;
  const name = lastName(typeName);
  if (oldVal !== undefined && oldVal !== "")
    return { kind: "rename label", name, from: oldVal, to: newVal };
  return {
    kind: "add label",
    name,
    label: newVal,
    ...(newValNeighbor && { beside: { label: newValNeighbor, isAfter: newValIsAfter === true } }),
    ifNotExists: skipIfNewValExists === true,
  };
}

function domainOf({ domainname, typeName, constraints = [] }: CreateDomainStmt): SqlDefinition {
  const own = constraints.flatMap((each) => ("Constraint" in each ? [each.Constraint] : []));
  const usual = own.find(({ contype }) => contype === "CONSTR_DEFAULT")?.raw_expr;
  return {
    kind: "create domain",
    name: lastName(domainname),
    type: typeOf(typeName),
    notNull: own.some(({ contype }) => contype === "CONSTR_NOTNULL"),
    ...(usual && { default: expressionOf(usual) }),
    checks: own.flatMap(({ contype, raw_expr, conname }) =>
      contype === "CONSTR_CHECK" && raw_expr !== undefined
        ? [{ ...(conname && { name: conname }), condition: expressionOf(raw_expr) }]
        : [],
    ),
  };
}

function createOf(node: CreateStmt): SqlDefinition {
  if ((node.inhRelations ?? []).length > 0) throw unsupported("a table that inherits from another");
  if (node.partbound !== undefined || node.partspec !== undefined)
    throw unsupported("a partitioned table");
  const columns: ColumnDefinition[] = [];
  const constraints: ConstraintDefinition[] = [];
  let like: string | undefined;
  for (const element of node.tableElts ?? []) {
    if ("ColumnDef" in element) columns.push(columnOf(element.ColumnDef));
    else if ("Constraint" in element) constraints.push(...constraintOf(element.Constraint, []));
    else if ("TableLikeClause" in element) like = nameOf(element.TableLikeClause.relation);
  }
  return {
    kind: "create table",
    table: nameOf(node.relation),
    columns,
    constraints,
    ...(like === undefined ? {} : { like }),
    ifNotExists: node.if_not_exists === true,
  };
}

const SERIAL = /^(big|small)?serial\d?$/;

function columnOf(node: ColumnDef): ColumnDefinition {
  const name = node.colname ?? "";
  const type = typeOf(node.typeName);
  const own = (node.constraints ?? []).flatMap((each) =>
    "Constraint" in each ? [each.Constraint] : [],
  );
  const find = (kind: Constraint["contype"]): Constraint | undefined =>
    own.find((each) => each.contype === kind);
  const identity = find("CONSTR_IDENTITY");
  const value = find("CONSTR_DEFAULT")?.raw_expr;
  const generated = find("CONSTR_GENERATED")?.raw_expr;
  const isSerial = SERIAL.test(type.name);
  return {
    name,
    type,
    notNull:
      isSerial ||
      identity !== undefined ||
      find("CONSTR_NOTNULL") !== undefined ||
      find("CONSTR_PRIMARY") !== undefined,
    ...(value === undefined ? {} : { default: expressionOf(value) }),
    ...(identity !== undefined
      ? { automatic: whenGenerated(identity), sequence: sequenceOptions(identity.options) }
      : isSerial
        ? { automatic: "serial" as const }
        : {}),
    ...(generated === undefined ? {} : { generated: expressionOf(generated) }),
    constraints: columnConstraints(own, name),
  };
}

function whenGenerated({ generated_when }: Constraint): "always" | "default" {
  return generated_when === "a" ? "always" : "default";
}

const ACTIONS: ReadonlyMap<string, ReferenceAction> = new Map([
  ["a", "no action"],
  ["r", "restrict"],
  ["c", "cascade"],
  ["n", "set null"],
  ["d", "set default"],
]);

/** The constraints of a column; the parser gives DEFERRABLE as one of its own after the one that it is about. */
function columnConstraints(
  own: readonly Constraint[],
  column: string,
): readonly ConstraintDefinition[] {
  const found: ConstraintDefinition[] = [];
  for (const each of own) {
    const mode = ATTRIBUTES.get(each.contype ?? "");
    const last = found.at(-1);
    if (mode === undefined) found.push(...constraintOf(each, [column]));
    else if (last?.kind === "foreign" && last.deferrable !== "deferred")
      found.splice(-1, 1, { ...last, deferrable: mode });
    else if (last?.kind === "key" && mode === "deferred")
      throw unsupported("a key that is deferred");
  }
  return found;
}

const ATTRIBUTES: ReadonlyMap<string, "immediate" | "deferred"> = new Map([
  ["CONSTR_ATTR_DEFERRABLE", "immediate"],
  ["CONSTR_ATTR_DEFERRED", "deferred"],
]);

/** `own` is the column at which the constraint stands. */
function constraintOf(node: Constraint, own: readonly string[]): readonly ConstraintDefinition[] {
  const named = node.conname === undefined || node.conname === "" ? {} : { name: node.conname };
  const isForeign = node.contype === "CONSTR_FOREIGN";
  if (node.initdeferred === true && !isForeign) throw unsupported("a key that is deferred");
  const keys = stringsOf(node.keys);
  const columns = keys.length > 0 ? keys : own;
  switch (node.contype) {
    case "CONSTR_PRIMARY":
    case "CONSTR_UNIQUE":
      return [{ kind: "key", primary: node.contype === "CONSTR_PRIMARY", columns, ...named }];
    case "CONSTR_FOREIGN": {
      const attributes = stringsOf(node.fk_attrs);
      return [
        {
          kind: "foreign",
          columns: attributes.length > 0 ? attributes : own,
          table: nameOf(node.pktable),
          referenced: stringsOf(node.pk_attrs),
          onDelete: ACTIONS.get(node.fk_del_action ?? "a") ?? "no action",
          onUpdate: ACTIONS.get(node.fk_upd_action ?? "a") ?? "no action",
          ...(node.deferrable === true && {
            deferrable: node.initdeferred === true ? "deferred" : "immediate",
          }),
          ...named,
        },
      ];
    }
    case "CONSTR_CHECK":
      return node.raw_expr === undefined
        ? []
        : [{ kind: "check", condition: expressionOf(node.raw_expr), ...named }];
    case "CONSTR_EXCLUSION":
      throw unsupported("an exclusion constraint");
    default:
      return [];
  }
}

function indexOf(node: IndexStmt): SqlDefinition {
  const parts = (node.indexParams ?? []).flatMap((each) =>
    "IndexElem" in each ? [each.IndexElem] : [],
  );
  const expressions = parts.flatMap(({ expr }, at) =>
    expr === undefined ? [] : [{ at, value: expressionOf(expr) }],
  );
  return {
    kind: "create index",
    table: nameOf(node.relation),
    ...(node.idxname === undefined ? {} : { name: node.idxname }),
    columns: parts.flatMap(({ name = "" }) => (name === "" ? [] : [name])),
    ...(expressions.length > 0 && { expressions }),
    unique: node.unique === true,
    ...(node.whereClause === undefined ? {} : { where: expressionOf(node.whereClause) }),
    ifNotExists: node.if_not_exists === true,
  };
}

function alterationsOf(node: AlterTableCmd): readonly TableChange[] {
  const { subtype, name = "", def, missing_ok } = node;
  const ifExists = missing_ok === true;
  switch (subtype) {
    case "AT_AddColumn":
      return def !== undefined && "ColumnDef" in def
        ? [{ kind: "add column", column: columnOf(def.ColumnDef), ifNotExists: ifExists }]
        : [];
    case "AT_DropColumn":
      return [{ kind: "drop column", name, ifExists }];
    case "AT_AddConstraint":
      return def !== undefined && "Constraint" in def
        ? constraintOf(def.Constraint, []).map((constraint) => ({
            kind: "add constraint",
            constraint,
          }))
        : [];
    case "AT_DropConstraint":
      return [{ kind: "drop constraint", name, ifExists }];
    case "AT_ColumnDefault":
      return [
        def === undefined
          ? { kind: "default", column: name }
          : { kind: "default", column: name, value: expressionOf(def) },
      ];
    case "AT_SetNotNull":
    case "AT_DropNotNull":
      return [{ kind: "not null", column: name, notNull: subtype === "AT_SetNotNull" }];
    case "AT_AlterColumnType": {
      if (def === undefined || !("ColumnDef" in def)) return [];
      const { typeName, raw_default } = def.ColumnDef;
      const using = raw_default && { using: expressionOf(raw_default) };
      return [{ kind: "type", column: name, type: typeOf(typeName), ...using }];
    }
    case "AT_AddIdentity":
      return def !== undefined && "Constraint" in def
        ? [
            {
              kind: "identity",
              column: name,
              automatic: whenGenerated(def.Constraint),
              sequence: sequenceOptions(def.Constraint.options),
            },
          ]
        : [];
    case "AT_SetIdentity": {
      const options = itemsOf(def);
      const when = options.flatMap((each) =>
        "DefElem" in each && each.DefElem.defname === "generated" ? [each.DefElem.arg] : [],
      )[0];
      const always = when !== undefined && "Integer" in when && when.Integer.ival === ALWAYS;
      return [
        {
          kind: "identity",
          column: name,
          ...(when && { automatic: always ? ("always" as const) : ("default" as const) }),
          sequence: sequenceOptions(options),
        },
      ];
    }
    case "AT_DropIdentity":
      return [{ kind: "drop identity", column: name, ifExists }];
    case "AT_DropExpression":
      return [{ kind: "drop expression", column: name }];
    default:
      if (subtype !== undefined && WITHOUT_EFFECT.has(subtype)) return [{ kind: "nothing" }];
      throw unsupported(`ALTER TABLE with ${(subtype ?? "").replace(/^AT_/, "")}`);
  }
}

/** `a` of ATTRIBUTE_IDENTITY_ALWAYS. */
const ALWAYS = 97;

/** Definitions that change neither rows nor what statements do with them. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "AT_EnableRowSecurity",
  "AT_DisableRowSecurity",
  "AT_ForceRowSecurity",
  "AT_NoForceRowSecurity",
  "AT_ChangeOwner",
  "AT_ValidateConstraint",
  "AT_ReplicaIdentity",
  "AT_SetStatistics",
  "AT_SetStorage",
  "AT_SetCompression",
  "AT_SetLogged",
  "AT_SetUnLogged",
  "AT_SetTableSpace",
  "AT_SetAccessMethod",
  "AT_SetRelOptions",
  "AT_ResetRelOptions",
  "AT_SetOptions",
  "AT_ResetOptions",
  "AT_ClusterOn",
  "AT_DropCluster",
]);

const MODES: ReadonlyMap<string, "in" | "out" | "inout" | "table"> = new Map([
  ["FUNC_PARAM_OUT", "out"],
  ["FUNC_PARAM_INOUT", "inout"],
  ["FUNC_PARAM_TABLE", "table"],
]);

function routineOf(node: CreateFunctionStmt): SqlDefinition {
  const options = new Map(
    (node.options ?? []).flatMap((each) =>
      "DefElem" in each ? [[each.DefElem.defname ?? "", each.DefElem.arg] as const] : [],
    ),
  );
  const parts = options.get("as");
  const body = parts === undefined ? undefined : stringsOf(itemsOf(parts))[0];
  if (body === undefined) throw unsupported("a function without a body in quotes");
  const language = options.get("language");
  const parameters = (node.parameters ?? []).flatMap((each) => {
    if (!("FunctionParameter" in each)) return [];
    const { name = "", argType, mode = "", defexpr } = each.FunctionParameter;
    if (mode === "FUNC_PARAM_VARIADIC") throw unsupported("VARIADIC");
    return [
      {
        name,
        mode: MODES.get(mode) ?? ("in" as const),
        type: typeOf(argType),
        ...(defexpr === undefined ? {} : { default: expressionOf(defexpr) }),
      },
    ];
  });
  const { returnType } = node;
  return {
    kind: "create routine",
    name: lastName(node.funcname),
    language: (language && "String" in language ? language.String.sval : undefined) ?? "sql",
    isProcedure: node.is_procedure === true,
    replace: node.replace === true,
    parameters,
    ...(returnType === undefined ? {} : { returns: typeOf(returnType) }),
    returnsSet: returnType?.setof === true || parameters.some(({ mode }) => mode === "table"),
    body,
  };
}

/** Bits of `tgtype` in pg_trigger. */
const TRIGGER = { before: 2, insert: 4, delete: 8, update: 16, truncate: 32, instead: 64 } as const;

function triggerOf(node: CreateTrigStmt): SqlDefinition {
  const { timing = 0, events = 0 } = node;
  if ((timing & TRIGGER.instead) !== 0) throw unsupported("an INSTEAD OF trigger");
  if ((events & TRIGGER.truncate) !== 0) throw unsupported("a trigger on TRUNCATE");
  if ((node.transitionRels ?? []).length > 0) throw unsupported("a trigger with transition tables");
  return {
    kind: "create trigger",
    replace: node.replace === true,
    trigger: {
      name: node.trigname ?? "",
      table: nameOf(node.relation),
      timing: (timing & TRIGGER.before) !== 0 ? "before" : "after",
      events: (["insert", "update", "delete"] as const).filter(
        (each) => (events & TRIGGER[each]) !== 0,
      ),
      forRows: node.row === true,
      ...(node.whenClause === undefined ? {} : { when: expressionOf(node.whenClause) }),
      routine: lastName(node.funcname),
      arguments: stringsOf(node.args),
    },
  };
}
