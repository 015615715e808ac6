// `npm run docs`: writes the generated parts of the documents.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { GENERATED, ROOT, regenerated } from "./documents";

async function main(): Promise<void> {
  for (const name of GENERATED) {
    const file = path.join(ROOT, name);
    writeFileSync(file, await regenerated(readFileSync(file, "utf8")));
  }
}

void main();
