import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
  randomUid,
} from "../world/personas.ts";
import { costOf, sql } from "../world/platform.ts";
import {
  affectedPackage,
  callLibraries,
  importLibraries,
  java,
  listLibraries,
  osvRecordOf,
  python,
  versionsOf,
} from "./osv_libraries.ts";

let ours: Organization;
let theirs: Organization;
let token: string;
beforeAll(async () => {
  [ours, theirs] = await Promise.all([newOrganization(), newOrganization()]);
  token = ours.owner.token;
  await importLibraries(
    token,
    ours.uid,
    osvRecordOf("A-1", [
      affectedPackage("PyPI", "Torch_Audio", ["2.0.0", "2.0.0+cu118", "1.0rc1", "1.0"], "2.0.1"),
      affectedPackage("Maven", "org.example:core", [
        "1.0",
        "1.0.Final",
        "1.1-SNAPSHOT",
        "1.1-alpha1",
      ]),
    ]),
    osvRecordOf("A-2", [affectedPackage("PyPI", "plain", ["0.1", "1!0.0.1", "0.10", "0.9"])], {
      published: "2023-01-01T00:00:00Z",
      modified: "2023-06-01T00:00:00Z",
    }),
    osvRecordOf("A-3", [affectedPackage("PyPI", "torch-vision", ["1.0+cu92"])]),
    osvRecordOf("A-4", [affectedPackage("npm", "left-pad", ["1.0.0"])]),
  );
  await importLibraries(
    theirs.owner.token,
    theirs.uid,
    osvRecordOf("B-1", [affectedPackage("PyPI", "plain", ["9.9"])]),
  );
});

const uidOf = async (name: string, ecosystem = python) => {
  const { found } = await listLibraries(token, `query=${encodeURIComponent(name)}`, [ecosystem]);
  return found[0]?.uid ?? "";
};

