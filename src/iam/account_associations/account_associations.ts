import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, sql } from "drizzle-orm";
import {
  type AccountAssociation,
  AccountAssociationSchema,
  AccountAssociationsService,
  CheckStatus,
} from "../../../schema/gen/platform/iam/v2/account_associations_pb.js";
import { ServicePrincipal } from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { accountAssociations } from "../../../schema/tables/iam/account_associations.ts";
import { identities, type Relationship } from "../../../schema/tables/iam/identities.ts";
import { type FieldViolation, invalidArguments } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { list } from "../../paging/list.ts";
import { defineListing, times } from "../../paging/listing.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, parentGroup, selectRow } from "../../resource/find.ts";
import { requireMatch } from "../../resource/precondition.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { checkLink } from "./link_check.ts";

const listing = defineListing({
  table: accountAssociations,
  isKeyedByGroup: true,
  orders: { group: "uid", uid: "uid", name: "name", ...times },
  defaultOrder: "group",
});

function toAssociation(row: Stored<typeof accountAssociations>): AccountAssociation {
  const { amazon, google, vendor, azure, github } = messageFromStored(
    AccountAssociationSchema,
    row.accounts,
  );
  return wholeMessage(AccountAssociationSchema, {
    amazon,
    google,
    vendor,
    azure,
    github,
    uid: row.uid,
    name: row.name,
    description: row.description,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

/** The fields that a client can set, as columns. */
function toColumns({ name, description, ...input }: AccountAssociation) {
  const { amazon, google, vendor, azure, github } = input;
  const links = { amazon, google, vendor, azure, github };
  const present = Object.entries(links).filter(([, link]) => link !== undefined);
  const accounts = create(AccountAssociationSchema, Object.fromEntries(present));
  return {
    name,
    description,
    accounts: toJson(AccountAssociationSchema, accounts) as Record<string, unknown>,
  };
}

const bindingsOf = (message: AccountAssociation | undefined) =>
  message?.vendor?.serviceBindings ?? {};

/** The uid of an association is the uid of its group. */
const association = resource({
  type: "iam/AccountAssociation",
  schema: AccountAssociationSchema,
  table: accountAssociations,
  select: selectRow(accountAssociations),
  toMessage: toAssociation,
  toColumns,
  otherFields: {
    amazon: "accounts",
    google: "accounts",
    vendor: "accounts",
    azure: "accounts",
    github: "accounts",
  },
  groupOf: (uid) => uid,
  unique: ({ uid }) => uid,
});

/** The statement that reads the identities for the services of an association. */
function selectBound(call: Call, message: AccountAssociation | undefined) {
  const uids = JSON.stringify(Object.values(bindingsOf(message)));
  return call.db
    .select({ uid: identities.uid, relationship: identities.relationship })
    .from(identities)
    .where(sql`${identities.uid} in (select value from json_each(${uids}))`);
}

/**
 * Checks the new service bindings. Each must be for an existing service. Its identity must be directly below
 * the group and belong to that service. Throws INVALID_ARGUMENT for each that does not.
 */
function checkBindings(
  group: string,
  before: AccountAssociation | undefined,
  after: AccountAssociation,
  bound: { uid: string; relationship: Relationship | null }[],
): void {
  const known = bindingsOf(before);
  const violations = Object.entries(bindingsOf(after)).flatMap(
    ([service, uid]): FieldViolation[] => {
      if (known[service] === uid) return [];
      const field = `vendor.service_bindings[${JSON.stringify(service)}]`;
      const principal = ServicePrincipal[service as keyof typeof ServicePrincipal];
      if (typeof principal !== "number" || principal === ServicePrincipal.UNSPECIFIED) {
        return [
          {
            field,
            description: `${field} must have the name of a service principal as its key, such as COSIGNED`,
          },
        ];
      }
      const relationship = bound.find((identity) => identity.uid === uid)?.relationship;
      const isTheirs =
        relationship?.case === "servicePrincipal" && relationship.value === principal;
      if (parentOf(uid) === group && isTheirs) return [];
      const wanted = `the uid of an identity directly below the group whose service_principal is ${service}`;
      return [{ field, description: `${field} must be ${wanted}` }];
    },
  );
  if (violations.length > 0) throw invalidArguments(violations);
}

export const accountAssociationsService = service(AccountAssociationsService, {
  async getAccountAssociation({ uid }, call) {
    return toAssociation((await find(call, association, uid)).row);
  },

  async listAccountAssociations(request, call) {
    const named = request.name === "" ? undefined : eq(accountAssociations.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
    });
    return { accountAssociations: page.rows.map(toAssociation), ...page.envelope };
  },

  async createAccountAssociation({ parent: uid, accountAssociation: input }, call) {
    const { caller, extraReads } = await find(call, parentGroup, uid, {
      extraReads: [selectBound(call, input)],
    });
    const [bound] = extraReads;
    const message = newMessage(association, input);
    checkBindings(uid, undefined, message, bound);
    return writeCreate(call, association, caller, message, { uid });
  },

  async updateAccountAssociation(request, call) {
    const { accountAssociation: input = create(AccountAssociationSchema), updateMask } = request;
    const { caller, row, extraReads } = await find(call, association, input.uid, {
      extraReads: [selectBound(call, input)],
    });
    const [bound] = extraReads;
    const update = maskedUpdate(call, association, row, input, updateMask);
    checkBindings(row.uid, update.before, update.after, bound);
    return writeUpdate(call, association, caller, update);
  },

  /** It is not an error if the group has no association. The event has no body. */
  async deleteAccountAssociation(request, call) {
    const { uid } = request;
    const { caller, rows } = await authorizeAndRead(call, uid, [association.select(call.db, uid)]);
    const [[row]] = rows;
    requireMatch(call, association, uid, row);
    if (!row) return {};
    return writeDelete(call, association, caller, request, { hasBody: false });
  },

  async checkAccountAssociation({ uid, providerType }, call) {
    const { extraReads } = await find(call, parentGroup, uid, {
      extraReads: [association.select(call.db, uid)],
    });
    const [[row]] = extraReads;
    const failure = await checkLink(call, uid, providerType, row && toAssociation(row));
    if (!failure) return { status: CheckStatus.READY };
    return { status: CheckStatus.NOT_READY, ...failure };
  },
});
