/** Images whose advisories record a fix. */

import { insertAdvisory } from "../vulnerabilities/advisories/stored_advisories.ts";
import { insertRow, randomHex } from "../vulnerabilities/callers.ts";
import { fakeDigest, randomName } from "../world/personas.ts";

const at = (time: string) => Date.parse(time);

/** The day of a fix if the test names no other. */
export const defaultDay = "2024-05-01";

/** A repository with existing tags, and its uid. */
export async function newRepo(group: string, tags: string[] = ["latest"]) {
  const name = randomName("image");
  const uid = `${group}/${randomHex(16)}`;
  await insertRow("repos", { uid, name, create_time: 1, update_time: 1 });
  for (const tag of tags) {
    const row = { uid: `${uid}/${randomHex(16)}`, name: tag, digest: fakeDigest("now") };
    await insertRow("tags", { ...row, create_time: 1, update_time: 1 });
  }
  return { name, uid };
}

export const insertMove = (repo_uid: string, tag: string, time: string, digest: string) =>
  insertRow("tag_moves", { repo_uid, tag, update_time: at(time), digest });

/** An advisory about an image, fixed at that time. The build of the fix is optional. */
export const insertFix = (
  group: string,
  image: string,
  advisoryId: string,
  { time = `${defaultDay}T12:00:00Z`, version = "1.2.3", ...change }: Record<string, string> = {},
) =>
  insertAdvisory(
    group,
    { artifact_type: "image", artifact_name: image, advisory_id: advisoryId, ...change },
    [{ type: 3, create_time: at(time), detail: JSON.stringify({ fixedVersion: version }) }],
  );
