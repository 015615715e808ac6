// The script inside z3-solver that carries Z3 itself. The package gives it no types: `z3Module.ts` checks what it returns.
declare module "z3-solver/build/z3-built" {
  const initialise: (settings?: Record<string, unknown>) => Promise<unknown>;
  export default initialise;
}
