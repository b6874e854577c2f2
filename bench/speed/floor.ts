/** The Workers that the platform is compared with. They do only what is unavoidable. */
import type { SentStatement } from "../../test/world/recorder.ts";
import type { ExtraWorker } from "../stage.ts";

/** Returns an empty response. It shows the cost of a request without any of our code. */
export const emptyWorker: ExtraWorker = {
  name: "empty",
  script: "export default { fetch: () => new Response() };",
};

/**
 * Sends D1 the recorded statements of the case that the path names. It uses the same batches and the same kind of
 * session as the platform, and returns all rows as JSON. It checks no token.
 */
export function bareWorker(recorded: Record<string, SentStatement[][]>): ExtraWorker {
  return {
    name: "bare",
    bindings: { RECORDED: JSON.stringify(recorded) },
    script: `
let recorded;
export default {
  async fetch(request, env) {
    recorded ??= JSON.parse(env.RECORDED);
    const session = env.DB.withSession("first-primary");
    const answers = [];
    for (const batch of recorded[new URL(request.url).pathname.slice(1)]) {
      const statements = batch.map(({ sql, params }) => session.prepare(sql).bind(...params));
      answers.push(...(await session.batch(statements)).map(({ results }) => results));
    }
    return new Response(JSON.stringify(answers), { headers: { "content-type": "application/json" } });
  },
};`,
  };
}
