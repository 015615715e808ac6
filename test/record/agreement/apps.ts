// The applications of test/apps with transactions over pg or Prisma, called with arguments of all kinds; a part of `main.ts`, which
// starts it below a recording, in the application's folder.
import path from "node:path";
import { pathToFileURL } from "node:url";

const ROUNDS = 30;
let seed = 7;

/** From `least` to `most`, the same numbers each time. */
function some(least: number, most: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return least + (seed % (most - least + 1));
}

const customer = (): number => some(1, 5);
const warehouse = (): number => some(1, 2);
const district = (): number => some(1, 3);
const lines = (): readonly unknown[] =>
  Array.from({ length: some(1, 4) }, (_, at) => ({
    itemId: 1 + 5 * at + some(0, 4),
    quantity: some(1, 9),
  }));
const payer = (): unknown => ({
  warehouse: warehouse(),
  district: district(),
  customer: customer(),
});

interface Entry {
  readonly file: string;
  readonly name: string;
  readonly values: () => readonly unknown[];
}

const bank = (name: string, values: Entry["values"]): Entry => ({ file: "src/bank", name, values });
const shop = (file: string, name: string, values: Entry["values"]): Entry => ({
  file: `src/${file}`,
  name,
  values: () => [warehouse(), district(), ...values()],
});

const shape = (file: string, name: string, values: Entry["values"]): Entry => ({
  file,
  name,
  values,
});
const member = (): readonly unknown[] => [some(1, 40), customer()];
const email = (): readonly unknown[] => [customer(), `m${String(some(100, 900))}@example.com`];

const ENTRIES: ReadonlyMap<string, readonly Entry[]> = new Map([
  [
    "smallbank-ts",
    [
      bank("balance", () => [customer()]),
      bank("depositChecking", () => [customer(), some(1, 90)]),
      bank("transactSavings", () => [customer(), some(1, 400)]),
      bank("amalgamate", () => [customer(), customer()]),
      bank("writeCheck", () => [customer(), some(1, 400)]),
      bank("sendPayment", () => [customer(), customer(), some(1, 300)]),
    ],
  ],
  [
    "tpcc-ts",
    [
      shop("newOrder", "newOrder", () => [customer(), lines()]),
      shop("payment", "payment", () => [payer(), some(1, 900)]),
      shop("orders", "orderStatus", () => [customer()]),
      shop("orders", "delivery", () => [some(1, 10)]),
      shop("orders", "stockLevel", () => [some(20, 60)]),
    ],
  ],
  [
    "prisma",
    [
      shape("invoices", "issueInvoice", () => [customer()]),
      shape("invoices", "issueInvoiceLocked", () => [customer()]),
      shape("invoices", "issueInvoiceSerializable", () => [customer()]),
      shape("invoices", "issueReceipt", () => [customer()]),
      shape("items", "restock", () => [customer(), some(1, 90)]),
      shape("items", "restockAtomically", () => [customer(), some(1, 90)]),
      shape("items", "restockVersioned", () => [customer(), some(1, 90)]),
      shape("members", "invite", email),
      shape("members", "inviteLocked", email),
      shape("members", "leave", member),
      shape("members", "leaveLocked", member),
    ],
  ],
]);

async function main(app: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++)
    for (const { file, name, values } of ENTRIES.get(app) ?? []) {
      const { href } = pathToFileURL(path.resolve(`${file}.ts`));
      const program = new Map(Object.entries((await import(href)) as object));
      const callee: unknown = program.get(name);
      if (typeof callee !== "function") throw new Error(`${file} has no ${name}`);
      try {
        await (callee as (...args: readonly unknown[]) => unknown)(...values());
      } catch {
        // Programs refuse, and tell so by an error: such runs are learnt from as well.
      }
    }
}

main(process.argv[2] ?? "").then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
