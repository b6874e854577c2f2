/** A second Worker of the tests. It runs statements on a database of the platform (databases.ts). */
import type { D1Database } from "@cloudflare/workers-types";

/** Statements of one transaction. A parameter that is an object is bytes. */
export interface Work {
  database: string;
  queries: { sql: string; params: (string | number | boolean | null | { base64: string })[] }[];
}

/** Runs them, and answers with the results, or with the error as text. */
export async function runWork({ queries }: Work, db: D1Database): Promise<Response> {
  const statements = queries.map(({ sql, params }) =>
    db
      .prepare(sql)
      .bind(
        ...params.map((value) =>
          value !== null && typeof value === "object"
            ? Uint8Array.from(atob(value.base64), (one) => one.charCodeAt(0))
            : value,
        ),
      ),
  );
  try {
    return Response.json(await db.batch(statements));
  } catch (error) {
    return new Response(String(error), { status: 500 });
  }
}

export default {
  async fetch(request: Request, databases: Record<string, D1Database>): Promise<Response> {
    const work: Work = await request.json();
    const db = databases[work.database];
    return db ? runWork(work, db) : new Response(`no database ${work.database}`, { status: 404 });
  },
};
