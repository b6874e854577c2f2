/** Writes of groups, terms, account associations and subscriptions. */
import { type Write, writesOf } from "./write.ts";

const amazon = { account: "210987654321" };

const groups: Write[] = [
  ...writesOf("GroupsService/CreateGroup", {
    "in the organization": ({ organization: parent }) => ({ parent, group: { name: "new" } }),
    "of a name that is taken": ({ organization: parent }) => ({ parent, group: { name: "leaf" } }),
    "in the leaf": ({ leaf: parent }) => ({ parent, group: { name: "new" } }),
  }),
  ...writesOf("GroupsService/UpdateGroup", {
    "name of the leaf": ({ leaf: uid }) => ({ group: { uid, name: "new" } }),
    "description of the leaf": ({ leaf: uid }) => ({ group: { uid, description: "changed" } }),
    "description of the twig": ({ twig: uid }) => ({ group: { uid, description: "changed" } }),
    "description of the organization": ({ organization: uid }) => ({
      group: { uid, description: "changed" },
    }),
    "kind of the organization": ({ organization: uid }) => ({
      group: { uid, kind: "ORG_KIND_CUSTOMER" },
    }),
    "another kind of the organization": ({ organization: uid }) => ({
      group: { uid, kind: "ORG_KIND_STARTER" },
    }),
  }),
  ...writesOf("GroupsService/DeleteGroup", {
    leaf: ({ leaf: uid }) => ({ uid }),
    twig: ({ twig: uid }) => ({ uid }),
  }),
  ...writesOf(
    "GroupsService/RequestGroupAccess",
    { "of ann": ({ organization: groupUid }) => ({ groupUid }) },
    ({ annToken }) => annToken,
  ),
  ...writesOf("iam.Groups/Create", {
    "in the organization": ({ organization: parent }) => ({ parent, group: { name: "new" } }),
  }),
  ...writesOf("iam.Groups/Update", {
    "of the leaf": ({ leaf: id }) => ({ id, name: "leaf", description: "of version 1" }),
  }),
  ...writesOf("iam.Groups/Delete", { leaf: ({ leaf: id }) => ({ id }) }),
  ...writesOf(
    "iam.Groups/RequestGroupAccess",
    { "of ann": ({ organization: groupId }) => ({ groupId }) },
    ({ annToken }) => annToken,
  ),
  ...writesOf(
    "iam.GroupInvites/CreateWithGroup",
    { "by ann": () => ({ group: "founded", ttl: "3600s" }) },
    ({ annToken }) => annToken,
  ),
];

const documentIds = ["sfdpa.v1"];

const terms: Write[] = [
  ...writesOf("TermsService/AcceptTerms", {
    "at the leaf": ({ leaf: group }) => ({ group, documentIds }),
    "at the organization": ({ organization: group }) => ({ group, documentIds }),
  }),
  ...writesOf("iam.Terms/AcceptTerms", {
    "at the leaf": ({ leaf: group }) => ({ group, documentIds: [...documentIds, "skills-tos.v1"] }),
  }),
];

const associations: Write[] = [
  ...writesOf("AccountAssociationsService/CreateAccountAssociation", {
    "at the leaf": ({ leaf: parent }) => ({ parent, accountAssociation: { name: "a", amazon } }),
    "where there is one": ({ branch: parent }) => ({
      parent,
      accountAssociation: { name: "a", amazon },
    }),
  }),
  ...writesOf("AccountAssociationsService/UpdateAccountAssociation", {
    name: ({ branch: uid }) => ({ accountAssociation: { uid, name: "changed" } }),
    account: ({ branch: uid }) => ({ accountAssociation: { uid, amazon } }),
  }),
  ...writesOf("AccountAssociationsService/DeleteAccountAssociation", {
    "of the branch": ({ branch: uid }) => ({ uid }),
  }),
  ...writesOf("iam.GroupAccountAssociations/Create", {
    "where there is one": ({ branch: group }) => ({ group, name: "of version 1", amazon }),
  }),
  ...writesOf("iam.GroupAccountAssociations/Update", {
    "of the branch": ({ branch: group }) => ({ group, name: "of version 1" }),
  }),
  ...writesOf("iam.GroupAccountAssociations/Delete", {
    "of the branch": ({ branch: group }) => ({ group }),
  }),
];

const sink = "https://new.example/events";
const taken = "https://hooks.example/events";

const subscriptions: Write[] = [
  ...writesOf("SubscriptionsService/CreateSubscription", {
    "of a new sink": ({ organization: parent }) => ({ parent, subscription: { sink } }),
    "of a sink that is taken": ({ organization: parent }) => ({
      parent,
      subscription: { sink: taken },
    }),
    "at the leaf": ({ leaf: parent }) => ({ parent, subscription: { sink } }),
  }),
  ...writesOf("SubscriptionsService/UpdateSubscription", {
    "filter of it": ({ subscription: uid }) => ({ subscription: { uid, tagPattern: "1.*" } }),
    "state of it": ({ subscription: uid }) => ({ subscription: { uid, disabled: true } }),
  }),
  ...writesOf("SubscriptionsService/RotateSubscriptionSecret", {
    "of it": ({ subscription: uid }) => ({ uid }),
  }),
  ...writesOf("SubscriptionsService/TestSubscription", {
    "of it": ({ subscription: uid }) => ({ uid }),
  }),
  ...writesOf("SubscriptionsService/RedeliverEvents", {
    "of it": ({ subscription: uid }) => ({ uid, since: "2026-01-01T00:00:00Z" }),
  }),
  ...writesOf("DeliveriesService/RedeliverDelivery", {
    "of it": ({ delivery: uid }) => ({ uid }),
  }),
  ...writesOf("SubscriptionsService/DeleteSubscription", {
    "of the organization": ({ subscription: uid }) => ({ uid }),
  }),
  ...writesOf("events.Subscriptions/Create", {
    "of a new sink": ({ organization: parentId }) => ({ parentId, subscription: { sink } }),
  }),
  ...writesOf("events.Subscriptions/Delete", {
    "of the organization": ({ subscription: id }) => ({ id }),
  }),
];

const quotas: Write[] = [
  ...writesOf("QuotasService/UpdateQuota", {
    "of roles": ({ organization: parent }) => ({ parent, kind: "QUOTA_KIND_ROLES", limit: "900" }),
    "of roles, to another limit": ({ organization: parent }) => ({
      ...{ parent, kind: "QUOTA_KIND_ROLES" },
      unlimited: true,
    }),
    "of bytes": ({ organization: parent }) => ({
      ...{ parent, kind: "QUOTA_KIND_REGISTRY_BYTES" },
      limit: "900000000",
    }),
  }),
  ...writesOf("QuotasService/UpdateDefaultQuota", {
    "of roles": ({ organization: parent }) => ({ parent, kind: "QUOTA_KIND_ROLES", limit: "800" }),
  }),
];

export const groupWrites: Write[] = [
  ...groups,
  ...terms,
  ...associations,
  ...subscriptions,
  ...quotas,
];
