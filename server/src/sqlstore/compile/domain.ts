// The demands of a domain on its values, wherever one becomes a value of it.
import type { Domain } from "../catalog";
import { failure } from "../sqlError";
import type { DeclaredType } from "../values/types";
import { isList, type SqlValue } from "../values/value";
import { compileExpression } from "./recursion";
import { truth, type Compiler, type Env } from "./node";
import { createScope } from "./scope";

/** Fails with 23502 or 23514 for what is no value of a domain. */
export type DomainCheck = (value: SqlValue, env: Env) => void;

/** The check of the domain of a type, or of that of its elements; undefined where there is none. */
export function domainCheck(
  { domain, elementDomain }: DeclaredType,
  compiler: Compiler,
): DomainCheck | undefined {
  if (domain !== undefined) return checkOf(domain, domain, compiler);
  if (elementDomain === undefined) return undefined;
  const element = checkOf(elementDomain, elementDomain, compiler);
  const all: DomainCheck = (value, env) => {
    if (value === null || !isList(value)) return;
    for (const each of value) (each !== null && isList(each) ? all : element)?.(each, env);
  };
  return all;
}

/** The check of a domain, as that of the domain whose values are looked at. */
function checkOf(name: string, outermost: string, compiler: Compiler): DomainCheck | undefined {
  const domain = compiler.catalog.domains.get(name);
  if (domain === undefined) return undefined;
  const { domain: base } = domain.declared;
  const inner = base === undefined ? undefined : checkOf(base, outermost, compiler);
  const tests = testsOf(domain, compiler);
  return (value, env) => {
    inner?.(value, env);
    if (value === null && domain.notNull)
      throw failure("notNull", `domain ${outermost} does not allow null values`);
    for (const { name: constraint, test } of tests) {
      if (test({ ...env, tuple: [[value]] }) !== false) continue;
      const message = `value for domain ${outermost} violates check constraint "${constraint}"`;
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
