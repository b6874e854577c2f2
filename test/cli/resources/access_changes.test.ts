import { stripVTControlCharacters } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { createResource, newIdentity, newOrganization, roleUid } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { commandsOf } from "../command.ts";

let organization: Awaited<ReturnType<typeof newOrganization>>;
let run: Awaited<ReturnType<typeof commandsOf>>;
let group: string;
let identity: string;
let role: string;
let binding: string;

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  run = await commandsOf(organization);
  const made = (path: string, body: object) => createResource(path, owner.token, body);
  group = (await made(`/iam/v2/groups/${uid}`, { name: "payments" })).uid;
  identity = (await made(`/iam/v2/identities/${uid}`, { name: "ci-bot" })).uid;
  const capabilities = ["CAP_REPO_CREATE", "CAP_TAG_CREATE"];
  role = (await made(`/iam/v2/roles/${uid}`, { name: "pusher", capabilities })).uid;
  const bound = { identityUid: identity, roleUid: role };
  binding = (await made(`/iam/v2/roleBindings/${group}`, bound)).uid;
});

const place = () => `${organization.name}/payments`;
const read = (path: string) => callRest(path, { token: organization.owner.token });

test("create --validate-only shows who would gain what, and creates nothing", async () => {
  const args = ["create", "role-binding", "--identity", "ci-bot", "--role", "pusher"];
  const done = await run([...args, "--group", organization.name, "--validate-only"]);
  expect(done).toEqual({
    ...{ code: 0, err: "" },
    out: `+ ci-bot  repo.create, tag.create  at ${organization.name}, except below ${place()}\nNothing was changed.\n`,
  });
  const { body } = await read(`/iam/v2/roleBindings?role=${role}`);
  expect(body.roleBindings.map(({ uid }: { uid: string }) => uid)).toEqual([binding]);
});

test("update --validate-only shows gains and losses of everyone with the role, and changes nothing", async () => {
  const done = await run([
    ...["update", "role", "pusher", "--group", organization.name],
    ...["--capabilities", "repo.create,repo.list", "--validate-only"],
  ]);
  expect(done).toEqual({
    ...{ code: 0, err: "" },
    out: `+ ci-bot  repo.list  at ${place()}\n- ci-bot  tag.create  at ${place()}\nNothing was changed.\n`,
  });
  expect((await read(`/iam/v2/roles/${role}`)).body.capabilities).toEqual([
    "CAP_REPO_CREATE",
    "CAP_TAG_CREATE",
  ]);
});

test("delete --validate-only asks nothing, shows the losses and deletes nothing", async () => {
  const done = await run(["delete", "identity", "ci-bot", "--validate-only"]);
  expect(done).toEqual({
    ...{ code: 0, err: "" },
    out: `- ci-bot  repo.create, tag.create  at ${place()}\nNothing was changed.\n`,
  });
  expect((await read(`/iam/v2/identities/${identity}`)).status).toBe(200);
  const json = await run(["delete", "role-binding", binding, "--validate-only", "--json"]);
  const [one] = JSON.parse(json.out).validated;
  expect([one.uid, one.accessChanges.changes[0].lost]).toEqual([
    binding,
    ["CAP_REPO_CREATE", "CAP_TAG_CREATE"],
  ]);
});

test("a write without any effect on access says so", async () => {
  const done = await run([
    ...["create", "identity", "idle", "--group", organization.name, "--validate-only"],
  ]);
  expect(done).toEqual({
    ...{ code: 0, err: "" },
    out: "No one would gain or lose access.\nNothing was changed.\n",
  });
});

test("a refused write fails as without the option", async () => {
  const owner = await roleUid("owner");
  const { body } = await read(
    `/iam/v2/roleBindings?role=${owner}&uidp.children_of=${organization.uid}`,
  );
  const args = ["delete", "role-binding", body.roleBindings[0].uid];
  const validated = await run([...args, "--validate-only"]);
  expect(validated.code).toBe(1);
  expect(validated.err).toContain("would have no owner left");
  const real = await run([...args, "--yes"]);
  const withoutId = (text: string) => text.replace(/request id: \S+/, "");
  expect([real.code, withoutId(real.err)]).toEqual([1, withoutId(validated.err)]);
});

test("on a terminal a line shows at most six capabilities and counts the others", async () => {
  const args = ["create", "role-binding", "--identity", identity, "--role", "owner"];
  const done = await run([...args, "--group", organization.name, "--validate-only"], {
    columns: 120,
  });
  expect(stripVTControlCharacters(done.out)).toMatch(
    /^\+ ci-bot {2}(?:[\w.]+, ){5}[\w.]+ and \d+ more {2}at \S+\n/,
  );
});

test("--validate-only and --dry-run exclude each other, and a write that changes no access is only checked", async () => {
  const both = await run(["create", "role", "r", "--validate-only", "--dry-run"]);
  expect([both.code, both.err]).toEqual([2, expect.stringContaining("cannot be used with")]);
  const named = ["g", "--group", organization.name, "--validate-only"];
  const group = await run(["create", "group", ...named]);
  expect([group.code, group.out]).toEqual([0, "The request is valid.\nNothing was changed.\n"]);
  expect((await run(["get", "group", "g", "--group", organization.name])).code).toBe(1);
});

test("an identity of a group shows the tokens whose access a new matcher takes and gives", async () => {
  const bot = await newIdentity(organization, "viewer");
  const match = ["--claim-match.issuer", "https://issuer.example", "--claim-match.subject", "new"];
  const done = await run(["update", "identity", bot.uid, ...match, "--validate-only"]);
  expect(done.out).toMatch(/^\+ tokens of new from https:\/\/issuer\.example as bot-\w+ {2}/);
});
