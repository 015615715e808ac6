// Keys that are typed into example programs: where, and which.

export interface Typed {
  readonly name: string;
  readonly app: string;
  readonly file: string;
  readonly languageId: string;
  /** It is typed into a new line behind the one with this text. */
  readonly after: string;
  readonly keys: string;
  /** The transaction that does something else afterwards. */
  readonly changes?: string;
}

const BANK = { app: "bank", file: "bank.sql", languageId: "sql" } as const;
const TS = { app: "smallbank-ts", file: "src/bank.ts", languageId: "typescript" } as const;
const JAVA = {
  app: "smallbank-java",
  file: "src/bank/procedures/SendPayment.java",
  languageId: "java",
} as const;

/** But for one, none of it changes what a transaction does to tables that others use. */
export const TYPED: readonly Typed[] = [
  {
    ...BANK,
    name: "comment",
    after: "RAISE EXCEPTION 'the amount must be positive';",
    keys: "-- never below the limit",
  },
  {
    ...BANK,
    name: "string",
    after: "RAISE EXCEPTION 'the amount must be positive';",
    keys: "RAISE NOTICE 'below limit';",
  },
  {
    ...BANK,
    name: "statement",
    after: "END $$;",
    keys: "SELECT count(*) FROM account;",
  },
  {
    ...TS,
    name: "comment",
    after: "const savings = savingsOf(client);",
    keys: "// never below the limit",
  },
  {
    ...TS,
    name: "string",
    after: "const savings = savingsOf(client);",
    keys: 'const label = "low limit";',
  },
  {
    ...TS,
    name: "statement",
    after: "const savings = savingsOf(client);",
    keys: "if (amount > 7) return;",
    changes: "transactSavings",
  },
  {
    ...JAVA,
    name: "comment",
    after: "int balance;",
    keys: "// never below the limit",
  },
  { ...JAVA, name: "string", after: "int balance;", keys: 'String label = "low limit";' },
];
