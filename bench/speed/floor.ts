/** What the platform is held against: Workers that do nothing but what cannot be left out. */
import type { SentStatement } from "../../test/world/recorder.ts";
import type { ExtraWorker } from "../stage.ts";

/** Answers nothing: what a request costs that no code of ours sees. */
export const emptyWorker: ExtraWorker = {
  name: "empty",
  script: "export default { fetch: () => new Response() };",
};

/**
 * Sends D1 what the platform was recorded to send for the case that the path names, in the same
 * batches on a session of the same kind, and answers all rows as JSON. It checks no token.
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
