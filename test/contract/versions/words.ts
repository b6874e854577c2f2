/**
 * Converts the terms of version 1 to those of version 2. It follows the contract, and not the code in src.
 */
import type { JsonValue } from "@bufbuild/protobuf";
import { CapabilitySchema } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { capabilityName } from "../../../schema/options.ts";

export type JsonRow = Record<string, JsonValue>;

const enumNames = new Map(
  CapabilitySchema.values.map((value) => [capabilityName(value), value.name]),
);

const renamed =
  (names: Record<string, string>) =>
  (row: JsonRow): JsonRow =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [names[key] ?? key, value]));

export const withUid = renamed({ id: "uid" });

const role = ({ capabilities = [], ...row }: JsonRow): JsonRow => ({
  ...withUid(row),
  capabilities: (capabilities as string[]).map((one) => enumNames.get(one) ?? one),
});

/** The identification of a hydrated resource, if the versions share no more fields. */
export const summaryRow = ({ uid = "", name = "", description = "" }: JsonRow): JsonRow => ({
  uid,
  name,
  description,
});

const overlay = ({ accounts, ...row }: JsonRow): JsonRow => {
  if (!accounts) return row;
  const { users = [], groups = [], ...rest } = accounts as JsonRow;
  const user = renamed({ userName: "username" });
  const group = renamed({ groupName: "groupname" });
  return {
    ...row,
    accounts: {
      ...rest,
      users: (users as JsonRow[]).map(user),
      groups: (groups as JsonRow[]).map(group),
    },
  };
};

const repo = ({ catalogTier, customOverlay, readme: _, ...row }: JsonRow): JsonRow => ({
  ...withUid(row),
  ...(catalogTier ? { catalogTier: `CATALOG_TIER_${catalogTier}` } : {}),
  ...(customOverlay ? { customOverlay: overlay(customOverlay as JsonRow) } : {}),
});

const identity = renamed({ id: "uid", static: "staticKeys" });

/** A binding with the names of its parts. Version 2 shows the complete parts. */
const flat = ({
  id = "",
  identity: bound = "",
  role: given = "",
  group = "",
}: JsonRow): JsonRow => ({
  ...{ uid: id, identity: bound, role: given, group },
});
const shown = (row: JsonRow): JsonRow => {
  const of = (key: string) => (row[key] as JsonRow | undefined)?.uid ?? "";
  return { uid: row.uid ?? "", identity: of("identity"), role: of("role"), group: of("group") };
};
const each = (key: string, one: (row: JsonRow) => JsonRow) => (row: JsonRow) => ({
  [key]: ((row[key] ?? []) as JsonRow[]).map(one),
});

/** The key of an invite is as random as its code. */
const invite = ({ keyId: _, code: __, role: given, ...row }: JsonRow): JsonRow => ({
  ...withUid(row),
  ...(given ? { role: summaryRow(withUid(given as JsonRow)) } : {}),
});
/** An invite in the form of a List of version 2, with the fields that version 1 has. */
export const listedInvite = ({
  keyId: _,
  code: __,
  roleUid: ___,
  role: given,
  ...row
}: JsonRow): JsonRow => ({
  ...row,
  ...(given ? { role: summaryRow(given as JsonRow) } : {}),
});

const association = renamed({ group: "uid" });
const mapping = renamed({
  id: "uid",
  identityProviderUidp: "identityProviderUid",
  roleUidp: "roleUid",
});

/** By the name of the version 1 message. */
const inV2: Record<string, (row: JsonRow) => JsonRow> = {
  "platform.iam.Group": withUid,
  "platform.iam.Role": role,
  "platform.iam.Identity": identity,
  "platform.iam.RoleBinding": flat,
  "platform.iam.RoleBindingBatch": each("roleBindings", flat),
  "platform.iam.GroupInvite": invite,
  "platform.iam.StoredGroupInvite": invite,
  "platform.iam.AccountAssociations": association,
  "platform.iam.DeleteAccountAssociationsRequest": association,
  "platform.iam.ExternalGroupRoleMapping": mapping,
  "platform.iam.IdentityProvider": withUid,
  "platform.iam.GenerateScimTokenResponse": renamed({
    identityProviderId: "identityProviderUid",
  }),
  "platform.registry.Repo": repo,
};

/** The fields of version 2 that version 1 has as well. */
const inBoth: Record<string, (row: JsonRow) => JsonRow> = {
  "platform.iam.v2.Group": ({ keysDisabled: _, ...row }) => row,
  "platform.iam.v2.RoleBinding": shown,
  "platform.iam.v2.BatchCreateRoleBindingsResponse": each("roleBindings", shown),
  // In version 1 a new invite does not contain its address.
  "platform.iam.v2.GroupInvite": ({ email: _, singleUse: __, ...row }) => listedInvite(row),
};

/** A message in the terms of version 2, with only the fields that both versions have. */
export function toVersion2Words(type: string, row: JsonRow): JsonRow {
  const isV2 = /\.v2\.[A-Za-z]+$/.test(type);
  return isV2 ? (inBoth[type]?.(row) ?? row) : (inV2[type] ?? withUid)(row);
}

/** Members that differ in every call. */
const passing = /^(code|keyId|token|secret|etag)$|(Time|At|lastSeen|lastUpdated|expiration)$/;

/** A value without times, secrets and empty members, with its members in one order. */
export function withoutVolatile(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !passing.test(key) && !/^(""|\[\]|\{\}|null)$/.test(JSON.stringify(inner)),
  );
  return Object.fromEntries(
    kept.map(([key, inner]): [string, JsonValue] => [key, withoutVolatile(inner)]).sort(),
  );
}
