import { expect, test } from "vitest";
import { make, newOrganization } from "../world/personas.ts";
import { rest } from "../world/platform.ts";

test("a repo can be read back by its uid", async () => {
  const { uid, owner } = await newOrganization();
  const repo = await make(`/registry/v2/repos/${uid}`, owner.token, { name: "python", description: "d" });
  const read = await rest(`/registry/v2/repos/${repo.uid}`, { token: owner.token });
  expect(read.status).toBe(200);
  expect(read.body).toEqual(repo);
});
