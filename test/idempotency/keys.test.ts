/** The form of keys, the calls that take them, and the callers that they belong to. */
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { GroupsService } from "../../schema/gen/platform/iam/v2/groups_pb.js";
import { ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import {
  bindPerson,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { callRest, costOf, sql, transports } from "../world/platform.ts";
import { violatedField } from "../world/resource_calls.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const newKey = () => `"${crypto.randomUUID()}"`;

const withKey = (key: string) => ({ "idempotency-key": key });

/** Creates a repository with a key. */
const createRepo = (key: string, name = "once", as = token) =>
  callRest(`/registry/v2/repos/${organization.uid}`, {
    token: as,
    headers: withKey(key),
    body: { name },
  });

const repoNames = async () =>
  (
    await sql<{ name: string }>(
      "select name from repos where parent = ? order by name",
      organization.uid,
    )
  ).map(({ name }) => name);

const storedKeys = () =>
  sql<{ form: string; create_time: number }>(
    "select * from idempotency_keys where organization_uid = ?",
    organization.uid,
  );

describe("equal calls", () => {
  test("50 at once create one resource, and have one answer", async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => createRepo(key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await repoNames()).toEqual(["once"]);
    const isFirst = answers.filter(({ headers }) => !headers.has("idempotency-replayed"));
    expect(isFirst.length).toBe(1);
    const events = await sql("select 1 from events where subject = ?", answers[0]?.body.uid);
    expect(events.length).toBe(1);
  });

  test("20 at once create one resource, although nothing about it is unique", async () => {
    const body = { roleUid: await roleUid("viewer"), ttl: "3600s" };
    const invite = () =>
      callRest(`/iam/v2/groupInvites/${organization.uid}`, {
        token,
        headers: withKey("invite"),
        body,
      });
    const answers = await Promise.all(Array.from({ length: 20 }, invite));
    expect(new Set(answers.map((answer) => answer.body.code)).size).toBe(1);
    const rows = await sql("select uid from group_invites where parent = ?", organization.uid);
    expect(rows).toEqual([{ uid: answers[0]?.body.uid }]);
  });

  test("have one answer over all transports", async () => {
    const key = newKey();
    const first = await createRepo(key);
    for (const transport of Object.values(transports(token))) {
      const headers = new Headers();
      const again = await createClient(ReposService, transport).createRepo(
        { parent: organization.uid, repo: { name: "once" } },
        {
          headers: withKey(key),
          onHeader: (all) => {
            for (const [name, value] of all) headers.set(name, value);
          },
        },
      );
      expect(again.uid).toBe(first.body.uid);
      expect(headers.get("idempotency-replayed")).toBe("true");
    }
  });

  test("have the first answer, also if the resource has changed since or is gone", async () => {
    const key = newKey();
    const first = await createRepo(key);
    const path = `/registry/v2/repos/${first.body.uid}`;
    await callRest(path, { method: "PATCH", token, body: { description: "changed" } });
    expect((await createRepo(key)).body).toEqual(first.body);
    await callRest(path, { method: "DELETE", token });
    expect((await createRepo(key)).body).toEqual(first.body);
    expect(await repoNames()).toEqual([]);
  });

  test("of different quotes have the same key", async () => {
    const first = await createRepo("order-1");
    expect((await createRepo('"order-1"')).body).toEqual(first.body);
    expect((await createRepo("  order-1 ")).body).toEqual(first.body);
  });

  test("create one organization, which the caller must still be able to see", async () => {
    const { token: founder, uid } = await newUser();
    const create = () =>
      callRest("/iam/v2/groups", { token: founder, headers: withKey("found"), body: { name } });
    const name = randomName("founded");
    const first = await create();
    expect((await create()).body).toEqual(first.body);
    await sql("delete from role_bindings where identity_uid = ?", uid);
    expect((await create()).status).toBe(403);
    const named = await sql("select 1 from groups where name = ?", name);
    expect(named.length).toBe(1);
  });

  test("create one group in a parent that is named, although the new group has that name too", async () => {
    const create = () =>
      callRest(`/iam/v2/groups/${organization.name}`, {
        token,
        headers: withKey("below"),
        body: { name: organization.name },
      });
    const first = await create();
    expect(first.status).toBe(200);
    expect((await create()).body).toEqual(first.body);
    await sql("delete from role_bindings where identity_uid = ?", organization.owner.uid);
    expect((await create()).status).toBe(403);
  });

  test("that write nothing have one answer too", async () => {
    const path = `/vulnerabilities/v2/advisories/${organization.uid}:purge`;
    const purge = () => callRest(path, { token, headers: withKey("purge"), body: {} });
    const first = await purge();
    const again = await purge();
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });
});

describe("the round trips of a call", () => {
  test("are the same with a key as without one, and a repeated call has one", async () => {
    const costs = async (key?: string) => {
      const { headers } = await callRest(`/registry/v2/repos/${organization.uid}`, {
        token,
        body: { name: key ?? "plain" },
        headers: key === undefined ? {} : withKey(key),
      });
      return costOf({ headers }).roundTrips;
    };
    expect([await costs(), await costs("keyed"), await costs("keyed")]).toEqual([2, 2, 1]);
  });
});

describe("a key", () => {
  test("with another request is refused", async () => {
    const key = newKey();
    await createRepo(key);
    const other = await createRepo(key, "another");
    expect(other.status).toBe(422);
    expect(other.body.code).toBe(Code.InvalidArgument);
    expect(other.body.details[0].reason).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(violatedField(other.body)).toBe("idempotency-key");
    expect(await repoNames()).toEqual(["once"]);
  });

  test("with another operation is refused, over Connect with the same reason", async () => {
    const key = newKey();
    await createRepo(key);
    const client = createClient(GroupsService, transports(token).connect);
    const call = client.createGroup(
      { parent: organization.uid, group: { name: "once" } },
      { headers: withKey(key) },
    );
    const error = ConnectError.from(await call.catch((thrown) => thrown));
    expect(error.code).toBe(Code.InvalidArgument);
    expect(error.message).toContain("another request");
  });

  test("of another caller is another key", async () => {
    const key = newKey();
    const other = await newUser();
    await bindPerson({ uid: organization.uid, token }, other.uid, "owner");
    await createRepo(key);
    const { status, headers } = await createRepo(key, "another", other.token);
    expect([status, headers.get("idempotency-replayed")]).toEqual([200, null]);
  });

  test("of a call that failed can be used again", async () => {
    const key = newKey();
    const { body } = await createRepo(newKey());
    expect((await createRepo(key)).status).toBe(409);
    expect((await storedKeys()).length).toBe(1);
    await callRest(`/registry/v2/repos/${body.uid}`, { method: "DELETE", token });
    expect((await createRepo(key)).status).toBe(200);
  });

  test("is kept for 24 hours", async () => {
    const key = newKey();
    const first = await createRepo(key);
    const age = (milliseconds: number) =>
      sql(
        "update idempotency_keys set create_time = ? where organization_uid = ?",
        Date.now() - milliseconds,
        organization.uid,
      );
    await age(24 * 3600 * 1000 - 60_000);
    expect((await createRepo(key)).body).toEqual(first.body);
    await age(24 * 3600 * 1000);
    expect((await createRepo(key)).status).toBe(409);
    expect((await createRepo(key, "later")).status).toBe(200);
    expect((await createRepo(key, "later")).headers.get("idempotency-replayed")).toBe("true");
    expect((await storedKeys()).length).toBe(1);
  });

  test("of a call that only validates is not kept", async () => {
    const key = newKey();
    const path = `/iam/v2/roles/${organization.uid}?validateOnly=true`;
    const body = { name: "checked", capabilities: ["CAP_REPO_LIST"] };
    const call = { token, headers: withKey(key), body };
    expect((await callRest(path, call)).status).toBe(200);
    expect(await storedKeys()).toEqual([]);
  });

  test("gives no answer to a caller who has lost access", async () => {
    const key = newKey();
    const other = await newUser();
    await bindPerson({ uid: organization.uid, token }, other.uid, "owner");
    await createRepo(key, "theirs", other.token);
    expect((await createRepo(key, "theirs", other.token)).status).toBe(200);
    await sql("delete from role_bindings where identity_uid = ?", other.uid);
    const refused = await createRepo(key, "theirs", other.token);
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).not.toContain("theirs");
    expect(refused.headers.get("idempotency-replayed")).toBeNull();
  });
});

