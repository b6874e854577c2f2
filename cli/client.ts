/** Typed calls to a platform, over Connect with protobuf. */
import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { GroupsService } from "../schema/gen/platform/iam/v2/groups_pb.js";
import type { Account } from "./credentials.ts";
import type { Token } from "./exchange.ts";
import { refused } from "./failure.ts";

/** Long enough for the largest batch of an import, in milliseconds. */
const patience = 120_000;
/** A token is renewed when it has less than this to live, in milliseconds. */
const margin = 60_000;
/** Waits before the second and the third attempt, in milliseconds. */
const pauses = [200, 1_000];

/**
 * A transport that calls as this account. What the platform says is only for now (UNAVAILABLE,
 * ABORTED) is tried three times, so use it for calls that may be repeated.
 */
export function openTransport(account: Account): Transport {
  return createConnectTransport({
    baseUrl: account.url,
    httpVersion: "1.1",
    useBinaryFormat: true,
    defaultTimeoutMs: patience,
    interceptors: [retrying, authenticating(account)],
  });
}

/** A group. The name is known if it was found by name. */
export type FoundGroup = { uid: string; name?: string };

/** A group by its uid, or by a name that one group only has. Throws a Failure otherwise. */
export async function findGroup(transport: Transport, nameOrUid: string): Promise<FoundGroup> {
  const uidForm = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;
  if (uidForm.test(nameOrUid)) return { uid: nameOrUid };
  const groups = createClient(GroupsService, transport);
  const { groups: found } = await groups.listGroups({ name: nameOrUid, pageSize: 200 });
  const [first, ...others] = found;
  if (!first) {
    throw refused(
      "NOT_FOUND",
      `There is no group named ${nameOrUid} that you can see. Use another name, or the group's uid.`,
    );
  }
  if (others.length > 0) {
    const uids = found.map((group) => `  ${group.uid}`).join("\n");
    throw refused(
      "AMBIGUOUS",
      `${found.length} groups are named ${nameOrUid}. Use the uid of one:\n${uids}`,
    );
  }
  return { uid: first.uid, name: first.name };
}

function authenticating(account: Account): Interceptor {
  let current: Promise<Token> | undefined;
  return (next) => async (request) => {
    current ??= account.token({ audience: account.audience });
    if ((await current).expiry.getTime() - Date.now() < margin) {
      current = account.token({ audience: account.audience });
    }
    request.header.set("authorization", `Bearer ${(await current).token}`);
    return next(request);
  };
}

const retrying: Interceptor = (next) => async (request) => {
  for (const pause of pauses) {
    try {
      return await next(request);
    } catch (error) {
      if (!isPassing(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
    }
  }
  return next(request);
};

/** The platform itself says so: nobody answering at all is told at once. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.details.length === 0) return false;
  return error.code === Code.Unavailable || error.code === Code.Aborted;
}
