/**
 * A role on one repository reaches that repository and what is in it. It says nothing about other repositories, and gives
 * nothing in them. The repository is in the deepest group that there can be.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { sbomContent } from "../../contract/requests.ts";
import { newImageOf, pushImage, send } from "../../distribution/client.ts";
import { askToken, refusalOf, registryToken } from "../../distribution/stored_images.ts";
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import {
  bindPerson,
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";

interface Repository {
  uid: string;
  /** The name of its image. */
  name: string;
  digest: string;
}

let organization: Organization;
let token: string;
/** The group at each level. */
let path: string[];
let own: Repository;
/** Repositories next to it, above it, and in an organization of someone else. */
let others: Repository[];
let bot: Persona;
let pull: string;

const call = (at: string, as = bot.token) => callRest(at, { token: as });

async function newRepository(
  { owner }: Organization,
  group: string,
  name: string,
  prefix: string,
): Promise<Repository> {
  const { uid } = await createResource(`/registry/v2/repos/${group}`, owner.token, { name });
  const image = `${prefix}/${name}`;
  const target = { name: image, token: await registryToken(owner.uid) };
  const { digest } = await pushImage(target, "latest", newImageOf({}));
  const report = packedReport(grypeReport([matchOf("CVE-2026-1", "High")]));
  for (const [kind, content] of Object.entries({ sboms: sbomContent(name), vulnReports: report })) {
    await createResource(`/registry/v2/${kind}/${uid}`, owner.token, { digest, content });
  }
  await sql("update tags set deprecated = 1 where parent = ?", uid);
  return { uid, name: image, digest };
}

beforeAll(async () => {
  organization = await newOrganization();
  ({ token } = organization.owner);
  path = [organization.uid];
  for (const name of ["one", "two", "three", "four"]) {
    const parent = path.at(-1) ?? "";
    path.push((await createResource(`/iam/v2/groups/${parent}`, token, { name })).uid);
  }
  const deepest = path.at(-1) ?? "";
  const prefix = `${organization.uid}/one/two/three/four`;
  const foreign = await newOrganization();
  own = await newRepository(organization, deepest, "own", prefix);
  others = [
    await newRepository(organization, deepest, "other", prefix),
    await newRepository(organization, organization.uid, "above", organization.uid),
    await newRepository(foreign, foreign.uid, "foreign", foreign.uid),
  ];
  bot = await newIdentity(organization, "viewer", { bindAt: own.uid });
  pull = await registryToken(bot.uid);
});

describe("a Get of the API", () => {
  test("returns the repository and what is in it", async () => {
    const [tag] = await sql<{ uid: string }>("select uid from tags where parent = ?", own.uid);
    const [manifest] = await sql<{ uid: string }>(
      "select uid from manifests where parent = ?",
      own.uid,
    );
    for (const at of [
      `repos/${own.uid}`,
      `tags/${tag?.uid}`,
      `manifests/${manifest?.uid}`,
      `repos/${own.uid}/digests/${own.digest}/size`,
    ]) {
      expect([at, (await call(`/registry/v2/${at}`)).status]).toEqual([at, 200]);
    }
  });

  test("of anything else has the same refusal as one of a repository that does not exist", async () => {
    const missing = `${path.at(-1)}/${"0".repeat(16)}`;
    const refusal = async (uid: string) => {
      const { status, body } = await call(`/registry/v2/repos/${uid}`);
      for (const detail of body.details) delete detail.metadata?.decision_id;
      return JSON.stringify([status, body]);
    };
    const expected = await refusal(missing);
    expect(expected).toContain("403");
    for (const { uid } of others) expect(await refusal(uid)).toBe(expected);
    for (const group of path) {
      expect((await call(`/iam/v2/groups/${group}`)).status).toBe(403);
    }
  });
});

/** The Lists, with the property of the rows and the scope of all rows of the repository. */
const lists: [string, string, string][] = [
  ["/registry/v2/repos", "repos", "ids"],
  ["/registry/v2/tags", "tags", "descendants_of"],
  ["/registry/v2/sboms", "sboms", "descendants_of"],
  ["/registry/v2/vulnReports", "vulnReports", "descendants_of"],
  ["/registry/v2/findings", "findings", "descendants_of"],
  ["/registry/v2/packages", "packages", "descendants_of"],
  ["/registry/v2/endOfLifeTags", "endOfLifeTags", "descendants_of"],
  ["/registry/v2/tagMoves", "tagMoves", "descendants_of"],
];

