// Functions of frameworks that end the function which calls them: they throw something that the framework catches.
import { dictionary } from "../../../../protocol/dictionary";

const ENDING = dictionary<readonly string[]>({
  "next/navigation": ["redirect", "permanentRedirect", "notFound", "forbidden", "unauthorized"],
  "@sveltejs/kit": ["redirect", "error"],
});

/** True if a call of what a module exports under a name never comes back. */
export function neverReturns(module: string, name: string): boolean {
  return ENDING[module]?.includes(name) === true;
}
