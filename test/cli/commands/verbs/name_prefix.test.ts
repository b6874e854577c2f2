/** `platformctl list --name-prefix` finds names by their beginning. */
import { beforeAll, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../../../world/personas.ts";
import { newStateFolder, platformctl } from "../../command.ts";

let organization: Organization;
let env: Record<string, string>;

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  for (const name of ["python", "pypy", "nginx"]) {
    await createResource(`/registry/v2/repos/${uid}`, owner.token, { name });
  }
  env = { PLATFORM_STATE: await newStateFolder(organization), PLATFORM_GROUP: uid };
});

const list = (...args: string[]) =>
  platformctl(["list", "repos", "--group", organization.uid, ...args], { env });

test("--name-prefix lists the names that begin with the text, by name, and has no total", async () => {
  const names = ({ out }: { out: string }) =>
    out
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("\t")[0]);
  expect(names(await list("--name-prefix", "PY"))).toEqual(["pypy", "python"]);
  const descending = await list("--name-prefix", "py", "--order-by", "name desc");
  expect(names(descending)).toEqual(["python", "pypy"]);
  expect(names(await list("--name-prefix", "ython"))).toEqual([]);
  const { out } = await list("--name-prefix", "py", "--json");
  expect(JSON.parse(out)).not.toHaveProperty("totalCount");
});

test("another order and an empty text are refused", async () => {
  const ordered = await list("--name-prefix", "py", "--order-by", "update_time desc");
  expect([ordered.code, ordered.err]).toEqual([1, expect.stringContaining("sorted by name")]);
  const empty = await list("--name-prefix", "");
  expect([empty.code, empty.err]).toEqual([2, expect.stringContaining("--name-prefix is empty")]);
});
