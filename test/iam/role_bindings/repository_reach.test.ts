/**
 * A role on one repository reaches that repository and what is in it. It says nothing about other repositories, and gives
 * nothing in them. The repository is in the deepest group that there can be.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { newImageOf, pushImage, send } from "../../distribution/client.ts";
import { askToken, refusalOf, registryToken } from "../../distribution/stored_images.ts";
import { createResource, newIdentity, roleUid } from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";
import { newOneRepository, type OneRepository } from "./one_repository.ts";

let organization: OneRepository["organization"];
let token: OneRepository["token"];
let path: OneRepository["path"];
let own: OneRepository["own"];
let others: OneRepository["others"];
let bot: OneRepository["bot"];
let pull: OneRepository["pull"];
beforeAll(async () => {
  ({ organization, token, path, own, others, bot, pull } = await newOneRepository());
});

const call = (at: string, as = bot.token) => callRest(at, { token: as });

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
