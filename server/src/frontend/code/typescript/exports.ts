// Exports of a module: `export` in all its forms, and CommonJS' `module.exports` and `exports.x`.
import { boundNames } from "../modules/boundNames";
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type {
  HirClass,
  HirEntry,
  HirExport,
  HirExpression,
  HirPattern,
  HirStatement,
} from "../hir";
import { decoratorsOf } from "./functions";
import { exportedName } from "./imports";
import { stringValue } from "./literals";
import { hasToken, spanOf, type Reading } from "./reading";

export interface ModuleExports {
  readonly statements: readonly HirStatement[];
  readonly exports: readonly HirExport[];
}

export function readExport(reading: Reading, node: SyntaxNode): ModuleExports {
  const declaration = childOf(node, "declaration");
  const value = childOf(node, "value");
  const source = childOf(node, "source");
  if (declaration) return exportedDeclaration(reading, node, declaration);
  if (value) return exportedValue(reading, node, value, "default");
  if (hasToken(node, "=")) {
    const whole = namedChildren(node).at(-1);
    return whole ? exportedValue(reading, node, whole, "*") : NOTHING;
  }
  const from = source && { from: stringValue(reading, source) };
  const span = spanOf(node);
  const clause = node.children.find((child) => child.type === "export_clause");
  const all = node.children.find((child) => child.type === "namespace_export");
  const [name] = all ? namedChildren(all) : [];
  if (name)
    return {
      statements: [],
      exports: [{ name: exportedName(reading, name), local: "*", ...from, span }],
    };
  if (hasToken(node, "*")) return { statements: [], exports: [{ name: "*", ...from, span }] };
  const specifiers = clause ? namedChildren(clause) : [];
  const exports = specifiers.flatMap((specifier): readonly HirExport[] => {
    const local = childOf(specifier, "name");
    if (local === undefined) return [];
    const outer = childOf(specifier, "alias") ?? local;
    return [
      {
        name: exportedName(reading, outer),
        local: exportedName(reading, local),
        ...from,
        span: spanOf(specifier),
      },
    ];
  });
  return { statements: [], exports };
}

/** `module.exports = x` and `exports.a = x` as exports with the statements that they need; undefined for others. */
export function exportedByAssignment(statement: HirStatement): ModuleExports | undefined {
  if (statement.kind !== "expression" || statement.expression.kind !== "assign") return undefined;
  const { target, operator, value, span } = statement.expression;
  if (target.kind !== "place" || operator !== undefined) return undefined;
  const path = pathOf(target.place);
  if (path === undefined) return undefined;
  if (path === "") return wholeExport(value, span);
  // `exports.a = exports.b = x`
  if (value.kind === "assign") {
    const inner = exportedByAssignment({ kind: "expression", expression: value, span });
    if (inner?.exports.length === 0) return inner;
    const [first] = inner?.exports ?? [];
    return inner && first?.local !== undefined
      ? {
          statements: inner.statements,
          exports: [...inner.exports, { name: path, local: first.local, span }],
        }
      : undefined;
  }
  // The lines that compilers write before the exports themselves.
  if (value.kind === "unary" && value.operator === "void") return NOTHING;
  return bound(value, `exports.${path}`, path, span);
}

/** `module.exports = x`; entries of an object are exports of their own as well. */
function wholeExport(value: HirExpression, span: HirExport["span"]): ModuleExports {
  if (value.kind !== "object") return bound(value, "module.exports", "*", span);
  const statements: HirStatement[] = [];
  const exports: HirExport[] = [];
  const entries = value.entries.map((entry): HirEntry => {
    if (entry.kind !== "property" || typeof entry.key !== "string") return entry;
    const own = bound(entry.value, `exports.${entry.key}`, entry.key, entry.span);
    statements.push(...own.statements);
    exports.push(...own.exports);
    const name = own.exports[0]?.local;
    return name === undefined
      ? entry
      : { ...entry, value: { kind: "name", name, span: entry.value.span } };
  });
  const whole = bound({ ...value, entries }, "module.exports", "*", span);
  return {
    statements: [...statements, ...whole.statements],
    exports: [...exports, ...whole.exports],
  };
}

const NOTHING: ModuleExports = { statements: [], exports: [] };

/** Empty for `module.exports`, the name for `exports.name` and `module.exports.name`. */
function pathOf(place: HirExpression): string | undefined {
  if (place.kind !== "member") return undefined;
  const { object, property } = place;
  if (object.kind === "name") {
    if (object.name === "module" && property === "exports") return "";
    return object.name === "exports" ? property : undefined;
  }
  return pathOf(object) === "" ? property : undefined;
}

/** A value under a name, with a binding of its own unless it is a name already. */
function bound(
  value: HirExpression,
  binding: string,
  name: string,
  span: HirExport["span"],
): ModuleExports {
  if (value.kind === "name")
    return { statements: [], exports: [{ name, local: value.name, span }] };
  const pattern: HirPattern = { kind: "bind", name: binding, span };
  return {
    statements: [{ kind: "let", pattern, value, isMutable: false, span }],
    exports: [{ name, local: binding, span }],
  };
}

function exportedDeclaration(reading: Reading, node: SyntaxNode, inner: SyntaxNode): ModuleExports {
  const isClass = inner.type === "class_declaration" || inner.type === "abstract_class_declaration";
  const statements = isClass
    ? [classStatement(reading.class(inner, undefined, decoratorsOf(reading, node)))]
    : reading.statements([inner]);
  const isDefault = hasToken(node, "default");
  const span = spanOf(node);
  const exports = statements
    .flatMap(boundNames)
    .map((local): HirExport => ({ name: isDefault ? "default" : local, local, span }));
  return { statements, exports };
}

function classStatement(own: HirClass): HirStatement {
  return { kind: "class", class: own, span: own.span };
}

function exportedValue(
  reading: Reading,
  node: SyntaxNode,
  value: SyntaxNode,
  name: string,
): ModuleExports {
  const span = spanOf(node);
  if (value.type === "class") {
    const own = reading.class(value, "default", decoratorsOf(reading, node));
    const local = own.name ?? "default";
    return {
      statements: [classStatement(own)],
      exports: [{ name, local, span }],
    };
  }
  return bound(reading.expression(value, "default"), "default", name, span);
}
