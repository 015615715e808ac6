import type { PoolClient, QueryResultRow } from "pg";

export class NotFound extends Error {}

/** The only row, or an error. */
export async function one<Row extends QueryResultRow>(
  client: PoolClient,
  text: string,
  values: unknown[],
): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  if (rows.length === 0) throw new NotFound(text);
  return rows[0];
}
