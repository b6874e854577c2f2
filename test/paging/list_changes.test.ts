import { describe, expect, test } from "vitest";
import { createResource, newOrganization } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { plantedDigest, walkPages } from "./tree.ts";

describe("rows that are created and deleted between pages", () => {
  test.each(["uid", "name desc", "create_time", "update_time desc"])(
    "ordered by %s, no unchanged row is lost or listed twice",
    async (order_by) => {
      const { uid, owner } = await newOrganization();
      const made: string[] = [];
      for (let index = 0; index < 12; index += 1) {
        const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, {
          name: `n${(index * 7) % 12}x`,
        });
        made.push(repo.uid);
      }
      const untouched = made.filter((_, index) => index % 3 !== 0);
      const doomed = made.filter((_, index) => index % 3 === 0);
      const query = { order_by, page_size: "2" };
      const { uids } = await walkPages(
        "/registry/v2/repos",
        "repos",
        query,
        owner.token,
        async (page) => {
          const gone = doomed.pop();
          if (gone)
            await callRest(`/registry/v2/repos/${gone}`, { method: "DELETE", token: owner.token });
          if (page > 5) return;
          await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: `a${page}` });
          await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: `z${page}` });
        },
      );
      expect(uids.filter((one) => untouched.includes(one)).sort()).toEqual([...untouched].sort());
      expect(new Set(uids).size).toBe(uids.length);
    },
  );
});

describe("groups can be nested four levels below an organization", () => {
  test("a repository and its tags at the deepest level are in the list of every level", async () => {
    const { uid, owner } = await newOrganization();
    const path = [uid];
    for (const name of ["one", "two", "three", "four"]) {
      const group = await createResource(`/iam/v2/groups/${path.at(-1)}`, owner.token, { name });
      path.push(group.uid);
    }
    const repo = await createResource(`/registry/v2/repos/${path.at(-1)}`, owner.token, {
      name: "deep",
    });
    for (const name of ["b", "a"]) {
      await createResource(`/registry/v2/tags/${repo.uid}`, owner.token, {
        name,
        digest: plantedDigest(1),
      });
    }
    for (const at of path) {
      const repos = await callRest(`/registry/v2/repos?uidp.descendants_of=${at}&order_by=name`, {
        token: owner.token,
      });
      expect(repos.body.repos.map((one: { uid: string }) => one.uid)).toEqual([repo.uid]);
      expect(repos.body.totalCount).toBe("1");
      const tags = await callRest(`/registry/v2/tags?uidp.descendants_of=${at}&order_by=name`, {
        token: owner.token,
      });
      expect(tags.body.tags.map((one: { name: string }) => one.name)).toEqual(["a", "b"]);
      expect(tags.body.totalCount).toBe("2");
    }
    const deeper = await callRest(`/iam/v2/groups/${path.at(-1)}`, {
      token: owner.token,
      body: { name: "five" },
    });
    expect([deeper.status, deeper.body.code]).toEqual([400, 9]);
    expect(deeper.body.details[0].reason).toBe("FAILED_PRECONDITION");
    expect(deeper.body.details[1].violations[0]).toMatchObject({
      type: "DEPTH_LIMIT",
      subject: path.at(-1),
    });
    const [count] = await sql<{ n: number }>(
      "select count(*) as n from groups where ancestor0 = ?",
      uid,
    );
    expect(count?.n).toBe(5);
  });
});
