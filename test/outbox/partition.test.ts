/** Where events belong, and which of them keep their order. */
import { describe, expect, test } from "vitest";
import { locationOf, partitionOf } from "../../src/outbox/partition.ts";

const org = "a".repeat(40);
const group = `${org}/${"1".repeat(16)}`;
const repo = `${group}/${"2".repeat(16)}`;
const tag = `${repo}/${"3".repeat(16)}`;
const provider = `${group}/${"4".repeat(16)}`;

const draft = (type: string, subject: string, more: object = {}) => ({
  ...{ type, subject, group: org },
  ...more,
});

describe("an event happened in", () => {
  test("its group", () => {
    expect(locationOf(draft("api.iam.identity.created.v1", `${org}/1`))).toBe(org);
  });

  test("the group of its repository, although the group of a tag is the organization", () => {
    const moved = draft("api.platform.registry.tag.created.v1", tag, { image: { repo } });
    expect(locationOf(moved)).toBe(group);
  });

  test("the group of its identity provider, although the group of a role mapping is the organization", () => {
    const extensions = { identityprovider: provider };
    const mapped = draft("api.iam.external_group_role_mappings.created.v1", `${provider}/1`, {
      extensions,
    });
    expect(locationOf(mapped)).toBe(group);
  });

  test("no group, if it is the deletion of an organization", () => {
    expect(locationOf({ type: "api.iam.group.deleted.v1", subject: org, group: "/" })).toBe("/");
  });
});

describe("the order of events is kept", () => {
  const partition = (type: string, subject: string, more: object = {}) =>
    partitionOf(draft(type, subject, more));

  test("for each resource, and not between two of them", () => {
    const [created, updated] = ["created", "updated"].map((what) =>
      partition(`api.iam.identity.${what}.v1`, `${org}/1`),
    );
    expect(created).toEqual(updated);
    expect(created).toEqual({ pool: `${org}/1`, partition: `${org}/1` });
    expect(partition("api.iam.identity.created.v1", `${org}/2`)).not.toEqual(created);
  });

  test.each([
    ["api.platform.registry.tag.", "created.v1", tag, { image: { repo } }, repo],
    ["api.vulnerabilities.advisory.", "updated.v1", `${org}/1`, {}, org],
    ["api.iam.rolebindings.", "created.v1", `${org}/1`, {}, org],
    [
      "api.iam.external_group_role_mappings.",
      "deleted.v1",
      `${provider}/1`,
      { extensions: { identityprovider: provider } },
      provider,
    ],
  ])("between events of many resources and of one: %s", (family, type, subject, more, parent) => {
    const one = partition(family + type, subject, more);
    const other = partition(family + type, `${subject}0`, more);
    const many = partition(`${family}changed.batch.v1`, "any", more);
    expect([one.partition, other.partition, many.partition]).toEqual([subject, `${subject}0`, ""]);
    const pool = family + parent;
    expect([one.pool, other.pool, many.pool]).toEqual([pool, pool, pool]);
  });

  test("for each vulnerability of an image, and between all of them and an event about several", () => {
    const of = (type: string, extensions: object) =>
      partition(`api.platform.registry.image.${type}`, `${repo}/1`, { extensions });
    const severity = "high";
    const pool = `${repo}/1`;
    expect(of("affected.v1", { vulnerability: "CVE-1", severity })).toEqual({
      ...{ pool, partition: `${pool} CVE-1` },
    });
    for (const type of ["affected.summary.v1", "still_affected.v1"])
      expect(of(type, { severity })).toEqual({ pool, partition: "" });
    expect(of("verified.v1", {})).toEqual({ pool, partition: pool });
  });

  test("separately in each repository", () => {
    const elsewhere = { image: { repo: `${repo}0` } };
    const here = partition("api.platform.registry.tag.created.v1", tag, { image: { repo } });
    expect(partition("api.platform.registry.tag.created.v1", tag, elsewhere).pool).not.toBe(
      here.pool,
    );
  });
});
