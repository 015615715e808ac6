// A lint rule: names from outside index nothing that inherits. What an ordinary object answers to under such a name may
// be `Object.prototype`'s: `constructor`, `valueOf`, `__proto__`.
import ts from "typescript";

/** @typedef {import("eslint").Rule.RuleModule} RuleModule */
/** @typedef {Parameters<import("eslint").SourceCode["getText"]>[0] & {}} Node */
/** @typedef {{ program: import("typescript").Program, getTypeAtLocation(node: unknown): import("typescript").Type }} Services */

/** The class that marks the types of objects that inherit nothing; see server/src/protocol/dictionary.ts. */
const MARK = "Inheritless";

/** @type {RuleModule} */
export const outsideNames = {
  meta: {
    type: "problem",
    docs: {
      description: "forbid looking up names that are not literals in objects that have a prototype",
    },
    messages: {
      index:
        "An object with a prototype answers to names such as `constructor` and `__proto__`: use a Map, a `dictionary`, or `ownEntry` and `setEntry` of protocol/dictionary.",
      in: "`in` finds names such as `constructor` in every object with a prototype: use a Map, a `dictionary` or `Object.hasOwn`.",
    },
    schema: [],
  },
  create(context) {
    /** @type {Services} */
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();

    /** @param {unknown} name @param {unknown} object */
    const isUnsafe = (name, object) =>
      isOpen(checker, services.getTypeAtLocation(name)) &&
      !inheritsNothing(checker, services.getTypeAtLocation(object));

    return {
      MemberExpression(node) {
        if (node.computed && isUnsafe(node.property, node.object))
          context.report({ node, messageId: "index" });
      },
      BinaryExpression(node) {
        if (node.operator === "in" && isUnsafe(node.left, node.right))
          context.report({ node, messageId: "in" });
      },
      "ObjectPattern > Property[computed=true]"(
        /** @type {Node & { key: Node, parent: Node }} */ node,
      ) {
        if (isUnsafe(node.key, node.parent)) context.report({ node, messageId: "index" });
      },
    };
  },
};

/**
 * True if values of a type may be any name: a text that is not one of finitely many.
 * @param {import("typescript").TypeChecker} checker
 * @param {import("typescript").Type} type
 * @returns {boolean}
 */
function isOpen(checker, type) {
  if (type.isUnion()) return type.types.some((each) => isOpen(checker, each));
  if (type.isIntersection()) return type.types.some((each) => isOpen(checker, each));
  if (type.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.Index | ts.TypeFlags.IndexedAccess)) {
    const constraint = checker.getBaseConstraintOfType(type);
    return constraint === undefined || isOpen(checker, constraint);
  }
  const open =
    ts.TypeFlags.String |
    ts.TypeFlags.TemplateLiteral |
    ts.TypeFlags.StringMapping |
    ts.TypeFlags.Any;
  return (type.flags & open) !== 0;
}

/**
 * @param {import("typescript").TypeChecker} checker
 * @param {import("typescript").Type} type
 * @returns {boolean}
 */
function inheritsNothing(checker, type) {
  const given = checker.getNonNullableType(type);
  if (given.isUnion()) return given.types.every((each) => inheritsNothing(checker, each));
  if (given.isIntersection()) return given.types.some((each) => inheritsNothing(checker, each));
  return given.symbol?.name === MARK;
}
