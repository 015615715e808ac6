// Whole numbers and decimals of Java, as far as types are written in the file: a division of whole numbers cuts off
// what is left.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import { fieldText, textOf, type JavaReader } from "./reader";
import { typeOfMethod, typeOfName, type Scope } from "./scope";

/** `undefined` where the file does not say. */
export function isWhole(reader: JavaReader, node: SyntaxNode, scope: Scope): boolean | undefined {
  const inner = (field: string): boolean | undefined => {
    const child = childOf(node, field);
    return child && isWhole(reader, child, scope);
  };
  const [first] = node.children.length > 0 ? namedChildren(node) : [];
  switch (node.type) {
    case "decimal_integer_literal":
    case "hex_integer_literal":
    case "octal_integer_literal":
    case "binary_integer_literal":
    case "character_literal":
      return true;
    case "decimal_floating_point_literal":
    case "hex_floating_point_literal":
      return false;
    case "identifier":
      return isWholeType(typeOfName(textOf(reader, node), scope));
    case "field_access":
      return isWholeField(reader, node, scope);
    case "array_access":
      return isWholeType(elementType(reader, childOf(node, "array"), scope));
    case "parenthesized_expression":
    case "update_expression":
      return first && isWhole(reader, first, scope);
    case "cast_expression":
      return isWholeType(fieldText(reader, node, "type"));
    case "unary_expression":
      return inner("operand");
    case "assignment_expression":
      return inner("left");
    case "ternary_expression":
      return both(inner("consequence"), inner("alternative"));
    case "binary_expression":
      return both(inner("left"), inner("right"));
    case "method_invocation":
      return isWholeCall(reader, node, scope);
    default:
      return undefined;
  }
}

/** Fields of this class and of classes of this file; `length` of anything else is an array's. */
function isWholeField(reader: JavaReader, node: SyntaxNode, scope: Scope): boolean | undefined {
  const object = childOf(node, "object");
  const field = fieldText(reader, node, "field");
  if (object?.type === "this") return isWholeType(typeOfName(field, scope));
  const declared = scope.file.classes.get(textOf(reader, object))?.fields.get(field);
  if (declared) return isWholeType(declared.type);
  return field === "length" ? true : undefined;
}

/** Decimals on one side make decimals of both. */
function both(left: boolean | undefined, right: boolean | undefined): boolean | undefined {
  if (left === false || right === false) return false;
  return left === true && right === true ? true : undefined;
}

function isWholeType(type: string | undefined): boolean | undefined {
  if (type === undefined) return undefined;
  if (/^(?:int|long|short|byte|char|Integer|Long|Short|Byte|Character)$/u.test(type)) return true;
  return /^(?:float|double|Float|Double)$/u.test(type) ? false : undefined;
}

function elementType(
  reader: JavaReader,
  array: SyntaxNode | undefined,
  scope: Scope,
): string | undefined {
  const type = array?.type === "identifier" ? typeOfName(textOf(reader, array), scope) : undefined;
  return type?.endsWith("[]") === true ? type.slice(0, -2).trim() : undefined;
}

const WHOLE =
  /^(?:size|length|ordinal|hashCode|indexOf|lastIndexOf|compareTo|(?:int|long|short|byte)Value|(?:get|next|parse)(?:Int|Long|Short|Byte|Unsigned\w+)|round|floorDiv|floorMod|currentTimeMillis|nanoTime|executeUpdate)$/u;
const DECIMAL =
  /^(?:(?:double|float)Value|(?:get|next|parse)(?:Double|Float)|random|sqrt|pow|ceil|floor|rint|log|exp|nextGaussian)$/u;

function isWholeCall(reader: JavaReader, node: SyntaxNode, scope: Scope): boolean | undefined {
  const name = fieldText(reader, node, "name");
  if (childOf(node, "object") === undefined) {
    const declared = typeOfMethod(name, scope);
    if (declared !== undefined) return isWholeType(declared);
  }
  if (/^(?:max|min|abs)$/u.test(name)) {
    const list = childOf(node, "arguments");
    const sides = list ? namedChildren(list) : [];
    return sides
      .map((side) => isWhole(reader, side, scope))
      .reduce((left, right) => both(left, right), sides.length > 0 ? true : undefined);
  }
  if (WHOLE.test(name)) return true;
  return DECIMAL.test(name) ? false : undefined;
}