const long = "x".repeat(255);

describe("a key can be", () => {
  test.each([
    ["one character", "k", "k"],
    ["255 characters", long, `"${long}"`],
    ["255 characters in quotes", `"${long}"`, long],
    ["a text with spaces and a comma in quotes", '"a, b; c"', '"a, b; c"'],
    ["a text with escapes", '"a\\"b\\\\c"', '"a\\"b\\\\c"'],
  ])("%s", async (_, key, same) => {
    const first = await createRepo(key);
    expect(first.status).toBe(200);
    expect((await createRepo(same)).body).toEqual(first.body);
  });
});

describe("a call is refused if its key", () => {
  test.each([
    ["is empty", ""],
    ["is empty in quotes", '""'],
    ["has 256 characters", `${long}x`],
    ["has 300 characters in quotes", `"${"x".repeat(300)}"`],
    ["is two keys", '"a", "b"'],
    ["is two keys without quotes", "a, b"],
    ["has parameters", '"a";b=1'],
    ["is not ended", '"a'],
    ["has a wrong escape", '"a\\b"'],
    ["has a space", "a b"],
    ["is not ASCII", "\u00e4"],
    ["has a quote in the middle", 'a"b'],
  ])("%s", async (_, key) => {
    const { status, body } = await createRepo(key);
    expect(status).toBe(400);
    expect(violatedField(body)).toBe("idempotency-key");
    expect(await repoNames()).toEqual([]);
  });
});

