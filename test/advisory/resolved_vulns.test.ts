import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { SecurityAdvisoryService } from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { insertAdvisory } from "../vulnerabilities/advisories/stored_advisories.ts";
import { insertRow, randomHex } from "../vulnerabilities/callers.ts";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { clientOf, sql } from "../world/platform.ts";
import { defaultDay, insertFix, insertMove, newRepo } from "./fixed_images.ts";

let ours: Organization;
let token: string;
beforeEach(async () => {
  ours = await newOrganization();
  token = ours.owner.token;
});

interface Asked {
  tags?: string[];
  from?: string;
  to?: string;
  as?: string;
  paging?: { pageSize?: number; pageToken?: string; orderBy?: string; skip?: number };
}

const call = (
  repos: string[],
  { tags = [], from = defaultDay, to = defaultDay, as = token, paging }: Asked = {},
) =>
  clientOf(SecurityAdvisoryService, as).listResolvedVulnsReports({
    imageRefs: repos.map((repo) => ({ repo, tags })),
    startTime: timestampFromDate(new Date(from)),
    endTime: timestampFromDate(new Date(to)),
    ...paging,
  });

/** The days, each with the ids that were fixed on it. */
async function resolved(repos: string[], asked: Asked = {}) {
  const { resolvedVulnsReports } = await call(repos, asked);
  return resolvedVulnsReports.map(({ date, resolvedVulns }) => [
    date ? timestampDate(date).toISOString().slice(0, 10) : "",
    ...resolvedVulns.map(({ id }) => id),
  ]);
}

