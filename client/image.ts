/** Names of images. */

/** An image and one of its tags. */
export interface Image {
  /** The namespace and the path, such as `acme.example/python`. */
  name: string;
  tag: string;
}

/**
 * Parses a name such as `acme.example/python:latest`. It may begin with the host of the registry. The default tag is
 * `latest`. Throws a TypeError for an invalid name, and for a digest, which has no history.
 */
export function readImage(text: string, host: string): Image {
  if (text.includes("@"))
    throw new TypeError(`${text} contains a digest, but only a tag has a history`);
  const bare = text.startsWith(`${host}/`) ? text.slice(host.length + 1) : text;
  const [, name = "", tag = "latest"] = /^([^:]+\/[^:]+?)(?::([^:/]+))?$/.exec(bare) ?? [];
  // In a URL, these parts would lead out of the image's path.
  const isStep = `${name}/${tag}`.split("/").some((part) => /^\.{0,2}$/.test(part));
  if (isStep) throw new TypeError(`${text} must have the form <namespace>/<image>:<tag>`);
  return { name, tag };
}

/** An image and its digest. */
export interface PinnedImage {
  /** The namespace and the path, such as `acme.example/python`. */
  name: string;
  digest: string;
}

/**
 * Parses a name such as `acme.example/python@sha256:…`. It may begin with the host of the registry. Throws a TypeError for
 * an invalid name, and for one without a digest.
 */
export function readPinnedImage(text: string, host: string): PinnedImage {
  const bare = text.startsWith(`${host}/`) ? text.slice(host.length + 1) : text;
  const [, name = "", digest = ""] = /^([^:@]+\/[^:@]+)@([a-z0-9]+:[0-9a-f]+)$/.exec(bare) ?? [];
  // In a URL, these parts would lead out of the image's path.
  if (name.split("/").some((part) => /^\.{0,2}$/.test(part)))
    throw new TypeError(`${text} must have the form <namespace>/<image>@<digest>`);
  return { name, digest };
}
