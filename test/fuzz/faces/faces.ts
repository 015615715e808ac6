// The faces by name.
import type { Face } from "./face";
import { CODE_FACES } from "./codeFaces";
import { FILE_FACES } from "./fileFaces";
import { LSP_FACE } from "./lspFace";
import { WIRE_FACES } from "./wireFaces";

export const FACES: Readonly<Record<string, Face>> = {
  ...CODE_FACES,
  ...FILE_FACES,
  ...WIRE_FACES,
  lsp: LSP_FACE,
};
