/** Images as they are named on the command line, `REPO@sha256:…`. */
import { InvalidArgumentError } from "commander";
import type { Client } from "./client.ts";
import { refused } from "./failure.ts";

/** An image by digest. `repo` is a uid or a name. */
export type Image = { repo: string; digest: string };

/** Parser of an option that names an image. */
export function image(value: string): Image {
  const [, repo, digest] = /^(.+)@(sha256:[0-9a-f]{64})$/.exec(value) ?? [];
  if (repo && digest) return { repo, digest };
  throw new InvalidArgumentError(
    "An image is the name or uid of its repo, then @sha256: and 64 hex digits. Tags move, so they are not taken.",
  );
}

/** The uid of a repo, by that or by a name that one repo only has. Throws a Failure otherwise. */
export async function findRepo(client: Client, nameOrUid: string): Promise<string> {
  if (/^[0-9a-f]{40}(\/[0-9a-f]{16})+$/.test(nameOrUid)) return nameOrUid;
  const repos = await client.repos.list({ name: nameOrUid, pageSize: 200 }).all();
  const [first, ...others] = repos;
  if (!first) {
    throw refused(
      "NOT_FOUND",
      `There is no repo named ${nameOrUid} that you can see. Use another name, or the repo's uid.`,
    );
  }
  if (others.length > 0) {
    const uids = repos.map(({ uid }) => `  ${uid}`).join("\n");
    throw refused(
      "AMBIGUOUS",
      `${repos.length} repos are named ${nameOrUid}. Use the uid of one:\n${uids}`,
    );
  }
  return first.uid;
}
