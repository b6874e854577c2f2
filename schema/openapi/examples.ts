/** Examples of responses and bodies, by the names of their schemas. A test checks each against its schema. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { exampleEtag } from "./etags.ts";
import type { Schema } from "./form.ts";
import { sample } from "./sample.ts";

const { organization, repo, digest } = sample;

const times = {
  createTime: "2026-01-28T12:54:21.189Z",
  updateTime: "2026-03-02T08:10:45.002Z",
};

const identity = `${organization}/1f2e3d4c5b6a7980`;
const provider = `${organization}/5a4b3c2d1e0f9687`;
const viewer = "fb8cf4f24fcd591a8e895de6931ca2bca2198e6b";
const claimMatch = {
  issuer: "https://token.actions.githubusercontent.com",
  subject: "repo:example/app:ref:refs/heads/main",
};

const resolvedOnOneDay = (type: string): JsonObject => ({
  date: "2026-03-02T00:00:00.000Z",
  resolvedVulns: [
    {
      id: "CVE-2026-1234",
      aliases: ["GHSA-5233-33v8-rxhh"],
      cvssSeverities: [{ type, score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" }],
    },
  ],
});

/**
 * Resources and other messages in responses. The example of a body contains the fields that the body takes.
 */
const answers: Record<string, JsonObject> = {
  Group: {
    uid: organization,
    name: "example.com",
    verified: true,
    ...times,
    kind: "ORG_KIND_CUSTOMER",
    status: "ORG_STATUS_READY",
    keysDisabled: false,
  },
  Identity: {
    uid: identity,
    name: "ci-bot",
    description: "Builds of the app",
    claimMatch,
    lastSeenTime: times.updateTime,
    ...times,
  },
  Role: {
    uid: `${organization}/2c3d4e5f60718293`,
    name: "release-manager",
    description: "Reads the registry and moves tags",
    capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST", "CAP_TAG_CREATE", "CAP_TAG_UPDATE"],
    ...times,
  },
  RoleBinding: {
    uid: `${organization}/3d4e5f6071829304`,
    identity: { uid: identity, name: "ci-bot", ...claimMatch },
    group: { uid: organization, name: "example.com" },
    role: { uid: viewer, name: "viewer", description: "Reads everything and pulls images." },
    ...times,
  },
  IdentityProvider: {
    uid: provider,
    name: "corp",
    description: "Sign-in of the company",
    ...times,
    oidc: {
      issuer: "https://idp.example.com",
      clientId: "platform",
      additionalScopes: ["email"],
      pkceEnabled: true,
    },
    defaultRole: viewer,
  },
  ExternalGroupRoleMapping: {
    uid: `${provider}/6b5c4d3e2f102938`,
    externalGroupId: "developers",
    roleUid: viewer,
    scope: organization,
    ...times,
  },
  AccountAssociation: {
    uid: organization,
    name: "clouds",
    ...times,
    amazon: { account: "123456789012" },
  },
  GroupInvite: {
    uid: `${organization}/7c8d9e0f1a2b3c4d`,
    roleUid: viewer,
    email: "ann@example.com",
    singleUse: true,
    ...times,
    expirationTime: "2026-02-04T12:54:21.189Z",
  },
  Key: {
    uid: `${identity}/9a8b7c6d5e4f3021`,
    name: "old-build-server",
    scopes: [repo],
    actions: ["pull"],
    networks: ["192.0.2.0/24"],
    creatorUid: identity,
    createTime: times.createTime,
    updateTime: times.createTime,
  },
  Repo: { uid: repo, name: "python", description: "Python, as we build it", ...times },
  ImageHold: {
    uid: `${repo}/5c1e8f0a4b7d2936`,
    name: "apps/prod.lock",
    digests: [digest],
    ...times,
  },
  ExpiryPlan: {
    uid: `${repo}/3b9d2e7f6a1c4850`,
    state: "EXPIRY_PLAN_STATE_READY",
    ...{ daily: false, needsApproval: false, truncated: false },
    creatorUid: identity,
    creator: "ci-bot",
    tagCount: 1,
    manifestCount: 1,
    bytes: "48211034",
    ...{ deletedCount: 0, leftCount: 0, restoredCount: 0 },
    description: "Builds of closed pull requests",
    ...times,
  },
  ExpiryPlanItem: {
    tag: "pr-17",
    digest,
    tagRuleUid: `${organization}/0f3a9c2b7d1e4f58`,
    tagRule: "builds",
    reason: "it has not moved since 2025-11-30",
    bytes: "0",
    outcome: "EXPIRY_OUTCOME_PLANNED",
  },
  TagRule: {
    uid: `${organization}/0f3a9c2b7d1e4f58`,
    name: "releases",
    description: "A release stays as it is",
    includeTags: ["v*"],
    excludeTags: ["*-rc*"],
    keep: { writeOnce: true },
    ...times,
  },
  TrustPolicy: {
    uid: `${organization}/4d7a1f0c9e2b5836`,
    name: "release-key",
    description: "The key of our releases",
    publicKeys: [
      "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWjpoDcQ6R50gzfMk6FgdIQ19byzS\nQAkkcxh2jcfPCZpl47s0NVlphxZo0n3A+7rntOmAnBSQ1tUezdjNONW3Og==\n-----END PUBLIC KEY-----\n",
    ],
    signVerdicts: true,
    ...times,
  },
  RepoReadme: { uid: repo, content: "# Python\n\nAs we build it.", ...times },
  Tag: {
    uid: `${repo}/01c8536f2f95dd83`,
    name: "latest",
    digest,
    ...times,
    deprecated: false,
  },
  Advisory: {
    uid: `${organization}/130e0f2667c231e9`,
    advisoryId: "PYSEC-2024-28",
    createTime: "2024-02-06T22:16:00.000Z",
    updateTime: "2024-02-07T00:25:46.826Z",
    author: "osv",
    artifactName: "django",
    artifactType: "library",
    artifactArchitecture: "noarch",
    componentName: "django",
    componentLocation: "pkg:pypi/django",
    componentType: "python",
    aliases: ["CVE-2024-24680"],
    events: [
      {
        uid: `${organization}/130e0f2667c231e9/0c19d05f0657313c`,
        createTime: "2024-02-06T22:16:00.000Z",
        author: "osv",
        reviewState: "REVIEW_STATE_APPROVED",
        fixed: { fixedVersion: "5.0.2", note: "ECOSYSTEM range from 5.0" },
        updateTime: "2024-02-06T22:16:00.000Z",
      },
    ],
  },
  PublicResolvedVulnsReport: resolvedOnOneDay("TYPE_CVSS_V3"),
  PublicResolvedVulnsReportListV1: { items: [resolvedOnOneDay("CVSS_V3")] },
  Artifact: {
    uid: "7a074b01a7f2dd6b9a4b5446f878ca74482b561d",
    name: "aiohttp",
    ecosystem: "ECOSYSTEM_PYTHON",
    latestVersion: "4.0.0a1",
    versionCount: 231,
    createTime: "2022-06-23T17:15:00.000Z",
    updateTime: "2024-02-16T13:47:54.655Z",
  },
  Subscription: {
    uid: `${organization}/8d9e0f1a2b3c4d5e`,
    sink: "https://hooks.example.com/events",
    disabled: false,
    ...times,
  },
  Event: {
    uid: `${organization}/7c6b5a4938271605`,
    id: "01971268-e1e1-458f-8c1a-7c6b5a493827",
    type: "dev.vendor.api.platform.registry.tag.created.v1",
    source: "https://api.example.com/registry/v2/tags",
    subject: `${organization}/5d3a1c0b9e8f7a64/0c1d2e3f4a5b6c7d`,
    group: organization,
    createTime: "2026-01-28T13:54:20.950Z",
    actor: { subject: identity, act: { iss: "https://issuer.example", sub: "repo:a/b" } },
    bodyType: "platform.registry.v2.Tag",
    body: { uid: `${organization}/5d3a1c0b9e8f7a64/0c1d2e3f4a5b6c7d`, name: "3.12", digest },
    requestId: "5c1f0e8a-2b7d-4d19-9a36-7e4c8b21f0d3",
    address: "203.0.113.7",
    repoUid: `${organization}/5d3a1c0b9e8f7a64`,
    tag: "3.12",
    digest,
  },
  Delivery: {
    uid: `${organization}/8d9e0f1a2b3c4d5e/1f2e3d4c5b6a7988`,
    eventId: "01971268-e1e1-458f-8c1a-24e4107d5fda",
    eventType: "dev.vendor.api.platform.registry.tag.created.v1",
    eventSubject: `${organization}/5d3a1c0b9e8f7a64/0c1d2e3f4a5b6c7d`,
    state: "DELIVERY_STATE_DELIVERED",
    attempts: [
      { attemptTime: "2026-01-28T13:54:21.000Z", latency: "0.081s", status: 200, response: "ok" },
    ],
    endTime: "2026-01-28T13:54:21.090Z",
    createTime: "2026-01-28T13:54:20.950Z",
  },
  PingResponse: { response: "pong" },
  RawToken: {
    token: "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiI0NWEwYzYxZSJ9.c2lnbmF0dXJl",
    expiry: "2026-01-28T13:54:21.000Z",
  },
};

