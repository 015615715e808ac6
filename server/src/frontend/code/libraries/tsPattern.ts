// Choices by patterns, as ts-pattern has them: `match(x).with(p, f).otherwise(g)` runs one of the functions.
import type { Expression } from "../../../program/expression";
import { TRUE } from "../../sql/expressions";
import { connective } from "../../sql/terms";
import { sameExpression } from "../evaluate/values/convert";
import { constant, scalar, UNDEFINED, unknown, type HandleValue, type Value } from "../values";
import type { Library, Tools } from "./library";

interface Match {
  readonly subject: Value;
  readonly cases: readonly Case[];
}

interface Case {
  readonly test: Expression;
  readonly run: () => Value;
}

/** Result of the module under a name; undefined for other modules. */
export function patternExport(from: string, name: string): HandleValue | undefined {
  if (from !== "ts-pattern") return undefined;
  return { kind: "handle", library: TS_PATTERN, path: name === "Pattern" ? "P" : name };
}

const TS_PATTERN: Library = {
  name: "ts-pattern",
  modules: [],
  call: ({ path, data }, { arguments: args, source }, tools) => {
    const [first = UNDEFINED, second = UNDEFINED] = args;
    if (path === "match") return tools.handle("choice", { subject: first, cases: [] });
    if (path === "isMatching" && args.length > 1) {
      return scalar(testOf(first, second, tools), "bool");
    }
    if (path.startsWith("P.")) return tools.handle(path, args);
    if (!path.startsWith("choice.")) return undefined;
    // Only this file makes handles of that path.
    const { subject, cases } = data as Match;
    const call = (callee: Value, given: Value): Value =>
      tools.call(callee, [given, subject], source);
    const withCase = (test: Expression, given: Value): Value => {
      const handler = args.at(-1) ?? UNDEFINED;
      const added: Case = { test, run: () => call(handler, given) };
      return tools.handle("choice", { subject, cases: [...cases, added] });
    };
    switch (path.slice("choice.".length)) {
      case "with": {
        const isGuarded = args.length === 3 && second.kind === "function";
        const patterns = args.slice(0, isGuarded ? 1 : -1);
        const fits = connective(
          "or",
          patterns.map((each) => testOf(each, subject, tools)),
        );
        const given = selected(first, subject, tools) ?? subject;
        const guard = isGuarded ? tools.condition(call(second, given)) : TRUE;
        return withCase(connective("and", [fits, guard]), given);
      }
      case "when":
        return withCase(tools.condition(call(first, subject)), subject);
      case "returnType":
      case "narrow":
        return tools.handle("choice", { subject, cases });
      case "otherwise":
        return chosen(cases, () => call(first, subject), tools);
      case "run": {
        const tests = cases.map(({ test }) => test);
        tools.require(connective("or", tests), "no pattern fits", source);
        return ofCases(cases, tools);
      }
      // The types of the code say that one of them fits.
      case "exhaustive":
        return ofCases(cases, tools);
      default:
        return undefined;
    }
  },
};

function ofCases(cases: readonly Case[], tools: Tools): Value {
  const last = cases.at(-1);
  return chosen(cases.slice(0, -1), () => last?.run() ?? UNDEFINED, tools);
}

/** Result of the first case that fits. */
function chosen([first, ...others]: readonly Case[], otherwise: () => Value, tools: Tools): Value {
  if (!first) return otherwise();
  return tools.either(first.test, first.run, () => chosen(others, otherwise, tools));
}

/** True if a pattern fits a value. */
function testOf(pattern: Value, value: Value, tools: Tools): Expression {
  switch (pattern.kind) {
    case "scalar":
    case "text":
    case "undefined":
      return tools.isSame(value, pattern);
    case "object": {
      const fields = pattern.class ? undefined : tools.fields(pattern);
      if (!fields) break;
      const parts = [...fields].map(([name, each]) =>
        testOf(each, tools.field(value, name), tools),
      );
      return connective("and", parts);
    }
    case "handle":
      return testOfHandle(pattern, value, tools);
    default:
      break;
  }
  return notKnown(tools);
}

function testOfHandle({ path, data }: HandleValue, value: Value, tools: Tools): Expression {
  const args = Array.isArray(data) ? (data as readonly Value[]) : [];
  const tests = (): Expression[] => args.map((each) => testOf(each, value, tools));
  const isNullish = (): Expression => {
    const [missing, isNull] = [UNDEFINED, constant(null)].map((each) => tools.isSame(value, each));
    if (!missing || !isNull || sameExpression(missing, isNull)) return isNull ?? TRUE;
    return connective("or", [missing, isNull]);
  };
  switch (path) {
    case "P._":
    case "P.any":
      return TRUE;
    case "P.select":
      return connective("and", tests().slice(args[0]?.kind === "text" ? 1 : 0));
    case "P.union":
      return connective("or", tests());
    case "P.intersection":
      return connective("and", tests());
    case "P.not":
      return { kind: "not", operand: connective("and", tests()) };
    case "P.optional":
      return connective("or", [tools.isSame(value, UNDEFINED), ...tests()]);
    case "P.nullish":
      return isNullish();
    case "P.nonNullable":
      return { kind: "not", operand: isNullish() };
    default:
      return notKnown(tools);
  }
}

function notKnown(tools: Tools): Expression {
  return tools.condition(unknown("whether a pattern fits is not known"));
}

/** The value that a pattern selects for its handler; undefined for one that selects nothing. */
function selected(pattern: Value, value: Value, tools: Tools): Value | undefined {
  const found = new Map<string, Value>();
  const look = (each: Value, at: Value): void => {
    if (each.kind === "handle" && each.path === "P.select") {
      const [name] = Array.isArray(each.data) ? (each.data as readonly Value[]) : [];
      const key = name?.kind === "text" ? tools.expression(name) : undefined;
      found.set(key?.kind === "literal" ? String(key.value) : "", at);
    } else if (each.kind === "object" && !each.class) {
      for (const [name, part] of tools.fields(each) ?? []) look(part, tools.field(at, name));
    }
  };
  look(pattern, value);
  if (found.size === 0) return undefined;
  return found.get("") ?? tools.object(Object.fromEntries(found));
}
