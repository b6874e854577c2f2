import { beforeAll, expect, test } from "vitest";
import {
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../../world/personas.ts";
import { commandsOf } from "../../command.ts";

let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;
beforeAll(async () => {
  organization = await newOrganization();
  run = await commandsOf(organization);
});

const create = (name: string, ...more: string[]) =>
  run(["create", "identity", name, "--group", organization.name, ...more]);

const identities = async (name: string) => {
  const ended = await run([
    "list",
    "identities",
    "--group",
    organization.name,
    "--name",
    name,
    "--json",
  ]);
  return (JSON.parse(ended.out) as { identities: { uid: string }[] }).identities;
};

test("--role binds the role on the group of the new identity", async () => {
  const { code, out, err } = await create("puller", "--role", "registry.pull", "-o", "uid");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const bound = await run(["list", "role-bindings", "--group", organization.name, "--json"]);
  expect(JSON.parse(bound.out).roleBindings).toContainEqual(
    expect.objectContaining({
      identity: expect.objectContaining({ uid: out.trim() }),
      role: expect.objectContaining({ name: "registry.pull" }),
      group: expect.objectContaining({ name: organization.name }),
    }),
  );
});

test("a role that does not exist creates no identity", async () => {
  const name = randomName("lost");
  const { code, err } = await create(name, "--role", "registry.pul");
  expect({ code, isNamed: err.includes('no role "registry.pul"') }).toEqual({
    code: 1,
    isNamed: true,
  });
  expect(await identities(name)).toEqual([]);
});

test("a role that the caller may not give leaves the identity, and the error names the next command", async () => {
  const weak = await newIdentity(organization, "limited_owner");
  const runWeak = await commandsOf({ ...organization, owner: weak });
  const name = randomName("weak");
  const group = ["--group", organization.uid];
  const { code, err } = await runWeak(["create", "identity", name, ...group, "--role", "owner"]);
  const [made] = await identities(name);
  expect(code).toBe(1);
  expect(err).toContain(
    `platformctl create role-binding ${group.join(" ")} --identity ${made?.uid} --role ROLE`,
  );
});
