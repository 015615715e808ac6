// The moment at which V8 compiles a function of WebAssembly again, optimised. V8 11 begins so early that a check of a small program spends a third of its
// processor time on functions that it hardly runs again; V8 12 waits longer by default.
import { setFlagsFromString } from "node:v8";

/** Code that a function runs before it is optimised, about in bytes. Questions that take long pass it within their first second. */
const BUDGET = 60_000_000;

let isSet = false;

/** Call before a module is compiled: it takes the budget of that moment. */
export function delayTierUp(): void {
  if (isSet) return;
  isSet = true;
  setFlagsFromString(`--wasm-tiering-budget=${String(BUDGET)}`);
  // Our own files were validated when they were built: a function is, when it is first called.
  setFlagsFromString("--wasm-lazy-validation");
}
