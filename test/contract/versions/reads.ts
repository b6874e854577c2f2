/** Lists of both versions for the resources that steps create. */
import type { StepKind } from "./step.ts";
import { type JsonRow, listedInvite, summaryRow, toVersion2Words, withUid } from "./words.ts";

/** One List in both versions. */
export interface Read {
  v1: string;
  v2: string;
  /** The array in the response of version 2. */
  key: string;
  /** A row of version 1 in the terms of version 2. */
  translate: (row: JsonRow) => JsonRow;
  /** A row of version 2 without the fields that version 1 does not have. */
  known: (row: JsonRow) => JsonRow;
  /** The List of version 1 has no `uidp`: it covers everything in the caller's reach. */
  unscoped?: boolean;
}

const of = (message: string, messageV2: string) => ({
  translate: (row: JsonRow) => toVersion2Words(`platform.${message}`, row),
  known: (row: JsonRow) => toVersion2Words(`platform.${messageV2}`, row),
});

/** By the listed resource. Associations, which have the uid of their group, have another name. */
export const reads: Record<Exclude<StepKind, "provider"> | "association", Read> = {
  group: {
    ...{ v1: "iam.Groups/List", v2: "GroupsService/ListGroups", key: "groups" },
    ...of("iam.Group", "iam.v2.Group"),
  },
  role: {
    ...{ v1: "iam.Roles/List", v2: "RolesService/ListRoles", key: "roles" },
    ...of("iam.Role", "iam.v2.Role"),
  },
  identity: {
    ...{ v1: "iam.Identities/List", v2: "IdentitiesService/ListIdentities", key: "identities" },
    ...of("iam.Identity", "iam.v2.Identity"),
  },
  binding: {
    v1: "iam.RoleBindings/List",
    v2: "RoleBindingsService/ListRoleBindings",
    key: "roleBindings",
    translate: ({ id = "", role, group, identity = "", ...row }) => ({
      uid: id,
      role: summaryRow(withUid(role as JsonRow)),
      group: summaryRow(withUid(group as JsonRow)),
      identity: {
        uid: identity,
        email: row.email ?? "",
        issuer: row.claimMatchIssuer ?? "",
        subject: row.claimMatchSubject ?? "",
      },
    }),
    known: ({ identity, ...row }) => {
      const { name: _, description: __, ...rest } = identity as JsonRow;
      return { ...row, identity: rest };
    },
  },
  mapping: {
    v1: "iam.ExternalGroupRoleMappings/List",
    v2: "ExternalGroupRoleMappingsService/ListExternalGroupRoleMappings",
    key: "externalGroupRoleMappings",
    ...of("iam.ExternalGroupRoleMapping", "iam.v2.ExternalGroupRoleMapping"),
  },
  repo: {
    ...{ v1: "registry.Registry/ListRepos", v2: "ReposService/ListRepos", key: "repos" },
    ...of("registry.Repo", "registry.v2.Repo"),
  },
  tag: {
    ...{ v1: "registry.Registry/ListTags", v2: "TagsService/ListTags", key: "tags" },
    ...of("registry.Tag", "registry.v2.Tag"),
  },
  subscription: {
    v1: "events.Subscriptions/List",
    v2: "SubscriptionsService/ListSubscriptions",
    key: "subscriptions",
    ...of("events.Subscription", "events.v2.Subscription"),
  },
  invite: {
    v1: "iam.GroupInvites/List",
    v2: "GroupInvitesService/ListGroupInvites",
    key: "groupInvites",
    unscoped: true,
    translate: (row) => toVersion2Words("platform.iam.StoredGroupInvite", row),
    known: listedInvite,
  },
  association: {
    v1: "iam.GroupAccountAssociations/List",
    v2: "AccountAssociationsService/ListAccountAssociations",
    key: "accountAssociations",
    unscoped: true,
    ...of("iam.AccountAssociations", "iam.v2.AccountAssociation"),
  },
};