/** Bodies that are not a part of a response. */
const bodies: Record<string, JsonValue> = {
  RoleBindingInput: { identityUid: identity, roleUid: viewer },
  GroupInviteInput: { roleUid: viewer, ttl: "604800s", email: "ann@example.com", singleUse: true },
  GroupInvitePatch: { singleUse: false },
  GroupPatch: { description: "Everything we ship" },
  IdentityPatch: { description: "Builds of the app" },
  RepoPatch: { description: "Python, as we build it" },
  AcceptGroupInviteRequest: { code: "x4vVZy0b8sQyK1nJmT7uRg" },
  AcceptTermsRequest: { documentIds: ["sfdpa.v1"] },
};

/** The fields of a page in addition to its rows. */
const envelope: JsonObject = {
  nextPageToken: "eyJhbGciOiJIUzI1NiJ9.eyJjdXJzb3IiOnt9fQ.c2lnbmF0dXJl",
  totalCount: "6",
  skipped: 0,
};

const nameIn = (schema: Schema) =>
  typeof schema.$ref === "string" ? schema.$ref.replace(/^.*\//, "") : "";

type Components = Record<string, Schema>;

/** Returns the name in the example of a resource, by the name of its message. */
export const exampleNameOf = (kind: string): string => String(answers[kind]?.name ?? ownName(kind));

/** Returns `my-webhook` for a Webhook. */
const ownName = (kind: string) =>
  `my${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * Returns an example of a resource: its own example above, or one with the fields of every standard resource.
 * Returns undefined for other messages, and for a resource that requires any other field.
 */
function resourceExample(name: string, components: Components): JsonObject | undefined {
  const properties = propertiesOf(components[name]);
  const example = answers[name] ?? standardExample(name, properties, components);
  const { uid, updateTime } = example ?? {};
  if (!("etag" in properties) || typeof uid !== "string") return example;
  return { ...example, etag: exampleEtag(name, uid, String(updateTime)) };
}

function standardExample(
  name: string,
  properties: JsonObject,
  components: Components,
): JsonObject | undefined {
  const standard: JsonObject = {
    uid: `${organization}/9e0f1a2b3c4d5e6f`,
    name: ownName(name),
    description: `The purpose of ${ownName(name).replaceAll("-", " ")}`,
    ...times,
  };
  const needed = ["uid", "name", ...Object.keys(times)];
  const required = (components[name]?.required ?? []) as string[];
  if (!needed.every((key) => key in properties)) return undefined;
  if (!required.every((key) => key in standard)) return undefined;
  return Object.fromEntries(Object.entries(standard).filter(([key]) => key in properties));
}

const propertiesOf = (schema: Schema | undefined) => (schema?.properties ?? {}) as JsonObject;

/** Returns a response with this schema, if there is an example: a resource, or a page of resources. */
export function answerExample(schema: Schema, components: Components): JsonObject | undefined {
  const name = nameIn(schema);
  const own = resourceExample(name, components);
  if (own) return own;
  const properties = propertiesOf(components[name]);
  const [rows = ""] = Object.keys(properties).filter((key) => {
    const { type, items } = properties[key] as Schema;
    return type === "array" && resourceExample(nameIn((items ?? {}) as Schema), components);
  });
  if (rows === "" || !("nextPageToken" in properties)) return undefined;
  const { items } = properties[rows] as { items: Schema };
  const paging = Object.entries(envelope).filter(([key]) => key in properties);
  return {
    [rows]: [resourceExample(nameIn(items), components) ?? {}],
    ...Object.fromEntries(paging),
  };
}

/**
 * Returns a body with this schema, if there is an example: its own, or the fields that it takes from its
 * resource.
 */
export function bodyExample(schema: Schema, components: Components): JsonValue | undefined {
  const name = nameIn(schema);
  if (name in bodies) return bodies[name];
  const resource = resourceExample(name.replace(/(Input|Patch)$/, ""), components);
  if (!resource) return undefined;
  const taken = Object.keys(propertiesOf(components[name])).filter((key) => key in resource);
  return Object.fromEntries(taken.map((key) => [key, resource[key] as JsonValue]));
}

/** Example values of query parameters whose schemas do not make their form clear, by name. */
const parameters: Record<string, JsonValue> = {
  imageRefs: ["example.com/python:3.12", '{"repo":"python","tags":["3.12","latest"]}'],
  references: ["python:3.12", '{"repo":"python"}'],
  items: [`{"imageDigest":"${digest}"}`],
};

/** Returns an example value of the query parameter with that name, if there is one. */
export const parameterExample = (name: string): JsonValue | undefined => parameters[name];
