/** Warnings of the platform in answers that are not errors. */
import { expect, test } from "vitest";
import { createResource, newOrganization } from "../../world/personas.ts";
import { commandsOf } from "../command.ts";

test("a setting without effect is named on standard error, and not on standard output", async () => {
  const organization = await newOrganization("warned");
  const { uid, owner } = organization;
  const run = await commandsOf(organization);
  const source = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "source" });
  const create = [
    "create",
    "repo",
    "copy",
    "--group",
    uid,
    "--sync-config.source",
    String(source.uid),
  ];
  const warned = await run([...create, "--sync-config.amazon", "ecr.example.com/app", "--json"]);
  expect(warned).toMatchObject({
    code: 0,
    err: "warning: sync_config.amazon: stored, and without effect on this platform\n",
  });
  expect(JSON.parse(warned.out)).toMatchObject({ name: "copy" });
  const quiet = await run(["update", "repo", "source", "--group", uid, "--description", "x"]);
  expect(quiet).toMatchObject({ code: 0, err: "" });
});
