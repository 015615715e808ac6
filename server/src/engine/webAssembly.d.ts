// Types of the directly used parts of WebAssembly, which a server's type libraries do not declare.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: object;
  }
  class RuntimeError extends Error {}
}
