/** Calls of AccessService. */
import { callRest } from "../../world/platform.ts";

/** A row of ListAccess or a part of an explanation, as JSON. */
export interface Entry {
  identityUid?: string;
  identityName?: string;
  roleBindingUid?: string;
  externalGroupRoleMappingUid?: string;
  externalGroupId?: string;
  scimGroupUid?: string;
  scimGroupName?: string;
  groupUid?: string;
  inherited?: boolean;
  roleUid?: string;
  roleName?: string;
  state?: string;
  hidden?: boolean;
}

/** An explanation as JSON. */
export interface Explanation {
  allowed?: boolean;
  summary: string;
  identityUid?: string;
  identityName?: string;
  groupUid?: string;
  capabilities: string[];
  missingCapabilities?: string[];
  paths?: { entry: Entry; capabilities: string[] }[];
  miss?: { kind: string; entry?: Entry };
  fix?: {
    kind: string;
    identityUid?: string;
    groupUid?: string;
    roleUid?: string;
    roleName?: string;
    roleBindingUid?: string;
    needsAcceptance?: boolean;
    needsOtherToken?: boolean;
  };
}

async function read(path: string, token: string, body?: unknown) {
  const answer = await callRest(path, { token, ...(body === undefined ? {} : { body }) });
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** The capabilities that the caller has on each resource. */
export async function testPermissions(
  token: string,
  resourceUids: string[],
  capabilities: string[] = [],
  identityUid?: string,
): Promise<string[][]> {
  const body = { resourceUids, capabilities, ...(identityUid && { identityUid }) };
  const { permissions } = await read("/iam/v2/access:testPermissions", token, body);
  return permissions.map((one: { capabilities?: string[] }) => one.capabilities ?? []);
}

export const explain = (token: string, query: Record<string, string>): Promise<Explanation> =>
  read(`/iam/v2/access:explain?${new URLSearchParams(query)}`, token);

/** All rows of ListAccess, page by page, and the number of pages. */
export async function listAccess(token: string, query: Record<string, string>) {
  const entries: Entry[] = [];
  let hidden: string[] = [];
  let [pageToken, pages] = ["", 0];
  do {
    const search = new URLSearchParams({ ...query, page_token: pageToken });
    const body = await read(`/iam/v2/access?${search}`, token);
    entries.push(...(body.accessEntries ?? []));
    hidden = body.hiddenGroupUids ?? [];
    pageToken = body.nextPageToken ?? "";
    pages += 1;
  } while (pageToken !== "");
  return { entries, hidden, pages };
}

/** The parts of an error that contain its decision id. */
interface Refusal {
  details?: { reason?: string; metadata?: { decision_id?: string } }[];
}

/** The decision id of a refusal. Empty if there is none. */
export const decisionIdOf = (body: unknown): string =>
  (body as Refusal | undefined)?.details?.find(({ reason }) => reason === "PERMISSION_DENIED")
    ?.metadata?.decision_id ?? "";

export const decisionPath = (id: string, resourceUid = "") =>
  `/iam/v2/accessDecisions/${id}${resourceUid ? `?resource_uid=${resourceUid}` : ""}`;
