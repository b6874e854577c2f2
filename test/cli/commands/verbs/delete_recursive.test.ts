/** `platformctl delete group --recursive` and the tags that rules keep. */
import { expect, test } from "vitest";
import { createResource, fakeDigest, newOrganization } from "../../../world/personas.ts";
import { sql } from "../../../world/platform.ts";
import { commandsOf } from "../../command.ts";

test("a tag that a rule keeps, its repository and the rule stay, and another run ends the deletion after an override", async () => {
  const organization = await newOrganization();
  const command = await commandsOf(organization);
  const { token } = organization.owner;
  const at = (path: string, body: object) => createResource(path, token, body);
  const { uid: group } = await at(`/iam/v2/groups/${organization.uid}`, { name: "g" });
  const { uid: below } = await at(`/iam/v2/groups/${group}`, { name: "below" });
  const rule = { name: "all", keep: { writeOnce: true } };
  await at(`/registry/v2/tagRules/${group}`, rule);
  const repo = await at(`/registry/v2/repos/${below}`, { name: "kept" });
  await at(`/registry/v2/tagRules/${repo.uid}`, { ...rule, includeTags: ["none"] });
  const tag = await at(`/registry/v2/tags/${repo.uid}`, { name: "v1", digest: fakeDigest("a") });
  await at(`/registry/v2/repos/${group}`, { name: "empty" });
  const run = () => command(["delete", "group", "g", "--recursive", "--confirm", "g"]);
  const first = await run();
  expect(first.code).toBe(1);
  expect(first.err).toContain("  2 tag rules\n");
  expect(first.err).toMatch(new RegExp(`repo ${repo.uid}: .*the rule "all" of g keeps kept:v1`));
  expect(await sql("select 1 from tag_rules where parent = ?", group)).toHaveLength(1);
  const override = ["--override", "not needed any more"];
  await command(["delete", "tag", tag.uid, "--yes", ...override]);
  const second = await run();
  expect({ code: second.code, err: second.code === 0 ? "" : second.err }).toEqual({
    ...{ code: 0, err: "" },
  });
  expect(await sql("select 1 from groups where uid = ?", group)).toEqual([]);
});
