// The script inside z3-solver with Z3 itself. The package has no types for it: `z3Module.ts` checks its results.
declare module "z3-solver/build/z3-built" {
  const initialise: (settings?: Record<string, unknown>) => Promise<unknown>;
  export default initialise;
}
