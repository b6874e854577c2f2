/** The requests of each reading RPC for the fixtures, so that the response contains existing data. */
import type { JsonObject } from "@bufbuild/protobuf";
import { decisionIdOf } from "../iam/access/calls.ts";
import { createResource, newUser } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { type Fixtures, targetUid } from "./fixtures.ts";
import { minimalRequest } from "./requests.ts";
import { type ContractRpc, isList } from "./rpcs.ts";
import type { v1Reads } from "./v1_reads.ts";

/** An image index with the one manifest of the fixtures. */
async function image({ repo, manifest, token }: Fixtures): Promise<JsonObject> {
  const [row] = await sql<{ digest: string }>(
    "select digest from manifests where uid = ?",
    manifest,
  );
  const platform = { os: "linux", architecture: "amd64" };
  const content = JSON.stringify({ manifests: [{ digest: row?.digest, platform }] });
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const body = { mediaType, content: btoa(content) };
  const { digest } = await createResource(`/registry/v2/manifests/${repo}`, token, body);
  return { repoUid: repo, digest: String(digest) };
}

/** The decision id of a refused read of a repository. */
async function newDecision(repo: string): Promise<string> {
  const { token } = await newUser();
  const { body } = await callRest(`/registry/v2/repos/${repo}`, { token });
  return decisionIdOf(body);
}

/** Requests that do not follow from the descriptor. */
export const readRequests: Record<
  string,
  (fixtures: Fixtures) => JsonObject | Promise<JsonObject>
> = {
  "PingService/Ping": () => ({}),
  "AccessService/ExplainAccess": ({ organization, repo }) => ({
    identityUid: organization.owner.uid,
    ...{ capability: "CAP_REPO_LIST", resourceUid: repo },
  }),
  "AccessService/ListAccess": ({ repo }) => ({ capability: "CAP_REPO_LIST", resourceUid: repo }),
  "AccessService/TestPermissions": ({ repo }) => ({
    resourceUids: [repo],
    capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"],
  }),
  "AccessService/GetAccessDecision": async ({ repo }) => ({ id: await newDecision(repo) }),
  "ImagesService/GetArchitectures": image,
  "ImagesService/GetSize": image,
  "ArtifactsService/ListArtifacts": () => ({ ecosystems: ["ECOSYSTEM_PYTHON"] }),
  "ArtifactsService/ListArtifactVersions": ({ artifact }) => ({ artifactId: artifact }),
};

/** RPCs about their caller, or about data outside the platform. */
export const readsOutsideFixtures = [
  "AccountAssociationsService/CheckAccountAssociation",
  "GroupsService/CheckEligibility",
  "GroupsService/LookupGroup",
  "iam.GroupInvites/CreateWithGroup",
  "iam.Groups/CheckEligibility",
  "iam.Groups/LookupGroup",
  "SessionsService/SearchSessions",
  "iam.Groups/RequestGroupAccess",
  "IdentitiesService/LookupIdentity",
  "iam.GroupAccountAssociations/Check",
  "iam.Identities/Lookup",
  "SecurityTokenService/Exchange",
  "SecurityTokenService/ExchangeRefreshToken",
  "auth.Auth/Delete",
  "auth.Auth/GetHeadlessSession",
];

const takesScope = ({ method }: ContractRpc) =>
  method.input.fields.some(({ name }) => name === "uidp");

/** The request of a read. `ofV1` contains those of version 1 for the same fixtures. */
export async function readRequestOf(
  rpc: ContractRpc,
  fixtures: Fixtures,
  ofV1: ReturnType<typeof v1Reads>,
): Promise<JsonObject> {
  const own = readRequests[rpc.name]?.(fixtures) ?? ofV1[rpc.name]?.request;
  if (own) return own;
  if (rpc.scope && !isList(rpc)) return minimalRequest(rpc, targetUid(rpc, fixtures));
  const request = minimalRequest(rpc, fixtures.organization.uid);
  const scope = { uidp: { descendantsOf: fixtures.organization.uid } };
  return takesScope(rpc) ? { ...request, ...scope } : request;
}
