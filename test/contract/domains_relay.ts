/**
 * A Worker of the tests, bound to those of the domains. It sends many calls to a domain, and runs SQL on the
 * shared D1. From outside, each call would pass the proxies of wrangler's test harness, which take longer
 * than the domain.
 */
import type { D1Database, Fetcher } from "@cloudflare/workers-types";

/** A call in the form that a domain's Worker receives. The path begins with a slash and can have a query. */
export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Answered {
  status: number;
  /** The content type. Empty if there is none. */
  type: string;
  text: string;
}

/** A statement and the values of its parameters. */
export interface Statement {
  query: string;
  values: unknown[];
}

/** A request for the relay: calls to a domain's Worker, or statements to run. */
export type RelayRequest = { domain: string; calls: Asked[] } | { statements: Statement[] };

type Bindings = { DB: D1Database } & Record<string, unknown>;

export const answered = async (response: {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}): Promise<Answered> => ({
  status: response.status,
  type: response.headers.get("content-type") ?? "",
  text: await response.text(),
});

async function answersOf(domain: Fetcher, calls: Asked[]): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const { path, ...asked } of calls) {
    answers.push(await answered(await domain.fetch(`http://localhost:8787${path}`, asked)));
  }
  return answers;
}

async function run(db: D1Database, all: Statement[]): Promise<void> {
  const statements = all.map(({ query, values }) => db.prepare(query).bind(...values));
  await db.batch(statements).catch(async () => {
    for (const statement of statements) await statement.run().catch(unlessOrphan);
  });
}

/** An import creates its repository in both databases with different uids, so that row cannot be copied. */
function unlessOrphan(error: Error): void {
  if (!/parent is gone|stale write/.test(error.message)) throw error;
}

export default {
  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    try {
      const asked = (await request.json()) as RelayRequest;
      if ("statements" in asked) {
        await run(bindings.DB, asked.statements);
        return Response.json([]);
      }
      return Response.json(await answersOf(bindings[asked.domain] as Fetcher, asked.calls));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};
