import { beforeAll, expect, test } from "vitest";
import { newIdentityProvider } from "../../iam/identity_providers/openid_provider.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { commandsOf } from "../command.ts";

let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;

beforeAll(async () => {
  organization = await newOrganization();
  run = await commandsOf(organization);
});

test("an invite can be accepted with the code that its creation prints", async () => {
  const env = { PLATFORM_GROUP: organization.name };
  const invite = await run(["create", "invite", "--role", "viewer", "--ttl", "1h"], { env });
  const code = /Code: +(\S+)/.exec(invite.out)?.[1] ?? "";
  const accepted = await run(["accept", "invite", code]);
  expect(accepted.out).toContain(`You are viewer of ${organization.name}`);
  const again = await run(["accept", "invite", "wrong"]);
  expect(again.code).toBe(1);
});

test("terms can be accepted for an organization, and then listed", async () => {
  const accepted = await run(["accept", "terms", "sfdpa.v1", "--group", organization.name]);
  expect(accepted).toMatchObject({ code: 0, err: "" });
  const { out } = await run(["list", "terms-acceptances", "--group", organization.name, "--json"]);
  expect(JSON.parse(out).termsAcceptances).toMatchObject([{ docId: "sfdpa.v1" }]);
});

test("a SCIM token can be created, replaced and revoked, and SCIM disabled and enabled", async () => {
  // Provisioning wants two owners who do not depend on it.
  await newIdentity(organization, "owner");
  const { uid } = await newIdentityProvider(organization);
  const { out: shown } = await run(["get", "idp", uid, "--json"]);
  const { name } = JSON.parse(shown);
  const early = await run(["scim", "disable", name]);
  expect(early.err).toMatch(/no SCIM token. To create one, run: platformctl scim token/);
  const done = async (...args: string[]) => {
    const { code, out, err } = await run(["scim", ...args, "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return JSON.parse(out);
  };
  const first = await done("token", name, "--expires-in", "90d");
  expect(Math.round((Date.parse(first.expireTime) - Date.now()) / 86_400_000)).toBe(90);
  const second = await done("rotate", name, "--overlap", "1h", "--never-expires");
  expect(second.token).not.toBe(first.token);
  expect(second.requestedOverlap).toBe("3600s");
  expect(second).not.toHaveProperty("expireTime");
  expect((await done("disable", name)).enabled).toBe(false);
  expect((await done("enable", uid)).enabled).toBe(true);
  expect(await done("revoke", name)).toMatchObject({ identityProviderUid: uid });
});

test("any RPC can be called, with flags over JSON, and shown with --dry-run", async () => {
  const { token } = organization.owner;
  const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: "python",
  });
  const ping = await run(["call", "PingService/Ping"]);
  expect(JSON.parse(ping.out)).toHaveProperty("response");
  const repo = await run(["call", "GetRepo", "-d", '{"uid": "x"}', "--uid", uid]);
  expect(JSON.parse(repo.out)).toMatchObject({ uid, name: "python" });
  const dry = await run([
    "call",
    "repos.list",
    "--name",
    "python",
    "-d",
    '{"pageSize": 2}',
    "--dry-run",
  ]);
  expect(dry.out).toMatch(/^GET http\S+\/registry\/v2\/repos\?pageSize=2&name=python\n$/);
});

test("a create without a name asks for one", async () => {
  const made = await run(["create", "repo", "--group", organization.name]);
  expect(made).toMatchObject({ code: 2, out: "" });
  expect(made.err).toBe(
    "error: The repository needs a name: platformctl create repo NAME (USAGE)\n",
  );
});
