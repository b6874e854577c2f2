/** A second Worker of the tests. It runs one statement, or a batch of them, on the platform's D1. */
import type { D1Database } from "@cloudflare/workers-types";

type Work = { query: string; values: unknown[] } | { batch: string[] };

export default {
  async fetch(request: Request, { DB }: { DB: D1Database }): Promise<Response> {
    const work: Work = await request.json();
    try {
      if ("batch" in work) {
        await DB.batch(work.batch.map((query) => DB.prepare(query)));
        return Response.json([]);
      }
      const statement = DB.prepare(work.query).bind(...work.values);
      return Response.json((await statement.all()).results);
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};