describe("a call with a key is refused", () => {
  const refused = async (path: string, method: string, body?: object) => {
    const answer = await callRest(path, { method, token, body, headers: withKey(newKey()) });
    expect([answer.status, violatedField(answer.body)]).toEqual([400, "idempotency-key"]);
    expect(answer.body.message).toContain("counts for POST in version 2");
  };

  test("for GET, PATCH and DELETE", async () => {
    const { body } = await createRepo(newKey());
    const path = `/registry/v2/repos/${body.uid}`;
    await refused(path, "GET");
    await refused("/registry/v2/repos", "GET");
    await refused(path, "PATCH", { description: "new" });
    await refused(path, "DELETE");
    expect((await callRest(path, { token })).body).toEqual(body);
  });

  test("in version 1", async () => {
    await refused(`/registry/v1/repos/${organization.uid}`, "POST", { name: "old" });
    await refused(`/iam/v1/groups/${organization.uid}`, "POST", { name: "old" });
    expect(await repoNames()).toEqual([]);
  });

  test("for a Get over Connect", async () => {
    const client = createClient(GroupsService, transports(token).connectJson);
    const call = client.getGroup({ uid: organization.uid }, { headers: withKey(newKey()) });
    await expect(call).rejects.toMatchObject({ code: Code.InvalidArgument });
  });
});

describe("a key has no effect", () => {
  test("for a POST that writes nothing", async () => {
    const key = newKey();
    const test = (permission: string) =>
      callRest("/iam/v2/access:testPermissions", {
        token,
        headers: withKey(key),
        body: { resource: organization.uid, permissions: [permission] },
      });
    const answers = [await test("repo.list"), await test("repo.create")];
    for (const { headers } of answers) expect(headers.get("idempotency-replayed")).toBeNull();
    expect(answers.map(({ status }) => status)).not.toContain(422);
    expect(await storedKeys()).toEqual([]);
  });

  test("at the token service", async () => {
    const answer = await callRest("/sts/exchange?aud=http://localhost:8787", {
      method: "POST",
      token,
      headers: withKey("a, b"),
    });
    expect(answer.status).toBe(200);
  });
});
