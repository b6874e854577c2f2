import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { GroupSchema, OrgKind } from "../../schema/gen/platform/iam/v2/groups_pb.js";
import {
  IdentitySchema,
  ServicePrincipal,
} from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { RoleSchema } from "../../schema/gen/platform/iam/v2/roles_pb.js";
import { SizeSchema } from "../../schema/gen/platform/registry/v2/images_pb.js";
import { ManifestSchema } from "../../schema/gen/platform/registry/v2/manifests_pb.js";
import {
  CatalogTier,
  ListReposResponseSchema,
  RepoSchema,
} from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { TagSchema } from "../../schema/gen/platform/registry/v2/tags_pb.js";
import { toResponseJson } from "../../src/aip/json.ts";
import { createResource, newOrganization } from "../world/personas.ts";

describe("zero values", () => {
  test("numbers and false are shown, and empty strings, lists, maps and messages are left out", () => {
    expect(toResponseJson(TagSchema, create(TagSchema))).toEqual({ deprecated: false });
    expect(toResponseJson(RepoSchema, create(RepoSchema))).toEqual({});
    expect(toResponseJson(GroupSchema, create(GroupSchema))).toEqual({
      verified: false,
      keysDisabled: false,
    });
    expect(toResponseJson(SizeSchema, create(SizeSchema))).toEqual({ size: "0" });
  });

  test("the last page of a list has no nextPageToken, and totalCount is shown if it was counted", () => {
    expect(toResponseJson(ListReposResponseSchema, create(ListReposResponseSchema))).toEqual({
      skipped: 0,
    });
    expect(
      toResponseJson(ListReposResponseSchema, create(ListReposResponseSchema, { totalCount: 0n })),
    ).toEqual({ skipped: 0, totalCount: "0" });
  });
});

describe("values", () => {
  test("int64 is a string, also beyond the precision of a double", () => {
    const size = 9007199254740993n;
    expect(toResponseJson(SizeSchema, create(SizeSchema, { size }))).toEqual({
      size: "9007199254740993",
    });
  });

  test("times are RFC 3339 in UTC, always with milliseconds", () => {
    const json = (milliseconds: number) =>
      toResponseJson(
        TagSchema,
        create(TagSchema, { updateTime: timestampFromMs(milliseconds) }),
      ) as Record<string, unknown>;
    expect(json(Date.UTC(2026, 0, 28, 12, 54, 21, 189)).updateTime).toBe(
      "2026-01-28T12:54:21.189Z",
    );
    expect(json(Date.UTC(2026, 0, 28)).updateTime).toBe("2026-01-28T00:00:00.000Z");
    expect(json(1).updateTime).toBe("1970-01-01T00:00:00.001Z");
  });

  test("enums are names, in lists and oneofs too, and an unknown number stays a number", () => {
    const role = create(RoleSchema, {
      capabilities: [Capability.CAP_REPO_LIST, 99999 as Capability],
    });
    expect(toResponseJson(RoleSchema, role)).toEqual({ capabilities: ["CAP_REPO_LIST", 99999] });
    const group = create(GroupSchema, { kind: OrgKind.DEV, resourceLimits: { idps: 0 } });
    expect(toResponseJson(GroupSchema, group)).toEqual({
      kind: "ORG_KIND_DEV",
      verified: false,
      keysDisabled: false,
      resourceLimits: { idps: 0 },
    });
    const bot = create(IdentitySchema, {
      relationship: { case: "servicePrincipal", value: ServicePrincipal.INGESTER },
    });
    expect(toResponseJson(IdentitySchema, bot)).toHaveProperty("servicePrincipal");
    const repo = create(RepoSchema, { catalogTier: CatalogTier.AI });
    expect(toResponseJson(RepoSchema, repo)).toEqual({ catalogTier: "CATALOG_TIER_AI" });
  });

  test("bytes are written as base64", () => {
    const manifest = create(ManifestSchema, { content: new Uint8Array([251, 255, 0]) });
    expect(toResponseJson(ManifestSchema, manifest)).toMatchObject({ content: "+/8A" });
  });

  test("sync_config keeps its name, and its members are camelCase", () => {
    const repo = create(RepoSchema, { syncConfig: { source: "s", apkoOverlay: "o" } });
    expect(toResponseJson(RepoSchema, repo)).toEqual({
      sync_config: { source: "s", uniqueTags: false, gracePeriod: false, apkoOverlay: "o" },
    });
  });
});

test("over the wire, keys are camelCase and times have milliseconds", async () => {
  const { uid, owner } = await newOrganization();
  const identity = await createResource(`/iam/v2/identities/${uid}`, owner.token, {
    name: "ci",
    claim_match: { issuer: "https://i.example", subject: "s" },
  });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(identity).toEqual({
    uid: expect.stringMatching(new RegExp(`^${uid}/[0-9a-f]{16}$`)),
    name: "ci",
    claimMatch: { issuer: "https://i.example", subject: "s" },
    lastSeenTime: time,
    createTime: time,
    updateTime: time,
    etag: expect.stringMatching(/^"Identity-/),
  });
});
