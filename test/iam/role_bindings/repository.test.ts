/** Role bindings on a repository: who can create them, how they are shown, and when they end. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  bindPerson,
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newOneRepository, type OneRepository } from "./one_repository.ts";

let organization: OneRepository["organization"];
let token: OneRepository["token"];
let path: OneRepository["path"];
let own: OneRepository["own"];
let others: OneRepository["others"];
let bot: OneRepository["bot"];
beforeAll(async () => {
  ({ organization, token, path, own, others, bot } = await newOneRepository());
});

const call = (at: string, as = bot.token) => callRest(at, { token: as });

const bind = (at: string, identityUid: string, roleUid: string, as = token) =>
  callRest(`/iam/v2/roleBindings/${at}`, { token: as, body: { identityUid, roleUid } });
const fresh = async (name: string) =>
  createResource(`/registry/v2/repos/${path.at(-1)}`, token, { name });

describe("a role binding on a repository", () => {
  test("shows the repository in place of its group, in every call and in the event", async () => {
    const { uid } = await newIdentity(organization, undefined);
    const made = await bind(own.uid, uid, await roleUid("viewer"));
    const group = { uid: own.uid, name: "own", repo: true };
    expect([made.status, made.body.group]).toEqual([200, group]);
    expect(made.body.uid).toMatch(new RegExp(`^${own.uid}/[0-9a-f]{16}$`));
    const { body: read } = await call(`/iam/v2/roleBindings/${made.body.uid}`, token);
    expect(read).toEqual(made.body);
    for (const query of [
      `group=${own.uid}`,
      `uidp.children_of=${own.uid}`,
      `uidp.descendants_of=${own.uid}`,
      ...path.map((at) => `uidp.descendants_of=${at}&order_by=create_time desc`),
    ]) {
      const { body } = await call(`/iam/v2/roleBindings?identity=${uid}&${query}`, token);
      expect([query, body.roleBindings, body.totalCount]).toEqual([query, [read], "1"]);
    }
    const v1 = await call(`/iam/v1/rolebindings?id=${read.uid}`, token);
    expect(v1.body.items).toMatchObject([
      { id: read.uid, identity: uid, group: { id: own.uid, name: "own" } },
    ]);
    const editor = await roleUid("editor");
    const changed = await callRest(`/iam/v2/roleBindings/${read.uid}`, {
      method: "PATCH",
      token,
      body: { roleUid: editor },
    });
    expect([changed.body.role.uid, changed.body.group]).toEqual([editor, group]);
    const deleted = await callRest(`/iam/v2/roleBindings/${read.uid}`, { method: "DELETE", token });
    expect(deleted.status).toBe(200);
    const written = await sql(
      "select type, group_uid from events where subject = ? order by seq",
      read.uid,
    );
    expect(written).toEqual(
      ["created", "updated", "deleted"].map((what) => ({
        type: expect.stringContaining(`rolebindings.${what}.v1`),
        group_uid: own.uid,
      })),
    );
    for (const at of path) {
      const events = await call(
        `/events/v2/events?uidp.descendants_of=${at}&subject=${read.uid}`,
        token,
      );
      expect([at, events.body.events?.length]).toEqual([at, 3]);
    }
  });

  test("can be created in a batch, and in version 1", async () => {
    const [one, two, three] = await Promise.all(
      Array.from({ length: 3 }, () => newIdentity(organization, undefined)),
    );
    const viewer = await roleUid("viewer");
    const batch = await callRest("/iam/v2/roleBindings:batchCreate", {
      token,
      body: {
        parent: own.uid,
        roleUid: viewer,
        requests: [one, two].map((each) => ({ roleBinding: { identityUid: each?.uid } })),
      },
    });
    expect(batch.body.roleBindings).toMatchObject([
      { group: { uid: own.uid, repo: true } },
      { group: { uid: own.uid, repo: true } },
    ]);
    const v1 = await callRest(`/iam/v1/rolebindings/${own.uid}`, {
      token,
      body: { identity: three?.uid, role: viewer },
    });
    expect([v1.status, v1.body.group]).toEqual([200, own.uid]);
    for (const each of [one, two, three]) {
      expect((await call(`/registry/v2/repos/${own.uid}`, each?.token)).status).toBe(200);
    }
  });

  test("is refused on a tag, on a repository that does not exist, and twice", async () => {
    const [tag] = await sql<{ uid: string }>("select uid from tags where parent = ?", own.uid);
    const viewer = await roleUid("viewer");
    const missing = `${path.at(-1)}/${"0".repeat(16)}`;
    for (const [at, status] of [
      [tag?.uid ?? "", 404],
      [missing, 404],
      [own.uid, 409],
      [others[2]?.uid ?? "", 403],
    ] as const) {
      expect([at, (await bind(at, bot.uid, viewer)).status]).toEqual([at, status]);
    }
  });

  test("takes built-in roles and roles of the groups above it, and no other", async () => {
    const roleAt = async (group: string) =>
      (
        await createResource(`/iam/v2/roles/${group}`, token, {
          name: `role-${Math.random()}`,
          capabilities: ["CAP_REPO_LIST"],
        })
      ).uid;
    const beside = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "beside",
    });
    const { uid } = await newIdentity(organization, undefined);
    for (const group of [organization.uid, path.at(-1) ?? ""]) {
      expect((await bind(own.uid, uid, await roleAt(group))).status).toBe(200);
    }
    const refused = await bind(own.uid, uid, await roleAt(beside.uid));
    expect(refused.status).toBe(400);
    const stranger = await createResource(`/iam/v2/identities/${beside.uid}`, token, { name: "b" });
    expect((await bind(own.uid, stranger.uid, await roleUid("viewer"))).status).toBe(400);
  });

  test("lets its owner share the repository, and nothing else", async () => {
    const sharer = await newIdentity(organization, "owner", { bindAt: own.uid });
    const { uid } = await newIdentity(organization, undefined);
    const viewer = await roleUid("viewer");
    expect((await bind(own.uid, uid, viewer, sharer.token)).status).toBe(200);
    for (const at of [...path, ...others.map((other) => other.uid)]) {
      expect([at, (await bind(at, uid, viewer, sharer.token)).status]).toEqual([at, 403]);
    }
    for (const kind of ["groups", "identities", "roles", "roleBindings"]) {
      const inRepository = await callRest(`/iam/v2/${kind}/${own.uid}`, {
        token: sharer.token,
        body: { name: "x", capabilities: ["CAP_REPO_LIST"], identityUid: "", roleUid: "" },
      });
      expect([kind, inRepository.status]).toEqual([kind, kind === "roleBindings" ? 400 : 404]);
    }
    const { body } = await call("/iam/v2/roleBindings", sharer.token);
    const places = body.roleBindings.map((each: { group: { uid: string } }) => each.group.uid);
    expect(new Set(places)).toEqual(new Set([own.uid]));
  });

  test("lets no one rename the repository, whether or not the name is taken", async () => {
    const editor = await newIdentity(organization, "editor", { bindAt: own.uid });
    const change = (body: object) =>
      callRest(`/registry/v2/repos/${own.uid}`, { method: "PATCH", token: editor.token, body });
    expect((await change({ description: "mine" })).status).toBe(200);
    const texts = [];
    for (const name of ["other", "free"]) {
      const { status, body } = await change({ name });
      texts.push([status, body.message]);
    }
    expect(texts[0]).toEqual([403, expect.stringContaining("rename")]);
    expect(texts[1]).toEqual(texts[0]);
  });

  test("of the role owner does not count as an owner of the organization", async () => {
    const small = await newOrganization();
    const repo = await createResource(`/registry/v2/repos/${small.uid}`, small.owner.token, {
      name: "r",
    });
    await newIdentity(small, "owner", { bindAt: repo.uid });
    const [binding] = await sql<{ uid: string }>(
      "select uid from role_bindings where parent = ?",
      small.uid,
    );
    const answer = await callRest(`/iam/v2/roleBindings/${binding?.uid}`, {
      method: "DELETE",
      token: small.owner.token,
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain("LAST_OWNER");
  });

  test("waits for a person from outside, who accepts it", async () => {
    const person = await newUser();
    const code = await bindPerson({ uid: own.uid, token }, person.uid, "viewer");
    expect(code.startsWith(`${own.uid}/`)).toBe(true);
    const { body } = await call("/registry/v2/repos", person.token);
    expect([body.repos.length, body.totalCount]).toEqual([1, "1"]);
  });

  test("ends with its role binding, from the next call on", async () => {
    const reader = await newIdentity(organization, "viewer", { bindAt: own.uid });
    expect((await call(`/registry/v2/repos/${own.uid}`, reader.token)).status).toBe(200);
    const [binding] = await sql<{ uid: string; last_used_time: number }>(
      "select uid, last_used_time from role_bindings where identity_uid = ?",
      reader.uid,
    );
    await expect
      .poll(async () => {
        const { body } = await call(`/iam/v2/roleBindings/${binding?.uid}`, token);
        return body.lastUsedTime;
      })
      .toBeDefined();
    await callRest(`/iam/v2/roleBindings/${binding?.uid}`, { method: "DELETE", token });
    expect((await call(`/registry/v2/repos/${own.uid}`, reader.token)).status).toBe(403);
    expect((await call("/registry/v2/repos", reader.token)).status).toBe(403);
  });

  test("is deleted with its repository, also by someone who has only that role", async () => {
    const { uid } = await fresh("short-lived");
    const deleter = await newIdentity(organization, "owner", { bindAt: uid });
    const removed = await callRest(`/registry/v2/repos/${uid}`, {
      method: "DELETE",
      token: deleter.token,
    });
    expect(removed.status).toBe(200);
    expect(await sql("select uid from role_bindings where parent = ?", uid)).toEqual([]);
    await fresh("short-lived");
    expect((await call("/registry/v2/repos", deleter.token)).status).toBe(403);
    const counted = await sql("select * from counts where ancestor = ? and children <> 0", uid);
    expect(counted).toEqual([]);
  });
});

describe("questions about access", () => {
  test("name the role binding and its repository", async () => {
    const { body } = await call(
      `/iam/v2/access?resource_uid=${own.uid}&capability=CAP_REPO_LIST&page_size=200`,
      token,
    );
    const entries = body.accessEntries as { identityUid: string; groupUid: string }[];
    expect(entries.find(({ identityUid }) => identityUid === bot.uid)).toMatchObject({
      groupUid: own.uid,
      state: "ACCESS_STATE_EFFECTIVE",
    });
    const [other] = others;
    const elsewhere = await call(
      `/iam/v2/access?resource_uid=${other?.uid}&capability=CAP_REPO_LIST&page_size=200`,
      token,
    );
    const names = elsewhere.body.accessEntries.map(
      (one: { identityUid: string }) => one.identityUid,
    );
    expect(names).not.toContain(bot.uid);
  });

  test("show who gains what by a role binding on a repository", async () => {
    const { uid } = await newIdentity(organization, undefined);
    const answer = await callRest(`/iam/v2/roleBindings/${own.uid}?validate_only=true`, {
      token,
      body: { identityUid: uid, roleUid: await roleUid("viewer") },
    });
    expect(answer.body.accessChanges.changes).toMatchObject([
      { identity: { uid }, group: { uid: own.uid, name: "own" } },
    ]);
  });
});
