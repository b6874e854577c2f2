/** Digests of images, such as `sha256:` and 64 digits. */

/** Reports whether a text is a digest. */
export const isDigest = (text: string): boolean =>
  /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(text);

/** The algorithm and the first digits, for titles and tables. */
export const shortDigest = (digest: string, digits = 12): string =>
  digest.slice(0, digest.indexOf(":") + 1 + digits);
