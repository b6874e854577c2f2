/** The etags of resources that the client has read. */

const etags = new WeakMap<object, string>();

/** Remembers the etag of a resource. */
export function withEtag<Resource extends object>(
  resource: Resource,
  etag: string | null,
): Resource {
  if (etag !== null) etags.set(resource, etag);
  return resource;
}

/**
 * Returns the etag of a resource that a get, a create or an update of this client returned, for the option `ifMatch` of a
 * later update or delete. Undefined for any other object, such as a row of a list or a copy. Every resource also has its
 * etag in the member `etag`.
 */
export const etagOf = (resource: object): string | undefined => etags.get(resource);
