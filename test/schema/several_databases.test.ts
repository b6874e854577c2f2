import { parse } from "smol-toml";
import { expect, test, vi } from "vitest";
import type { WranglerToml } from "../../cli/cloudflare/wrangler_toml.ts";

const [one, two] = [
  { binding: "DB", name: "platform", id: "00000000-0000-0000-0000-000000000001" },
  { binding: "DB_2", name: "platform-2", id: "00000000-0000-0000-0000-000000000002" },
];

/** wrangler.toml of a platform with these databases. */
async function tomlWith(newOrganizations: string): Promise<WranglerToml> {
  vi.resetModules();
  vi.doMock("../../schema/deployment/workers.ts", async (original) => ({
    ...(await original<object>()),
    databases: [one, two],
    newOrganizations,
  }));
  const { wranglerToml } = await import("../../schema/deployment/write.ts");
  return parse(wranglerToml()) as unknown as WranglerToml;
}

test("every Worker has each database, and a preview has one", async () => {
  const { env, previews, ...top } = await tomlWith("DB_2");
  for (const worker of [top, ...Object.values(env)]) {
    expect(worker.d1_databases?.map(({ binding, database_id }) => [binding, database_id])).toEqual([
      ["DB", one?.id],
      ["DB_2", two?.id],
    ]);
  }
  expect(previews?.d1_databases?.map(({ binding }) => binding)).toEqual(["DB"]);
});

test("a database for new organizations that is missing stops the generator", async () => {
  await expect(tomlWith("DB_3")).rejects.toThrow("newOrganizations names DB_3");
});
