/** Tags with histories, for tests of the timeline. */
import { readFileSync } from "node:fs";
import { inject } from "vitest";
import {
  descriptorOf,
  type Image,
  indexType,
  manifestType,
  pushImage,
  putManifest,
  type Target,
} from "../../distribution/client.ts";
import { databaseAt } from "../../world/databases.ts";
import { createResource, fakeDigest, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";

/** A tag, and the repository that it is in. */
export interface MadeTag {
  repo: string;
  uid: string;
}

/** A move as an import takes it. */
export interface ImportedMove {
  updateTimestamp: string;
  repo: string;
  tag: string;
  digest: string;
}

/** The whole history of `python:latest`, oldest first. The sample data of `npm start` contains it. */
export const pythonMoves: readonly ImportedMove[] = readFileSync("cli/demo/tag-moves.jsonl", "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line): ImportedMove => JSON.parse(line))
  .filter(({ repo, tag }) => repo === "python" && tag === "latest");

/** The only tag of an organization with a name. */
export async function tagNamed(organization: Organization, name: string): Promise<MadeTag> {
  const query = `uidp.descendants_of=${organization.uid}&name=${name}`;
  const { token } = organization.owner;
  const { body } = await callRest(`/registry/v2/tags?${query}`, { token });
  const { uid } = body.tags[0];
  return { uid, repo: uid.slice(0, uid.lastIndexOf("/")) };
}

/** Imports the history of `python:latest`. */
export async function importPython(organization: Organization): Promise<MadeTag> {
  const moves = pythonMoves.map(({ updateTimestamp: updateTime, ...rest }) => ({
    ...rest,
    updateTime,
  }));
  await createResource(
    `/registry/v2/tagMoves/${organization.uid}:import`,
    organization.owner.token,
    { moves },
  );
  return tagNamed(organization, "latest");
}

/** The digests of {@link makeRelease}, in the order in which it pushes them. */
export const releaseDigests = ["one", "two", "three"].map(fakeDigest);

/**
 * Makes the tag `1.2.3`: created, moved (which is a warning), moved back, deleted, and created again with a third
 * digest.
 */
export async function makeRelease({ uid, owner }: Organization): Promise<MadeTag> {
  const { token } = owner;
  const repo = (await createResource(`/registry/v2/repos/${uid}`, token, { name: "app" })).uid;
  const [one = "", two = "", three = ""] = releaseDigests;
  const point = (digest: string) =>
    createResource(`/registry/v2/tags/${repo}`, token, { name: "1.2.3", digest });
  await point(one);
  await point(two);
  const { uid: first } = await point(one);
  await callRest(`/registry/v2/tags/${first}`, { method: "DELETE", token });
  return { repo, uid: (await point(three)).uid };
}

const minute = 60_000;

/**
 * Makes a tag that moved `count` times, each minute until now. Only the first record is written through the view, whose
 * trigger describes each record. One statement writes the others as the trigger would.
 */
export async function makeLongHistory(
  { uid, owner }: Organization,
  count: number,
): Promise<MadeTag & { first: number }> {
  const { token } = owner;
  const repo = (await createResource(`/registry/v2/repos/${uid}`, token, { name: "long" })).uid;
  const digest = (number: string) => `'sha256:' || printf('%064x', ${number})`;
  const last = Math.floor(Date.now() / minute) * minute - minute;
  const first = last - (count - 1) * minute;
  const batch = [
    `insert into tag_moves (repo_uid, tag, update_time, digest, repo, method)
      values ('${repo}', 'latest', ${first}, ${digest("0")}, 'long', 1)`,
    `with recursive n(i) as (select 1 union all select i + 1 from n limit ${count - 1})
      insert into tag_records (tag_id, update_time, organization_id, repo_id, digest, origin_id, flags)
      select first.tag_id, ${first} + i * ${minute}, first.organization_id, first.repo_id,
        unhex(printf('%064x', i)), first.origin_id, 2
      from n cross join tag_records as first
      where first.repo_id = (select id from tag_repos where repo_uid = '${repo}') and first.update_time = ${first}`,
  ];
  const database = databaseAt(inject("sqlUrl"));
  await database.batch(batch.map((statement) => database.prepare(statement)));
  const newest = `sha256:${(count - 1).toString(16).padStart(64, "0")}`;
  const tag = await createResource(`/registry/v2/tags/${repo}`, token, {
    name: "latest",
    digest: newest,
  });
  return { repo, uid: tag.uid, first };
}

/**
 * Pushes an index of these images to the tag `latest`. The platforms are those of their architectures, such as `arm64`.
 */
export async function pushIndex(target: Target, images: Record<string, Image>): Promise<void> {
  for (const image of Object.values(images)) await pushImage(target, image.digest, image);
  const manifests = Object.entries(images).map(([architecture, { text }]) => ({
    ...descriptorOf(text, manifestType),
    platform: { os: "linux", architecture },
  }));
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  const answer = await putManifest(target, "latest", index, indexType);
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
}
