/**
 * People who find their organization by their e-mail address, and ask to be let in. What they may
 * learn is that a verified organization is named like the domain of an address that is verified as
 * theirs by an issuer which the operator trusts; every other case is answered alike.
 */
import { and, eq, lte } from "drizzle-orm";
import {
  GroupAccessRequestSchema,
  type RequestGroupAccessRequest,
} from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { groupAccessRequests } from "../../../schema/tables/iam/group_access_requests.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { failedPrecondition, notFound, resourceExhausted } from "../../aip/errors.ts";
import { isAtOrAbove, parentOf } from "../../aip/uid_path.ts";
import { readWithGrants } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { isTrustedEmailIssuer, verifiedEmail } from "../../auth/email.ts";
import { isWithinUnlessWholeLogin } from "../../auth/grants.ts";
import { commit } from "../../outbox/commit.ts";
import { insertEventIfChanged } from "../../outbox/outbox.ts";
import { isPublicEmailDomain } from "./public_email_domains.ts";

/** How long a caller waits before asking the same organization again, in milliseconds. */
const requestInterval = 24 * 3600 * 1000;

/** A domain name of two labels or more, in lower case and without a root dot (RFC 1035). */
const domainPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** The caller's address, where it may lead to an organization, and its domain. */
function callerEmail({
  config,
  credential,
}: Call): { address: string; domain: string } | undefined {
  const email = credential && verifiedEmail(credential);
  if (!email || !isTrustedEmailIssuer(config, email)) return undefined;
  const { address } = email;
  const domain = address.slice(address.lastIndexOf("@") + 1);
  if (!address.includes("@") || !domainPattern.test(domain)) return undefined;
  return isPublicEmailDomain(domain, config.publicEmailDomains) ? undefined : { address, domain };
}

/** Whether the caller's address may lead to an organization, be there one or not. */
export async function mayRequestAccess(call: Call): Promise<boolean> {
  await readWithGrants(call, undefined, []);
  return callerEmail(call) !== undefined;
}

async function findByAddress(call: Call, about?: string) {
  const email = callerEmail(call);
  // A root group has a uid without steps; no group is called the empty string.
  const named = call.db
    .select()
    .from(groups)
    .where(
      and(eq(groups.name, email?.domain ?? ""), eq(groups.verified, true), eq(groups.parent, "")),
    );
  const { caller, rows } = await readWithGrants(call, about, [named]);
  const [row] = rows[0];
  const isSeen = row && call.credential && isWithinUnlessWholeLogin(call.credential, row.uid);
  return { caller, email, row: isSeen ? row : undefined };
}

/** The row of the caller's organization. Throws NOT_FOUND, the same for every reason. */
export async function findOwnOrganization(call: Call): Promise<typeof groups.$inferSelect> {
  const { row } = await findByAddress(call);
  if (!row) throw notFound("iam/Group", "of your e-mail domain");
  return row;
}

/**
 * Tells the organization's subscriptions that the caller wants in. The row of the last request is
 * taken over only once it is old enough, so of two calls at once one is refused.
 */
export async function requestGroupAccess(
  { groupUid }: RequestGroupAccessRequest,
  call: Call,
): Promise<void> {
  const { caller, email, row } = await findByAddress(call, groupUid);
  if (!row || !email || row.uid !== groupUid) throw notFound("iam/Group", groupUid);
  const { identity, name } = caller;
  const home = parentOf(identity);
  if (home !== "" && !isAtOrAbove(home, groupUid)) {
    throw failedPrecondition(
      "OUT_OF_REACH",
      "an identity that was made under a group cannot join a group above it or elsewhere",
      identity,
    );
  }
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
  if (Array.isArray(asked) && asked.length === 0) {
    throw resourceExhausted("you asked this group less than 24 hours ago");
  }
}