describe("a report of resolved vulnerabilities", () => {
  test("lists the fixes of a day in UTC, with aliases and severities", async () => {
    const { name } = await newRepo(ours.uid);
    const severities = JSON.stringify([{ type: 2, score: "CVSS:3.1/AV:N" }]);
    await insertFix(ours.uid, name, "B", {
      time: `${defaultDay}T23:59:59.999Z`,
      aliases: '["CVE-1"]',
    });
    await insertFix(ours.uid, name, "A", { time: `${defaultDay}T00:00:00Z`, severities });
    await insertFix(ours.uid, name, "C", { time: "2024-05-02T00:00:00Z" });
    await insertFix(ours.uid, name, "D", { time: "2024-04-30T23:59:59.999Z" });
    const { resolvedVulnsReports, totalCount } = await call([name], {
      to: `${defaultDay}T05:00:00Z`,
    });
    expect(totalCount).toBe(1n);
    expect(resolvedVulnsReports).toMatchObject([
      {
        date: timestampFromDate(new Date(defaultDay)),
        resolvedVulns: [
          { id: "A", cvssSeverities: [{ type: 2, score: "CVSS:3.1/AV:N" }] },
          { id: "B", aliases: ["CVE-1"], cvssSeverities: [] },
        ],
      },
    ]);
    expect(await resolved([name], { from: "2024-04-30T13:00:00Z", to: "2024-05-02" })).toEqual([
      ["2024-04-30", "D"],
      [defaultDay, "A", "B"],
      ["2024-05-02", "C"],
    ]);
    expect(await resolved([name], { from: "2024-05-03", to: "2024-05-04" })).toEqual([]);
  });

  test("names a vulnerability once, however many images and advisories have it", async () => {
    const [one, two] = [await newRepo(ours.uid, ["latest", "v1"]), await newRepo(ours.uid)];
    await insertFix(ours.uid, one.name, "SAME");
    await insertFix(ours.uid, two.name, `OTHER-${two.name}`);
    const team = await createResource(`/iam/v2/groups/${ours.uid}`, token, {
      name: randomName("team"),
    });
    await insertRow("repos", {
      uid: `${team.uid}/${randomHex(16)}`,
      name: one.name,
      create_time: 1,
      update_time: 1,
    });
    await insertFix(team.uid, one.name, "SAME");
    expect(await resolved([one.name, one.name, two.name], { tags: ["latest", "v1"] })).toEqual([
      [defaultDay, `OTHER-${two.name}`, "SAME"],
    ]);
  });

  test("contains only approved fixes of advisories about images", async () => {
    const { name } = await newRepo(ours.uid);
    await insertFix(ours.uid, name, "LIB", { artifact_type: "library" });
    const image = { artifact_type: "image", artifact_name: name };
    const time = Date.parse(`${defaultDay}T12:00:00Z`);
    await insertAdvisory(ours.uid, { ...image, advisory_id: "PENDING" }, [
      { type: 3, create_time: time, review_state: 1, detail: '{"fixedVersion":"1"}' },
    ]);
    await insertAdvisory(ours.uid, { ...image, advisory_id: "FOUND" }, [
      { type: 1, create_time: time, detail: '{"manual":{}}' },
    ]);
    expect(await resolved([name])).toEqual([]);
  });

  test("contains nothing for a tag that points to no image", async () => {
    const { name, uid } = await newRepo(ours.uid);
    await insertFix(ours.uid, name, "CVE-2024-1");
    expect(await resolved([name])).toEqual([[defaultDay, "CVE-2024-1"]]);
    await sql("update tags set digest = '' where parent = ?", uid);
    expect(await resolved([name])).toEqual([]);
  });

  /** An advisory about the image, fixed on the given number of days, the first in 1970. */
  async function fixedDaily(image: string, days: number, aliases = "[]") {
    const uid = await insertAdvisory(ours.uid, {
      ...{ artifact_type: "image", artifact_name: image, advisory_id: "A", aliases },
    });
    await sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into advisory_events (uid, advisory_uid, author, reviewer, type, detail, review_state, create_time, update_time)
       select ? || '/' || printf('%016x', i), ?, 'a', 'r', 3, '{"fixedVersion":"1"}', 2, i * 86400000, 1 from n`,
      ...[days, uid, uid],
    );
  }

  const ever = { from: "1970-01-01", to: "2070-01-01" };

  test("has all days unless the request names a page", async () => {
    const { name } = await newRepo(ours.uid);
    await fixedDaily(name, 60);
    const whole = await call([name], ever);
    expect(whole.resolvedVulnsReports).toHaveLength(60);
    expect([whole.nextPageToken, whole.totalCount]).toEqual(["", 60n]);
    const newest = await call([name], { ...ever, paging: { orderBy: "date desc" } });
    expect(newest.resolvedVulnsReports).toEqual(whole.resolvedVulnsReports.toReversed());
    const first = await call([name], { ...ever, paging: { pageSize: 50 } });
    expect([first.resolvedVulnsReports.length, first.totalCount]).toEqual([50, 60n]);
    const { nextPageToken: pageToken } = first;
    const second = await call([name], { ...ever, paging: { pageToken } });
    expect(second.resolvedVulnsReports).toHaveLength(10);
  });

  test.each([
    ["days", 20_001, "[]"],
    ["bytes", 20, JSON.stringify(["x".repeat(900_000)])],
  ])(
    "is rejected for too many %s in one response, and can then be paged",
    async (_, days, aliases) => {
      const { name } = await newRepo(ours.uid);
      await fixedDaily(name, days, aliases);
      await expect(call([name], ever)).rejects.toMatchObject({
        code: Code.ResourceExhausted,
        rawMessage: expect.stringContaining("set page_size"),
      });
      const page = await call([name], { ...ever, paging: { pageSize: 2 } });
      expect([page.resolvedVulnsReports.length, page.totalCount]).toEqual([2, BigInt(days)]);
    },
  );

  test("has pages in the order of the dates", async () => {
    const { name } = await newRepo(ours.uid);
    for (const n of [1, 2, 3, 4, 5]) {
      await insertFix(ours.uid, name, `V-${n}`, { time: `2024-06-0${n}T01:00:00Z` });
    }
    const span = { from: "2024-06-01", to: "2024-06-30" };
    for (const [orderBy, ids] of [
      ["", ["V-1", "V-2", "V-3", "V-4", "V-5"]],
      ["date desc", ["V-5", "V-4", "V-3", "V-2", "V-1"]],
    ] as const) {
      const seen: string[] = [];
      let pageToken = "";
      do {
        const paging = { pageSize: 2, orderBy, pageToken };
        const page = await call([name], { ...span, paging });
        expect(page.totalCount).toBe(5n);
        seen.push(
          ...page.resolvedVulnsReports.flatMap((one) => one.resolvedVulns.map((v) => v.id)),
        );
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      expect(seen).toEqual(ids);
    }
    const skipped = await call([name], { ...span, paging: { skip: 4 } });
    expect(skipped).toMatchObject({ totalCount: 5n, skipped: 4, nextPageToken: "" });
    expect(skipped.resolvedVulnsReports).toHaveLength(1);
    const page = await call([name], { ...span, paging: { pageSize: 2 } });
    const paging = { pageSize: 2, pageToken: page.nextPageToken };
    await expect(call([name, "other"], { ...span, paging })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
    await expect(call([name], { ...span, paging: { orderBy: "name" } })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
  });
});

describe("tags", () => {
  test("include only `latest` unless the request names others, and only while they exist", async () => {
    const { name } = await newRepo(ours.uid, ["v1"]);
    await insertFix(ours.uid, name, "A");
    expect(await resolved([name])).toEqual([]);
    expect(await resolved([name], { tags: ["v2"] })).toEqual([]);
    expect(await resolved([name], { tags: ["v2", "v1"] })).toEqual([[defaultDay, "A"]]);
  });

  test("count for a fix in a build if they pointed to that build then or later", async () => {
    const { name, uid } = await newRepo(ours.uid, ["before", "until", "since", "never"]);
    const [old, fixed, next] = [fakeDigest("old"), fakeDigest("fixed"), fakeDigest("next")];
    await insertFix(ours.uid, name, "A", { version: fixed });
    await insertMove(uid, "before", "2024-04-01T00:00:00Z", fixed);
    await insertMove(uid, "before", `${defaultDay}T12:00:00Z`, next);
    await insertMove(uid, "until", "2024-04-01T00:00:00Z", fixed);
    await insertMove(uid, "until", `${defaultDay}T12:00:00.001Z`, next);
    await insertMove(uid, "since", "2024-04-01T00:00:00Z", old);
    await insertMove(uid, "since", "2024-07-01T00:00:00Z", fixed);
    await insertMove(uid, "since", "2024-08-01T00:00:00Z", next);
    await insertMove(uid, "never", "2024-04-01T00:00:00Z", old);
    for (const [tag, found] of [
      ["before", []],
      ["until", [[defaultDay, "A"]]],
      ["since", [[defaultDay, "A"]]],
      ["never", []],
    ] as const) {
      expect(await resolved([name], { tags: [tag] }), tag).toEqual(found);
    }
  });
});

describe("a report includes only resources that the caller can see", () => {
  test("an image and an advisory of another organization are left out", async () => {
    const { name } = await newRepo(ours.uid);
    const theirs = await newOrganization();
    await insertFix(theirs.uid, name, "THEIRS");
    expect(await resolved([name])).toEqual([]);
    expect(await resolved([name], { as: theirs.owner.token })).toEqual([]);
    await insertFix(ours.uid, name, "OURS");
    expect(await resolved([name], { as: theirs.owner.token })).toEqual([]);
    expect(await resolved([name])).toEqual([[defaultDay, "OURS"]]);
  });

  test("a member of a group sees its images, with advisories in that group and above it, and in no other group", async () => {
    const team = await createResource(`/iam/v2/groups/${ours.uid}`, token, {
      name: randomName("team"),
    });
    const beside = await createResource(`/iam/v2/groups/${ours.uid}`, token, {
      name: randomName("team"),
    });
    const { name } = await newRepo(team.uid, ["latest"]);
    const outside = await newRepo(ours.uid);
    await insertFix(team.uid, name, "HERE");
    await insertFix(ours.uid, name, "ABOVE");
    await insertFix(beside.uid, name, "BESIDE");
    await insertFix(ours.uid, outside.name, "OUTSIDE");
    const member = await newIdentity(ours, "viewer", { group: team.uid });
    const seen = [[defaultDay, "ABOVE", "HERE"]];
    expect(await resolved([name, outside.name], { as: member.token })).toEqual(seen);
    expect(await resolved([name])).toEqual(seen);
  });
});

describe("a call is rejected, naming the field,", () => {
  test("if the time range ends before it starts", async () => {
    await expect(call(["x"], { from: "2024-05-02", to: defaultDay })).rejects.toThrow("end_time");
    await expect(
      call(["x"], { from: `${defaultDay}T02:00:00Z`, to: `${defaultDay}T01:00:00Z` }),
    ).rejects.toThrow("end_time");
  });

  test("if it has no time range or no image", async () => {
    const client = clientOf(SecurityAdvisoryService, token);
    const startTime = timestampFromDate(new Date(defaultDay));
    const imageRefs = [{ repo: "x" }];
    await expect(client.listResolvedVulnsReports({ imageRefs, startTime })).rejects.toThrow(
      "end_time",
    );
    await expect(
      client.listResolvedVulnsReports({ startTime, endTime: startTime }),
    ).rejects.toThrow("image_refs");
    await expect(call([""])).rejects.toThrow("image_refs[0].repo");
  });
});

test("a report takes two round trips, whatever its size", async () => {
  const { name } = await newRepo(ours.uid);
  await insertFix(ours.uid, name, "A");
  let timing = "";
  await clientOf(SecurityAdvisoryService, token).listResolvedVulnsReports(
    {
      imageRefs: Array.from({ length: 100 }, () => ({ repo: name })),
      startTime: timestampFromDate(new Date("1970-01-01")),
      endTime: timestampFromDate(new Date("2100-01-01")),
    },
    {
      onHeader(headers) {
        timing = headers.get("server-timing") ?? "";
      },
    },
  );
  expect(timing).toContain("round_trips=2");
  expect(await sql("select 1 from advisories where artifact_name = ?", name)).toHaveLength(1);
});
