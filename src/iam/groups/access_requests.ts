/**
 * People find their organization by their email address and request access. They learn only that a verified
 * organization has the name of the domain in their address. An issuer that the operator trusts must have
 * verified the address. Every other case has the same response.
 */

import { and, eq, gt, lte } from "drizzle-orm";
import {
  GroupAccessRequestSchema,
  type RequestGroupAccessRequest,
} from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { groupAccessRequests } from "../../../schema/tables/iam/group_access_requests.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { type RowOf, rowColumns } from "../../../schema/tables/list_indexes.ts";
import {
  failedPrecondition,
  notFound,
  permissionDenied,
  resourceExhausted,
} from "../../aip/errors.ts";
import { isAtOrAbove, parentOf } from "../../aip/uid_path.ts";
import { readWithGrants } from "../../auth/access.ts";
import { type Call, type CallAnywhere, callAt } from "../../auth/call.ts";
import { isTrustedEmailIssuer, verifiedEmail } from "../../auth/email.ts";
import { isWithinUnlessWholeLogin } from "../../auth/grants.ts";
import { namedUids } from "../../auth/verified_names.ts";
import { commit } from "../../outbox/commit.ts";
import { insertEventIfChanged } from "../../outbox/outbox.ts";
import { isPublicEmailDomain } from "./public_email_domains.ts";

/** The time that a caller must wait before another request to the same organization, in milliseconds. */
const requestInterval = 24 * 3600 * 1000;

/** A domain name with at least two labels, in lowercase and without the root dot (RFC 1035). */
const domainPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** The caller's address and its domain, if it can lead to an organization. */
function callerEmail({
  config,
  credential,
}: CallAnywhere): { address: string; domain: string } | undefined {
  const email = credential && verifiedEmail(credential);
  if (!email || !isTrustedEmailIssuer(config, email)) return undefined;
  const { address } = email;
  const domain = address.slice(address.lastIndexOf("@") + 1);
  if (!address.includes("@") || !domainPattern.test(domain)) return undefined;
  return isPublicEmailDomain(domain, config.publicEmailDomains) ? undefined : { address, domain };
}

/** Whether the caller's address can lead to an organization. The organization need not exist. */
export async function mayRequestAccess(call: Call): Promise<boolean> {
  await readWithGrants(call, undefined, []);
  return callerEmail(call) !== undefined;
}

async function findByAddress(anywhere: CallAnywhere, about?: string) {
  const email = callerEmail(anywhere);
  const [organization = ""] = about
    ? [about]
    : await namedUids(anywhere.databases, [email?.domain ?? ""]);
  const call = callAt(anywhere, organization);
  // The uid of a root group has one step. No group has an empty name.
  const named = call.db
    .select(rowColumns(groups))
    .from(groups)
    .where(
      and(eq(groups.name, email?.domain ?? ""), eq(groups.verified, true), eq(groups.parent, "")),
    );
  const { caller, rows } = await readWithGrants(call, about, [named]);
  const [row] = rows[0];
  const isSeen = row && call.credential && isWithinUnlessWholeLogin(call.credential, row.uid);
  return { call, caller, email, row: isSeen ? row : undefined };
}

/** The row of the caller's organization. Throws NOT_FOUND, with the same text for every reason. */
export async function findOwnOrganization(call: CallAnywhere): Promise<RowOf<typeof groups>> {
  const { row } = await findByAddress(call);
  if (!row) throw notFound("iam/Group", "with your email domain");
  return row;
}

/**
 * Reports to the organization's subscriptions that the caller requests access. The row of the previous
 * request is replaced only if it is old enough. Of two simultaneous calls, one therefore fails.
 */
export async function requestGroupAccess(
  { groupUid }: RequestGroupAccessRequest,
  anywhere: CallAnywhere,
): Promise<void> {
  // Such a token was given to a program for other things.
  if (anywhere.credential?.capabilities)
    throw permissionDenied("a token that is limited to some capabilities cannot request access");
  const { call, caller, email, row } = await findByAddress(anywhere, groupUid);
  if (!row || !email || row.uid !== groupUid) throw notFound("iam/Group", groupUid);
  const { identity, name } = caller;
  const home = parentOf(identity);
  if (home !== "" && !isAtOrAbove(home, groupUid)) {
    throw failedPrecondition(
      "OUT_OF_REACH",
      "an identity that was created in a group can join only that group and the groups below it",
      identity,
    );
  }
  if (call.validateOnly) await refuseRepeated(call, groupUid, identity);
  const [asked] = await commit(call, [
    call.db
      .insert(groupAccessRequests)
      .values({ groupUid, identityUid: identity, time: call.now })
      .onConflictDoUpdate({
        target: [groupAccessRequests.groupUid, groupAccessRequests.identityUid],
        set: { time: call.now },
        setWhere: lte(groupAccessRequests.time, call.now - requestInterval),
      })
      .returning({ time: groupAccessRequests.time }),
    insertEventIfChanged(call, caller, {
      subject: groupUid,
      group: groupUid,
      body: {
        desc: GroupAccessRequestSchema,
        message: { groupUid, identityUid: identity, email: email.address, name },
      },
    }),
  ]);
  if (Array.isArray(asked) && asked.length === 0) throw requestedBefore();
}

const requestedBefore = () =>
  resourceExhausted(
    "you requested access to this group less than 24 hours ago; wait before you request it again",
  );

/** A call that only validates has no results that show whether the request is too early. */
async function refuseRepeated(call: Call, groupUid: string, identity: string): Promise<void> {
  const early = await call.db
    .select({ time: groupAccessRequests.time })
    .from(groupAccessRequests)
    .where(
      and(
        eq(groupAccessRequests.groupUid, groupUid),
        eq(groupAccessRequests.identityUid, identity),
        gt(groupAccessRequests.time, call.now - requestInterval),
      ),
    );
  if (early.length > 0) throw requestedBefore();
}
