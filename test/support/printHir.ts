// HIR as text, close to the code it was made from: what tests of adapters compare.
import type {
  HirAnnotation,
  HirArgument,
  HirClass,
  HirExpression,
  HirFunction,
  HirModule,
  HirPattern,
  HirStatement,
  TextRun,
} from "../../server/src/frontend/code/hir";

/** The module: its imports, its statements, its exports, a line each. */
export function printHir(module: HirModule): string {
  return [
    ...(module.package === undefined ? [] : [`package ${module.package}`]),
    ...module.imports.map(
      ({ local, imported, from, isStatic }) =>
        `import ${isStatic === true ? "static " : ""}${imported} as ${local} from ${from}`,
    ),
    ...module.body.map(printStatement),
    ...module.exports.map(({ name, local, from }) =>
      ["export", local ?? "", "as", name, from === undefined ? "" : `from ${from}`]
        .filter((part) => part !== "")
        .join(" "),
    ),
  ].join("\n");
}

export function printStatement(statement: HirStatement): string {
  switch (statement.kind) {
    case "let": {
      const { pattern, value, type, isMutable } = statement;
      const typed = type === undefined ? "" : `: ${type}`;
      const given = value ? ` = ${printExpression(value)}` : "";
      return `${isMutable ? "let" : "const"} ${printPattern(pattern)}${typed}${given}`;
    }
    case "expression":
      return printExpression(statement.expression);
    case "if": {
      const otherwise = statement.otherwise.length > 0 ? ` else ${block(statement.otherwise)}` : "";
      return `if (${printExpression(statement.condition)}) ${block(statement.then)}${otherwise}`;
    }
    case "for": {
      const test = statement.test ? printExpression(statement.test) : "";
      const head = `${lines(statement.init)}; ${test}; ${list(statement.update)}`;
      return `for (${head}) ${block(statement.body)}`;
    }
    case "forEach": {
      const word = statement.isKeys ? "in" : "of";
      const head = `${printPattern(statement.pattern)} ${word} ${printExpression(statement.over)}`;
      return `for (${head}) ${block(statement.body)}`;
    }
    case "while": {
      const test = `while (${printExpression(statement.test)})`;
      return statement.isTestLast
        ? `do ${block(statement.body)} ${test}`
        : `${test} ${block(statement.body)}`;
    }
    case "return":
      return statement.value ? `return ${printExpression(statement.value)}` : "return";
    case "throw":
      return `throw ${printExpression(statement.value)}`;
    case "try": {
      const resources = statement.resources.length > 0 ? `(${lines(statement.resources)}) ` : "";
      const handlers = statement.handlers.map(({ pattern, types, body }) => {
        const bound = [...types, ...(pattern ? [printPattern(pattern)] : [])].join(" ");
        return ` catch (${bound}) ${block(body)}`;
      });
      const last = statement.last.length > 0 ? ` finally ${block(statement.last)}` : "";
      return `try ${resources}${block(statement.body)}${handlers.join("")}${last}`;
    }
    case "switch": {
      const cases = statement.cases.map(({ tests, body }) => printCase(tests, lines(body)));
      return `switch (${printExpression(statement.subject)}) {${cases.join("; ")}}`;
    }
    case "break":
    case "continue":
      return statement.label === undefined
        ? statement.kind
        : `${statement.kind} ${statement.label}`;
    case "label":
      return `${statement.label}: ${printStatement(statement.body)}`;
    case "block":
      return block(statement.body);
    case "function":
      return printFunction(statement.function);
    case "class":
      return printClass(statement.class);
    case "type":
      return `type ${statement.name} = ${statement.type}`;
    case "unknown":
      return unknown(statement.what, statement.parts);
  }
}

export function printExpression(expression: HirExpression): string {
  switch (expression.kind) {
    case "literal":
      return String(expression.value);
    case "text":
      return JSON.stringify(joined(expression.runs));
    case "name":
      return expression.name;
    case "this":
    case "super":
      return expression.kind;
    case "template": {
      const [first = [], ...others] = expression.texts;
      const holes = expression.values.map(
        (value, at) => `\${${printExpression(value)}}${joined(others[at] ?? [])}`,
      );
      const tag = expression.tag ? printExpression(expression.tag) : "";
      return `${tag}\`${joined(first)}${holes.join("")}\``;
    }
    case "member":
      return `${printExpression(expression.object)}${expression.optional ? "?." : "."}${expression.property}`;
    case "index":
      return `${printExpression(expression.object)}${expression.optional ? "?." : ""}[${printExpression(expression.index)}]`;
    case "call":
      return `${printExpression(expression.callee)}${expression.optional ? "?." : ""}${typeArguments(expression)}(${given(expression.arguments)})`;
    case "new": {
      const body = expression.body ? ` ${printClass(expression.body)}` : "";
      return `new ${printExpression(expression.callee)}${typeArguments(expression)}(${given(expression.arguments)})${body}`;
    }
    case "binary":
      return `(${printExpression(expression.left)} ${expression.operator} ${printExpression(expression.right)})`;
    case "unary":
      return `(${expression.operator} ${printExpression(expression.operand)})`;
    case "conditional":
      return `(${[expression.condition, expression.then, expression.otherwise].map(printExpression).join(" ? ")})`;
    case "object":
      return `{${expression.entries
        .map((entry) =>
          entry.kind === "spread"
            ? `...${printExpression(entry.value)}`
            : `${printKey(entry.key)}: ${printExpression(entry.value)}`,
        )
        .join(", ")}}`;
    case "array":
      return `[${given(expression.items)}]`;
    case "function":
      return printFunction(expression.function);
    case "class":
      return printClass(expression.class);
    case "assign":
      return `${printPattern(expression.target)} ${expression.operator ?? ""}= ${printExpression(expression.value)}`;
    case "increment": {
      const target = printExpression(expression.target);
      const sign = expression.operator + expression.operator;
      return expression.isPrefix ? sign + target : target + sign;
    }
    case "await":
      return `await ${printExpression(expression.operand)}`;
    case "sequence":
      return `(${list(expression.parts)})`;
    case "choose": {
      const cases = expression.cases.map(({ tests, body, value }) =>
        printCase(
          tests,
          [...body.map(printStatement), ...(value ? [printExpression(value)] : [])].join("; "),
        ),
      );
      return `choose (${printExpression(expression.subject)}) {${cases.join("; ")}}`;
    }
    case "typed":
      return `<${expression.type}>${printExpression(expression.operand)}`;
    case "unknown":
      return unknown(expression.what, expression.parts);
  }
}

