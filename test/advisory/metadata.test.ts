import { describe, expect, test } from "vitest";
import { randomHex } from "../vulnerabilities/callers.ts";
import { newOrganization, randomName } from "../world/personas.ts";
import { callFeed, importRecords, metadata, osvRecordOf, publicGroup } from "./public_feed.ts";

const cve = () => `CVE-${randomHex(12)}`;

describe("the metadata of a vulnerability", () => {
  test("equals its record, under its CVE id", async () => {
    const { group, token } = await publicGroup();
    const id = cve();
    const one = osvRecordOf(randomName("pkg"), {
      aliases: ["GHSA-a", id],
      summary: "It opens",
      details: "# It\nopens 💥",
      references: [
        { type: "FIX", url: "https://example.com/fix" },
        { type: "GIT", url: "https://example.com/other" },
      ],
      severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N" }],
    });
    await importRecords(token, group, one);
    const { all, totalCount } = await metadata(`id=${id}`);
    expect(totalCount).toBe("1");
    expect(all).toEqual([
      {
        id,
        uid: expect.stringMatching(new RegExp(`^${group}/[0-9a-f]{16}$`)),
        summary: "It opens",
        details: "# It\nopens 💥",
        references: [
          { type: "TYPE_FIX", url: "https://example.com/fix" },
          { url: "https://example.com/other" },
        ],
        severities: [{ type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N" }],
        createTime: expect.any(String),
        updateTime: all[0]?.createTime,
      },
    ]);
  });

  test("appears under the GHSA id if there is no CVE id, and otherwise under the id of the record", async () => {
    const { group, token } = await publicGroup();
    const ghsa = `GHSA-${randomHex(12)}`;
    const [one, two] = [
      osvRecordOf("p", { aliases: ["X", ghsa] }),
      osvRecordOf("p", { aliases: [] }),
    ];
    await importRecords(token, group, one, two);
    expect((await metadata(`ids=${ghsa}&ids=${two.id}`)).all.map(({ id }) => id)).toEqual([
      ghsa,
      two.id,
    ]);
  });

  test("combines the records about the same vulnerability, and changes only when their contents change", async () => {
    const { group, token } = await publicGroup();
    const id = cve();
    const first = osvRecordOf("p", { aliases: [id], summary: "Short", details: "Long" });
    await importRecords(token, group, first);
    const [before] = (await metadata(`id=${id}`)).all;
    await importRecords(token, group, osvRecordOf("q", { aliases: [id], summary: "Short" }));
    expect((await metadata(`id=${id}`)).all).toEqual([before]);
    await importRecords(token, group, osvRecordOf("r", { aliases: [id], details: "Longer" }));
    const [after] = (await metadata(`id=${id}`)).all;
    expect(after).toMatchObject({ uid: before?.uid, summary: "Short", details: "Longer" });
    expect(after?.createTime).toBe(before?.createTime);
    expect(Date.parse(String(after?.updateTime))).toBeGreaterThan(
      Date.parse(String(before?.updateTime)),
    );
  });

  test.each([
    [{ summary: 1 }, "records[0].summary"],
    [{ references: [{ type: "WEB" }] }, "records[0].references[0].url"],
  ])("that reads %.40j is rejected, naming %s", async (change, field) => {
    const { group, token } = await publicGroup();
    await expect(importRecords(token, group, osvRecordOf("p", change))).rejects.toThrow(field);
  });
});

describe("vulnerabilities are listed", () => {
  test("page by page, by default in the order of their ids", async () => {
    const { group, token } = await publicGroup();
    const records = Array.from({ length: 4 }, () => osvRecordOf("p"));
    await importRecords(token, group, ...records);
    const sorted = records.map(({ aliases }) => aliases[0] ?? "").sort();
    const ids = sorted.map((id) => `ids=${id}`).join("&");
    const first = await metadata(`${ids}&page_size=3`);
    expect(first.all.map(({ id }) => id)).toEqual(sorted.slice(0, 3));
    expect(first.totalCount).toBe("4");
    const second = await metadata(`${ids}&page_size=3&page_token=${first.nextPageToken}`);
    expect(second.all.map(({ id }) => id)).toEqual(sorted.slice(3));
    const reverse = await metadata(`${ids}&order_by=id desc`);
    expect(reverse.all.map(({ id }) => id)).toEqual([...sorted].reverse());
    expect((await metadata(`${ids}&id=${sorted[1]}`)).all.map(({ id }) => id)).toEqual([sorted[1]]);
    for (const query of [`ids=a&ids=a`, `${ids}&order_by=summary`, "page_token=x"]) {
      expect((await callFeed(`metadata?${query}`)).status, query).toBe(400);
    }
  });

  test("only if they are in the public namespace, for every caller", async () => {
    const { uid, owner } = await newOrganization();
    const one = osvRecordOf("p");
    await importRecords(owner.token, uid, one);
    for (const token of [undefined, owner.token]) {
      expect((await metadata(`id=${one.aliases[0]}`, token)).all).toEqual([]);
    }
  });
});