describe("libraries", () => {
  test("are those of the requested ecosystems, by name, with their newest version", async () => {
    const { found, names, body } = await listLibraries(token);
    expect(names).toEqual(["plain", "torch-audio", "torch-vision"]);
    expect(found[1]).toEqual({
      uid: expect.stringMatching(/^[0-9a-f]{40}$/),
      name: "torch-audio",
      ecosystem: python,
      latestVersion: "2.0.1",
      versionCount: 5,
      createTime: "2024-02-01T09:00:00.000Z",
      updateTime: "2024-03-01T10:00:00.000Z",
    });
    expect(body).toMatchObject({ totalCount: "3", skipped: 0 });
    expect((await listLibraries(token, "", [java])).found).toMatchObject([
      { name: "org.example:core", ecosystem: java, latestVersion: "1.1-SNAPSHOT", versionCount: 4 },
    ]);
    expect((await listLibraries(token, "", [python, java, python])).body.totalCount).toBe("4");
  });

  test("come in the requested order, on consecutive pages", async () => {
    for (const [order, names] of [
      ["name desc", ["torch-vision", "torch-audio", "plain", "org.example:core"]],
      ["create_time", ["plain"]],
      ["updateTime", ["plain"]],
    ] as const) {
      const seen: string[] = [];
      let pageToken = "";
      do {
        const query = `order_by=${order}&page_size=1&page_token=${pageToken}`;
        const page = await listLibraries(token, query, [python, java]);
        expect(page.body.totalCount).toBe("4");
        seen.push(...page.names);
        pageToken = page.body.nextPageToken ?? "";
      } while (pageToken !== "");
      expect(seen.slice(0, names.length)).toEqual(names);
      expect(seen).toHaveLength(4);
    }
    const skipped = await listLibraries(token, "skip=2");
    expect(skipped.names).toEqual(["torch-vision"]);
    expect(skipped.body.skipped).toBe(2);
    const byUid = (await listLibraries(token, "order_by=uid", [python, java])).found.map(
      ({ uid }) => uid,
    );
    expect(byUid).toEqual([...byUid].sort());
  });

  test("are found by a part of the name in any case, and no part is a pattern", async () => {
    expect((await listLibraries(token, "query=RCH-")).names).toEqual([
      "torch-audio",
      "torch-vision",
    ]);
    expect((await listLibraries(token, "query=RCH-")).body.totalCount).toBe("2");
    for (const pattern of ["%25", "*", "'"]) {
      expect((await listLibraries(token, `query=${pattern}`)).names).toEqual([]);
    }
    expect((await listLibraries(token, `query=${"x".repeat(200)}`)).names).toEqual([]);
  });

  test("are found by every spelling of a Python name", async () => {
    for (const query of ["rch_", "Torch.V", "torch-_v"])
      expect((await listLibraries(token, `query=${query}`)).names).toContain("torch-vision");
  });

  test("are found by the CUDA version they were built for, which only Python has", async () => {
    for (const version of ["11.8", "118", "cu118", "CU118"]) {
      expect((await listLibraries(token, `cuda_version=${version}`)).names).toEqual([
        "torch-audio",
      ]);
    }
    expect((await listLibraries(token, "cudaVersion=9.2", [java, python])).names).toEqual([
      "torch-vision",
    ]);
    expect((await listLibraries(token, "cudaVersion=9.2", [java])).names).toEqual([]);
    expect((await listLibraries(token, "cuda_version=9")).names).toEqual([]);
    const bad = await callLibraries(token, `?ecosystems=${python}&cuda_version=new`);
    expect(bad.status).toBe(400);
    expect(bad.body.message).toContain("cuda_version");
  });

  test("can be filtered by a remediated vulnerability", async () => {
    expect((await listLibraries(token, "remediated=true", [python, java])).names).toEqual([
      "torch-audio",
    ]);
    expect((await listLibraries(token, "remediated=false")).names).toHaveLength(3);
  });

  test.each([
    ["", "ecosystems"],
    ["ecosystems=ECOSYSTEM_UNSPECIFIED", "ecosystems"],
    ["ecosystems=7", "ecosystems"],
    [`ecosystems=${python}&order_by=latest_version`, "order_by"],
    [`ecosystems=${python}&page_token=x`, "page_token"],
    [`ecosystems=${python}&page_size=201`, "page_size"],
  ])("cannot be listed by ?%s: INVALID_ARGUMENT naming %s", async (query, field) => {
    const { status, body } = await callLibraries(token, `?${query}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(field);
  });
});

describe("versions", () => {
  test("are listed newest first in the order of PEP 440", async () => {
    const uid = await uidOf("plain");
    const { found, versions, body } = await versionsOf(token, uid);
    expect(versions).toEqual(["1!0.0.1", "0.10", "0.9", "0.1"]);
    expect(body).toMatchObject({ totalCount: "4", skipped: 0 });
    expect(found[0]).toEqual({
      uid: expect.stringMatching(new RegExp(`^${uid}/[0-9a-f]{16}$`)),
      name: "plain",
      version: "1!0.0.1",
      createTime: "2023-01-01T00:00:00.000Z",
      updateTime: "2023-06-01T00:00:00.000Z",
      sizeBytes: "0",
    });
  });

  test("are listed newest first in the order of Maven", async () => {
    const { versions } = await versionsOf(token, await uidOf("core", java));
    expect(versions.slice(0, 2)).toEqual(["1.1-SNAPSHOT", "1.1-alpha1"]);
    expect(versions.slice(2).sort()).toEqual(["1.0", "1.0.Final"]);
  });

  test("are listed in pages, and in the other orders", async () => {
    const uid = await uidOf("torch-audio");
    const first = await versionsOf(token, uid, "page_size=2&order_by=version");
    expect(first.versions).toEqual(["1.0rc1", "1.0"]);
    const query = `page_size=2&order_by=version&page_token=${first.body.nextPageToken}`;
    const second = await versionsOf(token, uid, query);
    expect(second.versions).toEqual(["2.0.0", "2.0.0+cu118"]);
    expect(second.body.totalCount).toBe("5");
    const other = await callLibraries(token, `/${await uidOf("plain")}/versions?${query}`);
    expect(other.status).toBe(400);
    for (const order of ["uid", "uid desc", "create_time desc", "update_time"]) {
      const { found, body } = await versionsOf(token, uid, `order_by=${order}`);
      expect([order, found.length, body.totalCount]).toEqual([order, 5, "5"]);
      const paged = `order_by=${order}&page_size=3`;
      const head = await versionsOf(token, uid, paged);
      const next = `${paged}&page_token=${head.body.nextPageToken}`;
      const tail = await versionsOf(token, uid, next);
      expect([...head.found, ...tail.found]).toEqual(found);
    }
    const byUid = (await versionsOf(token, uid, "order_by=uid")).found.map((one) => one.uid);
    expect(byUid).toEqual(byUid.toSorted());
    expect((await callLibraries(token, `/${uid}/versions?order_by=name`)).status).toBe(400);
  });

  test("of an unknown library are NOT_FOUND", async () => {
    for (const uid of [randomUid(), "x", ours.uid]) {
      const { status, body } = await callLibraries(token, `/${uid}/versions`);
      expect(status).toBe(404);
      expect(body.details).toContainEqual(
        expect.objectContaining({
          resourceType: "libraries.platform.example/Artifact",
          resourceName: uid,
        }),
      );
    }
  });
});

describe("counts", () => {
  test("are those of the requested ecosystems, in that order, without duplicates", async () => {
    const query = [java, python, java].map((one) => `ecosystems=${one}`).join("&");
    const { body, roundTrips } = await callLibraries(token, `/count?${query}`);
    expect(body).toEqual({
      counts: [
        { ecosystem: java, totalCount: "1" },
        { ecosystem: python, totalCount: "3" },
      ],
    });
    expect(roundTrips).toBeLessThanOrEqual(2);
    expect((await callLibraries(token, "/count")).status).toBe(400);
  });
});

describe("each organization has its own libraries", () => {
  test("with different uids, and no other organization lists or counts them", async () => {
    const { found, names } = await listLibraries(theirs.owner.token);
    expect(names).toEqual(["plain"]);
    expect(found[0]?.uid).not.toBe(await uidOf("plain"));
    const counted = await callLibraries(theirs.owner.token, `/count?ecosystems=${python}`);
    expect(counted.body.counts[0].totalCount).toBe("1");
  });

  test("a member of a group sees the libraries of that group", async () => {
    const { uid: team } = await createResource(`/iam/v2/groups/${ours.uid}`, token, {
      name: randomName("team"),
    });
    const name = randomName("team-lib");
    await importLibraries(
      token,
      team,
      osvRecordOf("T-1", [affectedPackage("PyPI", name, ["1.0"])]),
    );
    const member = await newIdentity(ours, "viewer", { group: team });
    const { names, found } = await listLibraries(member.token);
    expect(names).toEqual([name]);
    expect((await listLibraries(token)).names).toContain(name);
    expect((await versionsOf(member.token, found[0]?.uid ?? "")).versions).toEqual(["1.0"]);
    expect((await callLibraries(member.token, `/${await uidOf("plain")}/versions`)).status).toBe(
      404,
    );
    expect((await callLibraries(member.token, `/count?ecosystems=${python}`)).body.counts).toEqual([
      { ecosystem: python, totalCount: "1" },
    ]);
  });
});

test("the cost of a page of libraries depends on its rows", async () => {
  const organization = await newOrganization();
  const { owner, uid } = organization;
  const packages = Array.from({ length: 300 }, (_, i) =>
    affectedPackage("PyPI", `lib-${i}`, ["1.0"]),
  );
  await importLibraries(owner.token, uid, osvRecordOf("MANY", packages));
  const answer = await listLibraries(owner.token, "page_size=10");
  expect(answer.body.totalCount).toBe("300");
  expect(answer.roundTrips).toBe(2);
  expect(answer.rowsRead).toBeLessThan(60);
  const [row] = await sql<{ n: number }>(
    "select count(*) as n from artifacts where uid like ? || '/%'",
    uid,
  );
  expect(row?.n).toBe(300);
  expect(costOf(answer).roundTrips).toBe(2);
});
