/** A use that cannot be recorded never fails a call. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOwnRegistry } from "../distribution/own_registry.ts";
import { tokenFor } from "../world/platform.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());

test("a call succeeds if its use cannot be written", async () => {
  const { run, origin, organization, owner } = registry;
  await run(`create trigger refuse_use before update of last_used_time on identities
    begin select raise(abort, 'no use is written'); end`);
  const path = `${origin}/iam/v2/groups/${organization}`;
  const headers = { authorization: `Bearer ${await tokenFor(owner)}` };
  const read = async () => (await fetch(path, { headers })).status;
  const write = async () =>
    (await fetch(path, { method: "PATCH", headers, body: '{"description":"d"}' })).status;
  expect([await read(), await write(), await read()]).toEqual([200, 200, 200]);
  await run("drop trigger refuse_use");
  expect(await run("select last_used_time from identities")).toEqual([{ last_used_time: 0 }]);
});
