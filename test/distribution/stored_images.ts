/** Images with tag histories, and registry tokens for tests. */
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
  randomUid,
} from "../world/personas.ts";
import { type Answer, callRest, registryAudience, sql, tokenFor } from "../world/platform.ts";

/** 2026-01-01T00:00:00Z in milliseconds, the time of the first record in every history of this file. */
export const firstMove = Date.UTC(2026, 0, 1);
export const hourMs = 3_600_000;
export const digestNumber = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`;

/** Records for a tag, one for each hour from {@link firstMove} on. */
export const addMoves = (repo: string, tag: string, count: number) =>
  sql(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ? - 1)
     insert into tag_moves (repo_uid, tag, update_time, digest)
     select ?, ?, ? + i * ?, 'sha256:' || printf('%064x', i) from n`,
    count,
    repo,
    tag,
    firstMove,
    hourMs,
  );

/** An organization whose name works in place of its uid. */
export async function newVerified(): Promise<Organization> {
  const organization = await newOrganization();
  await sql("update groups set verified = 1 where uid = ?", organization.uid);
  return organization;
}

/** A repository in a group. Its tag `latest` has three records. */
export async function newImage(
  organization: Organization,
  name = "image",
  group = organization.uid,
) {
  const { token } = organization.owner;
  const { uid } = await createResource(`/registry/v2/repos/${group}`, token, { name });
  await addMoves(uid, "latest", 3);
  return uid;
}

/** The only public namespace. The first test that needs it creates it. */
export async function publicImage(tags: string[]): Promise<{ name: string; uid: string }> {
  await sql(
    `insert into groups (uid, name, verified, create_time, update_time)
     values (?, 'public', 1, 1, 1) on conflict do nothing`,
    randomUid(),
  );
  const [group] = await sql<{ uid: string }>(
    "select uid from groups where name = 'public' and verified = 1",
  );
  const name = randomName("image");
  const uid = `${group?.uid}/${randomUid().slice(0, 16)}`;
  await sql(
    "insert into repos (uid, name, create_time, update_time) values (?, ?, 1, 1)",
    uid,
    name,
  );
  for (const tag of tags) await addMoves(uid, tag, 3);
  return { name: `public/${name}`, uid };
}

/** Our token for the registry. */
export const registryToken = (identity: string, claims: Record<string, unknown> = {}) =>
  tokenFor(identity, { aud: registryAudience, ...claims });

export const basicHeader = (token: string, user = "_token") => ({
  authorization: `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`,
});

/** Calls `GET /token` for a scope. */
export const askToken = (scope: string | undefined, token?: string, more = ""): Promise<Answer> =>
  callRest(`/token?${scope === undefined ? "" : `scope=${encodeURIComponent(scope)}`}${more}`, {
    token,
  });

/** A token for pulling one image. */
export async function pullToken(name: string, token?: string): Promise<string> {
  const { status, body } = await askToken(`repository:${name}:pull`, token);
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.token;
}

export const readHistory = (
  name: string,
  tag: string,
  token?: string,
  query = "",
): Promise<Answer> => callRest(`/v2/${name}/_vendor/history/${tag}${query}`, { token });

/** The status and the first error code of a response, which must have the registry's form. */
export function refusalOf({ status, body }: Answer): [number, string] {
  const [error] = body.errors;
  if (typeof error.message !== "string" || error.message === "") throw new Error("no message");
  if (Object.keys(body).join() !== "errors") throw new Error("not the registry's shape");
  return [status, error.code];
}
