// Types of the directly used parts of WebAssembly, which a server's type libraries do not declare.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    static imports(module: Module): readonly { readonly name: string }[];
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: object;
  }
  class Table {
    readonly length: number;
    grow(by: number): number;
    set(at: number, entry: unknown): void;
  }
  class Global {
    value: unknown;
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>;
  function validate(bytes: Uint8Array): boolean;
}
