import type { DatabaseSync } from "node:sqlite";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import { FindingSeverity } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import {
  type ImageRequirement,
  ImageRequirementSchema,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import {
  type KnownOfImage,
  knownOfConfig,
  knownSql,
  missingOf,
  readKnown,
  settingsOf,
} from "../../../src/registry/tag_rules/requirements.ts";
import { newDatabase } from "../../cli/new_database.ts";

type Asked = Exclude<MessageInitShape<typeof ImageRequirementSchema>, ImageRequirement>;

const { UNKNOWN, NEGLIGIBLE, LOW, MEDIUM, HIGH, CRITICAL } = FindingSeverity;
const noFindings = (minSeverity: FindingSeverity, allowUnknown = false): Asked => ({
  noFindings: { minSeverity, allowUnknown },
});
const found = (worst: number, unread = 0): KnownOfImage => ({ noFindings: { worst, unread } });
/** The findings of an image that no scanner has reported about. */
const ofSbom = (worst: number) => ({ noFindings: { worst, unread: 0, isUnscanned: true } });
const label = (value: string): Asked => ({ label: { name: "team", value } });
const severity = (name: string) => `has a finding of severity ${name} with a fix`;

const signer = { issuer: "https://issuer", subject: "https://ci.example/app" };
const signedBy = (subject: string, issuer = "https://issuer"): Asked => ({
  signature: { issuer, subject },
});
const unsigned = (subject: string, issuer = "https://issuer") =>
  `has no verified signature by ${subject} of ${issuer}`;

const signing = { trustPolicyUid: "a", predicateType: "" };
const byPolicy = (predicateType = "", trustPolicyUid = "a"): Asked => ({
  signedBy: { trustPolicyUid, predicateType },
});

const rows: [Asked, KnownOfImage, missing: string | undefined][] = [
  [{}, {}, undefined],
  [{ sbom: false }, { sbom: 0 }, undefined],
  [{ sbom: true }, { sbom: 1 }, undefined],
  [signedBy("*"), { signature: [signer] }, undefined],
  [signedBy("https://ci.example/*"), { signature: [signer] }, undefined],
  [signedBy("https://ci.example"), { signature: [signer] }, unsigned("https://ci.example")],
  [signedBy("*", "https://other"), { signature: [signer] }, unsigned("*", "https://other")],
  [signedBy("*"), { signature: [] }, unsigned("*")],
  [signedBy("*"), {}, unsigned("*")],
  [byPolicy(), { signedBy: [signing] }, undefined],
  [
    byPolicy("", "a/b"),
    { signedBy: [signing] },
    "has no signature that the trust policy a/b trusts",
  ],
  [byPolicy("x"), { signedBy: [signing] }, "has no attestation x that the trust policy a trusts"],
  [byPolicy(), {}, "has no signature that the trust policy a trusts"],
  [{ sbom: true }, { sbom: 0 }, "has no SBOM"],
  [{ sbom: true }, {}, "has no SBOM"],

  [noFindings(HIGH), {}, "has no vulnerability report"],
  [noFindings(HIGH, true), {}, undefined],
  [noFindings(HIGH), found(0), undefined],
  [noFindings(HIGH), found(MEDIUM), undefined],
  [noFindings(HIGH), found(HIGH), severity("high")],
  [noFindings(HIGH, true), found(HIGH), severity("high")],
  [noFindings(HIGH), found(CRITICAL), severity("critical")],
  [noFindings(UNKNOWN), found(UNKNOWN), severity("unrated")],
  [noFindings(UNKNOWN), found(NEGLIGIBLE), severity("negligible")],
  [noFindings(UNKNOWN), found(LOW), severity("low")],
  [noFindings(UNKNOWN), found(MEDIUM), severity("medium")],
  // Of a severity that this version does not know.
  [noFindings(HIGH), found(99), severity("")],
  [noFindings(HIGH), found(LOW, MEDIUM), undefined],
  [noFindings(HIGH), found(LOW, HIGH), "has too many findings with a fix to look at each"],
  [noFindings(HIGH), found(LOW, CRITICAL), "has too many findings with a fix to look at each"],
  [noFindings(HIGH), found(HIGH, HIGH), severity("high")],
  [noFindings(HIGH), ofSbom(LOW), "has no vulnerability report"],
  [noFindings(HIGH, true), ofSbom(LOW), undefined],
  [noFindings(HIGH, true), ofSbom(HIGH), severity("high")],

  [label("a"), { label: { team: "a" } }, undefined],
  [label("a"), { label: { team: "b" } }, "has the label team with another value"],
  [label("a"), { label: { team: "" } }, "has the label team with another value"],
  [label("a"), { label: { other: "a" } }, "has no label team"],
  [label("a"), {}, "has no label team"],
  [label(""), { label: { team: "" } }, undefined],
  [label(""), {}, "has no label team"],

  // The first reason counts.
  [{ sbom: true, ...label("a") }, { sbom: 1, label: { team: "a" } }, undefined],
  [{ sbom: true, ...label("a") }, { sbom: 1 }, "has no label team"],
  [{ sbom: true, ...noFindings(HIGH), ...label("a") }, { sbom: 0 }, "has no SBOM"],
];

test.for(rows)("of %j, an image with %j lacks: %s", ([asked, known, missing]) => {
  expect(missingOf(create(ImageRequirementSchema, asked), known)).toBe(missing);
});

test("settingsOf returns what is asked", () => {
  const names = (asked: Asked) =>
    settingsOf(create(ImageRequirementSchema, asked)).map(([name]) => name);
  expect(names({})).toEqual([]);
  expect(names({ sbom: true })).toEqual(["sbom"]);
  const all = ["sbom", "noFindings", "label"];
  expect(names({ ...label(""), ...noFindings(LOW), sbom: true })).toEqual(all);
});

test("a pushed configuration says its labels", () => {
  expect(knownOfConfig({ labels: { team: "a" } })).toEqual({ label: { team: "a" } });
  expect(knownOfConfig({})).toEqual({ label: undefined });
});

describe("readKnown", () => {
  const none = { sbom: undefined, noFindings: undefined, label: undefined };
  const looked = { plain: 0, vexed: [] };
  const report = { repoName: "app", digest: "x", tags: "[]", indexes: "[]", looked, unread: null };
  test.for<[KnownOfImage, KnownOfImage]>([
    [{}, none],
    [{ sbom: null, noFindings: null, label: null }, none],
    [
      { sbom: 0, label: { team: "a" } },
      { ...none, sbom: 0, label: { team: "a" } },
    ],
    [
      { sbom: 1, noFindings: report },
      { ...none, sbom: 1, noFindings: { worst: 0, unread: 0 } },
    ],
  ])("of %j is %j", async ([json, known]) => {
    expect(await readKnown(json, "registry.example")).toEqual(known);
  });
});

/** Inserts a row with these values. The parent is generated from the uid, and other columns are empty. */
function insert(database: DatabaseSync, table: string, row: Record<string, string>): void {
  const columns = database.prepare("select * from pragma_table_info(?)").all(table);
  const names = columns.filter(({ notnull }) => notnull).map(({ name }) => String(name));
  const values = Object.entries({ ...Object.fromEntries(names.map((name) => [name, ""])), ...row });
  database
    .prepare(
      `insert into ${table} (${values.map(([name]) => name)}) values (${values.map(() => "?")})`,
    )
    .run(...values.map(([, value]) => value));
}

test("knownSql reads the SBOM and the labels of one image of one repository", () => {
  const database = newDatabase();
  const triggers = database.prepare("select name from sqlite_schema where type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`drop trigger "${name}"`);
  const [first, second] = [
    `${"0".repeat(40)}/${"1".repeat(16)}`,
    `${"0".repeat(40)}/${"2".repeat(16)}`,
  ];
  const places = [first, second].flatMap((parent) =>
    ["x", "y"].map((digest) => ({ parent, digest })),
  );
  for (const { parent, digest } of places) {
    const uid = `${parent}/${digest.repeat(16)}`;
    insert(database, "manifests", {
      uid,
      digest,
      config: JSON.stringify({ labels: { of: parent + digest } }),
    });
  }
  insert(database, "sboms", { uid: `${first}/${"3".repeat(16)}`, digest: "x" });
  const known = (repo: string, digest: string) => {
    const image = { repo: sql`${repo}`, digest: sql`${digest}`, of: sql`${digest}` };
    const select = sql`select ${knownSql(image, new Set(["sbom", "noFindings", "label", "signature"]))} as "known"`;
    const query = new SQLiteAsyncDialect().sqlToQuery(select);
    const row = database.prepare(query.sql).get(...(query.params as string[]));
    return JSON.parse(String(row?.known));
  };
  for (const { parent, digest } of places)
    expect(known(parent, digest)).toEqual({
      sbom: parent === first && digest === "x" ? 1 : 0,
      noFindings: null,
      label: { of: parent + digest },
      signature: [],
    });
  expect(known("0".repeat(40), "x")).toEqual({
    sbom: 0,
    noFindings: null,
    label: null,
    signature: [],
  });
  database.close();
});
