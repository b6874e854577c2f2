/** Images as they are named on the command line, `REPO@sha256:…`. */
import { InvalidArgumentError } from "commander";

/** An image by digest. `repo` is a uid, a name or a path of names. */
export type ImageDigest = { repo: string; digest: string };

/** Parser of an option that names an image. */
export function parseImageDigest(value: string): ImageDigest {
  const [, repo, digest] = /^(.+)@(sha256:[0-9a-f]{64})$/.exec(value) ?? [];
  if (repo && digest) return { repo, digest };
  throw new InvalidArgumentError(
    "An image is the name or uid of its repo, then @sha256: and 64 hex digits. Tags move, so they are not taken.",
  );
}
