/** Finds the pinned base images of a Dockerfile, and replaces their digests. */

/** An image in a line such as `FROM registry.example.com/acme.example/python:latest@sha256:…`. */
export interface BaseImage {
  /** The host, the path and the tag. */
  reference: string;
  digest: string;
}

/** An instruction FROM with a tag and a digest, and the spaces and options in between. */
const pinned =
  /^([ \t]*FROM[ \t]+(?:--[a-z]+=\S+[ \t]+)*)([^\s@]+:[\w][\w.-]{0,127})@(sha256:[0-9a-f]{64})(?=\s|$)/gim;

/** Whether a file is a Dockerfile, by its path. */
export const isDockerfile = (path: string): boolean =>
  /(?:^|\/)(?:(?:Docker|Container)file(?:\.[^/]+)?|[^/]+\.(?:Docker|Container)file)$/i.test(path);

/** Returns the pinned base images from one registry. */
export const baseImages = (text: string, registryHost: string): BaseImage[] =>
  [...text.matchAll(pinned)]
    .map(([, , reference = "", digest = ""]) => ({ reference, digest }))
    .filter(({ reference }) => reference.startsWith(`${registryHost}/`));

/** Returns the text with other digests. References without a new digest, and all other text, stay the same. */
export const withDigests = (text: string, digests: ReadonlyMap<string, string>): string =>
  text.replace(
    pinned,
    (_, start: string, reference: string, digest: string) =>
      `${start}${reference}@${digests.get(reference) ?? digest}`,
  );
