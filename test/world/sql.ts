/** A Worker of the tests, beside the platform: runs one statement on the platform's D1. */
import type { D1Database } from "@cloudflare/workers-types";

export default {
  async fetch(request: Request, { DB }: { DB: D1Database }): Promise<Response> {
    const { query, values } = (await request.json()) as { query: string; values: unknown[] };
    try {
      const statement = DB.prepare(query).bind(...values);
      return Response.json((await statement.all()).results);
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};
