/** The bytes of organizations and repositories in the registry, and the limit of an organization. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { bootstrapSql } from "../../../cli/bootstrap.ts";
import { newImageOf, newPusher, pushImage, someBytes } from "../../distribution/client.ts";
import { copyDatabase } from "../../world/own_platform.ts";
import { newFolder, newStateFolder, platformctl } from "../command.ts";

test("usage shows bytes alone and shared: exact for programs, and with units for people", async () => {
  const { organization, token } = await newPusher();
  const shared = newImageOf({ layer: someBytes(1_000_000) });
  const own = newImageOf({ layer: someBytes(2_000) });
  const sizeOf = ({ text, layer, config }: typeof own) =>
    text.length + layer.length + config.length;
  for (const name of ["one", "two"]) {
    await pushImage({ token, name: `${organization.uid}/${name}` }, "latest", shared);
  }
  await pushImage({ token, name: `${organization.uid}/one` }, "own", own);
  const env = { PLATFORM_STATE: await newStateFolder(organization) };
  const { out } = await platformctl(["usage", "--group", organization.name], { env });
  const [both, alone] = [sizeOf(shared), sizeOf(own)];
  expect(out).toBe(`one\t${both + alone}\t${alone}\t${both}\ntwo\t${both}\t0\t${both}\n`);
  const json = await platformctl(["usage", "--json"], {
    env: { ...env, PLATFORM_GROUP: organization.uid },
  });
  expect(JSON.parse(json.out)).toMatchObject({
    usage: { uid: organization.uid, bytes: String(both + alone), sharedBytes: String(both) },
    repoUsages: [{ name: "one" }, { name: "two" }],
    more: false,
  });
  const shown = await platformctl(["usage", "--group", organization.name], {
    env: { ...env, NO_COLOR: "1" },
    columns: 80,
  });
  expect(shown.out).toMatch(
    /^1 MB in the registry\. Several repositories share 1 MB of it\.\n\nREPOSITORY +BYTES +ALONE +SHARED\none +1 MB +2\.\d kB +1 MB\n/,
  );
});

test("limit-storage sets and removes the limit of an organization, and refuses others", async () => {
  const state = join(await newFolder(), "state");
  await copyDatabase(join(state, "d1/v3"));
  const file = (await readdir(state, { recursive: true })).find((one) =>
    /[0-9a-f]{64}\.sqlite$/.test(one),
  );
  const path = join(state, file ?? "");
  const uid = "a".repeat(40);
  const owner = { uid: "c".repeat(40), name: "founder" };
  const organizations = [{ uid, name: "one.example" }];
  withDatabase(path, (database) => database.exec(bootstrapSql({ organizations, owner }).sql));
  const limits = () =>
    withDatabase(path, (database) =>
      database.prepare("SELECT uid, bytes, byte_limit FROM organization_storage").all(),
    );
  const limit = (...args: string[]) =>
    platformctl(["limit-storage", ...args, "--local", "--folder", state, "--json"]);
  const set = await limit("one.example", "1.5TB");
  expect(JSON.parse(set.out)).toEqual({
    organization: { uid, name: "one.example" },
    limitBytes: 1.5e12,
  });
  expect(limits()).toEqual([{ uid, bytes: 0, byte_limit: 1.5e12 }]);
  expect(await limit(uid, "none")).toMatchObject({ code: 0 });
  expect(limits()).toEqual([{ uid, bytes: 0, byte_limit: null }]);
  const unknown = await limit("two.example", "1GB");
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("NOT_FOUND")]);
  const wrong = await limit("one.example", "a lot");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("500GB")]);
});

/** Runs work on the file of a database, and closes it. */
function withDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}
