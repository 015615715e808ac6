// Which of the levels the mock database can be held to, by their names.
import { findLevel } from "../isolation/levels";
import { dictionary } from "../protocol/dictionary";
import type { MockLevel } from "./store/mockStore";

export type { MockLevel };

export type NamedMockLevel =
  | { readonly known: false }
  | { readonly known: true; readonly level: MockLevel; readonly name: string }
  /** A level for which there is no store. */
  | {
      readonly known: true;
      readonly level?: undefined;
      readonly name: string;
      readonly reason: string;
    };

const PAPERS = dictionary<MockLevel | undefined>({
  eventual: "any",
  "read-committed": "read-committed",
  "read-atomic": "read-atomic",
  causal: "causal",
  prefix: "prefix",
  "parallel-snapshot-isolation": "parallel-snapshot-isolation",
  "snapshot-isolation": "snapshot-isolation",
  serializable: "serializable",
});

/** The level of that name or alias; `any` lets every read return any committed version. */
export function mockLevel(name: string): NamedMockLevel {
  if (name.trim().toLowerCase() === "any") return { known: true, level: "any", name: "any" };
  const found = findLevel(name);
  if (!found) return { known: false };
  if (found.family === "product") return { known: true, level: found, name: found.name };
  const level = PAPERS[found.name];
  if (level !== undefined) return { known: true, level, name: found.name };
  const reason = `a database cannot be held to ${found.name}; take one of any, ${Object.keys(PAPERS).join(", ")}, or a product's level`;
  return { known: true, name: found.name, reason };
}
