/** The commands that say who has access, what someone may do, and why. */
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { decisionIdOf } from "../../iam/access/calls.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest, tokenFor } from "../../world/platform.ts";
import { type CommandOptions, commandsOf } from "../command.ts";

let run: Awaited<ReturnType<typeof commandsOf>>;
let organization: Organization;
let repo: string;
let bot: string;
let binding: string;

beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  run = await commandsOf(organization);
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "nginx" }))
    .uid;
  bot = (await createResource(`/iam/v2/identities/${organization.uid}`, token, { name: "ci" })).uid;
  const bound = { identityUid: bot, roleUid: await roleUid("viewer") };
  binding = (await createResource(`/iam/v2/roleBindings/${organization.uid}`, token, bound)).uid;
});

async function ran(args: string[], setting: CommandOptions = {}) {
  const env = { PLATFORM_GROUP: organization.name };
  const answer = await run(["access", ...args], { ...setting, env });
  return { ...answer, out: stripVTControlCharacters(answer.out) };
}

describe("access who", () => {
  test("lists those who have a capability, with their role and the group", async () => {
    const { code, out, err } = await ran(["who", "repo.list", "nginx"], { columns: 200 });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [titles = "", ...rows] = out.trim().split("\n");
    expect(titles.trim().split(/ {2,}/)).toEqual(["WHO", "ROLE", "ON", "BINDING"]);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 3))).toContainEqual([
      "ci",
      "viewer",
      organization.name,
    ]);
  });

  test("prints lines with uids for programs, and JSON", async () => {
    const lines = (await ran(["who", "CAP_REPO_LIST", repo])).out.trim().split("\n");
    expect(lines.map((line) => line.split("\t"))).toContainEqual([
      "ci",
      "viewer",
      organization.name,
      bot,
      binding,
    ]);
    const { out } = await ran(["who", "repo.delete", "nginx", "--json"]);
    expect(JSON.parse(out).accessEntries).toMatchObject([
      { identityUid: organization.owner.uid, state: "ACCESS_STATE_EFFECTIVE" },
    ]);
  });
});

describe("access what", () => {
  test("lists the capabilities of the caller or of another identity", async () => {
    const own = (await ran(["what"])).out.trim().split("\n");
    expect(own).toContain("repo.delete");
    const others = (await ran(["what", "nginx", "--identity", "ci"])).out.trim().split("\n");
    expect(others).toContain("repo.list");
    expect(others).not.toContain("repo.delete");
    const { out } = await ran(["what", "nginx", "--identity", "ci"], { columns: 100 });
    expect(out).toMatch(/^repo +list$/m);
  });
});

describe("access why", () => {
  test("shows what is missing, and a command that fixes it", async () => {
    const why = ["why", "ci", "repo.delete", "nginx"];
    const { code, out } = await ran(why);
    expect(code).toBe(1);
    expect(out).toContain("No. ci does not have repo.delete on nginx.");
    expect(out).toContain(`the role viewer on ${organization.name}, which does not have them all`);
    const command = /^ {2}platformctl (create role-binding .*)$/m.exec(out)?.[1] ?? "";
    expect((await run(command.split(" "), {})).code).toBe(0);
    const after = await ran(why);
    expect(after.out).toMatch(/^Yes\. ci has repo\.delete on nginx\./);
    expect(after.code).toBe(0);
  });

  test("explains the decision id that an error prints", async () => {
    const made = await createResource(
      `/iam/v2/identities/${organization.uid}`,
      organization.owner.token,
      { name: "outsider" },
    );
    const token = await tokenFor(made.uid);
    const { body } = await callRest(`/registry/v2/repos/${repo}`, { token });
    const { code, out } = await ran(["why", "--decision", decisionIdOf(body)]);
    expect(code).toBe(1);
    expect(out).toContain("outsider called registry.v2.ReposService/GetRepo on nginx.");
    expect(out).toContain("No. outsider does not have repo.list on nginx.");
    const list = await callRest("/registry/v2/repos", { token });
    const id = decisionIdOf(list.body);
    expect((await ran(["why", "--decision", id])).err).toContain("resource_uid");
    expect((await ran(["why", "--decision", id, "nginx"])).out).toContain(
      "does not have repo.list",
    );
  });

  test("refuses wrong arguments, and suggests capabilities of the same kind", async () => {
    const unknown = await ran(["why", "ci", "repo.fly", "nginx"]);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('There is no capability "repo.fly". It can be: repo.');
    expect((await ran(["why", "ci"])).code).toBe(2);
    expect((await ran(["why", "ci", "repo.list", "nowhere"])).err).toContain(
      'There is no group or repository "nowhere" that you can see.',
    );
  });
});

test("an error for a missing capability prints the command that explains it", async () => {
  const other = await commandsOf(await newOrganization());
  const { code, err } = await other(["get", "repo", repo], {});
  expect(code).toBe(1);
  expect(err).toMatch(/platformctl access why --decision [\w-]{100,}\n/);
});
