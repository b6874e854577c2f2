/** Images as the command line names them: `REPO@sha256:…`. */
import { InvalidArgumentError } from "commander";

/** An image by digest. `repo` is a uid, a name or a path of names. */
export type ImageDigest = { repo: string; digest: string };

/** Parses an option that names an image. */
export function parseImageDigest(value: string): ImageDigest {
  const [, repo, digest] = /^(.+)@(sha256:[0-9a-f]{64})$/.exec(value) ?? [];
  if (repo && digest) return { repo, digest };
  throw new InvalidArgumentError(
    "Write the name or uid of the repository, then @sha256: and 64 hexadecimal digits. A tag is not accepted, because it can move.",
  );
}
