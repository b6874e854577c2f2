/** Mirrors for tests. */
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import type { Target } from "../client.ts";
import type { startOwnRegistry } from "../own_registry.ts";
import { registryToken } from "../stored_images.ts";

/** A mirror, and an owner of its organization who pulls from it. */
export interface TestMirror extends Target {
  organization: Organization;
  owner: string;
  repo: { uid: string; name: string };
}

/** Creates a mirror of an address. */
export async function newMirror(
  upstream: { address: string } & Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<TestMirror> {
  const organization = await newOrganization("mirror");
  const owner = organization.owner.token;
  const name = randomName("mirror");
  const repo = await createResource(`/registry/v2/repos/${organization.uid}`, owner, {
    ...{ name, upstream },
    ...more,
  });
  const token = await registryToken(organization.owner.uid);
  return {
    ...{ organization, owner, token, name: `${organization.uid}/${name}` },
    repo: { uid: String(repo.uid), name },
  };
}

/** The image below a mirror of a prefix. */
export const below = (mirror: TestMirror, name: string): TestMirror => ({
  ...mirror,
  name: `${mirror.name}/${name}`,
});

/** Changes the upstream of a mirror. */
export const changeRepo = (mirror: TestMirror, body: object) =>
  callRest(`/registry/v2/repos/${mirror.repo.uid}`, { method: "PATCH", token: mirror.owner, body });

/** The uid of the repository with a name in the organization. */
export async function uidOf({ organization }: TestMirror, name: string): Promise<string> {
  const [row] = await sql<{ uid: string }>(
    "select uid from repos where parent = ? and name = ?",
    ...[organization.uid, name],
  );
  return row?.uid ?? "";
}

/** The rows of a tag in the history, the oldest first. */
export const movesOf = (repo: string, tag: string) =>
  sql<{ digest: string; method: number }>(
    "select digest, method from tag_moves where repo_uid = ? and tag = ? order by update_time",
    ...[repo, tag],
  );

/** The events about outages of the upstream of a repository. */
export const outagesOf = (repo: string) =>
  sql("select id from events where type like '%registry.upstream.v1' and subject = ?", repo);

/** A mirror of a registry of a test, in an organization of its own. */
export interface OwnMirror extends Target {
  uid: string;
  organization: string;
  apiToken: string;
}

/** Creates it. `more` are further fields of the repository. */
export async function mirrorIn(
  registry: Pick<Awaited<ReturnType<typeof startOwnRegistry>>, "origin" | "newOwner">,
  upstream: { address: string } & Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<OwnMirror> {
  const { origin } = registry;
  const { uid: organization, registryToken: token, apiToken } = await registry.newOwner();
  const answer = await fetch(`${origin}/registry/v2/repos/${organization}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "mirror", upstream, ...more }),
  });
  const body = (await answer.json()) as { uid: string };
  if (!answer.ok) throw new Error(JSON.stringify(body));
  return { origin, token, name: `${organization}/mirror`, uid: body.uid, organization, apiToken };
}