export function printPattern(pattern: HirPattern): string {
  switch (pattern.kind) {
    case "bind":
      return pattern.name;
    case "place":
      return printExpression(pattern.place);
    case "default":
      return `${printPattern(pattern.pattern)} = ${printExpression(pattern.value)}`;
    case "object": {
      const entries = pattern.entries.map(
        (entry) => `${printKey(entry.key)}: ${printPattern(entry.pattern)}`,
      );
      return `{${[...entries, ...rest(pattern.rest)].join(", ")}}`;
    }
    case "array": {
      const items = pattern.items.map((item) => (item ? printPattern(item) : ""));
      return `[${[...items, ...rest(pattern.rest)].join(", ")}]`;
    }
  }
}

function rest(pattern: HirPattern | undefined): readonly string[] {
  return pattern ? [`...${printPattern(pattern)}`] : [];
}

function printFunction(own: HirFunction): string {
  const parameters = own.parameters.map(({ pattern, type, isRest, annotations }) => {
    const typed = type === undefined ? "" : `: ${type}`;
    return `${printAnnotations(annotations)}${isRest ? "..." : ""}${printPattern(pattern)}${typed}`;
  });
  const star = own.isGenerator ? "*" : "";
  const name = own.name ?? "";
  const head = own.isArrow ? `${name}(` : `function${star} ${name}(`;
  const arrow = own.isArrow ? " =>" : "";
  const returns = own.returns === undefined ? "" : `: ${own.returns}`;
  return `${printAnnotations(own.annotations)}${head}${parameters.join(", ")})${returns}${arrow} ${block(own.body)}`;
}

function printClass(own: HirClass): string {
  const superclass = own.superclass === undefined ? "" : ` extends ${own.superclass}`;
  const interfaces = own.interfaces.length === 0 ? "" : ` implements ${own.interfaces.join(", ")}`;
  const fields = own.fields.map((field) => {
    const words = `${field.isStatic ? "static " : ""}${field.isFinal ? "final " : ""}`;
    const type = field.type === undefined ? "" : `: ${field.type}`;
    const value = field.value ? ` = ${printExpression(field.value)}` : "";
    return `${printAnnotations(field.annotations)}${words}${field.name}${type}${value}`;
  });
  const methods = own.methods.map((method) => {
    const abstract = method.isAbstract === true ? "abstract " : "";
    const words = `${method.isStatic ? "static " : ""}${method.isPrivate ? "private " : ""}${abstract}`;
    return `${words}${method.kind} ${printFunction(method.function)}`;
  });
  const members = [...fields, ...methods, ...own.classes.map(printClass)];
  const word = own.isInterface ? "interface" : "class";
  return `${printAnnotations(own.annotations)}${word} ${own.name ?? ""}${superclass}${interfaces} {${members.join("; ")}}`;
}

function printAnnotations(annotations: readonly HirAnnotation[]): string {
  return annotations
    .map(({ name, arguments: own }) => `@${name}${own.length > 0 ? `(${list(own)})` : ""} `)
    .join("");
}

function printCase(tests: readonly HirExpression[], body: string): string {
  return `${tests.length > 0 ? `case ${list(tests)}` : "default"}: ${body}`;
}

function printKey(key: string | HirExpression): string {
  return typeof key === "string" ? key : `[${printExpression(key)}]`;
}

function typeArguments({ typeArguments: own }: { readonly typeArguments?: readonly string[] }) {
  return own ? `<${own.join(", ")}>` : "";
}

function given(items: readonly HirArgument[]): string {
  return items
    .map(({ value, isSpread }) => `${isSpread ? "..." : ""}${printExpression(value)}`)
    .join(", ");
}

function unknown(what: string, parts: readonly HirExpression[]): string {
  return parts.length === 0 ? `<${what}>` : `<${what}: ${list(parts)}>`;
}

function list(expressions: readonly HirExpression[]): string {
  return expressions.map(printExpression).join(", ");
}

function block(statements: readonly HirStatement[]): string {
  return `{${lines(statements)}}`;
}

function lines(statements: readonly HirStatement[]): string {
  return statements.map(printStatement).join("; ");
}

function joined(runs: readonly TextRun[]): string {
  return runs.map(({ text }) => text).join("");
}
