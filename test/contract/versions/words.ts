/** What version 1 says, in the words of version 2: written from the contract, not from src. */
import type { JsonValue } from "@bufbuild/protobuf";
import { CapabilitySchema } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { capabilityName } from "../../../schema/options.ts";

export type Row = Record<string, JsonValue>;

const enumNames = new Map(
  CapabilitySchema.values.map((value) => [capabilityName(value), value.name]),
);

const renamed =
  (names: Record<string, string>) =>
  (row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [names[key] ?? key, value]));

export const withUid = renamed({ id: "uid" });

const role = ({ capabilities = [], ...row }: Row): Row => ({
  ...withUid(row),
  capabilities: (capabilities as string[]).map((one) => enumNames.get(one) ?? one),
});

/** What a hydrated resource is told by, wherever the versions agree on no more. */
export const summary = ({ uid = "", name = "", description = "" }: Row): Row => ({
  uid,
  name,
  description,
});

const overlay = ({ accounts, ...row }: Row): Row => {
  if (!accounts) return row;
  const { users = [], groups = [], ...rest } = accounts as Row;
  const user = renamed({ userName: "username" });
  const group = renamed({ groupName: "groupname" });
  return {
    ...row,
    accounts: {
      ...rest,
      users: (users as Row[]).map(user),
      groups: (groups as Row[]).map(group),
    },
  };
};

const repo = ({ catalogTier, customOverlay, readme: _, ...row }: Row): Row => ({
  ...withUid(row),
  ...(catalogTier ? { catalogTier: `CATALOG_TIER_${catalogTier}` } : {}),
  ...(customOverlay ? { customOverlay: overlay(customOverlay as Row) } : {}),
});

const identity = renamed({ id: "uid", static: "staticKeys" });

/** A binding that names what it binds. Version 2 shows them whole. */
const flat = ({ id = "", identity: bound = "", role: given = "", group = "" }: Row): Row => ({
  ...{ uid: id, identity: bound, role: given, group },
});
const shown = (row: Row): Row => {
  const of = (key: string) => (row[key] as Row | undefined)?.uid ?? "";
  return { uid: row.uid ?? "", identity: of("identity"), role: of("role"), group: of("group") };
};
const each = (key: string, one: (row: Row) => Row) => (row: Row) => ({
  [key]: ((row[key] ?? []) as Row[]).map(one),
});

/** The key of an invite's code is as random as the code. */
const invite = ({ keyId: _, code: __, role: given, ...row }: Row): Row => ({
  ...withUid(row),
  ...(given ? { role: summary(withUid(given as Row)) } : {}),
});
/** An invite as a List of version 2 shows it, as far as that of version 1 does. */
export const listedInvite = ({
  keyId: _,
  code: __,
  roleUid: ___,
  role: given,
  ...row
}: Row): Row => ({
  ...row,
  ...(given ? { role: summary(given as Row) } : {}),
});

const association = renamed({ group: "uid" });
const mapping = renamed({
  id: "uid",
  identityProviderUidp: "identityProviderUid",
  roleUidp: "roleUid",
});

/** By the name of the message of version 1. */
const inV2: Record<string, (row: Row) => Row> = {
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

/** Of messages of version 2, what version 1 tells as well. */
const inBoth: Record<string, (row: Row) => Row> = {
  "platform.iam.v2.RoleBinding": shown,
  "platform.iam.v2.BatchCreateRoleBindingsResponse": each("roleBindings", shown),
  // A new invite does not tell in version 1 whom it is for.
  "platform.iam.v2.GroupInvite": ({ email: _, singleUse: __, ...row }) => listedInvite(row),
};

/** A message in the words of version 2, as far as both versions tell it. */
export function translated(type: string, row: Row): Row {
  const isV2 = /\.v2\.[A-Za-z]+$/.test(type);
  return isV2 ? (inBoth[type]?.(row) ?? row) : (inV2[type] ?? withUid)(row);
}

/** Members that differ from call to call. */
const passing = /^(code|keyId|token|etag)$|(Time|At|lastSeen|lastUpdated|expiration)$/;

/** A value without times, secrets and what is empty, its members in one order. */
export function plain(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !passing.test(key) && !/^(""|\[\]|\{\}|null)$/.test(JSON.stringify(inner)),
  );
  return Object.fromEntries(
    kept.map(([key, inner]): [string, JsonValue] => [key, plain(inner)]).sort(),
  );
}
