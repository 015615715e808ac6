// The answer of the process that tries inputs on each.
export type Answer =
  | { readonly kind: "ready" }
  | { readonly kind: "taken"; readonly way: string }
  | { readonly kind: "crash" | "exception text"; readonly text: string };
