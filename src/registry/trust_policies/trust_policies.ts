import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, sql } from "drizzle-orm";
import {
  KeylessIdentitySchema,
  TrustPoliciesService,
  type TrustPolicy,
  TrustPolicySchema,
} from "../../../schema/gen/platform/registry/v2/trust_policies_pb.js";
import { trustPolicies } from "../../../schema/tables/registry/trust_policies.ts";
import { failedPrecondition, invalidArgument } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Call } from "../../auth/call.ts";
import { onlyIf } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { readTrust, TrustError } from "../../signatures/trust.ts";
import { ruleScope } from "../tag_rules/rule_checks.ts";
import { markChanged } from "./stored_policies.ts";
import { trustsLess } from "./trusts_less.ts";

/** The policies of one scope. Each push of a signature reads all of those above it. */
const maxPolicies = 10;

const listing = defineListing({ table: trustPolicies });

const toTrustPolicy = (row: Stored<typeof trustPolicies>): TrustPolicy =>
  wholeMessage(TrustPolicySchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    publicKeys: row.publicKeys,
    identities: row.identities.map((one) => create(KeylessIdentitySchema, one)),
    fulcioCertificates: row.fulcioCertificates,
    rekorKeys: row.rekorKeys,
    notationCertificates: row.notationCertificates,
    notationSubjects: row.notationSubjects,
    signVerdicts: row.signVerdicts,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });

const trustPolicy = resource({
  type: "registry/TrustPolicy",
  schema: TrustPolicySchema,
  table: trustPolicies,
  select: selectRow(trustPolicies),
  toMessage: toTrustPolicy,
  toColumns: (policy: TrustPolicy) => ({
    name: policy.name,
    description: policy.description,
    publicKeys: policy.publicKeys,
    identities: policy.identities.map(({ issuer, subject }) => ({ issuer, subject })),
    fulcioCertificates: policy.fulcioCertificates,
    rekorKeys: policy.rekorKeys,
    notationCertificates: policy.notationCertificates,
    notationSubjects: policy.notationSubjects,
    signVerdicts: policy.signVerdicts,
  }),
  groupOf: parentOf,
  unique: ({ name }) => name,
});

/** Throws INVALID_ARGUMENT for a policy that trusts no one, or whose keys or certificates cannot be read. */
async function requireTrust(policy: TrustPolicy): Promise<void> {
  try {
    await readTrust(policy);
  } catch (thrown) {
    if (thrown instanceof TrustError) throw invalidArgument(thrown.field, thrown.message);
    throw thrown;
  }
  const { publicKeys, identities, fulcioCertificates } = policy;
  const { notationCertificates, notationSubjects } = policy;
  if (publicKeys.length + identities.length + notationCertificates.length === 0)
    throw invalidArgument(
      "public_keys",
      "a trust policy must have public_keys, identities or notation_certificates",
    );
  if ((identities.length === 0) !== (fulcioCertificates === ""))
    throw invalidArgument(
      "fulcio_certificates",
      "identities and fulcio_certificates need each other: a certificate of Fulcio names the identity",
    );
  if ((notationSubjects.length === 0) !== (notationCertificates === ""))
    throw invalidArgument(
      "notation_subjects",
      "notation_certificates and notation_subjects need each other; * stands for every subject",
    );
}

/** Undoes the change if the scope then has too many policies. */
const requireRoom = ({ db }: Call, parent: string) =>
  onlyIf(
    db,
    sql`(select count(*) from ${trustPolicies} where ${trustPolicies.parent} = ${parent}) <= ${maxPolicies}`,
  );

const selectCount = ({ db }: Call, parent: string) =>
  db
    .select({ count: sql<number>`count(*)`.as("policies") })
    .from(trustPolicies)
    .where(eq(trustPolicies.parent, parent));

export const trustPoliciesService = service(TrustPoliciesService, {
  async getTrustPolicy({ uid }, call) {
    return toTrustPolicy((await find(call, trustPolicy, uid)).row);
  },

  async listTrustPolicies(request, call) {
    const named = request.name === "" ? undefined : eq(trustPolicies.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
    });
    return { trustPolicies: page.rows.map(toTrustPolicy), ...page.envelope };
  },

  async createTrustPolicy({ parent, trustPolicy: sent }, call) {
    const policy = newMessage(trustPolicy, sent);
    await requireTrust(policy);
    const { caller, extraReads } = await find(call, ruleScope, parent, {
      extraReads: [selectCount(call, parent)],
    });
    if ((extraReads[0][0]?.count ?? 0) >= maxPolicies)
      throw failedPrecondition(
        "TOO_MANY_TRUST_POLICIES",
        `the scope already has ${maxPolicies} trust policies`,
      );
    return writeCreate(call, trustPolicy, caller, policy, {
      parent,
      columns: { trustTime: call.now },
      extraWrites: [requireRoom(call, parent), markChanged(call, parent)],
    });
  },

  async updateTrustPolicy({ trustPolicy: sent = create(TrustPolicySchema), updateMask }, call) {
    const { caller, row } = await find(call, trustPolicy, sent.uid);
    const update = maskedUpdate(call, trustPolicy, row, sent, updateMask);
    await requireTrust(update.after);
    const { before, after, updateTime } = update;
    const isLess = trustsLess(before, after);
    const isOther =
      isLess || trustsLess(after, before) || before.signVerdicts !== after.signVerdicts;
    const mark = markChanged(call, parentOf(sent.uid));
    return writeUpdate(call, trustPolicy, caller, update, {
      columns: isLess ? { trustTime: updateTime } : {},
      extraWrites: isOther ? [mark] : [],
    });
  },

  async deleteTrustPolicy(request, call) {
    const { caller } = await find(call, trustPolicy, request.uid);
    return writeDelete(call, trustPolicy, caller, request, {
      extraWrites: [markChanged(call, parentOf(request.uid))],
    });
  },
});
