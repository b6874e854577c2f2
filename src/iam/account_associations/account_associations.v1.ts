import {
  type AccountAssociations,
  type AccountAssociations_GitHub,
  type AccountAssociations_GitHubAppInstallations,
  AccountAssociationsSchema,
  GroupAccountAssociations,
} from "../../../schema/gen/platform/iam/account_associations_pb.js";
import type {
  AccountAssociation_GitHubAppInstallations as AppInstallationsV2,
  AccountAssociation as AssociationV2,
  AccountAssociation_GitHub as GitHubV2,
} from "../../../schema/gen/platform/iam/v2/account_associations_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import { service } from "../../rpc/service.ts";
import { bodyEvent, callV2, listV2 } from "../../rpc/version1.ts";
import { accountAssociationsService as associationsService } from "./account_associations.ts";

type GitHub = AccountAssociations_GitHub | GitHubV2;

/** The installations of each app. */
function installationsOf({ appInstallations }: GitHub) {
  const apps: [string, AccountAssociations_GitHubAppInstallations | AppInstallationsV2][] =
    Object.entries(appInstallations);
  return Object.fromEntries(
    apps.map(([app, { installations }]) => [
      app,
      {
        installations: installations.map(({ installationId, name }) => ({ installationId, name })),
      },
    ]),
  );
}

/** The links. Their members have the same names in both versions. */
function linksOf({ amazon, google, vendor, azure, github }: AccountAssociations | AssociationV2) {
  return {
    amazon: amazon && { account: amazon.account },
    google: google && { projectId: google.projectId, projectNumber: google.projectNumber },
    vendor: vendor && { serviceBindings: vendor.serviceBindings },
    azure: azure && { tenantId: azure.tenantId, clientIds: azure.clientIds },
    github: github && { appInstallations: installationsOf(github) },
  };
}

function toV1(association: AssociationV2): AccountAssociations {
  const { uid: group, name, description } = association;
  return wholeMessage(AccountAssociationsSchema, {
    group,
    name,
    description,
    ...linksOf(association),
  });
}

function toV2(associations: AccountAssociations) {
  const { group: uid, name, description } = associations;
  return { uid, name, description, ...linksOf(associations) };
}

/** The fields that a PUT replaces: everything that a client of version 1 can set. */
const updateMask = {
  paths: ["name", "description", "amazon", "google", "vendor", "azure", "github"],
};

/** In version 2 the group is the parent, the uid and the one uid of the filter. */
const fieldNames = { parent: "group", uid: "group", "uidp.ids[0]": "group" };

const toEventV1 = bodyEvent(AccountAssociationsSchema, toV1);

export const groupAccountAssociationsV1 = service(GroupAccountAssociations, {
  async create(associations, call) {
    const request = { parent: associations.group, accountAssociation: toV2(associations) };
    const mapping = { names: fieldNames, event: toEventV1 };
    return toV1(
      await callV2(associationsService, "createAccountAssociation", request, call, mapping),
    );
  },

  async update(associations, call) {
    const request = { accountAssociation: toV2(associations), updateMask };
    const mapping = { names: fieldNames, event: toEventV1 };
    return toV1(
      await callV2(associationsService, "updateAccountAssociation", request, call, mapping),
    );
  },

  async list({ group, name }, call) {
    const request = { name, ...(group !== "" && { uidp: { ids: [group] } }) };
    const { accountAssociations } = await listV2(
      associationsService,
      "listAccountAssociations",
      request,
      call,
      { names: fieldNames },
    );
    return { items: accountAssociations.map(toV1) };
  },

  /** The event has no body in either version. */
  delete: ({ group: uid }, call) =>
    callV2(associationsService, "deleteAccountAssociation", { uid }, call, { names: fieldNames }),

  /** The numbers of the enums are those of version 2. */
  async check({ group: uid, accountType }, call) {
    const { status, reason, message } = await callV2(
      associationsService,
      "checkAccountAssociation",
      { uid, providerType: accountType as number },
      call,
      { names: { ...fieldNames, provider_type: "account_type" } },
    );
    return { ready: status as number, reason, message };
  },
});
