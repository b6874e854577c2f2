/** Steps about groups, roles and identities. */
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { deletion, mostlyValid, name, ref, step, text } from "./step.ts";

/** A day on which keys may still end. */
const nextMonth = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;

/** The names of capabilities in version 1 and version 2. */
const capabilities = mostlyValid(
  fc.constantFrom<{ v1: string[]; v2: string[] }>(
    { v1: ["repo.list"], v2: ["CAP_REPO_LIST"] },
    { v1: ["repo.list", "tag.list"], v2: ["CAP_REPO_LIST", "CAP_TAG_LIST"] },
  ),
  { v1: ["internal"], v2: ["CAP_INTERNAL"] },
  { v1: [], v2: [] },
);

export const groupSteps = [
  step("create group", "group", fc.record({ ref, name, description: text }), (given, uid) => {
    const { name, description } = given;
    const request = { parent: uid("group", given.ref), group: { name, description } };
    return {
      v1: { rpc: "iam.Groups/Create", request },
      v2: { rpc: "GroupsService/CreateGroup", request },
      names: {},
      makes: "group",
    };
  }),
  step("replace group", "group", fc.record({ ref, name, description: text }), (given, uid) => {
    const { name, description } = given;
    const id = uid("group", given.ref);
    const group = { uid: id, name, description };
    return {
      v1: { rpc: "iam.Groups/Update", request: { id, name, description } },
      v2: { rpc: "GroupsService/UpdateGroup", request: { group, updateMask: "*" } },
      names: { id: "uid" },
    };
  }),
  deletion("group", "iam.Groups/Delete", "GroupsService/DeleteGroup"),
];

export const roleSteps = [
  step(
    "create role",
    "role",
    fc.record({ ref, name, description: text, capabilities }),
    (given, uid) => {
      const { name, description, capabilities: held } = given;
      const parent = uid("group", given.ref);
      const role = { name, description };
      return {
        v1: {
          rpc: "iam.Roles/Create",
          request: { parentId: parent, role: { ...role, capabilities: held.v1 } },
        },
        v2: {
          rpc: "RolesService/CreateRole",
          request: { parent, role: { ...role, capabilities: held.v2 } },
        },
        names: { parent_id: "parent" },
        makes: "role",
      };
    },
  ),
  step(
    "replace role",
    "role",
    fc.record({ ref, name, description: text, capabilities }),
    (given, uid) => {
      const { name, description, capabilities: held } = given;
      const id = uid("role", given.ref);
      const role = { uid: id, name, description, capabilities: held.v2 };
      return {
        v1: {
          rpc: "iam.Roles/Update",
          request: { id, name, description, capabilities: held.v1 },
        },
        v2: { rpc: "RolesService/UpdateRole", request: { role, updateMask: "*" } },
        names: { id: "uid" },
      };
    },
  ),
  deletion("role", "iam.Roles/Delete", "RolesService/DeleteRole"),
];

const keys = JSON.stringify({
  keys: [
    {
      ...{ kty: "EC", crv: "P-256", kid: "one", alg: "ES256" },
      x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
      y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    },
  ],
});

const identityNames = { static: "static_keys", "static.expiration": "static_keys.expiration_time" };

/** The fields that identify an identity, in the terms of both versions. */
const match = mostlyValid<{ v1: JsonObject; v2: JsonObject }>(
  fc.constantFrom<{ v1: JsonObject; v2: JsonObject }>(
    ...[
      {},
      { claimMatch: { issuer: "https://issuer.example", subject: "repo:a/b" } },
      { claimMatch: { issuer: "https://issuer.example", subjectPattern: "repo:.*" } },
      { awsIdentity: { awsAccount: "123456789012", arn: "arn:aws:iam::123456789012:role/a" } },
    ].map((both) => ({ v1: both, v2: both })),
    ...[{ issuer: "https://keys.example", subject: "a", issuerKeys: keys }].map((one) => ({
      v1: { static: { ...one, expiration: nextMonth } },
      v2: { staticKeys: { ...one, expirationTime: nextMonth } },
    })),
  ),
  ...[{ claimMatch: { issuer: "not an address", subject: "a" } }].map((both) => ({
    v1: both,
    v2: both,
  })),
);

export const identitySteps = [
  step(
    "create identity",
    "identity",
    fc.record({ ref, name, description: text, match }),
    (given, uid) => {
      const { name, description } = given;
      const parent = uid("group", given.ref);
      const [one, two] = [given.match.v1, given.match.v2].map((matched) => ({
        ...{ name, description },
        ...matched,
      }));
      return {
        v1: { rpc: "iam.Identities/Create", request: { parentId: parent, identity: one ?? {} } },
        v2: { rpc: "IdentitiesService/CreateIdentity", request: { parent, identity: two ?? {} } },
        names: { parent_id: "parent" },
        makes: "identity",
      };
    },
  ),
  step(
    "replace identity",
    "identity",
    fc.record({ ref, name, description: text, match }),
    (given, uid) => {
      const { name, description } = given;
      const id = uid("identity", given.ref);
      const rest = { name, description };
      return {
        v1: { rpc: "iam.Identities/Update", request: { id, ...rest, ...given.match.v1 } },
        v2: {
          rpc: "IdentitiesService/UpdateIdentity",
          request: { identity: { uid: id, ...rest, ...given.match.v2 }, updateMask: "*" },
        },
        names: { ...identityNames, id: "uid" },
      };
    },
  ),
  deletion("identity", "iam.Identities/Delete", "IdentitiesService/DeleteIdentity"),
];