describe("a List of the API", () => {
  test.for(lists)("%s has the rows of the repository, and their total", async ([at, rows, all]) => {
    const expected = await call(`${at}?uidp.${all}=${own.uid}`, token);
    expect([expected.status, expected.body[rows]?.length]).toEqual([200, 1]);
    for (const query of [
      "",
      `?uidp.descendants_of=${organization.uid}`,
      `?uidp.descendants_of=${path.at(-1)}`,
    ]) {
      const { status, body } = await call(`${at}${query}`);
      expect([query, status, body[rows], body.totalCount]).toEqual([
        query,
        200,
        expected.body[rows],
        expected.body.totalCount,
      ]);
    }
    for (const { uid } of others) {
      const answer = await call(`${at}?uidp.descendants_of=${uid}`);
      expect(answer.status).toBe(403);
    }
  });

  test("shows the one repository in every order, by its name, and to its group's children", async () => {
    for (const query of [
      "?order_by=uid",
      "?order_by=name desc",
      "?order_by=create_time",
      "?order_by=update_time desc",
      "?name=own",
      `?uidp.children_of=${path.at(-1)}`,
      `?uidp.ids=${own.uid}`,
    ]) {
      const { body } = await call(`/registry/v2/repos${query}`);
      expect([query, body.repos.map(({ uid }: { uid: string }) => uid), body.totalCount]).toEqual([
        query,
        [own.uid],
        "1",
      ]);
    }
    const begins = await call("/registry/v2/repos?name_prefix=o");
    expect(begins.body.repos.map(({ name }: { name: string }) => name)).toEqual(["own"]);
    for (const name of ["other", "above"]) {
      const { body } = await call(`/registry/v2/repos?name=${name}`);
      expect([body.repos, body.totalCount]).toEqual([undefined, "0"]);
    }
    expect((await call("/iam/v2/groups")).body).toMatchObject({ totalCount: "0" });
  });

  test("of version 1 has the repository and its tags", async () => {
    const { body } = await call("/registry/v1/repos");
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([own.uid]);
    const tags = await call(`/registry/v1/tags?uidp.children_of=${own.uid}`);
    expect(tags.body.items).toHaveLength(1);
  });

  test("counts a repository once if its group gives the role too", async () => {
    const both = await newIdentity(organization, "viewer", { bindAt: own.uid });
    const body = { identityUid: both.uid, roleUid: await roleUid("viewer") };
    await createResource(`/iam/v2/roleBindings/${path.at(-1)}`, token, body);
    const page = await call("/registry/v2/repos?order_by=name", both.token);
    expect(page.body.repos.map(({ name }: { name: string }) => name)).toEqual(["other", "own"]);
    expect(page.body.totalCount).toBe("2");
  });

  test("merges several repositories, page by page", async () => {
    const [next] = others;
    const several = await newIdentity(organization, "viewer", { bindAt: own.uid });
    const body = { identityUid: several.uid, roleUid: await roleUid("viewer") };
    await createResource(`/iam/v2/roleBindings/${next?.uid}`, token, body);
    const names: string[] = [];
    for (let pageToken = ""; ; ) {
      const page = await call(
        `/registry/v2/repos?page_size=1&order_by=name&page_token=${pageToken}`,
        several.token,
      );
      expect(page.body.totalCount).toBe("2");
      names.push(...page.body.repos.map(({ name }: { name: string }) => name));
      pageToken = page.body.nextPageToken ?? "";
      if (pageToken === "") break;
    }
    expect(names).toEqual(["other", "own"]);
  });
});

describe("the registry host", () => {
  test("serves pulls of the image, its tags and its name in the catalog", async () => {
    const target = { name: own.name, token: pull };
    for (const at of ["manifests/latest", `manifests/${own.digest}`, "tags/list"]) {
      expect([at, (await send(target, at)).status]).toEqual([at, 200]);
    }
    const { body } = await callRest("/v2/_catalog", { token: pull });
    expect(body.repositories).toEqual([own.name]);
    const asked = await askToken(`repository:${own.name}:pull`, pull);
    expect(asked.status).toBe(200);
    expect((await send({ ...target, token: asked.body.token }, "manifests/latest")).status).toBe(
      200,
    );
  });

  test("refuses every other image as if it did not exist", async () => {
    const [beside, above] = others.map(({ name }) => name);
    for (const [name, missing] of [
      [beside, `${own.name}-not`],
      [above, `${organization.uid}/not`],
    ]) {
      const answers = [];
      for (const one of [name, missing]) {
        const answer = await callRest(`/v2/${one}/manifests/latest`, { token: pull });
        expect(refusalOf(answer)).toEqual([403, "DENIED"]);
        answers.push(JSON.stringify(answer.body.errors[0].message).replaceAll(one ?? "", "<name>"));
      }
      expect(answers[0]).toBe(answers[1]);
    }
  });

  test("lets a role to push write to the repository, and create no other", async () => {
    const pusher = await newIdentity(organization, "registry.push", { bindAt: own.uid });
    const as = await registryToken(pusher.uid);
    await pushImage({ name: own.name, token: as }, "next", newImageOf({}));
    for (const name of [
      `${own.name}-new`,
      `${organization.uid}/new`,
      ...others.map((o) => o.name),
    ]) {
      const begun = await send({ name, token: as }, "blobs/uploads/", { method: "POST" });
      expect([name, begun.status]).toEqual([name, 403]);
    }
    const repos = await sql("select uid from repos where name like '%new'");
    expect(repos).toEqual([]);
  });

  test("mounts nothing from a repository that the caller cannot pull", async () => {
    const pusher = await newIdentity(organization, "registry.push", { bindAt: own.uid });
    const as = { name: own.name, token: await registryToken(pusher.uid) };
    const [other] = others;
    const theirs = await send(
      { name: other?.name ?? "", token: await registryToken(organization.owner.uid) },
      "manifests/latest",
    );
    const [layer] = ((await theirs.json()) as { layers: { digest: string }[] }).layers;
    for (const from of [`&from=${other?.name}`, ""]) {
      const begun = await send(as, `blobs/uploads/?mount=${layer?.digest}${from}`, {
        method: "POST",
      });
      expect([from, begun.status]).toEqual([from, 202]);
    }
  });
});

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

describe("a token that is limited to a repository", () => {
  test("reaches the repository, whatever its identity has", async () => {
    const limited = await tokenFor(organization.owner.uid, { scopes: [own.uid] });
    const { body } = await call("/registry/v2/repos", limited);
    expect([body.repos.length, body.totalCount]).toEqual([1, "1"]);
    for (const { uid } of others) {
      expect((await call(`/registry/v2/repos/${uid}`, limited)).status).toBe(403);
    }
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
