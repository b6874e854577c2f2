/**
 * Returns the address of a host without trailing slashes, including its path. Throws a TypeError for a text that is not
 * an http or https URL, or for a URL with a user, a query or a fragment.
 */
export function addressOf(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username + url.password + url.search + url.hash === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `${name} must be an http or https URL without a user, a query or a fragment`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
