// The demands of a domain on its values, wherever one becomes a value of it.
import type { Domain } from "../catalog";
import { failure } from "../sqlError";
import type { SqlValue } from "../values/value";
import { compileExpression } from "./recursion";
import { truth, type Compiler, type Env } from "./node";
import { createScope } from "./scope";

/** Fails with 23502 or 23514 for what is no value of a domain. */
export type DomainCheck = (value: SqlValue, env: Env) => void;

/** The check of a domain of that name; undefined where there is none. */
export function domainCheck(name: string | undefined, compiler: Compiler): DomainCheck | undefined {
  const domain = name === undefined ? undefined : compiler.catalog.domains.get(name);
  if (domain === undefined) return undefined;
  const inner = domainCheck(domain.declared.domain, compiler);
  const tests = testsOf(domain, compiler);
  return (value, env) => {
    inner?.(value, env);
    if (value === null && domain.notNull)
      throw failure("notNull", `domain ${domain.name} does not allow null values`);
    for (const { name: constraint, test } of tests) {
      if (test({ ...env, tuple: [[value]] }) !== false) continue;
      const message = `value for domain ${domain.name} violates check constraint "${constraint}"`;
      throw failure("check", message, { constraint });
    }
  };
}

function testsOf(
  { declared, checks }: Domain,
  compiler: Compiler,
): readonly { readonly name: string; readonly test: ReturnType<typeof truth> }[] {
  const scope = createScope(compiler, undefined, new Map());
  const columns = [{ name: "value", type: declared.type, origin: { declared } }];
  scope.sources.push({ alias: "", columns, merged: new Set() });
  return checks.map(({ name, condition }) => ({
    name,
    test: truth(compileExpression(condition, scope), compiler, "CHECK"),
  }));
}
